import type { Pacer, Steps } from "../steps/pace.ts";
import { findCandidates } from "./candidates.ts";
import { type ConversationState, createState, placePost } from "./conversation-state.ts";
import type { ExplicitTarget } from "./explicit-links.ts";
import { createFeatureVector } from "./feature-vector.ts";
import { createLinkContext, describeCandidate, describePair, describePost, describeStart } from "./features.ts";
import type { ForestPost } from "./forest-posts.ts";
import { createScorer, type PreparedNetwork, prepareNetwork, scorePair, setCandidate, setPost } from "./network.ts";
import { createWordFinder } from "./shared-words.ts";
import { createTrust, learnFromReply } from "./trust.ts";
import { NETWORK } from "./weights.ts";

/** A link by index in the list of messages. */
export interface IndexedLink {
  readonly to: number;
  readonly kind: "explicit" | "inferred";
  readonly certainty: number;
}

/** The posts that a post may answer, with likelihoods that sum to 1; the last is that it answers none. */
export interface LinkCandidates {
  readonly candidates: readonly ForestPost[];
  readonly likelihoods: readonly number[];
}

const PREPARED = prepareNetwork(NETWORK);

/** One pass over the posts, oldest first. For each post without a reply, decides which earlier post it answers, if any. */
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

/** The cost of preparing a post, and of estimating its links, in units of work. */
const BEGIN_COST = 100;
const WEIGH_COST = 1_500;

function placeNext(
  state: ConversationState,
  { post, target }: { post: ForestPost; target: ExplicitTarget },
  estimate: LinkEstimator,
): IndexedLink | undefined {
  if (typeof target === "number") {
    if (target < post.index) estimate(post, target);
    placePost(state, post, target < post.index ? target : null);
    return { to: target, kind: "explicit", certainty: 1 };
  }
  const link = target === "outside" || post.isSystem ? undefined : chooseLink(estimate(post), state);
  placePost(state, post, link?.to ?? null);
  return link;
}

const COUNTED = -1;

/** Sums the likelihoods of candidates by thread, and links to the likeliest candidate of the best thread, unless answering nothing is likelier. */
export function chooseLink(
  { candidates, likelihoods }: LinkCandidates,
  state: ConversationState,
): IndexedLink | undefined {
  let best = -1;
  let most = likelihoods[candidates.length] ?? 1;
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

/** With `target`, which the post is seen to reply to, the estimator learns how far to trust the network from then on. */
type LinkEstimator = (post: ForestPost, target?: number) => LinkCandidates;

export function createLinkEstimator(state: ConversationState, network: PreparedNetwork): LinkEstimator {
  const { posts } = state;
  const scorer = createScorer(network, posts.length + 1);
  const findShared = createWordFinder(state);
  const vector = createFeatureVector();
  for (const post of posts) {
    describeCandidate(vector, state, post);
    setCandidate(scorer, post.index, vector);
  }
  const trust = createTrust();
  const none = posts.length;
  describeStart(vector);
  setCandidate(scorer, none, vector);
  return (post, target) => {
    const shared = findShared(post);
    const candidates = findCandidates(state, post, shared);
    // Plain arrays, here and in `chooseLink`: creating such a short typed array takes longer than using it.
    const scores: number[] = [];
    const likelihoods: number[] = [];
    const context = createLinkContext(state, post, shared);
    describePost(vector, context);
    setPost(scorer, vector);
    for (const candidate of candidates) {
      describePair(vector, context, candidate);
      const score = scorePair(scorer, candidate.index, vector);
      scores.push(score);
      likelihoods.push(trust.scale * score + (candidate === context.other ? trust.bonus : 0));
    }
    likelihoods.push(trust.scale * scorePair(scorer, none, vector));
    toLikelihoods(likelihoods);
    const answered = target === undefined ? -1 : candidates.findIndex(({ index }) => index === target);
    if (answered >= 0) {
      const other = context.other ? candidates.indexOf(context.other) : -1;
      learnFromReply(trust, { scores, likelihoods, target: answered, other });
    }
    return { candidates, likelihoods };
  };
}

/** Softmax, in place. */
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
