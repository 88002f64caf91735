import { isRecord, type Raw } from "./read.ts";

/** If the operator states that the server omits empty lists of overwrites, a channel without a list has none. */
export function fillOverwrites(type: string, raw: Raw): Raw {
  if (type === "CHANNEL_CREATE" || type === "CHANNEL_UPDATE") return withOverwrites(raw);
  const { channels } = raw;
  return type === "GUILD_CREATE" && Array.isArray(channels) ? { ...raw, channels: channels.map(fillOne) } : raw;
}

function fillOne(channel: unknown): unknown {
  return isRecord(channel) ? withOverwrites(channel) : channel;
}

function withOverwrites(channel: Raw): Raw {
  return channel["permission_overwrites"] === undefined ? { ...channel, permission_overwrites: [] } : channel;
}
