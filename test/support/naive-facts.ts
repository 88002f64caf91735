import { ADA, BO, CEM, PLACE } from "./small-world.ts";

/** The owner of the small world, and everybody else in it. */
export const EVERYONE = ["3000", ADA, BO, CEM];

export interface NaiveFact {
  readonly owner: string;
  readonly key: string;
  readonly value: string;
  /** Null: for its owner alone. A place, or "server": for those who can read it. */
  readonly home: string | null;
  /** Places and people that limit it further. */
  readonly limits: ReadonlySet<string>;
  /** The messages that it rests on (`<channel>/<message>`), with their words as they were then. */
  readonly messages: ReadonlyMap<string, string>;
  /** Values of the facts that it rests on; all values differ. */
  readonly under: ReadonlySet<string>;
  /** Only its place in the order and its limits are left: it lapsed. */
  readonly isTrace?: boolean;
}

/** Who reads an answer. */
export interface Readers {
  readonly actor: string;
  /** Null: the actor alone. */
  readonly where: string | null;
}

/**
 * What is remembered in the small world, in the plainest way: lists of facts, messages and people as they really are, and loops over them. Shares nothing with
 * the program.
 */
export class NaiveFacts {
  readonly members = new Set(EVERYONE);
  readonly staff = new Set<string>([ADA, BO]);
  /** The words of every message there is. */
  readonly messages = new Map<string, string>();
  /** With those that others follow, and what lapsed, the oldest first. */
  #facts: NaiveFact[] = [];

  get all(): readonly NaiveFact[] {
    return this.#facts.filter(({ isTrace }) => !isTrace);
  }

  /** Those that no other follows. */
  get latest(): readonly NaiveFact[] {
    return this.all.filter((fact) => this.followersOf(fact).length === 0);
  }

  find(value: string): NaiveFact | undefined {
    return this.all.find((fact) => fact.value === value);
  }

  add(fact: NaiveFact): void {
    this.#facts.push(fact);
  }

  /** Nobody has forgotten it: those who could not hear it go on hearing what it follows, and those who could hear nothing older again. What
   * nobody can hear any more goes. */
  lapse(fact: NaiveFact): void {
    const followed = this.#recordOf(fact).slice(0, this.#recordOf(fact).indexOf(fact));
    const ending = new Set(followed.filter((one) => fact.home === null || limitsOf(fact).isSubsetOf(limitsOf(one))));
    const left = this.#facts.filter((one) => !ending.has(one));
    this.#facts = left.map((one) => (one === fact ? { ...one, isTrace: true } : one));
  }

  /** With everything that it follows. */
  end(fact: NaiveFact): void {
    const ending = new Set(this.#recordOf(fact).slice(0, this.#recordOf(fact).indexOf(fact) + 1));
    this.#facts = this.#facts.filter((one) => !ending.has(one));
  }

  canRead(person: string, limit: string): boolean {
    if (EVERYONE.includes(limit)) return person === limit;
    if (!this.members.has(person)) return false;
    return limit === "server" || limit === PLACE.general || this.staff.has(person) || person === "3000";
  }

  readersOf({ actor, where }: Readers): readonly string[] {
    return where === null ? [actor] : [actor, ...EVERYONE.filter((person) => this.canRead(person, where))];
  }

  /** The value of one name that is heard: the newest of those that all readers may hear. */
  hear(about: string, key: string, readers: Readers): string | undefined {
    const isHeard = (fact: NaiveFact) => {
      if (fact.owner !== about || fact.key !== key || !this.#isFor(fact, readers)) return false;
      // A value that was replaced comes back for nobody who may know what replaced it.
      if (this.followersOf(fact).some((one) => this.#isFor(one, readers))) return false;
      const state = this.stateOf(fact);
      return state === "standing" || (state === "edited" && readers.where === null && readers.actor === about);
    };
    return this.all.findLast(isHeard)?.value;
  }

  stateOf(fact: NaiveFact): "standing" | "edited" | "gone" {
    let state: "standing" | "edited" = "standing";
    for (const [ref, words] of fact.messages) {
      if (!this.messages.has(ref)) return "gone";
      if (this.messages.get(ref) !== words) state = "edited";
    }
    for (const value of fact.under) {
      const other = this.find(value);
      if (!other || (other.home !== null && !this.members.has(other.owner))) return "gone";
      if (this.followersOf(other).some((one) => limitsOf(one).isSubsetOf(limitsOf(other)))) state = "edited";
    }
    return state;
  }

  /** Those that came after it with the same name and home, the first one first. */
  followersOf(fact: NaiveFact): readonly NaiveFact[] {
    const record = this.#recordOf(fact);
    return record.slice(record.indexOf(fact) + 1);
  }

  #recordOf({ owner, key, home }: NaiveFact): readonly NaiveFact[] {
    return this.#facts.filter((one) => one.owner === owner && one.key === key && one.home === home);
  }

  #isFor(fact: NaiveFact, readers: Readers): boolean {
    if (fact.home !== null && !this.members.has(fact.owner)) return false;
    return this.readersOf(readers).every((person) => [...limitsOf(fact)].every((limit) => this.canRead(person, limit)));
  }
}

/** Only who can read all of these may hear it. */
export function limitsOf({ home, owner, limits }: NaiveFact): ReadonlySet<string> {
  return new Set([home ?? owner, ...limits]);
}
