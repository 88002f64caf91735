import { findCandidates } from "../src/domain/forest/candidates.ts";
import { createState, participantOf, placePost } from "../src/domain/forest/conversation-state.ts";
import { readExplicitLinks } from "../src/domain/forest/explicit-links.ts";
import { FLAG_COUNT } from "../src/domain/forest/feature-rows.ts";
import { createFeatureVector, type FeatureVector, hasFlag } from "../src/domain/forest/feature-vector.ts";
import {
  createLinkContext,
  describeCandidate,
  describePair,
  describePost,
  describeStart,
} from "../src/domain/forest/features.ts";
import { toForestPosts } from "../src/domain/forest/forest-posts.ts";
import { chooseLink, createLinkEstimator } from "../src/domain/forest/infer-links.ts";
import { type Network, prepareNetwork } from "../src/domain/forest/network.ts";
import { createWordFinder } from "../src/domain/forest/shared-words.ts";
import { runAtOnce, UNPACED } from "../src/domain/steps/pace.ts";
import type { Room } from "./irc.ts";

/** Features that are not 0, each followed by its value. */
export type Row = Float32Array;

/** A post of which it is known what it answers. */
export interface Lesson {
  readonly post: Row;
  /** Each choice there is, the last one being that it answers none. */
  readonly choices: readonly Row[];
  readonly isRight: readonly boolean[];
  readonly weight: number;
}

/**
 * What can be learned from a room. What the posts before are taken to answer is what the network so far finds, because later it will have
 * nothing better to go by; without a network it is the truth, and each author's own last post where the truth is not known.
 */
export function takeLessons(room: Room, weight: number, network: Network | null): Lesson[] {
  const posts = runAtOnce(toForestPosts(room.messages, UNPACED));
  const explicit = readExplicitLinks(room.messages);
  const state = createState(posts, explicit);
  const findShared = createWordFinder(state);
  const estimate = network && createLinkEstimator(state, prepareNetwork(network));
  const lessons: Lesson[] = [];
  for (const post of posts) {
    const answers = room.answers.get(post.index);
    const replied = explicit[post.index] ?? null;
    if (post.isSystem || replied !== null) {
      placePost(state, post, typeof replied === "number" && replied < post.index ? replied : null);
      continue;
    }
    if (answers) {
      const shared = findShared(post);
      const candidates = findCandidates(state, post, shared);
      const context = createLinkContext(state, post, shared);
      const isRight = [...candidates, post].map(({ index }) => answers.includes(index));
      const choices = candidates.map((candidate) =>
        toRow((vector) => {
          describeCandidate(vector, state, candidate);
          describePair(vector, context, candidate);
        }),
      );
      choices.push(toRow(describeStart));
      const own = toRow((vector) => describePost(vector, context));
      if (isRight.includes(true)) lessons.push({ post: own, choices, isRight, weight });
    }
    const earlier = answers?.filter((line) => line < post.index) ?? [];
    const known = answers ? Math.max(-1, ...earlier) : (participantOf(state, post.author).latest?.index ?? -1);
    const target = estimate ? (chooseLink(estimate(post), state)?.to ?? -1) : known;
    placePost(state, post, target < 0 ? null : target);
  }
  return lessons;
}

function toRow(describe: (vector: FeatureVector) => void): Row {
  const vector = createFeatureVector();
  describe(vector);
  const row: number[] = [];
  for (let feature = 0; feature < FLAG_COUNT; feature += 1) if (hasFlag(vector, feature)) row.push(feature, 1);
  for (let trait = 0; trait < vector.count; trait += 1)
    row.push(vector.features[trait] ?? 0, vector.values[trait] ?? 0);
  return Float32Array.from(row);
}
