import type { UserId } from "../ids.ts";

const HAS = ["link", "embed", "file", "image", "video", "sound", "sticker", "poll"] as const;
export type Has = (typeof HAS)[number];

interface Conditions<Person> {
  readonly phrases: readonly string[];
  readonly from: readonly Person[];
  readonly mentions: readonly Person[];
  readonly has: readonly Has[];
}

interface Unwanted<Person> extends Conditions<Person> {
  readonly words: readonly string[];
}

interface Places {
  readonly in: readonly string[];
}

/** A query as typed: names and times are still text. */
export interface ParsedQuery extends Conditions<string>, Places {
  /** Everything that is neither an operator nor a phrase, as written. */
  readonly text: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly during: string | null;
  readonly not: Unwanted<string> & Places;
}

/**
 * A query ready to run, without its channels: people are ids, times are milliseconds. Each phrase and each `has` is required; one of the
 * authors (if any) wrote the message, and it mentions one of the mentioned people (if any).
 */
export interface Query extends Conditions<UserId> {
  /** Words or a question: messages with more of it rank higher; none of it is required. */
  readonly text: string;
  /** Milliseconds, both included; null for an open end. */
  readonly since: number | null;
  readonly until: number | null;
  readonly not: Unwanted<UserId>;
}

/** The parts that the caller resolves: people and times. The caller also resolves `in:`, which selects the channels. */
export interface Resolved extends Partial<Pick<Query, "from" | "mentions" | "since" | "until">> {
  readonly notFrom?: readonly UserId[];
  readonly notMentions?: readonly UserId[];
}

const LISTS = ["from", "in", "mentions", "has"] as const;
const TIMES = ["before", "after", "during"] as const;
/** An operator with its value, a phrase, or other text between spaces and quotes. A quotation may lack its end. */
const PIECE =
  /(-?)(?:(from|in|mentions|has|before|after|during):(?:"([^"]+)(?:"|$)|([^\s"]+))|"([^"]*)(?:"|$))|[^\s"]+/giu;

/** Never fails: anything except an operator is text. Quotes without words are ignored. */
export function parseQuery(text: string): ParsedQuery {
  const wanted = new Piles();
  const unwanted = new Piles();
  for (const [piece, minus, name, quoted, bare, phrase] of text.matchAll(PIECE)) {
    const piles = minus ? unwanted : wanted;
    const value = (quoted ?? bare ?? "").trim();
    if (name !== undefined) {
      const isOperator = !(minus && isTime(name.toLowerCase())) && piles.addOperator(name.toLowerCase(), value);
      // Spelled so that it cannot be parsed as an operator again.
      if (!isOperator) wanted.addWords(`${name}: ${value.replaceAll(/[:-]+/g, " ")}`);
      continue;
    }
    if (phrase !== undefined && /[\p{L}\p{N}]/u.test(phrase)) piles.phrases.push(phrase.trim());
    else if (/^-[\p{L}\p{N}]/u.test(piece)) unwanted.words.push(piece.slice(1));
    else wanted.addWords(piece);
  }
  const { words: not, phrases, lists } = unwanted;
  return {
    text: wanted.words.join(" "),
    phrases: wanted.phrases,
    ...wanted.lists,
    ...wanted.times,
    not: { words: not, phrases, ...lists },
  };
}

class Piles {
  readonly words: string[] = [];
  readonly phrases: string[] = [];
  readonly lists = { from: [] as string[], in: [] as string[], mentions: [] as string[], has: [] as Has[] };
  readonly times: Record<(typeof TIMES)[number], string | null> = { before: null, after: null, during: null };

  /** False if it is not a valid operator. */
  addOperator(name: string, value: string): boolean {
    const lower = value.toLowerCase();
    if (value === "") return false;
    if (name === "has") return isHas(lower) && this.lists.has.push(lower) > 0;
    const list = LISTS.find((each) => each === name);
    if (list && list !== "has") return this.lists[list].push(value) > 0;
    const time = TIMES.find((each) => each === name);
    if (time) this.times[time] = value;
    return time !== undefined;
  }

  addWords(piece: string): void {
    this.words.push(...piece.split(/[\s"]+/u).filter((word) => word !== ""));
  }
}

/** With resolved names and times; unresolved ones are ignored. */
export function toQuery({ text, phrases, has, not }: ParsedQuery, resolved: Resolved = {}): Query {
  const { from = [], mentions = [], since = null, until = null, notFrom = [], notMentions = [] } = resolved;
  const { words, phrases: notPhrases, has: notHas } = not;
  return {
    text,
    phrases,
    from,
    mentions,
    has,
    since,
    until,
    not: { words, phrases: notPhrases, from: notFrom, mentions: notMentions, has: notHas },
  };
}

function isTime(name: string): boolean {
  return (TIMES as readonly string[]).includes(name);
}

function isHas(value: string): value is Has {
  return (HAS as readonly string[]).includes(value);
}
