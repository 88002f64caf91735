import { findCandidates } from "./candidates.ts";
import type { ExplicitTarget } from "./explicit-links.ts";
import { describeCandidate, describePair, describePost, describeStart, noTraits } from "./features.ts";
import { createScorer, type Network } from "./network.ts";
import type { Post } from "./posts.ts";
import { findShared, measureRarity } from "./shared-words.ts";
import { beginTalk, type TalkSoFar } from "./talk-so-far.ts";
import { NETWORK } from "./weights.ts";

/** A link between places in the list of messages. */
export interface IndexedLink {
  readonly to: number;
  readonly kind: "explicit" | "inferred";
  readonly certainty: number;
}

/** What a post may answer, and how likely each is; the last likelihood is that it answers none. They sum up to 1. */
export interface Choice {
  readonly candidates: readonly Post[];
  readonly likelihoods: Float64Array;
}

/** Goes through the posts once, oldest first, and decides for each without a reply which earlier one it answers, if any. */
export function inferLinks(
  posts: readonly Post[],
  explicit: readonly ExplicitTarget[],
  network: Network = NETWORK,
): (IndexedLink | undefined)[] {
  const talk = beginTalk(posts, explicit);
  const weigh = createWeigher(talk, network);
  return posts.map((post, index) => {
    const target = explicit[index] ?? null;
    if (typeof target === "number") {
      talk.place(post, target < index ? target : null);
      return { to: target, kind: "explicit", certainty: 1 };
    }
    const link = target === "outside" || post.isSystem ? undefined : choose(weigh(post), talk);
    talk.place(post, link?.to ?? null);
    return link;
  });
}

/** Of how many who speak, none of whom says to whom, a thread must be twice as likely as none. */
const CROWD = 10;

/**
 * Several posts of one thread speak together for that thread; the likeliest of them is then the one that is answered. The more people speak
 * without saying to whom, the more must speak for a thread, because a wrong link makes one of two.
 */
export function choose({ candidates, likelihoods }: Choice, talk: TalkSoFar): IndexedLink | undefined {
  const strands = candidates.map(({ index }) => talk.strand(index));
  let best = -1;
  let most = (1 + (talk.room.people / CROWD) * (1 - talk.room.naming)) * (likelihoods[candidates.length] ?? 1);
  for (let index = 0; index < strands.length; index += 1) {
    const strand = strands[index];
    if (strands.indexOf(strand) < index) continue;
    let sum = 0;
    let likeliest = index;
    for (let other = index; other < strands.length; other += 1) {
      if (strands[other] !== strand) continue;
      sum += likelihoods[other] ?? 0;
      if ((likelihoods[other] ?? 0) > (likelihoods[likeliest] ?? 0)) likeliest = other;
    }
    if (sum > most) [best, most] = [likeliest, sum];
  }
  const target = candidates[best];
  return target && { to: target.index, kind: "inferred", certainty: likelihoods[best] ?? 0 };
}

export function createWeigher(talk: TalkSoFar, network: Network): (post: Post) => Choice {
  const scorer = createScorer(network, talk.posts.length);
  const rarity = measureRarity(talk.posts);
  const traits = noTraits();
  const anew = () => {
    traits.count = 0;
    return traits;
  };
  for (const post of talk.posts) {
    describeCandidate(anew(), post);
    scorer.know(post.index, traits);
  }
  return (post) => {
    const shared = findShared(talk, post, rarity);
    const candidates = findCandidates(talk, post, shared);
    const likelihoods = new Float64Array(candidates.length + 1);
    describePost(anew(), post, talk);
    scorer.begin(traits);
    candidates.forEach((candidate, index) => {
      describePair(anew(), { post, candidate, shared }, talk);
      likelihoods[index] = scorer.score(traits, candidate.index);
    });
    describeStart(anew());
    likelihoods[candidates.length] = scorer.score(traits);
    toLikelihoods(likelihoods);
    return { candidates, likelihoods };
  };
}

/** In place, from scores. */
function toLikelihoods(scores: Float64Array): void {
  const highest = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  let sum = 0;
  for (let index = 0; index < scores.length; index += 1) {
    const weight = Math.exp((scores[index] ?? 0) - highest);
    scores[index] = weight;
    sum += weight;
  }
  for (let index = 0; index < scores.length; index += 1) scores[index] = (scores[index] ?? 0) / sum;
}
