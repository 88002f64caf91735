import type { Message } from "../message.ts";
import { editDistance } from "../text/edit-distance.ts";
import { type NameForms, toForms, toSkeleton } from "./name-forms.ts";
import { type ComparisonKey, measureSimilarity, toComparisonKeys } from "./name-similarity.ts";
import { isOrdinaryWord } from "./ordinary-words.ts";

/** A person or channel with all its names. */
export interface Named {
  readonly id: string;
  readonly names: readonly string[];
}

/** The meaning of a name. Several matches are returned in the given order, without a choice. */
export type Resolution<Candidate extends Named> =
  | { readonly kind: "one"; readonly candidate: Candidate }
  | { readonly kind: "several"; readonly candidates: readonly Candidate[] }
  | { readonly kind: "none" };

export interface NameIndex<Candidate extends Named> {
  /** Adds the candidate, or replaces the one with the same id. */
  set(candidate: Candidate): void;
  delete(id: string): void;
  /** Accepts what people and models write: a name, part of one, a misspelt one, `@name`, `#channel`, a mention token, an id. */
  resolve(query: string): Resolution<Candidate>;
}

/** For a few candidates. For thousands keep an index, because preparing names takes most of the time. */
export function resolveName<Candidate extends Named>(
  query: string,
  candidates: readonly Candidate[],
): Resolution<Candidate> {
  return createNameIndex(candidates).resolve(query);
}

/** Whether the query is the whole name, ignoring case, marks and accents: parts and similar names do not count. */
export function isWholeName(query: string, name: string): boolean {
  const forms = toForms(name);
  return query.length <= MAX_QUERY_LENGTH && toQueryForms(query).some((way) => gradeAsWritten(way, forms) >= WHOLE);
}

/** For acting as a person, or in a channel: like `resolveName`, but parts of a name and similar names do not match. */
export function resolveWholeName<Candidate extends Named>(
  query: string,
  candidates: Iterable<Candidate>,
): Resolution<Candidate> {
  const token = MENTION.exec(query.trim())?.[1];
  const whole = [...candidates].filter(({ id, names }) => id === token || names.some((one) => isWholeName(query, one)));
  return resolveName(query, whole);
}

export function createNameIndex<Candidate extends Named>(candidates: Iterable<Candidate>): NameIndex<Candidate> {
  const indexed = new Map<string, IndexedCandidate<Candidate>>();
  const set = (candidate: Candidate) => void indexed.set(candidate.id, toIndexedCandidate(candidate));
  for (const candidate of candidates) set(candidate);
  return {
    set,
    delete: (id) => void indexed.delete(id),
    resolve(query) {
      if (query.length > MAX_QUERY_LENGTH) return NONE;
      const token = MENTION.exec(query.trim())?.[1];
      const byId = indexed.get(token ?? query.trim());
      if (byId) return { kind: "one", candidate: byId.candidate };
      const [first, ...others] = token === undefined ? find([...indexed.values()], query) : [];
      if (!first) return NONE;
      return others.length === 0
        ? { kind: "one", candidate: first.candidate }
        : { kind: "several", candidates: [first, ...others].map(({ candidate }) => candidate) };
    },
  };
}

interface IndexedCandidate<Candidate> {
  readonly candidate: Candidate;
  readonly names: readonly NameForms[];
  /** For all names; computed on first use. */
  comparisonKeys?: readonly ComparisonKey[];
}

const NONE = { kind: "none" } as const;
/** Discord allows 32 characters in a person's name and 100 in a channel's. */
const MAX_QUERY_LENGTH = 200;
const MENTION = /^<(?:@[!&]?|#)(\d+)>$/;
/** Names in these scripts have no space between family and given name; two characters are a name, and a title may follow it. */
const DENSE = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々]{2,}$/u;
const TITLE =
  /(?<=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々]{2})(?:さん|さま|様|くん|君|ちゃん|先生|先輩|씨|님|군|양|선생님|老师|老師|同学|先生|女士|小姐)$/u;
/** Shorter prefixes match too many names; two characters are enough with a digit. */
const MIN_PREFIX_LENGTH = 3;

function toIndexedCandidate<Candidate extends Named>(candidate: Candidate): IndexedCandidate<Candidate> {
  return { candidate, names: [...new Set(candidate.names)].map(toForms) };
}

/** All candidates with the best kind of match. If similar candidates share a name, the spelling decides. */
function find<Candidate>(
  candidates: readonly IndexedCandidate<Candidate>[],
  query: string,
): readonly IndexedCandidate<Candidate>[] {
  const queries = toQueryForms(query);
  const asWritten = best(candidates, ({ names }) => highest(queries, names, gradeAsWritten));
  if (asWritten.length > 0) return asWritten;
  const queryKeys = queries
    .filter(({ isOrdinary }) => !isOrdinary)
    .flatMap((form) => toComparisonKeys(form).slice(0, 1));
  const similar = best(candidates, (candidate) => {
    candidate.comparisonKeys ??= candidate.names.flatMap(toComparisonKeys);
    return highest(queryKeys, candidate.comparisonKeys, measureSimilarity);
  });
  return haveNameInCommon(similar) ? best(similar, ({ names }) => highest(queries, names, gradeWriting)) : similar;
}

