import type { ChannelId, GuildId, MessageId } from "../ids.ts";

/** Discord's own web address, the default for links. */
export const DISCORD_WEB = "https://discord.com";

interface MessagePlace {
  /** Null for a direct message. */
  readonly guildId: GuildId | null | undefined;
  readonly channelId: ChannelId;
  readonly messageId: MessageId;
}

/** The link under which people find a message. */
export function toMessageLink({ guildId, channelId, messageId }: MessagePlace, web: string = DISCORD_WEB): string {
  return `${web.replace(/\/+$/, "")}/channels/${guildId ?? "@me"}/${channelId}/${messageId}`;
}

const IDS = /^\/channels\/(?:@me|\d{1,20})\/\d{1,20}\/\d{1,20}$/;
const DISCORDS_OWN = /^https:\/\/(?:ptb\.|canary\.)?discord(?:app)?\.com(?=\/)/;

/** Whether this is exactly a link to a message of the server in use, or of Discord's. It contains only ids, so it cannot carry data out. */
export function isMessageLink(link: string, web: string = DISCORD_WEB): boolean {
  const base = web.replace(/\/+$/, "");
  const path = link.startsWith(`${base}/`) ? link.slice(base.length) : link.replace(DISCORDS_OWN, "");
  return path !== link && IDS.test(path);
}

/** The first link to a message in a text, on any server's address: only the connected server knows its ids. */
export const MESSAGE_LINK = /https?:\/\/[^\s/<>()]+(?:\/[^\s/<>()]+){0,3}\/channels\/(?:\d+|@me)\/\d+\/\d+/u;
