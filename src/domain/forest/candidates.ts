import { type ConversationState, leadsBack, participantOf, postBack } from "./conversation-state.ts";
import type { ForestPost } from "./forest-posts.ts";
import type { SharedWords } from "./shared-words.ts";

/** Nearly all answers refer to one of this many latest posts. */
const MAX_NEARBY = 8;
/** Fewer are needed when the post names its addressee. */
const MAX_NEARBY_IF_ADDRESSED = 4;
const MAX_OWN = 2;
/** Sharing a word this rare makes any earlier post a candidate, but only a few. */
const MIN_RARITY = 0.75;
const MAX_BY_WORDS = 2;
const MAX_CANDIDATES = 20;

/** The earlier posts that this one could answer: the latest ones, and the latest of people who have interacted with its author. */
export function findCandidates(state: ConversationState, post: ForestPost, shared: SharedWords): ForestPost[] {
  const found: ForestPost[] = [];
  const add = (candidate: ForestPost | undefined) => {
    if (!candidate || found.length >= MAX_CANDIDATES || found.includes(candidate)) return;
    if (!leadsBack(state, candidate.index, post.index)) found.push(candidate);
  };
  const { posts, namedIn, partner } = participantOf(state, post.author);
  const nearby = post.isAddressed ? MAX_NEARBY_IF_ADDRESSED : MAX_NEARBY;
  for (let back = 1; back <= nearby; back += 1) add(postBack(state, back));
  for (let back = 1; back <= MAX_OWN; back += 1) add(posts[posts.length - back]);
  for (const named of post.named) for (const candidate of participantOf(state, named).posts) add(candidate);
  for (const candidate of namedIn) add(candidate);
  if (partner !== null) add(participantOf(state, partner).posts.at(-1));
  const limit = Math.min(MAX_CANDIDATES, found.length + MAX_BY_WORDS);
  for (const place of shared.places) {
    if (found.length >= limit) break;
    if ((shared.most[place] ?? 0) >= MIN_RARITY) add(state.posts[place]);
  }
  return found;
}