function haveNameInCommon([first, ...others]: readonly IndexedCandidate<unknown>[]): boolean {
  const bares = new Set(first?.names.map(({ bare }) => bare));
  return others.every(({ names }) => names.some(({ bare }) => bares.has(bare)));
}

interface QueryForms extends NameForms {
  readonly isOrdinary: boolean;
}

/** The query as written, without punctuation (`@Sarah:`), and without words around it ("the general channel", "Sarah's"). */
function toQueryForms(query: string): QueryForms[] {
  const unmarked = query
    .trim()
    .replace(/^[@#"'“‘<(]+/u, "")
    .replace(/[:;,.!?"'”’>)]+$/u, "");
  const unframed = unmarked.replace(/^the\s+/iu, "").replace(/\s+(?:channel|thread|forum)$/iu, "");
  return [...new Set([query, unmarked, unframed.replace(/['’]s$/u, ""), unmarked.replace(TITLE, "")])].map((way) => {
    const forms = toForms(way);
    return { ...forms, isOrdinary: (forms.words.length > 0 ? forms.words : [forms.bare]).every(isOrdinaryWord) };
  });
}

/** The items with the highest grade above 0, in order. */
function best<Item>(items: readonly Item[], grade: (item: Item) => number): readonly Item[] {
  let top = 0;
  let found: Item[] = [];
  for (const item of items) {
    const reached = grade(item);
    if (reached === 0 || reached < top) continue;
    if (reached > top) found = [];
    top = reached;
    found.push(item);
  }
  return found;
}

function highest<Query, Name>(
  queries: readonly Query[],
  names: readonly Name[],
  grade: (query: Query, name: Name) => number,
): number {
  let top = 0;
  for (const query of queries) for (const name of names) top = Math.max(top, grade(query, name));
  return top;
}

/** From this grade on, the query has all of the name. Grade 0: the name neither equals the query, nor begins with it, nor contains it as
 * a word. */
const WHOLE = 3;

function gradeAsWritten(query: QueryForms, name: NameForms): number {
  if (query.exact === name.exact && query.exact !== "") return WHOLE + 2;
  if (query.bare === "" || !name.bare.includes(query.bare)) return 0;
  if (query.bare === name.bare) return query.words.join(" ") === name.words.join(" ") ? WHOLE + 1 : WHOLE;
  if (query.isOrdinary) return 0;
  if (query.bare.length > 1 && name.words.includes(query.bare)) return 2;
  const isLongEnough = query.bare.length >= MIN_PREFIX_LENGTH || (query.bare.length > 1 && /\d/u.test(query.bare));
  const begins = name.bare.startsWith(query.bare) || name.words.some((word) => word.startsWith(query.bare));
  if (isLongEnough && begins) return 1;
  return DENSE.test(query.exact) && (name.bare.startsWith(query.bare) || name.bare.endsWith(query.bare)) ? 1 : 0;
}

function gradeWriting(query: NameForms, name: NameForms): number {
  return 1 / (1 + editDistance(query.exact, name.exact, MAX_QUERY_LENGTH));
}

type Author = Pick<Message["author"], "id" | "name">;

/** Unique names, so that people cannot be mistaken for each other. */
export interface DisplayNames {
  /** Escaped. Always the same for the same person and name; a name that looks like another's gets a number. */
  of(author: Author): string;
}

export interface DisplayNamesRequest {
  /** Keeps its configured name, whatever name its messages have; null when unknown. */
  readonly agent: Author | null;
  escape(name: string): string;
}

/** The actor's name, which is reserved. */
export const YOU = "you";
const YOU_SKELETON = toSkeleton(YOU);

export function createDisplayNames({ agent, escape: toEscaped }: DisplayNamesRequest): DisplayNames {
  const namesByAuthor = new Map<string, string>();
  /** The owner of a name, by its skeleton. */
  const holders = new Map<string, string>([[YOU_SKELETON, YOU]]);
  const show = ({ id, name }: Author) => {
    // Commas separate names.
    const own = toEscaped(name).replaceAll(/[,\u060c\u3001\uff0c]/gu, ";");
    let unique = own;
    let skeleton = toSkeleton(unique);
    for (let number = 2; (holders.get(skeleton) ?? id) !== id; number += 1) {
      unique = `${own} ${number}`;
      skeleton = toSkeleton(unique);
    }
    holders.set(skeleton, id);
    return unique;
  };
  const agentName = agent && show(agent);
  return {
    of({ id, name }) {
      if (agent?.id === id && agentName !== null) return agentName;
      // A webhook posts under many names.
      const key = `${id} ${name}`;
      const known = namesByAuthor.get(key);
      if (known !== undefined) return known;
      const unique = show({ id, name });
      namesByAuthor.set(key, unique);
      return unique;
    },
  };
}
