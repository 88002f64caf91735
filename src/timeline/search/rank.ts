import type { Message } from "../../domain/message.ts";
import type { Query } from "../../domain/search/query.ts";
import { containsPhrase } from "../../domain/search/terms.ts";
import { type Frame, idAt } from "./frame.ts";
import { isOneTerm, toPlan } from "./plan.ts";
import { Scorer } from "./score.ts";
import { type Candidate, Top } from "./top.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** What is newest counts this much more than what is very old; after so many days half of that is left. */
const FRESHNESS = 0.05;
const HALF_FRESH = 30 * 86_400;
/** So many messages are read where the index alone cannot tell. */
const MOST_READ = 5_000;

export interface Ranking {
  /** The best first. */
  readonly candidates: readonly Candidate[];
  /** There would have been more to look at. */
  readonly isCut: boolean;
}

export interface RankRequest {
  readonly query: Query;
  readonly frames: readonly Frame[];
  /** Candidates to find. */
  readonly most: number;
  readonly except: ReadonlySet<bigint>;
  isWanted?(message: Message): boolean;
}

export interface RankDeps {
  readonly vocabulary: Vocabulary;
  read(frame: Frame, place: number): Message | undefined;
}

/** The messages that fit the query best, of all that are in the frames. */
export function rank(request: RankRequest, { vocabulary, read }: RankDeps): Ranking {
  const { query, frames, most, except } = request;
  const accepts = toFilter(request);
  const top = new Top(accepts ? MOST_READ : most + except.size);
  const scorer = new Scorer(toPlan(query, frames, vocabulary));
  const newest = frames.reduce((time, frame) => Math.max(time, frame.times.at(-1) ?? 0), 0);
  let offered = 0;
  let firstPart = 0;
  for (const frame of frames) {
    scorer.visit({ frame, firstPart }, top.floor / (1 + FRESHNESS), (place, score) => {
      const age = newest - (frame.times[place] ?? 0);
      const freshness = 1 + (FRESHNESS * HALF_FRESH) / (HALF_FRESH + age);
      offered += 1;
      top.offer({ frame, place, score: score * freshness });
    });
    firstPart += frame.parts.length;
  }
  const candidates: Candidate[] = [];
  for (const candidate of top.sorted()) {
    if (candidates.length === most) break;
    if (except.has(idAt(candidate.frame, candidate.place))) continue;
    const message = accepts && read(candidate.frame, candidate.place);
    if (!accepts || (message && accepts(message))) candidates.push(candidate);
  }
  return { candidates, isCut: accepts !== null && candidates.length < most && offered > MOST_READ };
}

/** What can only be told by reading the message; null when nothing has to be read. */
export function toFilter({
  query,
  isWanted,
}: Pick<RankRequest, "query" | "isWanted">): ((message: Message) => boolean) | null {
  const { phrases } = query;
  const unwanted = [...query.not.phrases, ...query.not.words.filter((word) => !isOneTerm(word))];
  if (phrases.length + unwanted.length === 0 && !isWanted) return null;
  return (message) =>
    phrases.every((phrase) => containsPhrase(message.content, phrase)) &&
    !unwanted.some((phrase) => containsPhrase(message.content, phrase)) &&
    (isWanted?.(message) ?? true);
}
