import { toQueryTerms } from "../../domain/search/terms.ts";
import { COST, type Pacer, type Steps } from "../../domain/steps/pace.ts";
import { type EmbeddedText, similarity } from "./vectors.ts";

/** Possible weights of closeness beside the best keyword match; the first is none. */
const WEIGHTS = [0, 0.15, 0.3, 0.6] as const;
/** How many replies are tried, the newest of all, and among how many messages before each. */
const MAX_REPLIES = 60;
const MAX_BEFORE = 150;
/** With fewer nothing is concluded. */
const MIN_REPLIES = 20;
const MIN_BEFORE = 20;
/** By how many standard errors a weight must be better than none, so that an embedder that knows nothing seldom gets one. */
const CLEARLY = 2.5;

/**
 * How much closeness should weigh among these messages (of one channel each, the oldest first); null when there are too few replies to tell. A reply is a
 * question whose answer is known: how early the message that it replies to is found, by its words and with closeness of each weight, says without any
 * labels what this embedder is worth in this talk. It is computed for each search, from what may be seen in it and nothing else.
 */
export function* weighByReplies(channels: readonly (readonly EmbeddedText[])[], pacer: Pacer): Steps<number | null> {
  const replies = channels.flatMap((messages) => findReplies(messages));
  replies.sort((a, b) => (BigInt(a.reply.message.message_id) < BigInt(b.reply.message.message_id) ? 1 : -1));
  if (replies.length < MIN_REPLIES) return null;
  const terms = new Terms();
  // How much earlier than by words alone each weight finds what was replied to, as reciprocal ranks.
  const gains: number[][] = WEIGHTS.map(() => []);
  for (const reply of replies.slice(0, MAX_REPLIES)) {
    for (const embedded of [reply.reply, ...reply.before]) if (pacer.spend(terms.read(embedded))) yield;
    const found = findTarget(reply, terms);
    for (const [index, reciprocalRank] of found.entries()) gains[index]?.push(reciprocalRank - (found[0] ?? 0));
    if (pacer.spend(reply.before.length * REPLY_COST)) yield;
  }
  let best: { weight: number; mean: number } = { weight: 0, mean: 0 };
  for (const [index, weight] of WEIGHTS.entries()) {
    const { mean, error } = meanOf(gains[index] ?? []);
    if (mean > CLEARLY * error && mean > best.mean) best = { weight, mean };
  }
  return best.weight;
}

/** For each message that a reply is compared with, in units of work: its words are looked up once or twice, its vector once. */
const REPLY_COST = 500;
/** To read one of its characters. */
const CHARACTER_COST = 20 * COST.character;
/** The beginning of a long message is enough: embedding hundreds of them whole would take seconds. */
const MAX_CHARACTERS = 400;

interface Reply {
  readonly reply: EmbeddedText;
  readonly target: EmbeddedText;
  readonly before: readonly EmbeddedText[];
}

function findReplies(messages: readonly EmbeddedText[]): Reply[] {
  const places = new Map(messages.map(({ message }, index) => [message.message_id as string, index]));
  return messages.flatMap((reply, index) => {
    const place = places.get(reply.message.reply_to?.message_id ?? "");
    const target = place === undefined ? undefined : messages[place];
    const first = Math.max(0, index - MAX_BEFORE);
    if (!target || place === undefined || place < first || place >= index || index - first < MIN_BEFORE) return [];
    return [{ reply, target, before: messages.slice(first, index) }];
  });
}

/** For each weight, the reciprocal rank of what was replied to. */
function findTarget({ reply, target, before }: Reply, terms: Terms): number[] {
  const words = scoreWords(reply, before, terms);
  const best = Math.max(...words);
  const closeness = scoreCloseness(reply, before);
  const at = before.indexOf(target);
  return WEIGHTS.map((weight) => {
    const scoreOf = (index: number) =>
      (best > 0 ? (words[index] ?? 0) / best : 0) + weight * Math.max(0, closeness[index] ?? 0);
    const own = scoreOf(at);
    let [better, equal] = [0, 0];
    for (let index = 0; index < before.length; index += 1) {
      const score = scoreOf(index);
      if (score > own) better += 1;
      else if (score === own) equal += 1;
    }
    return meanReciprocal(better + 1, better + equal);
  });
}

/**
 * The mean reciprocal over these ranks, because equally good messages come in any order. Otherwise every order, even a random one, would seem better than none.
 */
function meanReciprocal(from: number, to: number): number {
  let sum = 0;
  for (let rank = from; rank <= to; rank += 1) sum += 1 / rank;
  return sum / (to - from + 1);
}

/** The rarer the words that they share, the more. */
function scoreWords(reply: EmbeddedText, before: readonly EmbeddedText[], terms: Terms): number[] {
  const asked = terms.of(reply);
  const having = new Map<string, number>();
  for (const embedded of before)
    for (const term of terms.of(embedded)) if (asked.has(term)) having.set(term, (having.get(term) ?? 0) + 1);
  return before.map((embedded) => {
    const own = terms.of(embedded);
    let score = 0;
    for (const term of asked) if (own.has(term)) score += Math.log(1 + before.length / (having.get(term) ?? 1));
    return score / Math.sqrt(4 + own.size);
  });
}

/** From what is as close as most to what is as close as the closest would be by chance: 0 to 1, and beyond. */
function scoreCloseness({ vector }: EmbeddedText, before: readonly EmbeddedText[]): number[] {
  const scores = before.map((embedded) => (vector && embedded.vector ? similarity(vector, embedded.vector) : 0));
  const { mean, deviation } = meanOf(scores);
  const chance = Math.sqrt(2 * Math.log(scores.length));
  return scores.map((score) => (deviation > 0 ? Math.min(1, (score - mean) / (deviation * chance)) : 0));
}

function meanOf(numbers: readonly number[]): { mean: number; deviation: number; error: number } {
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const deviation = Math.sqrt(numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0) / numbers.length);
  return { mean, deviation, error: deviation / Math.sqrt(numbers.length) };
}

/** The words of each message, read once. */
class Terms {
  readonly #terms = new Map<EmbeddedText, ReadonlySet<string>>();

  /** Gives back what it took, in units of work. */
  read(embedded: EmbeddedText): number {
    if (this.#terms.has(embedded)) return 0;
    const text = embedded.text.slice(0, MAX_CHARACTERS);
    this.#terms.set(embedded, new Set(toQueryTerms(text)));
    return COST.message + CHARACTER_COST * text.length;
  }

  /** None where it was not read. */
  of(embedded: EmbeddedText): ReadonlySet<string> {
    return this.#terms.get(embedded) ?? NO_TERMS;
  }
}

const NO_TERMS: ReadonlySet<string> = new Set();
