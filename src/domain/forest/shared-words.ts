import type { Post } from "./posts.ts";
import type { Strand, TalkSoFar } from "./talk-so-far.ts";

/** How much the words say together, and the one that says most. */
interface Shared {
  sum: number;
  most: number;
}

/** How much a word says: 1 if it stands in one post, 0 if in all. */
export type Rarity = ReadonlyMap<string, number>;

export function measureRarity(posts: readonly Post[]): Rarity {
  const counts = new Map<string, number>();
  for (const { words } of posts) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const all = Math.log(posts.length + 1);
  for (const [word, count] of counts) counts.set(word, 1 - Math.log(count) / all);
  return counts;
}

/** Words that a post has in common with earlier ones, by place and by strand. */
export interface SharedWords {
  readonly posts: ReadonlyMap<number, Shared>;
  /** The sum for all its posts. */
  readonly strands: ReadonlyMap<Strand, number>;
}

export function findShared(talk: TalkSoFar, post: Post, rarity: Rarity): SharedWords {
  const found = new Map<number, Shared>();
  const strands = new Map<Strand, number>();
  for (const word of post.words) {
    const places = talk.mentions.get(word);
    if (!places) continue;
    const weight = rarity.get(word) ?? 0;
    for (const place of places) {
      const strand = talk.strand(place);
      if (strand) strands.set(strand, (strands.get(strand) ?? 0) + weight);
      const shared = found.get(place);
      if (!shared) found.set(place, { sum: weight, most: weight });
      else {
        shared.sum += weight;
        shared.most = Math.max(shared.most, weight);
      }
    }
  }
  return { posts: found, strands };
}
