/** Earshot as a library: all of it within a program, or only the edge that hears Discord in one shape. */

export type { DiscordOptions } from "./discord/discord-options.ts";
export type { EdgeDeps } from "./discord/edge.ts";
export type { Features } from "./discord/intents.ts";
export { openDiscord } from "./discord/open-discord.ts";
export { EarshotError, type ErrorCode } from "./domain/errors.ts";
export type { ForestThread } from "./domain/forest/build-thread-forest.ts";
export { forestOf as buildThreadForest } from "./domain/forest/forest-of.ts";
export type { Channel, Member, Role } from "./domain/guild.ts";
export type { ChannelId, GuildId, MessageId, RoleId, UserId } from "./domain/ids.ts";
export type { Message } from "./domain/message.ts";
export type { FactRecord, MemoryExport } from "./domain/rpc/memory-methods.ts";
export { shouldSkipContext } from "./domain/window/isolation.ts";
export { createEarshot, type Earshot, type EarshotOptions, type NamedId } from "./library.ts";
export type { Clock } from "./ports/clock.ts";
export type { Directory, GuildInfo } from "./ports/directory.ts";
export type { ConnectionState, Discord, DiscordEvent, Gap, HistoryPage, HistoryRead } from "./ports/discord.ts";
export type { LastHeard } from "./ports/last-heard.ts";
export type { Log } from "./ports/log.ts";
export type {
  Acting,
  ActingMemory,
  AnswerPlace,
  ContextOptions,
  ContextWindow,
  OpenaiTool,
  SdkTool,
} from "./transports/library/act-as.ts";
