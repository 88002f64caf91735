import type { Pacer, Steps } from "../steps/pace.ts";
import { findCandidates } from "./candidates.ts";
import { type ConversationState, createState, placePost } from "./conversation-state.ts";
import type { ExplicitTarget } from "./explicit-links.ts";
import { createFeatureVector } from "./feature-vector.ts";
import { createLinkContext, describeCandidate, describePair, describePost, describeStart } from "./features.ts";
import type { ForestPost } from "./forest-posts.ts";
import { createScorer, type PreparedNetwork, prepareNetwork, scorePair, setCandidate, setPost } from "./network.ts";
import { createWordFinder } from "./shared-words.ts";
import { NETWORK } from "./weights.ts";

/** A link between places in the list of messages. */
export interface IndexedLink {
  readonly to: number;
  readonly kind: "explicit" | "inferred";
  readonly certainty: number;
}

/** What a post may answer, and how likely each is; the last likelihood is that it answers none. They sum up to 1. */
export interface LinkCandidates {
  readonly candidates: readonly ForestPost[];
  readonly likelihoods: readonly number[];
}

const PREPARED = prepareNetwork(NETWORK);

/** Goes through the posts once, oldest first, and decides for each without a reply which earlier one it answers, if any. */
export function* inferLinks(
  posts: readonly ForestPost[],
  { explicit, network = PREPARED }: { explicit: readonly ExplicitTarget[]; network?: PreparedNetwork },
  pacer: Pacer,
): Steps<(IndexedLink | undefined)[]> {
  const state = createState(posts, explicit);
  const estimate = createLinkEstimator(state, network);
  if (pacer.spend(BEGIN_COST * posts.length)) yield;
  const links: (IndexedLink | undefined)[] = [];
  for (const [index, post] of posts.entries()) {
    links.push(placeNext(state, { post, target: explicit[index] ?? null }, estimate));
    if (pacer.spend(WEIGH_COST)) yield;
  }
  return links;
}

/** What it takes to prepare a post, and to estimate what it may answer, in units of work. */
const BEGIN_COST = 100;
const WEIGH_COST = 1_500;

function placeNext(
  state: ConversationState,
  { post, target }: { post: ForestPost; target: ExplicitTarget },
  estimate: (post: ForestPost) => LinkCandidates,
): IndexedLink | undefined {
  if (typeof target === "number") {
    placePost(state, post, target < post.index ? target : null);
    return { to: target, kind: "explicit", certainty: 1 };
  }
  const link = target === "outside" || post.isSystem ? undefined : chooseLink(estimate(post), state);
  placePost(state, post, link?.to ?? null);
  return link;
}

/** Of how many who speak, none of whom says to whom, a thread must be twice as likely as none. */
const MANY_PEOPLE = 10;
const COUNTED = -1;

/**
 * Several posts of one thread speak together for that thread; the likeliest of them is then the one that is answered. The more people speak
 * without saying to whom, the more must speak for a thread, because a wrong link makes one of two.
 */
export function chooseLink(
  { candidates, likelihoods }: LinkCandidates,
  state: ConversationState,
): IndexedLink | undefined {
  let best = -1;
  let most =
    (1 + (state.activity.people / MANY_PEOPLE) * (1 - state.activity.naming)) * (likelihoods[candidates.length] ?? 1);
  const threads = candidates.map(({ index }) => state.threads[index]?.number ?? 0);
  for (let index = 0; index < threads.length; index += 1) {
    const thread = threads[index];
    if (thread === COUNTED) continue;
    let sum = 0;
    let likeliest = index;
    for (let other = index; other < threads.length; other += 1) {
      if (threads[other] !== thread) continue;
      threads[other] = COUNTED;
      sum += likelihoods[other] ?? 0;
      if ((likelihoods[other] ?? 0) > (likelihoods[likeliest] ?? 0)) likeliest = other;
    }
    if (sum > most) [best, most] = [likeliest, sum];
  }
  const target = candidates[best];
  return target && { to: target.index, kind: "inferred", certainty: likelihoods[best] ?? 0 };
}

export function createLinkEstimator(
  state: ConversationState,
  network: PreparedNetwork,
): (post: ForestPost) => LinkCandidates {
  const { posts } = state;
  const scorer = createScorer(network, posts.length + 1);
  const findShared = createWordFinder(state);
  const vector = createFeatureVector();
  for (const post of posts) {
    describeCandidate(vector, post);
    setCandidate(scorer, post.index, vector);
  }
  const none = posts.length;
  describeStart(vector);
  setCandidate(scorer, none, vector);
  return (post) => {
    const shared = findShared(post);
    const candidates = findCandidates(state, post, shared);
    // A plain list, here and in `chooseLink`: so short a typed one takes longer to make than to use.
    const likelihoods: number[] = [];
    const context = createLinkContext(state, post, shared);
    describePost(vector, context);
    setPost(scorer, vector);
    for (const candidate of candidates) {
      describePair(vector, context, candidate);
      likelihoods.push(scorePair(scorer, candidate.index, vector));
    }
    likelihoods.push(scorePair(scorer, none, vector));
    toLikelihoods(likelihoods);
    return { candidates, likelihoods };
  };
}

/** In place, from scores. */
function toLikelihoods(scores: number[]): void {
  let highest = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < scores.length; index += 1) highest = Math.max(highest, scores[index] ?? 0);
  let sum = 0;
  for (let index = 0; index < scores.length; index += 1) {
    const weight = Math.exp((scores[index] ?? 0) - highest);
    scores[index] = weight;
    sum += weight;
  }
  for (let index = 0; index < scores.length; index += 1) scores[index] = (scores[index] ?? 0) / sum;
}
