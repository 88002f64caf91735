import type { z } from "zod";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { OperationSpending } from "../ports/operation-spending.ts";
import type { CitedFact, CitedPassage } from "../ports/stored-source.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { Turn } from "./turn.ts";

/** Answers one question with what tools return. It has no other way to learn something, and no way to say something but its answer. */
export interface Answerer {
  /** Throws as the tools do. What is to be read before the answer is complete goes into the draft. */
  answer(question: Question, toolbox: Toolbox, draft?: AnswerDraft): Promise<AgentAnswer>;
  /** Why the model gave no answer last; null since it gave one. Absent where there is no model. */
  lastFailure?(): ModelProblemNote | null;
  /** Present where nothing that it reads leaves this process before its answer does. */
  readonly isLocal?: true;
}

export interface ModelProblemNote {
  readonly at: number;
  /** A reason of `ModelFailure`, or the code of another error. */
  readonly reason: string;
  /** What its server answered; null where it did not. */
  readonly status: number | null;
}

/** An answer while it is being written. */
export interface AnswerDraft {
  /** All of the answer so far, each time it has grown, with citations as in the answer. How much of it is shown, and when, is decided by others. */
  grow(text: string, sources: ReadonlyMap<string, Citable>): void;
  /** A sentence for the time in which there is nothing of the answer yet, such as that others come first. */
  wait(sentence: string): void;
}

export interface Question {
  /** As typed, without the mention of the bot and the sign that asks for isolation. */
  readonly text: string;
  readonly actor: { readonly id: UserId; readonly name: string };
  /** Where it is asked; the server is null in direct messages. */
  readonly channelId: ChannelId;
  readonly guildId: GuildId | null;
  readonly askedAt: number;
  /** IANA name of the time zone in which words for times are read. */
  readonly timeZone: string;
  /** The bot, as people know it. */
  readonly agent: { readonly id: UserId; readonly name: string };
  /** The message that asks; null where none does. Neither it nor a copy of it is evidence. */
  readonly messageId: MessageId | null;
  /** The message that the question is about: the one that it answers, or in whose menu it was asked. */
  readonly about: Message | null;
  /** The actor alone reads the answer. */
  readonly isPrivate: boolean;
  /** No context window, nothing remembered, and no turn before. */
  readonly isIsolated: boolean;
  /** ISO code of the language in which the question before was answered, where there is one. */
  readonly languageBefore: string | null;
  /**
   * What the actor asked last here, or what the message that this answers was the answer to; null when nothing, too long ago, or not to be told to those who
   * will read this answer. From then on, what that turn rests on counts as read for this question, too.
   */
  before(): Promise<Turn | null>;
  /** Whose words these are, if not the actor's: "I" is this person, and nothing may be done because of them. */
  readonly quotedFrom?: string | null;
}

/** The tools of the gate, within the question's operation. */
export interface Toolbox {
  /** Throws an `EarshotError`, as the gate does. */
  call<Input extends z.ZodObject, Output extends z.ZodType>(
    tool: Tool<Input, Output>,
    args: z.input<Input>,
  ): Promise<z.output<Output>>;
  /** The same for a model, which writes names and arguments as it likes and reads the text. */
  run(name: string, args: unknown): Promise<ToolText>;
  /** The tools that may be called. */
  readonly tools: readonly Tool[];
  /** The id of the message, fact or passage for which a handle stands in a text; undefined where none had it. */
  idOf(handle: string): string | undefined;
  /** Aborts when the question is deleted, or edited. */
  readonly signal: AbortSignal | undefined;
  /** What the operation may spend on models. */
  readonly spending: OperationSpending;
  /** Marks the blocks of the operation; nobody who writes can guess it. */
  readonly nonce: string;
}

interface ToolText {
  /** As the tool's output schema says. */
  readonly value: unknown;
  /** What others wrote stands in blocks, with handles to cite. */
  readonly text: string;
}

/** Whether it is quoted because it answers, or because it makes a quotation understandable. */
export type SourceRole = "passage" | "context";

/** What a citation such as [m7], [f2] or [p1] stands for. */
export type Citable =
  | { readonly kind: "message"; readonly message: Message; readonly role?: SourceRole }
  | ({ readonly kind: "fact"; readonly links: readonly string[] } & CitedFact)
  /** `where`: the name of the document, headings and lines, as they are shown. */
  | ({ readonly kind: "passage"; readonly where: string } & CitedPassage);

/** `sure`: it answers. `unsure`: it shows what is closest. `none`: there was nothing to show. */
export type Voice = "sure" | "unsure" | "none";

export type AgentAnswer =
  /** Instead of words. */
  | { readonly kind: "reaction"; readonly emoji: string }
  | {
      readonly kind: "text";
      /** Markdown of Discord's, with citations such as [m7] or [m7, f2]. What others wrote is escaped. */
      readonly text: string;
      /** Whether it claims to answer; absent where a model says it in its own words. */
      readonly voice?: Voice;
      /** What was read, by the handle that citations use. */
      readonly sources: ReadonlyMap<string, Citable>;
      /** What a question that follows can refer to; null when nothing. */
      readonly turn: Turn | null;
      /** A sentence of ours: it rests on nothing that was read. */
      readonly isOwnWords?: true;
      /** A greeting, say: that it cites nothing needs no mention. */
      readonly needsNoSource?: true;
      /** What the actor may choose from, where several could be meant; each is a whole question. At most five. */
      readonly choices?: readonly { readonly label: string; readonly question: string }[];
    };
