import { ChannelType, MessageType } from "discord-api-types/v10";

/** Messages that somebody said, as opposed to Discord's own notices. */
export const SPEECH: ReadonlySet<MessageType> = new Set([
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
]);

/** Channels one can speak in. */
export const SPOKEN_IN: ReadonlySet<ChannelType> = new Set([
  ChannelType.GuildText,
  ChannelType.DM,
  ChannelType.GuildVoice,
  ChannelType.GuildAnnouncement,
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.GuildStageVoice,
]);
