import type { ConversationState } from "./conversation-state.ts";
import type { ForestPost } from "./forest-posts.ts";

/** Words that a post has in common with earlier ones. One object, reused for each post. */
export interface SharedWords {
  /** Indices of the posts with shared words, in the order in which they were found. */
  readonly places: number[];
  /** The total rarity of the shared words, by post; 0 without any. */
  readonly sums: Float64Array;
  /** The highest rarity of a shared word, by post. */
  readonly most: Float64Array;
  /** The total for all posts of a thread, by its number. */
  readonly threads: Float64Array;
  /** The highest of `sums`. */
  highest: number;
  /** The total rarity of all words of the post. */
  total: number;
}

export function createWordFinder(state: ConversationState): (post: ForestPost) => SharedWords {
  const rarity = measureRarity(state);
  const count = state.posts.length;
  const shared: SharedWords = {
    places: [],
    sums: new Float64Array(count),
    most: new Float64Array(count),
    threads: new Float64Array(count),
    highest: 0,
    total: 0,
  };
  return (post) => {
    forget(shared, state);
    shared.total = 0;
    for (const word of post.words) shared.total += rarity[word] ?? 0;
    for (const word of post.words) find(shared, state.mentions[word], { state, weight: rarity[word] ?? 0 });
    shared.highest = 0;
    for (const place of shared.places) shared.highest = Math.max(shared.highest, shared.sums[place] ?? 0);
    return shared;
  };
}

/** The rarity of each word: 1 if it is in one post, 0 if in all. */
function measureRarity({ posts, mentions }: ConversationState): Float64Array {
  const rarity = new Float64Array(mentions.length);
  for (const { words } of posts) for (const word of words) rarity[word] = (rarity[word] ?? 0) + 1;
  const all = Math.log(posts.length + 1);
  for (let word = 0; word < rarity.length; word += 1)
    rarity[word] = rarity[word] === 1 ? 1 : 1 - Math.log(rarity[word] ?? 1) / all;
  return rarity;
}

function forget({ places, sums, most, threads }: SharedWords, state: ConversationState): void {
  for (const place of places) {
    sums[place] = 0;
    most[place] = 0;
    threads[state.threads[place]?.number ?? 0] = 0;
  }
  places.length = 0;
}

interface Finding {
  readonly state: ConversationState;
  readonly weight: number;
}

function find(
  { places, sums, most, threads }: SharedWords,
  found: readonly number[] | undefined,
  { state, weight }: Finding,
) {
  if (!found) return;
  for (const place of found) {
    const thread = state.threads[place]?.number ?? 0;
    threads[thread] = (threads[thread] ?? 0) + weight;
    if (sums[place] === 0) places.push(place);
    sums[place] = (sums[place] ?? 0) + weight;
    most[place] = Math.max(most[place] ?? 0, weight);
  }
}
