import type { Message } from "../../domain/message.ts";
import type { Query } from "../../domain/search/query.ts";
import { holdsPhrase, toPhraseText } from "../../domain/search/terms.ts";
import { COST, type Pacer, type Steps } from "../../domain/steps/pace.ts";
import { type Frame, idAt } from "../index/frame.ts";
import type { Vocabulary } from "../index/vocabulary.ts";
import { isOneTerm, toPlan } from "./plan.ts";
import { MessageScorer } from "./score.ts";
import { type Candidate, Top } from "./top.ts";

/** What is newest counts this much more than what is very old; after so many days half of that is left. */
const FRESHNESS = 0.05;
const FRESHNESS_HALF_LIFE_SECONDS = 30 * 86_400;
/** What it takes to begin with another frame, in units of work. */
const FRAME_COST = 50;
/** So many messages are read where the index alone cannot tell. */
const MAX_READ = 5_000;

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
  readonly pacer: Pacer;
  read(frame: Frame, place: number): Message | undefined;
}

/** The messages that fit the query best, of all that are in the frames. */
export function* rank(request: RankRequest, { vocabulary, pacer, read }: RankDeps): Steps<Ranking> {
  const { query, frames, most, except } = request;
  const filter = toFilter(request);
  const top = new Top(filter ? MAX_READ : most + except.size);
  const scorer = new MessageScorer(yield* toPlan(query, frames, { vocabulary, pacer }), pacer);
  const newest = frames.reduce((time, frame) => Math.max(time, frame.times.at(-1) ?? 0), 0);
  let offered = 0;
  let firstPart = 0;
  for (const frame of frames) {
    yield* scorer.visit({ frame, firstPart }, top.floor / (1 + FRESHNESS), (place, score) => {
      const age = newest - (frame.times[place] ?? 0);
      const freshness = 1 + (FRESHNESS * FRESHNESS_HALF_LIFE_SECONDS) / (FRESHNESS_HALF_LIFE_SECONDS + age);
      offered += 1;
      top.offer({ frame, place, score: score * freshness });
    });
    firstPart += frame.parts.length;
    if (pacer.spend(FRAME_COST)) yield;
  }
  const candidates: Candidate[] = [];
  for (const candidate of top.best()) {
    if (candidates.length === most) break;
    if (except.has(idAt(candidate.frame, candidate.place))) continue;
    const message = filter && read(candidate.frame, candidate.place);
    if (!filter || (message && filter.accepts(message))) candidates.push(candidate);
    if (message && pacer.spend(COST.message + filter.cost(message))) yield;
  }
  return { candidates, isCut: filter !== null && candidates.length < most && offered > MAX_READ };
}

/** What can only be told by reading the message. */
export interface Filter {
  accepts(message: Message): boolean;
  /** What that takes, in units of work. */
  cost(message: Message): number;
}

/** Null when nothing has to be read. */
export function toFilter({ query, isWanted }: Pick<RankRequest, "query" | "isWanted">): Filter | null {
  const wanted = query.phrases.map(toPhraseText);
  const unwanted = [...query.not.phrases, ...query.not.words.filter((word) => !isOneTerm(word))].map(toPhraseText);
  const phrases = wanted.length + unwanted.length;
  if (phrases === 0 && !isWanted) return null;
  return {
    accepts(message) {
      if (phrases > 0) {
        const text = toPhraseText(message.content);
        if (!wanted.every((phrase) => holdsPhrase(text, phrase))) return false;
        if (unwanted.some((phrase) => holdsPhrase(text, phrase))) return false;
      }
      return isWanted?.(message) ?? true;
    },
    cost: ({ content }) => (phrases === 0 ? 0 : content.length * (COST.character + phrases)),
  };
}
