import type { Member } from "../domain/guild.ts";
import type { RoleId, UserId } from "../domain/ids.ts";
import type { Person } from "../ports/directory.ts";

export interface MemberFacts {
  readonly id: UserId;
  readonly username: string;
  readonly globalName: string | null;
  readonly nick: string | null;
  readonly bot: boolean;
  readonly roles: readonly RoleId[];
  readonly timedOutUntil?: number;
  /** Absent if Discord omits it: a known value is kept, and a new member is not pending. */
  readonly pending?: boolean;
  /** Milliseconds since 1970; absent if Discord omits it: a known value is kept. */
  readonly joinedAt?: number;
}

const FREE = 0;
const MIN_CAPACITY = 16;
const MAX_LOAD = 0.7;
const DAY_MS = 86_400_000;
const MAX_DAY = 0xffff;

/**
 * The members of one guild in little memory: ids as integers in an open-addressing table, shared sets of roles, and the three names packed
 * into one string. Large guilds have hundreds of thousands of members, few of whom are ever looked up. Measured with 200,000 members: 89
 * bytes each; a Map of plain objects takes 322.
 */
export class MemberTable {
  /** Row number + 1 by hash of the id; 0 is free. Rows have no gaps: removing one moves the last row there. */
  #slots = new Uint32Array(MIN_CAPACITY);
  #high = new Uint32Array(MIN_CAPACITY);
  #low = new Uint32Array(MIN_CAPACITY);
  #roleSet = new Uint32Array(MIN_CAPACITY);
  /** The day on which each member joined, counted from 1970; 0 if unknown. The hour is never needed. */
  #joinedDay = new Uint16Array(MIN_CAPACITY);
  #packed: string[] = [];
  readonly #roleSets: ReadonlySet<RoleId>[] = [];
  /** The number of people and bots with exactly each set, and of pending ones among them. */
  readonly #people: number[] = [];
  readonly #bots: number[] = [];
  readonly #pendingPeople: number[] = [];
  readonly #pendingBots: number[] = [];
  readonly #roleSetByKey = new Map<string, number>();
  /** Separate, because few are timed out at any time. */
  readonly #timeouts = new Map<UserId, number>();

  get size(): number {
    return this.#packed.length;
  }

  has(id: UserId): boolean {
    return this.#find(id) >= 0;
  }

  get(id: UserId): Member | undefined {
    const row = this.#find(id);
    return row < 0 ? undefined : this.#member(id, row);
  }

