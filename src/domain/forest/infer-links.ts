import type { Pacer, Steps } from "../steps/pace.ts";
import { findCandidates } from "./candidates.ts";
import { beginTalk, placePost, type TalkSoFar } from "./conversation-state.ts";
import type { ExplicitTarget } from "./explicit-links.ts";
import { noTraits } from "./feature-vector.ts";
import { beginTurn, describeCandidate, describePair, describePost, describeStart } from "./features.ts";
import type { ForestPost } from "./forest-posts.ts";
import { beginPost, createScorer, knowCandidate, type PreparedNetwork, prepareNetwork, scorePair } from "./network.ts";
import { createWordFinder } from "./shared-words.ts";
import { NETWORK } from "./weights.ts";

/** A link between places in the list of messages. */
export interface IndexedLink {
  readonly to: number;
  readonly kind: "explicit" | "inferred";
  readonly certainty: number;
}

/** What a post may answer, and how likely each is; the last likelihood is that it answers none. They sum up to 1. */
export interface LinkChoice {
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
  const talk = beginTalk(posts, explicit);
  const weigh = createWeigher(talk, network);
  if (pacer.spend(BEGIN_COST * posts.length)) yield;
  const links: (IndexedLink | undefined)[] = [];
  for (const [index, post] of posts.entries()) {
    links.push(placeNext(talk, { post, target: explicit[index] ?? null }, weigh));
    if (pacer.spend(WEIGH_COST)) yield;
  }
  return links;
}

/** What it takes to prepare a post, and to weigh what it may answer, in units of work. */
const BEGIN_COST = 100;
const WEIGH_COST = 1_500;

function placeNext(
  talk: TalkSoFar,
  { post, target }: { post: ForestPost; target: ExplicitTarget },
  weigh: (post: ForestPost) => LinkChoice,
): IndexedLink | undefined {
  if (typeof target === "number") {
    placePost(talk, post, target < post.index ? target : null);
    return { to: target, kind: "explicit", certainty: 1 };
  }
  const link = target === "outside" || post.isSystem ? undefined : choose(weigh(post), talk);
  placePost(talk, post, link?.to ?? null);
  return link;
}

/** Of how many who speak, none of whom says to whom, a thread must be twice as likely as none. */
const CROWD = 10;
const COUNTED = -1;

/**
 * Several posts of one thread speak together for that thread; the likeliest of them is then the one that is answered. The more people speak
 * without saying to whom, the more must speak for a thread, because a wrong link makes one of two.
 */
export function choose({ candidates, likelihoods }: LinkChoice, talk: TalkSoFar): IndexedLink | undefined {
  let best = -1;
  let most = (1 + (talk.room.people / CROWD) * (1 - talk.room.naming)) * (likelihoods[candidates.length] ?? 1);
  const strands = candidates.map(({ index }) => talk.strands[index]?.number ?? 0);
  for (let index = 0; index < strands.length; index += 1) {
    const strand = strands[index];
    if (strand === COUNTED) continue;
    let sum = 0;
    let likeliest = index;
    for (let other = index; other < strands.length; other += 1) {
      if (strands[other] !== strand) continue;
      strands[other] = COUNTED;
      sum += likelihoods[other] ?? 0;
      if ((likelihoods[other] ?? 0) > (likelihoods[likeliest] ?? 0)) likeliest = other;
    }
    if (sum > most) [best, most] = [likeliest, sum];
  }
  const target = candidates[best];
  return target && { to: target.index, kind: "inferred", certainty: likelihoods[best] ?? 0 };
}

export function createWeigher(talk: TalkSoFar, network: PreparedNetwork): (post: ForestPost) => LinkChoice {
  const { posts } = talk;
  const scorer = createScorer(network, posts.length + 1);
  const findShared = createWordFinder(talk);
  const traits = noTraits();
  for (const post of posts) {
    describeCandidate(traits, post);
    knowCandidate(scorer, post.index, traits);
  }
  const none = posts.length;
  describeStart(traits);
  knowCandidate(scorer, none, traits);
  return (post) => {
    const shared = findShared(post);
    const candidates = findCandidates(talk, post, shared);
    // A plain list, here and in `choose`: so short a typed one takes longer to make than to use.
    const likelihoods: number[] = [];
    const turn = beginTurn(talk, post, shared);
    describePost(traits, turn);
    beginPost(scorer, traits);
    for (const candidate of candidates) {
      describePair(traits, turn, candidate);
      likelihoods.push(scorePair(scorer, candidate.index, traits));
    }
    likelihoods.push(scorePair(scorer, none, traits));
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
