import type { UserId } from "../../domain/ids.ts";
import type { StartOverAction } from "../../policy/action.ts";
import type { Directory } from "../../ports/directory.ts";
import { type ActionPlace, describePlace } from "./describe-action.ts";

/** In every preview of a session that was started over. */
export const STILL_KNOWS =
  "You started over, and the program still knows what it read before. Make sure that this tells nothing of it.";

/** What the actor has to know before they start over. Only places that they can still read are named. */
export function toStartOverLines(
  { channelIds, others }: StartOverAction,
  { actor, directory }: { readonly actor: UserId; readonly directory: Pick<Directory, "channel" | "canRead"> },
  toWords: (place: ActionPlace) => string,
): string[] {
  const named = channelIds.filter((id) => directory.canRead(actor, id));
  const more = others + channelIds.length - named.length;
  return [
    "Nothing has been done yet. You would start over: what the program has read for you would no longer limit where it may post, once you confirm each message.",
    ...(named.length > 0 ? ["It has read here:"] : []),
    ...named.map((id) => `- ${toWords(describePlace(id, actor, directory))}`),
    ...(more > 0
      ? [`- ${more} ${named.length > 0 ? "more " : ""}${more === 1 ? "place" : "places"}, some of them only searched`]
      : []),
    "The program still knows what it read. It goes on asking you before every post, and you see each one first: confirm none that tells what not everyone there may know.",
  ];
}