  name(id: UserId): string | undefined {
    const row = this.#find(id);
    return row < 0 ? undefined : displayName(this.#packed[row] ?? "");
  }

  set(facts: MemberFacts): void {
    let row = this.#find(facts.id);
    if (row < 0) row = this.#append(facts.id);
    else this.#count(row, -1);
    const pending = facts.pending ?? isPending(this.#packed[row] ?? "");
    this.#roleSet[row] = this.#internRoles(facts.roles);
    this.#packed[row] = pack(facts, pending);
    if (facts.joinedAt !== undefined) this.#joinedDay[row] = toDay(facts.joinedAt);
    if (facts.timedOutUntil === undefined) this.#timeouts.delete(facts.id);
    else this.#timeouts.set(facts.id, facts.timedOutUntil);
    this.#count(row, 1);
  }

  /** The number of known sets of roles; each keeps its number. */
  get roleSets(): number {
    return this.#roleSets.length;
  }

  roles(set: number): ReadonlySet<RoleId> {
    return this.#roleSets[set] ?? new Set();
  }

  /** The number of people with exactly these roles, without bots. */
  people(set: number): number {
    return this.#people[set] ?? 0;
  }

  bots(set: number): number {
    return this.#bots[set] ?? 0;
  }

  pendingPeople(set: number): number {
    return this.#pendingPeople[set] ?? 0;
  }

  pendingBots(set: number): number {
    return this.#pendingBots[set] ?? 0;
  }

  /** A checksum of all members with one of these sets of roles, independent of their order. */
  mark(bits: Uint32Array): string {
    let [sum, mix] = [0, 0];
    for (let row = 0; row < this.size; row += 1) {
      const set = this.#roleSet[row] ?? 0;
      if ((((bits[set >>> 5] ?? 0) >>> (set & 31)) & 1) === 0) continue;
      const [high, low] = [this.#high[row] ?? 0, this.#low[row] ?? 0];
      sum = (sum + hash(high, low)) | 0;
      mix ^= hash(low, high);
    }
    return `${sum} ${mix}`;
  }

  delete(id: UserId): boolean {
    const row = this.#find(id);
    if (row < 0) return false;
    const last = this.size - 1;
    this.#timeouts.delete(id);
    this.#count(row, -1);
    this.#removeSlot(row);
    if (row !== last) {
      this.#slots[this.#slotOf(last)] = row + 1;
      this.#high[row] = this.#high[last] ?? 0;
      this.#low[row] = this.#low[last] ?? 0;
      this.#roleSet[row] = this.#roleSet[last] ?? 0;
      this.#joinedDay[row] = this.#joinedDay[last] ?? 0;
      this.#packed[row] = this.#packed[last] ?? "";
    }
    this.#packed.pop();
    return true;
  }

  *[Symbol.iterator](): IterableIterator<Member> {
    for (let row = 0; row < this.size; row += 1) yield this.#member(this.#idOf(row), row);
  }

  /** All members, with all their names. */
  *everybody(): IterableIterator<Person> {
    for (let row = 0; row < this.size; row += 1) {
      const packed = this.#packed[row] ?? "";
      yield { id: this.#idOf(row), names: unpackNames(packed).filter((name) => name !== ""), bot: isBot(packed) };
    }
  }

  #member(id: UserId, row: number): Member {
    const packed = this.#packed[row] ?? "";
    const roles = this.#roleSets[this.#roleSet[row] ?? 0] ?? new Set();
    const joinedDay = this.#joinedDay[row] ?? 0;
    return new TableMember({ id, packed, roles, joinedDay, timedOutUntil: this.#timeouts.get(id) });
  }

  #idOf(row: number): UserId {
    return ((BigInt(this.#high[row] ?? 0) << 32n) | BigInt(this.#low[row] ?? 0)).toString() as UserId;
  }

  #count(row: number, change: number): void {
    const index = this.#roleSet[row] ?? 0;
    const packed = this.#packed[row] ?? "";
    const [holders, pending] = isBot(packed) ? [this.#bots, this.#pendingBots] : [this.#people, this.#pendingPeople];
    holders[index] = (holders[index] ?? 0) + change;
    if (isPending(packed)) pending[index] = (pending[index] ?? 0) + change;
  }

  #internRoles(roles: readonly RoleId[]): number {
    const key = [...roles].sort().join();
    let index = this.#roleSetByKey.get(key);
    if (index === undefined) {
      index = this.#roleSets.push(new Set(roles)) - 1;
      this.#roleSetByKey.set(key, index);
    }
    return index;
  }

  #append(id: UserId): number {
    const row = this.size;
    if (row + 1 > this.#slots.length * MAX_LOAD) this.#grow();
    const [high, low] = split(id);
    this.#high[row] = high;
    this.#low[row] = low;
    this.#joinedDay[row] = 0;
    this.#packed.push("");
    this.#claimSlot(row);
    return row;
  }

  #grow(): void {
    const capacity = this.#slots.length * 2;
    this.#slots = new Uint32Array(capacity);
    const rows = Math.ceil(capacity * MAX_LOAD) + 1;
    this.#high = widen(this.#high, rows);
    this.#low = widen(this.#low, rows);
    this.#roleSet = widen(this.#roleSet, rows);
    const joinedDay = new Uint16Array(rows);
    joinedDay.set(this.#joinedDay.subarray(0, rows));
    this.#joinedDay = joinedDay;
    for (let row = 0; row < this.size; row += 1) this.#claimSlot(row);
  }

  #find(id: UserId): number {
    const [high, low] = split(id);
    const mask = this.#slots.length - 1;
    for (let slot = hash(high, low) & mask; ; slot = (slot + 1) & mask) {
      const row = (this.#slots[slot] ?? FREE) - 1;
      if (row < 0) return -1;
      if (this.#low[row] === low && this.#high[row] === high) return row;
    }
  }

  #claimSlot(row: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash(this.#high[row] ?? 0, this.#low[row] ?? 0) & mask;
    while (this.#slots[slot] !== FREE) slot = (slot + 1) & mask;
    this.#slots[slot] = row + 1;
  }

  #slotOf(row: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash(this.#high[row] ?? 0, this.#low[row] ?? 0) & mask;
    while (this.#slots[slot] !== row + 1) slot = (slot + 1) & mask;
    return slot;
  }

  /** Frees the row's slot and closes the gap, so that later entries of the probe sequence stay reachable. */
  #removeSlot(row: number): void {
    const mask = this.#slots.length - 1;
    let hole = this.#slotOf(row);
    for (let slot = (hole + 1) & mask; this.#slots[slot] !== FREE; slot = (slot + 1) & mask) {
      const other = (this.#slots[slot] ?? 0) - 1;
      const home = hash(this.#high[other] ?? 0, this.#low[other] ?? 0) & mask;
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        this.#slots[hole] = other + 1;
        hole = slot;
      }
    }
    this.#slots[hole] = FREE;
  }
}

interface TableRow {
  readonly id: UserId;
  readonly packed: string;
  readonly roles: ReadonlySet<RoleId>;
  readonly joinedDay: number;
  readonly timedOutUntil: number | undefined;
}

/** Unpacks its name on first use. */
class TableMember implements Member {
  readonly id: UserId;
  readonly roles: ReadonlySet<RoleId>;
  readonly timedOutUntil?: number;
  readonly #packed: string;
  readonly #joinedDay: number;

  constructor({ id, packed, roles, joinedDay, timedOutUntil }: TableRow) {
    this.id = id;
    this.roles = roles;
    if (timedOutUntil !== undefined) this.timedOutUntil = timedOutUntil;
    this.#packed = packed;
    this.#joinedDay = joinedDay;
  }

  get joinedOn(): number | undefined {
    return this.#joinedDay === 0 ? undefined : this.#joinedDay * DAY_MS;
  }

  get name(): string {
    return displayName(this.#packed);
  }

  get bot(): boolean {
    return isBot(this.#packed);
  }

  get pending(): boolean {
    return isPending(this.#packed);
  }
}

/** Names never contain the separator: Discord forbids control characters, and others are removed. */
const SEPARATOR = "\u0000";

/** 0 for an invalid time. */
function toDay(ms: number): number {
  const day = Math.floor(ms / DAY_MS);
  return day > 0 && day <= MAX_DAY ? day : 0;
}

/** The first character tells bots from people; it is a capital letter for pending members. */
function pack({ bot, nick, globalName, username }: MemberFacts, pending: boolean): string {
  const names = [nick ?? "", globalName === username ? "" : (globalName ?? ""), username];
  const mark = bot ? "b" : "p";
  return (pending ? mark.toUpperCase() : mark) + names.map((name) => name.replaceAll(SEPARATOR, "")).join(SEPARATOR);
}

function isBot(packed: string): boolean {
  return packed.startsWith("b") || packed.startsWith("B");
}

function isPending(packed: string): boolean {
  return packed.startsWith("P") || packed.startsWith("B");
}

function unpackNames(packed: string): string[] {
  return packed.slice(1).split(SEPARATOR);
}

/** The first name that is not empty. Called for each message, so it unpacks nothing else. */
function displayName(packed: string): string {
  let start = 1;
  while (packed[start] === SEPARATOR) start += 1;
  const end = packed.indexOf(SEPARATOR, start);
  return packed.slice(start, end < 0 ? undefined : end);
}

/** The two halves of a 64-bit decimal id, without bigints. */
function split(id: string): [high: number, low: number] {
  let high = 0;
  let low = 0;
  for (let index = 0; index < id.length; index += 1) {
    const next = low * 10 + (id.charCodeAt(index) - 48);
    low = next >>> 0;
    high = high * 10 + (next - low) / 0x1_0000_0000;
  }
  return [high >>> 0, low];
}

function hash(high: number, low: number): number {
  let mixed = Math.imul(high ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(low ^ (low >>> 15), 0xc2b2_ae35);
  mixed ^= mixed >>> 13;
  return mixed >>> 0;
}

function widen(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const wider = new Uint32Array(length);
  wider.set(array.subarray(0, Math.min(array.length, length)));
  return wider;
}
