import type { Channel, GuildRules } from "../domain/guild.ts";
import type { MembersByRoles } from "../domain/guild-audience.ts";
import type { RoleId } from "../domain/ids.ts";
import { PERMISSION, type PermissionSet } from "../domain/permission-set.ts";
import type { PermissionPlace } from "../domain/permissions.ts";
import { neededToRead, neededToView } from "../domain/permissions.ts";
import type { MemberTable } from "./member-table.ts";

const DECIDING = [
  PERMISSION.viewChannel,
  PERMISSION.readMessageHistory,
  PERMISSION.connect,
  PERMISSION.manageThreads,
] as const;

interface CachedBits {
  /** The channel whose overwrites decided: a thread's parent changes independently of the thread. */
  readonly channel: Channel;
  readonly version: number;
  readonly size: number;
  readonly bits: Uint32Array;
}

/**
 * The members of a guild by the sets of roles they have. Each role is a bit set over these sets, so that Discord's rules are evaluated for
 * 32 sets at a time. Results are cached by the channel object, which is replaced whenever the channel changes, and by the version of the
 * guild's roles.
 */
export class GuildMembersByRoles implements MembersByRoles {
  readonly #members: MemberTable;
  readonly #guild: { readonly rulesVersion: number };
  readonly #cache = { sees: new WeakMap<Channel, CachedBits>(), reads: new WeakMap<Channel, CachedBits>() };
  /** The sets that contain each role, up to a number; sets never change, and only new ones are added. */
  readonly #holders = new Map<RoleId, Uint32Array>();
  #indexed = 0;
  /** The sets whose roles grant a permission in the whole guild. */
  readonly #granted = { version: -1, size: -1, bits: new Map<PermissionSet, Uint32Array>() };

  constructor(members: MemberTable, guild: { readonly rulesVersion: number }) {
    this.#members = members;
    this.#guild = guild;
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

  bots(set: number): number {
    return this.#members.bots(set);
  }

  pendingPeople(set: number): number {
    return this.#members.pendingPeople(set);
  }

  pendingBots(set: number): number {
    return this.#members.pendingBots(set);
  }

  bits(place: PermissionPlace, question: "sees" | "reads"): Uint32Array {
    const memory = this.#cache[question];
    const key = place.thread?.kind === "private_thread" ? place.thread : place.channel;
    const { channel } = place;
    const [version, size] = [this.#guild.rulesVersion, this.size];
    const known = memory.get(key);
    if (known?.version === version && known.channel === channel && known.size === size) return known.bits;
    const needed = question === "sees" ? neededToView(place) : neededToRead(place);
    const bits = this.#all();
    for (const permission of DECIDING) if (needed & permission) intersect(bits, this.#holding(permission, place));
    memory.set(key, { channel, version, size, bits });
    return bits;
  }

  mark(bits: Uint32Array): string {
    return this.#members.mark(bits);
  }

  /** The sets that have a permission in a channel. */
  #holding(permission: PermissionSet, { guild, channel }: PermissionPlace): Uint32Array {
    const administrators = this.#grantedIn(guild, PERMISSION.administrator);
    if (channel.hidden) return administrators;
    const bits = this.#grantedIn(guild, permission).slice();
    const overwrites = channel.overwrites.filter(({ target }) => target === "role");
    const forAll = overwrites.find(({ id }) => isEveryone(guild, id));
    if (forAll && forAll.deny & permission) bits.fill(0);
    if (forAll && forAll.allow & permission) bits.set(this.#all());
    const forSome = overwrites.filter((overwrite) => overwrite !== forAll);
    for (const { id, deny } of forSome) if (deny & permission) subtract(bits, this.#holdersOf(id as RoleId));
    for (const { id, allow } of forSome) if (allow & permission) add(bits, this.#holdersOf(id as RoleId));
    add(bits, administrators);
    return bits;
  }

  #grantedIn(guild: GuildRules, permission: PermissionSet): Uint32Array {
    const granted = this.#granted;
    const [version, size] = [this.#guild.rulesVersion, this.size];
    if (granted.version !== version || granted.size !== size) {
      granted.bits.clear();
      Object.assign(granted, { version, size });
    }
    let bits = granted.bits.get(permission);
    if (!bits) {
      bits = new Uint32Array(Math.ceil(size / 32));
      for (const role of guild.roles.values()) {
        if (role.permissions & permission)
          add(bits, isEveryone(guild, role.id) ? this.#all() : this.#holdersOf(role.id));
      }
      granted.bits.set(permission, bits);
    }
    return bits;
  }

  /** May be shorter than needed for all sets: missing bits are unset. */
  #holdersOf(role: RoleId): Uint32Array {
    for (; this.#indexed < this.size; this.#indexed += 1) {
      for (const held of this.roles(this.#indexed)) this.#note(held, this.#indexed);
    }
    return this.#holders.get(role) ?? new Uint32Array();
  }

  #note(role: RoleId, set: number): void {
    const word = set >>> 5;
    let bits = this.#holders.get(role);
    if (!bits || word >= bits.length) {
      const wider = new Uint32Array(word * 2 + 1);
      if (bits) wider.set(bits);
      bits = wider;
      this.#holders.set(role, bits);
    }
    bits[word] = (bits[word] ?? 0) | (1 << (set & 31));
  }

  /** Bits beyond the last set stay unset. */
  #all(): Uint32Array {
    const bits = new Uint32Array(Math.ceil(this.size / 32)).fill(0xffff_ffff);
    if (this.size & 31) bits[bits.length - 1] = 0xffff_ffff >>> (32 - (this.size & 31));
    return bits;
  }
}

function isEveryone({ id }: GuildRules, role: string): boolean {
  return role === (id as string);
}

function add(bits: Uint32Array, more: Uint32Array): void {
  for (let word = 0; word < bits.length; word += 1) bits[word] = (bits[word] ?? 0) | (more[word] ?? 0);
}

function subtract(bits: Uint32Array, fewer: Uint32Array): void {
  for (let word = 0; word < bits.length; word += 1) bits[word] = (bits[word] ?? 0) & ~(fewer[word] ?? 0);
}

function intersect(bits: Uint32Array, others: Uint32Array): void {
  for (let word = 0; word < bits.length; word += 1) bits[word] = (bits[word] ?? 0) & (others[word] ?? 0);
}
