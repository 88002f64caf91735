import type { AudienceRef } from "../domain/audience.ts";
import type { GuildId } from "../domain/ids.ts";
import type { Source } from "../domain/source.ts";
import type { Operation } from "../policy/operation.ts";
import { outage } from "../policy/outage.ts";
import type { Discord } from "../ports/discord.ts";
import type { DocumentFolder, Documents, Passage } from "../ports/documents.ts";
import { toGuildId } from "../sources/kinds/limits.ts";
import type { FoundPassages } from "../tools/view.ts";
import type { RecordRead } from "./call/call-record.ts";
import type { ReadParts } from "./call/channel-reads.ts";

export interface DocumentReadsDeps {
  /** Null if there are none. */
  readonly documents: Documents | null;
  readonly discord: Discord;
}

export interface DocumentCall extends ReadParts {
  readonly operation: Operation;
}

/** The operator's documents within one call: each folder passes the five checks, and a folder that passes counts as read. */
export class DocumentReads {
  readonly #call: DocumentCall;
  readonly #deps: DocumentReadsDeps;

  constructor(call: DocumentCall, deps: DocumentReadsDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  /** The best matching passages in the folders that may be used here. Throws `unavailable` while a server concerned cannot be reached. */
  async search(words: string, limit: number): Promise<FoundPassages> {
    const { documents } = this.#deps;
    if (this.#call.access.isCutOff) throw outage();
    if (!documents) return { passages: [], unreadable: [] };
    const open = await this.#openFolders(documents);
    const byRef = new Map(open.map((folder) => [folder.ref, folder]));
    // All searched folders influence the ranking, so all of them limit the answer.
    this.#call.record.considerRecords(
      open.map((folder) => this.#toReading(folder, { ref: folder.ref, version: null })),
    );
    const passages = await documents.search(words, [...byRef.keys()], limit);
    for (const passage of passages) {
      const folder = byRef.get(passage.ref.split("/")[0] ?? "");
      if (folder) this.#call.record.readRecord(this.#toReading(folder, passage), this.#toRead(folder, passage));
    }
    return { passages, unreadable: open.filter(({ isReadable }) => !isReadable).map(({ name }) => name) };
  }

  async #openFolders(documents: Documents): Promise<readonly DocumentFolder[]> {
    const { directory } = this.#deps.discord;
    const { operation, access } = this.#call;
    const { actor } = operation;
    const folders = documents.folders();
    for (const { audience } of folders) {
      // A person who cannot be looked up counts as absent.
      if (audience.kind === "channel") await directory.learn(actor, audience.id).catch(() => {});
      const guildId = this.#guildOf(audience);
      if (guildId !== null) await directory.learnMember(actor, guildId).catch(() => {});
    }
    return folders.filter((folder) => access.mayHear(this.#toReading(folder, { ref: folder.ref, version: null })));
  }

  #toReading(
    { audience }: DocumentFolder,
    { ref, version }: Pick<Source<"passage">, "ref" | "version">,
  ): Source<"passage"> {
    return { kind: "passage", ref, version, subjectId: null, guildId: this.#guildOf(audience), audiences: [audience] };
  }

  /** File name, path and headings count as read with the text. */
  #toRead({ audience }: DocumentFolder, { name, path, headings, text }: Passage): RecordRead {
    const content = [name, path, ...headings, text].join("\n");
    return { content, roles: this.#call.access.rolesIn(this.#guildOf(audience)) };
  }

  #guildOf(audience: AudienceRef): GuildId | null {
    return toGuildId(audience, this.#deps.discord.directory);
  }
}
