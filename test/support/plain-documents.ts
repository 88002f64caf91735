import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OpenDocuments, openDocuments } from "../../src/documents/open-documents.ts";
import type { AudienceRef } from "../../src/domain/audience.ts";
import type { PlainWorld } from "./plain-world.ts";
import { WORDS } from "./random-community.ts";

/** Words that stand in the documents of one audience only. */
const documentMark = {
  guild: (guildId: string) => `dg${guildId}x`,
  channel: (channelId: string) => `dc${channelId}x`,
  role: (guildId: string, roleId: string) => `dr${guildId}y${roleId}x`,
};

export interface PlainFolder {
  readonly name: string;
  readonly audience: AudienceRef;
  /** By path. */
  readonly files: Readonly<Record<string, string>>;
}

/** Real folders, in a place of their own. */
export async function openFolders(folders: readonly PlainFolder[], lookAgainMs = 600_000) {
  const root = mkdtempSync(join(tmpdir(), "documents-"));
  const put = (name: string, path: string, text: string) => {
    mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, name, path), text);
  };
  for (const { name, files } of folders) {
    mkdirSync(join(root, name), { recursive: true });
    for (const [path, text] of Object.entries(files)) put(name, path, text);
  }
  const settings = folders.map(({ name, audience }) => ({ folder: join(root, name), name, audience }));
  const documents: OpenDocuments = await openDocuments(settings, { lookAgainMs });
  return {
    ...{ root, documents, put },
    /** A whole folder. */
    remove: (name: string) => rmSync(join(root, name), { recursive: true }),
    async close() {
      await documents.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Something for each server, for some of its channels and for some of its roles, with a mark in the text, the heading and the names. */
export function openDocumentsIn(world: PlainWorld) {
  const folder = (mark: string, audience: AudienceRef): PlainFolder => ({
    ...{ name: mark, audience },
    files: { [`${mark}.md`]: `# ${mark}\n\n${mark} ${WORDS.join(" ")}\n` },
  });
  return openFolders(
    world.guilds.flatMap(({ id, channels, roles }) => [
      folder(documentMark.guild(id), { kind: "guild", id: id as never }),
      ...channels
        .slice(0, 3)
        .map((channel) => folder(documentMark.channel(channel.id), { kind: "channel", id: channel.id as never })),
      ...roles
        .slice(1, 3)
        .map((role) =>
          folder(documentMark.role(id, role.id), { kind: "role", guildId: id as never, id: role.id as never }),
        ),
    ]),
  );
}
