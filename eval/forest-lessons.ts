import { findCandidates } from "../src/domain/forest/candidates.ts";
import { beginTalk, personOf, placePost } from "../src/domain/forest/conversation-state.ts";
import { FEATURE_COUNT } from "../src/domain/forest/feature-rows.ts";
import { isMarked, noTraits, type Traits } from "../src/domain/forest/feature-vector.ts";
import {
  beginTurn,
  describeCandidate,
  describePair,
  describePost,
  describeStart,
} from "../src/domain/forest/features.ts";
import { toPosts } from "../src/domain/forest/forest-posts.ts";
import { choose, createWeigher } from "../src/domain/forest/infer-links.ts";
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
  const posts = runAtOnce(toPosts(room.messages, UNPACED));
  const talk = beginTalk(posts);
  const findShared = createWordFinder(talk);
  const weigh = network && createWeigher(talk, prepareNetwork(network));
  const lessons: Lesson[] = [];
  for (const post of posts) {
    const answers = room.answers.get(post.index);
    if (post.isSystem) {
      placePost(talk, post, null);
      continue;
    }
    if (answers) {
      const shared = findShared(post);
      const candidates = findCandidates(talk, post, shared);
      const turn = beginTurn(talk, post, shared);
      const isRight = [...candidates, post].map(({ index }) => answers.includes(index));
      const choices = candidates.map((candidate) =>
        toRow((traits) => {
          describeCandidate(traits, candidate);
          describePair(traits, turn, candidate);
        }),
      );
      choices.push(toRow(describeStart));
      const own = toRow((traits) => describePost(traits, turn));
      if (isRight.includes(true)) lessons.push({ post: own, choices, isRight, weight });
    }
    const earlier = answers?.filter((line) => line < post.index) ?? [];
    const known = answers ? Math.max(-1, ...earlier) : (personOf(talk, post.author).latest?.index ?? -1);
    const target = weigh ? (choose(weigh(post), talk)?.to ?? -1) : known;
    placePost(talk, post, target < 0 ? null : target);
  }
  return lessons;
}

function toRow(describe: (traits: Traits) => void): Row {
  const traits = noTraits();
  describe(traits);
  const row: number[] = [];
  for (let feature = 0; feature < FEATURE_COUNT; feature += 1) if (isMarked(traits, feature)) row.push(feature, 1);
  for (let trait = 0; trait < traits.count; trait += 1)
    row.push(traits.features[trait] ?? 0, traits.values[trait] ?? 0);
  return Float32Array.from(row);
}
