import { ChannelType, MessageType } from "discord-api-types/v10";

/** Types of messages that people send, as opposed to Discord's own notices. */
export const SPEECH: ReadonlySet<MessageType> = new Set([
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
]);

/** Types of channels that messages can be sent in. */
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
