import { toStem } from "../search/stem.ts";
import { toWords } from "../search/terms.ts";
import { allowedTypos, typosBetween } from "../search/typos.ts";
import { normaliseName } from "./fact.ts";

/** The ways in which two names can be nearly the same, the nearest first. */
const NEARNESS: readonly ((one: SplitName, other: SplitName) => boolean)[] = [
  // "timezone" and "time zone".
  (one, other) => one.joined === other.joined,
  // "boats" and "boat", "boat name" and "name, boat".
  (one, other) => one.stems.size === other.stems.size && one.stems.isSubsetOf(other.stems),
  (one, other) => isTypo(one.joined, other.joined) || isTypo(other.joined, one.joined),
  // "home city" and "city".
  (one, other) => isOneWordLonger(one.stems, other.stems) || isOneWordLonger(other.stems, one.stems),
];

interface SplitName {
  /** Without spaces and punctuation. */
  readonly joined: string;
  readonly stems: ReadonlySet<string>;
  readonly numbers: string;
}

/** Entries with a similar but different name, the nearest first; equally near ones in the order given. */
export function findNearNames<One extends { readonly name: string }>(name: string, all: readonly One[]): One[] {
  const wanted = split(name);
  const near: One[][] = NEARNESS.map(() => []);
  for (const one of all) {
    if (normaliseName(one.name) === normaliseName(name)) continue;
    const other = split(one.name);
    // "berth 4" and "berth 5" are different things.
    if (other.joined === "" || other.numbers !== wanted.numbers) continue;
    near[NEARNESS.findIndex((isNear) => isNear(wanted, other))]?.push(one);
  }
  return near.flat();
}

function split(name: string): SplitName {
  const words = toWords(name).map(({ text }) => text);
  return {
    joined: words.join(""),
    stems: new Set(words.map(toStem)),
    numbers: (name.match(/\p{N}+/gu) ?? []).join(" "),
  };
}

function isTypo(typed: string, meant: string): boolean {
  return typosBetween(typed, meant, allowedTypos(meant)) !== null;
}

function isOneWordLonger(long: ReadonlySet<string>, short: ReadonlySet<string>): boolean {
  return short.size > 0 && long.size === short.size + 1 && short.isSubsetOf(long);
}
