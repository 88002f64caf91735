import type { z } from "zod";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { OperationSpending } from "../ports/operation-spending.ts";
import type { CitedFact, CitedPassage } from "../ports/stored-source.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { Turn } from "./turn.ts";

/** Answers one question with the results of tools. It has no other access to data, and no effects except its answer. */
export interface Answerer {
  /** Throws as the tools do. Text to show before the answer is complete goes into the draft. */
  answer(question: Question, toolbox: Toolbox, draft?: AnswerDraft): Promise<AgentAnswer>;
  /** The reason for the model's last failure; null after a success. Absent without a model. */
  lastFailure?(): ModelProblemNote | null;
  /** Present if it sends nothing it reads to another process. */
  readonly isLocal?: true;
}

export interface ModelProblemNote {
  readonly at: number;
  /** A reason of `ModelFailure`, or another error's code. */
  readonly reason: string;
  /** Null without an HTTP answer. */
  readonly status: number | null;
}

/** An answer while it is being written. */
export interface AnswerDraft {
  /** All of the answer so far, after each growth, with citations. The receiver decides how much of it to show, and when. */
  grow(text: string, sources: ReadonlyMap<string, Citable>): void;
  /** A sentence to show while there is no text yet, for example because other questions come first. */
  wait(sentence: string): void;
}

export interface Question {
  /** As typed, without the mention of the bot and the emoji for isolation. */
  readonly text: string;
  readonly actor: { readonly id: UserId; readonly name: string };
  /** The channel of the question; the server is null in direct messages. */
  readonly channelId: ChannelId;
  readonly guildId: GuildId | null;
  readonly askedAt: number;
  /** IANA name of the time zone for times in the question. */
  readonly timeZone: string;
  /** The bot, under its displayed name. */
  readonly agent: { readonly id: UserId; readonly name: string };
  /** The message that asks; null for none. Neither it nor a copy of it is evidence. */
  readonly messageId: MessageId | null;
  /** The subject of the question: the replied-to message, or the one in whose menu it was asked. */
  readonly about: Message | null;
  /** Only the actor reads the answer. */
  readonly isPrivate: boolean;
  /** No context window, no memory, and no earlier turn. */
  readonly isIsolated: boolean;
  /** ISO code of the language of the previous answer, if any. */
  readonly languageBefore: string | null;
  /**
   * The actor's last question here, or the question of the answer that this one replies to; null if there is none, it is too old, or its
   * sources may not be told to the readers of this answer. Once called, the sources of that turn count as read for this question, too.
   */
  before(): Promise<Turn | null>;
  /** The author of the text, if not the actor: "I" is this person, and the text may cause no effects. */
  readonly quotedFrom?: string | null;
}

/** The tools of the gate, within the question's operation. */
export interface Toolbox {
  /** Throws an `EarshotError`, as the gate does. */
  call<Input extends z.ZodObject, Output extends z.ZodType>(
    tool: Tool<Input, Output>,
    args: z.input<Input>,
  ): Promise<z.output<Output>>;
  /** For a model, which may send any name and arguments, and reads the text. */
  run(name: string, args: unknown): Promise<ToolText>;
  readonly tools: readonly Tool[];
  /** The id of the message, fact or passage behind a handle; undefined for an unknown handle. */
  idOf(handle: string): string | undefined;
  /** Aborts when the question is deleted or edited. */
  readonly signal: AbortSignal | undefined;
  /** The token budget of the operation. */
  readonly spending: OperationSpending;
  /** Marks the blocks of the operation; authors of messages cannot guess it. */
  readonly nonce: string;
}

interface ToolText {
  /** Matches the tool's output schema. */
  readonly value: unknown;
  /** With text by others in blocks, and handles to cite. */
  readonly text: string;
}

/** Whether a source is quoted as the answer, or as context of another quotation. */
export type SourceRole = "passage" | "context";

/** The source of a citation such as [m7], [f2] or [p1]. */
export type Citable =
  | { readonly kind: "message"; readonly message: Message; readonly role?: SourceRole }
  | ({ readonly kind: "fact"; readonly links: readonly string[] } & CitedFact)
  /** `where`: the displayed name of the document, headings and lines. */
  | ({ readonly kind: "passage"; readonly where: string } & CitedPassage);

/** `sure`: it answers. `unsure`: it shows the closest results. `none`: there are no results. */
export type Voice = "sure" | "unsure" | "none";

export type AgentAnswer =
  /** Replaces text. */
  | { readonly kind: "reaction"; readonly emoji: string }
  | {
      readonly kind: "text";
      /** Discord markdown, with citations such as [m7] or [m7, f2]. Text by others is escaped. */
      readonly text: string;
      /** Whether it claims to answer; absent for a model's text. */
      readonly voice?: Voice;
      /** The sources read, by handle. */
      readonly sources: ReadonlyMap<string, Citable>;
      /** The context for a follow-up question, if any. */
      readonly turn: Turn | null;
      /** Earshot's own sentence, which rests on no source. */
      readonly isOwnWords?: true;
      /** A greeting, for example: a lack of citations needs no remark. */
      readonly needsNoSource?: true;
      /** The actor's choices if the question is ambiguous; each is a whole question. At most five. */
      readonly choices?: readonly { readonly label: string; readonly question: string }[];
    };
