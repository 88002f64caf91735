import { type Crowd, nobody, sees } from "../domain/audience.ts";
import type { Channel } from "../domain/guild.ts";
import type { RoleId } from "../domain/ids.ts";
import { canRead, type Place } from "../domain/permissions.ts";
import type { MemberTable } from "./member-table.ts";

interface Remembered {
  /** Whose overwrites decided: a thread's parent changes apart from the thread. */
  readonly channel: Channel;
  readonly version: number;
  readonly size: number;
  readonly bits: Uint32Array;
}

/**
 * The members of a guild as a crowd. Answers are remembered by the channel object, which is replaced whenever the channel changes, and
 * by the version of the guild's roles; a new set of roles only adds its own bit.
 */
export class GuildCrowd implements Crowd {
  readonly #members: MemberTable;
  readonly #rulesVersion: () => number;
  readonly #remembered = { sees: new WeakMap<Channel, Remembered>(), reads: new WeakMap<Channel, Remembered>() };

  constructor(members: MemberTable, rulesVersion: () => number) {
    this.#members = members;
    this.#rulesVersion = rulesVersion;
  }

  get size(): number {
    return this.#members.roleSets;
  }

  roles(set: number): ReadonlySet<RoleId> {
    return this.#members.roles(set);
  }

  people(set: number): number {
    return this.#members.people(set);
  }

  bits(place: Place, question: "sees" | "reads"): Uint32Array {
    const memory = this.#remembered[question];
    const key = place.thread?.kind === "private_thread" ? place.thread : place.channel;
    const version = this.#rulesVersion();
    const known = memory.get(key);
    const isCurrent = known?.version === version && known.channel === place.channel;
    if (isCurrent && known.size === this.size) return known.bits;
    const bits = new Uint32Array(Math.ceil(this.size / 32));
    if (isCurrent) bits.set(known.bits.subarray(0, bits.length));
    const decide = question === "sees" ? sees : canRead;
    for (let set = isCurrent ? known.size : 0; set < this.size; set += 1) {
      if (decide(place, nobody(this.roles(set)))) bits[set >>> 5] = (bits[set >>> 5] ?? 0) | (1 << (set & 31));
    }
    memory.set(key, { channel: place.channel, version, size: this.size, bits });
    return bits;
  }
}
