import type { ChannelId, UserId } from "../../domain/ids.ts";
import { COST, type Steps } from "../../domain/steps/pace.ts";
import type { Here } from "../../ports/search.ts";
import { findPostings, positionOf } from "../index/block.ts";
import type { Frame } from "../index/frame.ts";
import { toMark } from "../index/vocabulary.ts";
import type { Plan, PlanDeps } from "./plan.ts";

/** How much more a message counts in the channel whose talk is about the query most. Found on questions about rooms of Discord. */
const TOPIC = 2;
/**
 * How much more it counts where the request was made: people ask where the talk is. The same questions speak for 2 as well, but their answers always
 * stand in the room of the question; with 1 a channel whose talk is about the query still wins. The other two are not in that data, and small.
 */
const HERE = 1;
const NEAR = 0.1;
const OWN = 0.1;

/** A word that is missing, or said all the time, says no more than this about what a channel is about. */
const MIN_LIFT = -1;
const MAX_LIFT = 4;
/** Chance makes a word somewhat more common in one channel than in another. */
const SMOOTHING = 0.5;
/** If the words are hardly more common in one channel than in all, no channel is about them. */
const MIN_TOPIC = 1;

interface WeightRequest {
  readonly plan: Pick<Plan, "words">;
  readonly frames: readonly Frame[];
  readonly here: Here | null;
  channelOf(frame: Frame): ChannelId;
}

/** The factor for the scores of each frame, 1 or more. */
export function* weighChannels(
  { plan: { words }, frames, here, channelOf }: WeightRequest,
  { vocabulary, pacer }: Pick<PlanDeps, "vocabulary" | "pacer">,
): Steps<Float64Array> {
  const topics = toTopics(words, frames);
  if (pacer.spend(words.length * frames.length)) yield;
  const hasSpoken = (actor: UserId, frame: Frame) => isSaidBy(vocabulary.find(toMark("from", actor)), frame);
  const weights = topics.map((topic, index) => {
    const frame = frames[index];
    if (!frame) return 1;
    const place = here ? nearness(here, channelOf(frame)) : 0;
    const own = here?.actor && hasSpoken(here.actor, frame) ? OWN : 0;
    return (1 + TOPIC * topic) * (1 + place + own);
  });
  if (pacer.spend(COST.message * frames.length)) yield;
  return weights;
}

function nearness(here: Here, channelId: ChannelId): number {
  if (channelId === here.channelId) return HERE;
  return here.isNear(channelId) ? NEAR : 0;
}

/** How much the talk of each frame is about the query, from 0 to 1: by how much more common the words are there than in all frames together. */
function toTopics(words: Plan["words"], frames: readonly Frame[]): Float64Array {
  const topics = new Float64Array(frames.length);
  const size = frames.reduce((sum, frame) => sum + frame.size, 0);
  const total = words.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return topics;
  for (const { matches, weight } of words) {
    const count = matches.reduce((sum, match) => sum + match.weight * match.count, 0);
    for (const [index, frame] of frames.entries()) {
      const here = matches.reduce((sum, match) => sum + match.weight * (match.counts[index] ?? 0), 0);
      const lift = Math.log((here + SMOOTHING) / ((count * frame.size) / size + SMOOTHING));
      topics[index] = (topics[index] ?? 0) + (weight / total) * Math.min(MAX_LIFT, Math.max(MIN_LIFT, lift));
    }
  }
  const most = topics.reduce((a, b) => Math.max(a, b), MIN_TOPIC);
  return topics.map((topic) => Math.max(0, topic) / most);
}

/** `mark`: the mark of one person's messages; undefined if none is known. */
function isSaidBy(mark: number | undefined, { parts }: Frame): boolean {
  if (mark === undefined) return false;
  return parts.some(({ block, from, to }) => {
    const { from: start, to: end } = findPostings(block, mark);
    return block.postings.subarray(start, end).some((posting) => {
      const position = positionOf(posting);
      return position >= from && position < to;
    });
  });
}
