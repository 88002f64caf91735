import { findCandidates } from "../src/domain/forest/candidates.ts";
import {
  describeCandidate,
  describePair,
  describePost,
  describeStart,
  noTraits,
  type Traits,
} from "../src/domain/forest/features.ts";
import { choose, createWeigher } from "../src/domain/forest/infer-links.ts";
import type { Network } from "../src/domain/forest/network.ts";
import { toPosts } from "../src/domain/forest/posts.ts";
import { findShared, measureRarity } from "../src/domain/forest/shared-words.ts";
import { beginTalk } from "../src/domain/forest/talk-so-far.ts";
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
  const posts = toPosts(room.messages);
  const talk = beginTalk(posts);
  const rarity = measureRarity(posts);
  const weigh = network && createWeigher(talk, network);
  const lessons: Lesson[] = [];
  for (const post of posts) {
    const answers = room.answers.get(post.index);
    if (post.isSystem) {
      talk.place(post, null);
      continue;
    }
    if (answers) {
      const shared = findShared(talk, post, rarity);
      const candidates = findCandidates(talk, post, shared);
      const isRight = [...candidates, post].map(({ index }) => answers.includes(index));
      const choices = candidates.map((candidate) =>
        toRow((traits) => {
          describeCandidate(traits, candidate);
          describePair(traits, { post, candidate, shared }, talk);
        }),
      );
      choices.push(toRow(describeStart));
      const own = toRow((traits) => describePost(traits, post, talk));
      if (isRight.includes(true)) lessons.push({ post: own, choices, isRight, weight });
    }
    const earlier = answers?.filter((line) => line < post.index) ?? [];
    const known = answers ? Math.max(-1, ...earlier) : (talk.person(post.author).latest?.index ?? -1);
    const target = weigh ? (choose(weigh(post), talk)?.to ?? -1) : known;
    talk.place(post, target < 0 ? null : target);
  }
  return lessons;
}

function toRow(describe: (traits: Traits) => void): Row {
  const traits = noTraits();
  describe(traits);
  const row = new Float32Array(2 * traits.count);
  for (let trait = 0; trait < traits.count; trait += 1) {
    row[2 * trait] = traits.features[trait] ?? 0;
    row[2 * trait + 1] = traits.values[trait] ?? 0;
  }
  return row;
}
