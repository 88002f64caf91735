import type { Channel } from "../../domain/guild.ts";
import type { ChannelId } from "../../domain/ids.ts";
import { toQueryTerms } from "../../domain/search/terms.ts";

const MAX_TITLED = 5;

/** The first posts whose title or tags have a word of the query. */
export function pickTitledPosts(posts: readonly Channel[], query: string): ChannelId[] {
  const words = new Set(toQueryTerms(query));
  const isTitled = ({ name, tags }: Channel) => toQueryTerms([name, ...tags].join(" ")).some((word) => words.has(word));
  const titled = posts.filter(isTitled).slice(0, MAX_TITLED);
  return titled.map(({ id }) => id);
}
