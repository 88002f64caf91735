import type {
  APIApplicationCommand,
  APIApplicationCommandOptionChoice,
  APIEmbed,
  APIMessageTopLevelComponent,
  APIModalInteractionResponseCallbackData,
  APIStickerItem,
  ChannelType,
  MessageType,
} from "discord-api-types/v10";
import type { MessageLog } from "./message-log.ts";

/** The data of the sandbox. Compact on purpose: a community may contain a million messages. Times are milliseconds. */

export interface UserRecord {
  readonly id: string;
  username: string;
  globalName: string | null;
  readonly bot: boolean;
  /** The language of their client; en-US when absent. */
  locale?: string;
}

/** A bot's application, with its settings in the developer portal. */
export interface ApplicationRecord {
  readonly id: string;
  name: string;
  readonly botId: string;
  readonly token: string;
  readonly clientSecret: string;
  /** The addresses that a sign-in may return to. */
  redirectUris: readonly string[];
  privileged: { members: boolean; messageContent: boolean; presences: boolean };
  /** When its shards identified, within the last day. */
  identifiedAt: number[];
  /** Global commands, by id. */
  readonly commands: Map<string, APIApplicationCommand>;
  /** Commands of one guild, by guild id, then by id. */
  readonly guildCommands: Map<string, Map<string, APIApplicationCommand>>;
}

/** A code that was given out at a sign-in, until it is exchanged. */
export interface CodeRecord {
  readonly applicationId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  /** The PKCE challenge; null for a program that used none. */
  readonly challenge: { readonly method: "S256" | "plain"; readonly value: string } | null;
  readonly expiresAt: number;
}

/** The tokens of an application for a person. */
export interface AuthorizationRecord extends Pick<CodeRecord, "applicationId" | "userId" | "scopes" | "expiresAt"> {
  readonly accessToken: string;
  readonly refreshToken: string;
}

export interface RoleRecord {
  readonly id: string;
  name: string;
  permissions: bigint;
  position: number;
  color: number;
  hoist: boolean;
  mentionable: boolean;
  managed: boolean;
  /** The bot that it was made for when it was invited; such a role is managed. */
  readonly botId?: string;
}

export interface MemberRecord {
  readonly userId: string;
  nick: string | null;
  /** Without the @everyone role. */
  readonly roles: Set<string>;
  joinedAt: number;
  pending: boolean;
  timedOutUntil: number | null;
}

export interface OverwriteRecord {
  readonly id: string;
  /** 0 role, 1 member. */
  readonly type: 0 | 1;
  allow: bigint;
  deny: bigint;
}

export interface ThreadRecord {
  readonly ownerId: string;
  archived: boolean;
  archivedAt: number;
  autoArchiveMinutes: number;
  locked: boolean;
  invitable: boolean;
  readonly createdAt: number;
  messageCount: number;
  totalMessagesSent: number;
  appliedTags: string[];
  /** User id to the time of joining. */
  readonly members: Map<string, number>;
}

export interface TagRecord {
  readonly id: string;
  name: string;
  moderated: boolean;
}

/** Guild channels, threads and DMs. */
export interface ChannelRecord {
  readonly id: string;
  readonly guildId: string | null;
  readonly type: ChannelType;
  name: string;
  topic: string | null;
  position: number;
  parentId: string | null;
  nsfw: boolean;
  flags: number;
  slowmodeSeconds: number;
  readonly overwrites: Map<string, OverwriteRecord>;
  readonly messages: MessageLog<MessageRecord>;
  lastMessageId: string | null;
  /** Message id to the time of pinning. */
  readonly pins: Map<string, number>;
  readonly thread: ThreadRecord | null;
  readonly tags: TagRecord[];
  /** The two people in a DM. */
  readonly recipients: readonly string[];
}

export interface GuildRecord {
  readonly id: string;
  name: string;
  description: string | null;
  ownerId: string;
  features: string[];
  /** En-US when absent, as on every server that has not changed it. */
  preferredLocale?: string;
  systemChannelId: string | null;
  readonly roles: Map<string, RoleRecord>;
  readonly members: Map<string, MemberRecord>;
  /** Channels and threads. */
  readonly channels: Map<string, ChannelRecord>;
  readonly emojis: Map<string, EmojiRecord>;
  /** User id to the reason given. */
  readonly bans: Map<string, string | null>;
  /** An outage: the guild is announced as unavailable. */
  unavailable: boolean;
  /** Message search answers 202 until the index is ready. */
  searchIndexReady: boolean;
}

