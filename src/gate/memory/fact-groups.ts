import { toAudienceKey } from "../../domain/audience-ref.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { audiencesOf, type Fact, recordsUnder } from "../../domain/memory/fact.ts";

/** What of a fact decides who may hear it. */
export type LimitedFact = Pick<Fact, "subjectId" | "guildId" | "home" | "basis">;

interface Grouping<One> {
  toLimited(one: One): LimitedFact;
  toId(one: One): string;
}

/** Of how many choices the list is kept: people in a few channels ask most. */
const MAX_LISTS = 4;
const NONE: ReadonlySet<never> = new Set();

/**
 * Facts in groups about which everything is decided alike: of thousands, there are a few. What is decided is asked each time; only the lists that follow from
 * the decisions are kept, so that what is known of a list can be kept, too. They go with the facts.
 */
export class FactGroups<One> {
  readonly #facts: readonly One[];
  readonly #grouping: Grouping<One>;
  /** The number of each fact's group. */
  readonly #groupOf: readonly number[];
  /** One of each group. */
  readonly samples: readonly LimitedFact[];
  readonly #lists = new BoundedMap<string, readonly One[]>({ maxEntries: MAX_LISTS });

  constructor(facts: readonly One[], grouping: Grouping<One>) {
    const groups = new Map<string, number>();
    const samples: LimitedFact[] = [];
    this.#facts = facts;
    this.#grouping = grouping;
    this.#groupOf = facts.map((one) => {
      const limited = grouping.toLimited(one);
      const key = toGroupKey(limited);
      const known = groups.get(key);
      if (known !== undefined) return known;
      groups.set(key, samples.length);
      return samples.push(limited) - 1;
    });
    this.samples = samples;
  }

  /** Those whose groups pass, in their order, without some. The same list for the same choice. */
  list(passes: (sample: LimitedFact) => boolean, without: ReadonlySet<One> = NONE): readonly One[] {
    const isChosen = this.samples.map(passes);
    const choice = [isChosen.map(Number).join(""), ...[...without].map(this.#grouping.toId).sort()].join(" ");
    const known = this.#lists.use(choice);
    if (known) return known;
    const list = this.#facts.filter((one, at) => isChosen[this.#groupOf[at] ?? -1] === true && !without.has(one));
    this.#lists.set(choice, list);
    return list;
  }
}

/** A fact never changes, and is listed again and again; of private ones there are few in a list. */
const keys = new WeakMap<LimitedFact, string>();

function toGroupKey(fact: LimitedFact): string {
  const known = keys.get(fact);
  if (known !== undefined) return known;
  let key = `${fact.guildId},${fact.subjectId},${toLimitsKey(fact)}`;
  for (const { type, ref } of recordsUnder(fact)) key += `,${type} ${ref}`;
  if (fact.guildId !== null) keys.set(fact, key);
  return key;
}

/** Equal for facts of one home that rest on what the same people can read. */
export function toLimitsKey(fact: LimitedFact): string {
  const all = audiencesOf(fact).map(toAudienceKey);
  return all.length === 1 ? (all[0] ?? "") : [...new Set(all)].join();
}
