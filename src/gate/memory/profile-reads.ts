import { EarshotError } from "../../domain/errors.ts";
import type { GuildId, UserId } from "../../domain/ids.ts";
import type { Source } from "../../domain/source.ts";
import type { Discord } from "../../ports/discord.ts";
import type { ProfileKey, ProfileQuery, ProfileSource, ProfileValue } from "../../ports/profile-source.ts";
import { toGuildId } from "../../sources/kinds/limits.ts";
import { toProfileRef } from "../../sources/kinds/profile.ts";
import type { HeardProfile, ProfileField } from "../../tools/view.ts";
import type { FactCall } from "./fact-reads.ts";
import { toProfileVersion } from "./profile-states.ts";

export interface ProfileReadsDeps {
  readonly profiles: readonly ProfileSource[];
  readonly discord: Discord;
  isLeftOut(userId: UserId): boolean;
}

/** A key that may be heard here. */
interface OpenKey extends ProfileKey {
  readonly guildId: GuildId | null;
}

/**
 * What may be heard of profiles within one call. Who may hear each key is decided before its source is asked: a request would tell a service whom somebody
 * asked about, and how long it takes would tell the person asking that there is something.
 */
export class ProfileReads {
  readonly #call: FactCall;
  readonly #deps: ProfileReadsDeps;

  constructor(call: FactCall, deps: ProfileReadsDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  async read(person: UserId, isWanted: (key: string) => boolean): Promise<HeardProfile> {
    const query = { person, guildId: this.#call.access.here.guildId };
    const fields: ProfileField[] = [];
    let isUnavailable = false;
    for (const source of this.#deps.profiles) {
      const wanted = source.keys(query).filter(({ key }) => isWanted(key));
      const open = await this.#openKeys(wanted, { source, query });
      if (open.length === 0) continue;
      // Also that there is nothing, or that nobody answers, is for those who may hear it.
      this.#call.record.considerRecords(open.map((key) => toReading({ source, query, key }, null)));
      const values = await this.#ask(source, query);
      // They asked to be left out meanwhile.
      if (this.#deps.isLeftOut(person)) return { fields: [], isUnavailable: false };
      isUnavailable ||= values === null;
      for (const key of open) {
        const value = values?.get(key.key);
        if (value !== undefined) fields.push(this.#tell({ source, query, key }, value));
      }
    }
    return { fields, isUnavailable };
  }

  /** Null while the source cannot be read. */
  async #ask(source: ProfileSource, query: ProfileQuery): Promise<ReadonlyMap<string, ProfileValue> | null> {
    try {
      return await source.read(query, this.#call.signal);
    } catch (error) {
      if (error instanceof EarshotError && error.code === "unavailable") return null;
      throw error;
    }
  }

  async #openKeys(keys: readonly ProfileKey[], asked: Pick<AskedKey, "source" | "query">): Promise<readonly OpenKey[]> {
    const { person } = asked.query;
    const { directory } = this.#deps.discord;
    const all = keys.map((key) => ({ ...key, guildId: toGuildId(key.audience, directory) }));
    // In which servers they are has to be known before anything is decided. Who cannot be looked up counts as not being there.
    for (const guildId of new Set(all.flatMap((key) => key.guildId ?? [])))
      for (const id of [this.#call.operation.actor, person]) await directory.learnMember(id, guildId).catch(() => {});
    // Looked at last: nobody is asked about a person who was left out meanwhile.
    return all.filter((key) => this.#call.access.mayHear(toReading({ ...asked, key }, null)));
  }

  #tell(asked: AskedKey, value: ProfileValue): ProfileField {
    const { source, query, key } = asked;
    const roles = this.#call.access.rolesIn(key.guildId);
    const reading = toReading(asked, value);
    this.#call.record.readRecord(reading, { content: JSON.stringify(value), roles });
    const visibility = VISIBILITIES[key.audience.kind];
    const { guildId } = key;
    return { ref: reading.ref, origin: source.origin, person: query.person, key: key.key, value, visibility, guildId };
  }
}

const VISIBILITIES = { person: "private", channel: "project", role: "org", guild: "org" } as const;

interface AskedKey {
  readonly source: ProfileSource;
  readonly query: ProfileQuery;
  readonly key: OpenKey;
}

function toReading({ source, query, key }: AskedKey, value: ProfileValue | null): Source<"profile"> {
  return {
    kind: "profile",
    ref: toProfileRef(source, query, key.key),
    version: value === null ? null : toProfileVersion(value),
    subjectId: query.person,
    guildId: key.guildId,
    audiences: [key.audience],
  };
}