export interface EmojiRecord {
  readonly id: string;
  name: string;
  readonly creatorId: string;
  readonly animated: boolean;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** A sticker of a guild. All people may send it. */
export interface StickerRecord extends APIStickerItem {
  readonly guildId: string;
}

export interface InviteRecord {
  readonly code: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly inviterId: string;
  readonly createdAt: number;
  readonly maxAgeSeconds: number;
  readonly maxUses: number;
  readonly temporary: boolean;
}

export interface ReactionRecord {
  readonly emoji: { readonly id: string | null; readonly name: string };
  readonly users: Set<string>;
}

export interface AttachmentRecord {
  readonly id: string;
  readonly filename: string;
  readonly contentType: string | null;
  readonly size: number;
  readonly width?: number;
  readonly height?: number;
  readonly description?: string;
  /** Voice messages only. */
  readonly durationSeconds?: number;
  readonly waveform?: string;
  readonly flags?: number;
  /** The bytes, or how to draw them. */
  readonly bytes: Uint8Array | (() => Uint8Array);
}

interface ReferenceRecord {
  /** 0 reply (or the origin of a notice), 1 forward. */
  readonly type: 0 | 1;
  readonly messageId: string | null;
  readonly channelId: string;
  readonly guildId: string | null;
}

export interface PollRecord {
  readonly question: string;
  readonly answers: readonly { readonly id: number; readonly text: string; readonly emoji?: string }[];
  readonly expiresAt: number;
  readonly multiselect: boolean;
  /** Answer id to voters. */
  readonly votes: Map<number, Set<string>>;
  finalized: boolean;
}

/** The content of a forward: the original without its author. */
export interface SnapshotRecord {
  readonly type: MessageType;
  readonly content: string;
  readonly timestamp: number;
  readonly editedAt: number | null;
  readonly flags: number;
  readonly more: Pick<MessageExtras, "embeds" | "attachments" | "stickers" | "components">;
}

/** The interaction that a message answers. */
export interface InteractionMetadata {
  readonly id: string;
  /** 2 command, 3 component, 5 modal. */
  readonly type: number;
  readonly name: string;
  readonly userId: string;
  /** The target of a context menu command. */
  readonly targetUserId?: string;
  readonly targetMessageId?: string;
  /** The message whose component was used. */
  readonly interactedMessageId?: string;
  readonly trigger?: InteractionMetadata;
  /** Set on follow-ups: the first answer. */
  readonly originalMessageId?: string;
}

/** Fields that most messages do not have. */
export interface MessageExtras {
  embeds?: APIEmbed[];
  attachments?: AttachmentRecord[];
  stickers?: APIStickerItem[];
  components?: APIMessageTopLevelComponent[];
  reference?: ReferenceRecord;
  snapshots?: SnapshotRecord[];
  reactions?: Map<string, ReactionRecord>;
  poll?: PollRecord;
  webhook?: { readonly id: string; readonly name: string; readonly applicationId: string | null };
  interaction?: InteractionMetadata;
  /** Only this person sees it (ephemeral). */
  ephemeralFor?: string;
  mentionEveryone?: boolean;
  /** The pinged people and roles, if they differ from the mentions in the content and the author replied to. */
  mentions?: { readonly users: readonly string[]; readonly roles: readonly string[] };
  /** The application that sent it, if it is not the author. */
  applicationId?: string;
  tts?: boolean;
  nonce?: string | number;
}

export interface MessageRecord {
  readonly id: string;
  readonly channelId: string;
  readonly authorId: string;
  readonly type: MessageType;
  content: string;
  readonly timestamp: number;
  editedAt: number | null;
  flags: number;
  more: MessageExtras | null;
}

export interface WebhookRecord {
  readonly id: string;
  readonly token: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly applicationId: string | null;
  readonly creatorId: string;
  /** The announcement channel whose published messages it copies. */
  readonly sourceChannelId?: string;
  name: string;
}

/** How an application answered. */
export type InteractionAnswer =
  | { readonly kind: "message"; readonly message: MessageRecord }
  /** "… is thinking": the message follows. */
  | { readonly kind: "deferred"; readonly message: MessageRecord }
  /** The message with the component is updated, now or later. */
  | { readonly kind: "updated"; readonly message: MessageRecord }
  | { readonly kind: "modal"; readonly modal: APIModalInteractionResponseCallbackData }
  | { readonly kind: "choices"; readonly choices: readonly APIApplicationCommandOptionChoice[] }
  | { readonly kind: "failed"; readonly reason: string };

/** One use of a command, a component or a modal of an application. */
export interface InteractionRecord {
  readonly id: string;
  readonly token: string;
  readonly applicationId: string;
  readonly type: number;
  readonly userId: string;
  readonly channelId: string;
  readonly guildId: string | null;
  readonly createdAt: number;
  readonly metadata: InteractionMetadata;
  /** The message that a component sits on. */
  readonly source?: MessageRecord;
  /** Files that the person gave to the command. */
  readonly files: readonly AttachmentRecord[];
  /** A context menu command was used, not a slash command. */
  readonly isContextMenu: boolean;
  state: "open" | "answered" | "failed";
  /** The first answer, `@original`. */
  original: MessageRecord | null;
  modal: APIModalInteractionResponseCallbackData | null;
  /** Answers that only this person can see: they are in no channel. */
  readonly ephemeral: Map<string, MessageRecord>;
  /** Settles with the first answer, or when none came in time. */
  readonly answered: Promise<InteractionAnswer>;
  /** Settles with the first message that has content, deferred or not; never without one. */
  readonly spoken: Promise<MessageRecord>;
  readonly settle: { answered(answer: InteractionAnswer): void; spoken(message: MessageRecord): void };
}
