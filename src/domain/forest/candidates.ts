import { type ConversationState, leadsBack, participantOf, postBack } from "./conversation-state.ts";
import type { ForestPost } from "./forest-posts.ts";
import type { SharedWords } from "./shared-words.ts";

/** So many posts back nearly everything is answered. */
const NEARBY = 8;
/** Whoever says whom they mean needs fewer. */
const NEARBY_IF_ADDRESSED = 4;
const OWN = 2;
/** A word that says so much makes a post worth a look, however far back; but not more than a few. */
const RARE = 0.75;
const MAX_BY_WORDS = 2;
const MAX_CANDIDATES = 20;

/** Which earlier posts this one could answer: those nearby, and the latest of those who have to do with each other. */
export function findCandidates(state: ConversationState, post: ForestPost, shared: SharedWords): ForestPost[] {
  const found: ForestPost[] = [];
  const add = (candidate: ForestPost | undefined) => {
    if (!candidate || found.length >= MAX_CANDIDATES || found.includes(candidate)) return;
    if (!leadsBack(state, candidate.index, post.index)) found.push(candidate);
  };
  const { posts, namedIn, partner } = participantOf(state, post.author);
  const nearby = post.isAddressed ? NEARBY_IF_ADDRESSED : NEARBY;
  for (let back = 1; back <= nearby; back += 1) add(postBack(state, back));
  for (let back = 1; back <= OWN; back += 1) add(posts[posts.length - back]);
  for (const named of post.named) for (const candidate of participantOf(state, named).posts) add(candidate);
  for (const candidate of namedIn) add(candidate);
  if (partner !== null) add(participantOf(state, partner).posts.at(-1));
  const limit = Math.min(MAX_CANDIDATES, found.length + MAX_BY_WORDS);
  for (const place of shared.places) {
    if (found.length >= limit) break;
    if ((shared.most[place] ?? 0) >= RARE) add(state.posts[place]);
  }
  return found;
}
