import type { Post } from "./posts.ts";
import type { SharedWords } from "./shared-words.ts";
import type { TalkSoFar } from "./talk-so-far.ts";

/** So many posts back nearly everything is answered. */
const NEARBY = 10;
/** Whoever says whom they mean needs fewer. */
const NEARBY_IF_ADDRESSED = 4;
const OWN = 2;
/** A word that says so much makes a post worth a look, however far back; but not more than a few. */
const RARE = 0.75;
const MOST_BY_WORDS = 2;
const MOST = 20;

/** Which earlier posts this one could answer: those nearby, and the latest of those who have to do with each other. */
export function findCandidates(talk: TalkSoFar, post: Post, shared: SharedWords): Post[] {
  const found: Post[] = [];
  const add = (candidate: Post | undefined) => {
    if (!candidate || found.length >= MOST || found.includes(candidate)) return;
    if (!talk.leadsBack(candidate.index, post.index)) found.push(candidate);
  };
  const { posts, namedIn, partner } = talk.person(post.author);
  const nearby = post.isAddressed ? NEARBY_IF_ADDRESSED : NEARBY;
  for (let back = 1; back <= nearby; back += 1) add(talk.back(back));
  for (let back = 1; back <= OWN; back += 1) add(posts.at(-back));
  for (const named of post.named) for (const candidate of talk.person(named).posts) add(candidate);
  for (const candidate of namedIn) add(candidate);
  if (partner !== null) add(talk.person(partner).posts.at(-1));
  const limit = Math.min(MOST, found.length + MOST_BY_WORDS);
  for (const [index, { most }] of shared.posts) if (most >= RARE && found.length < limit) add(talk.posts[index]);
  return found;
}
