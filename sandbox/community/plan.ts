import type { PermissionFlagsBits } from "discord-api-types/v10";
import type { Drawing } from "../render/drawing.ts";

/**
 * A community as data: people, channels, and messages with their times.
 * `layCommunity` turns one into live guild state; the sample community and the generator both produce this shape.
 * Everything is named by a short key, so that a plan contains no ids.
 */
export interface Community extends ServerPlan {
  readonly people: readonly PersonPlan[];
  /** Further servers with some of the same people. Keys of channels are unique across all servers. */
  readonly neighbours?: readonly NeighbourPlan[];
  /** In order of time, oldest first, of all servers. Lazily produced where there are very many. */
  readonly posts: Iterable<PostPlan>;
}

export interface ServerPlan {
  readonly guild: GuildPlan;
  readonly roles: readonly RolePlan[];
  readonly channels: readonly ChannelPlan[];
}

export interface NeighbourPlan extends ServerPlan {
  readonly members: readonly MemberPlan[];
}

/** Names as in discord-api-types' `PermissionFlagsBits`, such as "ViewChannel". */
export type PermissionName = keyof typeof PermissionFlagsBits;

export interface GuildPlan {
  readonly name: string;
  readonly description?: string;
  readonly owner: string;
  readonly everyone: readonly PermissionName[];
}

export interface MemberPlan {
  /** Key of a person. */
  readonly key: string;
  /** The nickname in this guild. */
  readonly nick?: string;
  readonly roles?: readonly string[];
  readonly joinedDaysAgo?: number;
}

export interface PersonPlan extends MemberPlan {
  readonly username: string;
  /** The global display name; absent means that only the username is shown. */
  readonly displayName?: string;
  readonly bot?: boolean;
  /** Not (or no longer) a member of the guild; may still have an open DM. */
  readonly outsider?: boolean;
}

export interface RolePlan {
  readonly key: string;
  readonly name: string;
  readonly permissions?: readonly PermissionName[];
  readonly color?: number;
  readonly hoist?: boolean;
  readonly mentionable?: boolean;
}

export type ChannelKind = "category" | "text" | "announcement" | "voice" | "stage" | "forum" | "media";

export interface ChannelPlan {
  readonly key: string;
  readonly name: string;
  readonly kind: ChannelKind;
  /** Key of a category. */
  readonly category?: string;
  readonly topic?: string;
  readonly nsfw?: boolean;
  readonly overwrites?: readonly OverwritePlan[];
  /** Tags of a forum or media channel, by name. */
  readonly tags?: readonly string[];
}

export interface OverwritePlan {
  /** Key of a role, "everyone", or `person:<key>`. */
  readonly who: string;
  readonly allow?: readonly PermissionName[];
  readonly deny?: readonly PermissionName[];
}

/**
 * One message. In `text`, `{@key}` mentions a person, `{#key}` a channel, `{&key}` a role.
 * `in` is a channel key, a thread key, or `dm:<person key>` for that person's DM with the main bot.
 */
export interface PostPlan {
  /** Named only when something later refers to it. */
  readonly key?: string;
  readonly minutesAgo: number;
  readonly in: string;
  readonly by: string;
  readonly text?: string;
  readonly replyTo?: string;
  /** Opens a thread on this message; in a forum or media channel, the post itself. */
  readonly thread?: ThreadPlan;
  readonly forwardOf?: string;
  readonly embeds?: readonly EmbedPlan[];
  readonly attachments?: readonly AttachmentPlan[];
  readonly poll?: { readonly question: string; readonly answers: readonly string[]; readonly hours: number };
  /** Name of a sticker. */
  readonly sticker?: string;
  /** Components v2: the text blocks of one container. */
  readonly panel?: readonly string[];
  /** Emoji to the people who reacted with it. */
  readonly reactions?: Readonly<Record<string, readonly string[]>>;
  readonly pinned?: boolean;
  /** The text after an edit, and how many minutes later. */
  readonly edit?: { readonly text: string; readonly minutesLater: number };
  readonly deleted?: boolean;
  /** A notice by Discord instead of a message by a person. */
  readonly system?: "join" | "boost" | "pin";
}

export interface ThreadPlan {
  readonly key: string;
  readonly name: string;
  /** A private thread is not attached to a message: the post is its first message. */
  readonly private?: boolean;
  readonly members?: readonly string[];
  readonly tags?: readonly string[];
  readonly archived?: boolean;
}

export interface EmbedPlan {
  readonly title?: string;
  readonly description?: string;
  readonly url?: string;
  readonly fields?: readonly { readonly name: string; readonly value: string }[];
  readonly footer?: string;
  readonly author?: string;
}

export interface AttachmentPlan {
  readonly filename: string;
  readonly contentType: string;
  readonly description?: string;
  readonly width?: number;
  readonly height?: number;
  /** Text files carry their text. */
  readonly text?: string;
  /** Pictures are drawn in the given size. */
  readonly drawing?: Drawing;
}
