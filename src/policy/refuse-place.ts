import type { ChannelId, GuildId } from "../domain/ids.ts";
import type { Grant } from "./grant.ts";
import type { ChannelLocation } from "./locate-channel.ts";
import type { Rules } from "./rules.ts";

/** Why a client is kept out of a channel or DM, by its grant or by the operator's rules. */
export type PlaceRefusal = "place_unknown" | "place_not_granted" | "place_switched_off";

interface Terms {
  readonly grant: Pick<Grant, "guilds" | "channels" | "directMessages">;
  readonly rules: Pick<Rules, "guilds" | "channels" | "directMessages">;
}

/**
 * The one answer to "do grant and rules cover this place?", for calls and for events alike; null when they do. An unknown place is covered by
 * nothing: nobody can say which lists name it.
 */
export function refusePlace({ grant, rules }: Terms, place: ChannelLocation | undefined): PlaceRefusal | null {
  if (!place) return "place_unknown";
  const { guildId } = place.channel;
  if (guildId === null && !grant.directMessages) return "place_not_granted";
  if (guildId === null) return rules.directMessages ? null : "place_switched_off";
  if (!isListed(grant.guilds, [guildId]) || !isListed(grant.channels, place.lineage)) return "place_not_granted";
  const isOpen =
    refuseGuild({ grant, rules }, guildId) === null &&
    isListed(rules.channels.allow, place.lineage) &&
    !isNamed(rules.channels.deny, place);
  return isOpen ? null : "place_switched_off";
}

/** The same for a server as a whole: whether the client may know that the bot is in it. */
export function refuseGuild({ grant, rules }: Terms, guildId: GuildId): PlaceRefusal | null {
  if (!isListed(grant.guilds, [guildId])) return "place_not_granted";
  const isOpen = isListed(rules.guilds.allow, [guildId]) && !rules.guilds.deny.includes(guildId);
  return isOpen ? null : "place_switched_off";
}

/** Whether a list names the channel or what it belongs to: a thread's channel, a channel's category. */
export function isNamed(list: readonly ChannelId[], { lineage }: ChannelLocation): boolean {
  return lineage.some((id) => list.includes(id));
}

function isListed<Id>(list: "all" | readonly Id[], ids: readonly Id[]): boolean {
  return list === "all" || ids.some((id) => list.includes(id));
}
