import type { StartOverAction } from "../../policy/action.ts";
import { type ActionPlace, describePlace } from "./describe-action.ts";
import type { ProposalWords } from "./describe-proposal.ts";

/** Explains the effect of starting over. Names only places that the actor can still read. */
export function toStartOverLines(
  { channelIds, guildIds, others }: StartOverAction,
  { actor, directory, server }: Pick<ProposalWords, "actor" | "directory" | "server">,
  toWords: (place: ActionPlace) => string,
): string[] {
  const channels = channelIds.filter((id) => directory.canRead(actor, id));
  const servers = guildIds.filter((id) => directory.member(id, actor));
  const named = [
    ...channels.map((id) => toWords(describePlace(id, actor, directory))),
    ...servers.map((id) => `the server ${server(id)}: its name or members`),
  ];
  const more = others + channelIds.length + guildIds.length - named.length;
  return [
    "Nothing has been done yet. You would start over: what the program has read for you would no longer limit where it may post, once you confirm each message.",
    ...(named.length > 0 ? ["It has read here:"] : []),
    ...named.map((what) => `- ${what}`),
    ...(more > 0
      ? [`- ${more} ${named.length > 0 ? "more " : ""}${more === 1 ? "place" : "places"}, some of them only searched`]
      : []),
    "The program still knows what it read. It goes on asking you before every post, and you see each one first: confirm none that tells what not everyone there may know.",
  ];
}
