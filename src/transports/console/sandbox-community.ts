import { z } from "zod";
import type { UserId } from "../../domain/ids.ts";

/** The embedded sandbox as seen by one of its people, with the permissions of the sandbox itself. */
export interface SandboxCommunity {
  /** Everyone except bots, ordered by name. */
  people(): readonly SandboxPerson[];
  /** Oldest first: the latest messages, or those before a message. Throws `not_found` for a channel that they cannot see. */
  messages(actor: UserId, channelId: string, before?: string): SeenPage;
  /** Throws `not_found` for a channel that they do not see. */
  commands(actor: UserId, channelId: string): readonly SeenCommand[];
  /** The bytes of a file. Throws `not_found` unless they see the message. */
  file(actor: UserId, at: z.output<typeof seenFileAddress>): Uint8Array;
  /** Throws `not_found`, `forbidden` or `invalid` where Discord would refuse. New and changed messages come to those who follow. */
  act(actor: UserId, action: SeenAction): Promise<SeenOutcome>;
  /** Tells at once what there is to see, then each change. Returns a function that stops it. */
  follow(actor: UserId, listener: (change: SeenChange) => void): () => void;
}

interface SandboxPerson {
  readonly id: UserId;
  /** The name in the sample's server. */
  readonly name: string;
}

export interface SeenChannel {
  readonly id: string;
  readonly kind: "category" | "text" | "announcement" | "voice" | "forum" | "thread" | "private_thread" | "dm";
  readonly name: string;
  readonly topic: string | null;
  readonly server: string | null;
  /** The category of a channel, the channel of a thread. */
  readonly parentId: string | null;
  readonly position: number;
  readonly isArchived: boolean;
  readonly maySpeak: boolean;
}

/** Every named thing that this person can see. */
export interface SeenCommunity {
  readonly channels: readonly SeenChannel[];
  readonly people: readonly { readonly id: string; readonly name: string; readonly isBot: boolean }[];
  readonly roles: readonly { readonly id: string; readonly name: string }[];
}

export interface SeenMessage {
  readonly id: string;
  readonly channelId: string;
  readonly authorId: string;
  readonly author: string;
  readonly isBot: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly isEdited: boolean;
  readonly text: string;
  /** A notice by Discord: a member joined, a message was pinned, a thread was opened. */
  readonly notice: "joined" | "pinned" | "thread" | "other" | null;
  /** Only this person sees it. */
  readonly isEphemeral: boolean;
  readonly isThinking: boolean;
  /** The message that it replies to; null also if that was deleted. */
  readonly replyTo: { readonly author: string; readonly text: string } | null;
  /** The command that this message answers, and the person who used it. */
  readonly command: { readonly person: string; readonly name: string } | null;
  readonly cards: readonly {
    readonly kind: "embed" | "forward" | "poll" | "sticker";
    readonly title: string;
    readonly text: string;
  }[];
  readonly files: readonly { readonly id: string; readonly name: string; readonly bytes: number }[];
  /** Rows of texts, buttons and menus. */
  readonly rows: readonly (readonly SeenPart[])[];
  readonly reactions: readonly { readonly emoji: string; readonly count: number; readonly isMine: boolean }[];
  readonly threadId: string | null;
}

export type SeenPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "link"; readonly label: string; readonly url: string }
  | { readonly kind: "button"; readonly id: string; readonly label: string; readonly isDisabled: boolean }
  | {
      readonly kind: "menu";
      readonly id: string;
      readonly label: string;
      readonly choices: readonly SeenChoice[];
      readonly isDisabled: boolean;
    };

interface SeenChoice {
  readonly label: string;
  readonly value: string;
}

interface SeenPage {
  readonly messages: readonly SeenMessage[];
  /** There is nothing before them. */
  readonly isStart: boolean;
}

export interface SeenOption {
  readonly name: string;
  readonly about: string;
  readonly kind: "text" | "number" | "boolean" | "person" | "channel" | "role" | "file";
  readonly isRequired: boolean;
  /** Empty: any value. */
  readonly choices: readonly SeenChoice[];
  /** The bot suggests values while the person types. */
  readonly suggests: boolean;
}

export interface SeenCommand {
  /** A slash command with its subcommand, or an entry in the menu of a message or person. */
  readonly kind: "slash" | "message" | "person";
  readonly name: string;
  readonly about: string;
  readonly botId: string;
  readonly options: readonly SeenOption[];
}

export type SeenOutcome =
  | { readonly kind: "done"; readonly channelId?: string }
  /** A form, to be sent with `submit`. */
  | { readonly kind: "form"; readonly interactionId: string; readonly title: string; readonly fields: SeenField[] }
  | { readonly kind: "choices"; readonly choices: readonly SeenChoice[] };

export interface SeenField {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly isLong: boolean;
  readonly isRequired: boolean;
  readonly maxLength: number;
  /** Empty for a text field. */
  readonly choices: readonly SeenChoice[];
}

export type SeenChange =
  | { readonly kind: "community"; readonly community: SeenCommunity }
  | { readonly kind: "message"; readonly message: SeenMessage }
  | { readonly kind: "deleted"; readonly channelId: string; readonly messageIds: readonly string[] }
  | { readonly kind: "typing"; readonly channelId: string; readonly name: string };

export const seenId = z.string().regex(/^\d{1,20}$/);
const id = seenId;
const text = z.string().min(1).max(4_000);
const label = z.string().min(1).max(100);
const options = z.record(z.string().max(100), z.union([z.string().max(6_000), z.number(), z.boolean()]));
const onMessage = { channelId: id, messageId: id };
const command = { channelId: id, botId: id, command: label };

export const seenFileAddress = z.object({ ...onMessage, fileId: id });

/** All actions of a person. */
export const seenAction = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("say"), channelId: id, text, replyTo: id.optional() }),
  // Opens the direct messages with a bot.
  z.object({ kind: z.literal("dm"), botId: id }),
  z.object({ kind: z.literal("edit"), ...onMessage, text }),
  z.object({ kind: z.literal("delete"), ...onMessage }),
  z.object({ kind: z.literal("react"), ...onMessage, emoji: label, isRemoved: z.boolean() }),
  // On a message, or a post in a forum.
  z.object({ kind: z.literal("thread"), ...onMessage, title: label }),
  z.object({ kind: z.literal("post"), channelId: id, title: label, text }),
  z.object({ kind: z.literal("run"), ...command, options }),
  z.object({ kind: z.literal("suggest"), ...command, options, focused: label }),
  z.object({
    kind: z.literal("menu"),
    ...command,
    target: z.union([z.object({ messageId: id }), z.object({ personId: id })]),
  }),
  z.object({ kind: z.literal("press"), ...onMessage, id: label, values: z.array(label).max(25).optional() }),
  z.object({
    kind: z.literal("submit"),
    interactionId: id,
    values: z.record(z.string().max(100), z.string().max(4_000)),
  }),
]);

export type SeenAction = z.output<typeof seenAction>;
