import { EarshotError } from "../domain/errors.ts";
import type { UserId } from "../domain/ids.ts";
import { type Message, type MessageRef, typedText } from "../domain/message.ts";
import { orCancelled } from "../domain/or-cancelled.ts";
import { escapeMarkdown } from "../domain/text/escape-markdown.ts";
import { removeIsolationSign, shouldSkipContext } from "../domain/window/isolation.ts";
import type { Answers } from "../gate/effects/answers.ts";
import { mentionsOf } from "../gate/effects/question-lookup.ts";
import type { Audit } from "../policy/audit.ts";
import type { Operation } from "../policy/operation.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory } from "../ports/directory.ts";
import type { Discord } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import { getMessageContext } from "../tools/get-message-context.ts";
import type { AgentAnswer, AnswerDraft, Answerer, Toolbox, Voice } from "./answerer.ts";
import { type CitationStyle, type CitedText, resolveCitations, toAnswerSources } from "./citations.ts";
import { createToolbox, type ToolboxDeps } from "./toolbox.ts";
import type { Turn } from "./turn.ts";
import type { KeptTurn } from "./turns.ts";

export interface OpenQuestion {
  readonly operation: Operation;
  readonly text: string;
  readonly isIsolated: boolean;
  /** Its subject, unless that is an answer of the agent. */
  readonly about: MessageRef | null;
  readonly before: KeptTurn | null;
  /** The author of the text, if not the actor. */
  readonly quotedFrom?: string | null;
  readonly signal?: AbortSignal;
  /** The answer is sent by the gate's `Answers` only, which await the audit, so reads need not. */
  readonly isPosted?: true;
  /** Receives the answer while it is being written. */
  readonly draft?: AnswerDraft;
}

export type Spoken = { readonly kind: "reaction"; readonly emoji: string } | SpokenText;

export interface SpokenText extends CitedText {
  readonly kind: "text";
  readonly turn: Turn | null;
  readonly choices: Choices;
  readonly voice: Voice;
  /** It rests on no source. */
  readonly isOwnWords: boolean;
}

type Choices = NonNullable<Extract<AgentAnswer, { kind: "text" }>["choices"]>;

export interface AnsweringDeps {
  readonly discord: Pick<Discord, "botId" | "botName" | "directory">;
  readonly gate: ToolboxDeps["gate"];
  readonly idOf: ToolboxDeps["idOf"];
  readonly spending?: ToolboxDeps["spending"];
  readonly answers: Pick<Answers, "continueFrom">;
  readonly answerer: Answerer;
  readonly audit: Pick<Audit, "note">;
  readonly timeZone: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Answers questions from every origin, without posting anything. */
export class Answering {
  readonly #deps: AnsweringDeps;

  constructor(deps: AnsweringDeps) {
    this.#deps = deps;
  }

  /** Throws only `cancelled`: any other failure becomes an answer. */
  async answer(asked: OpenQuestion, style: CitationStyle = "links"): Promise<Spoken> {
    const { operation, signal } = asked;
    const leavesLater = asked.isPosted && this.#deps.answerer.isLocal;
    const toolbox = createToolbox({ operation, signal, leavesLater }, this.#deps);
    let spoken: Spoken;
    try {
      const asking = this.#ask(asked, toolbox);
      const answer = await (signal ? orCancelled(asking, signal) : asking);
      spoken = answer.kind === "reaction" ? answer : toSpoken(answer, style);
    } catch (error) {
      if (signal?.aborted || (error instanceof EarshotError && error.code === "cancelled")) throw error;
      spoken = toPlainText(this.#describe(error));
    }
    const more =
      spoken.kind === "text" ? { cites: toAnswerSources(spoken).length, unknown_citations: spoken.unknown } : {};
    const row = {
      operation_id: operation.id,
      name: "agent_answered",
      detail_json: JSON.stringify({ calls: toolbox.notes, ...more }),
      happened_at: this.#deps.clock.now(),
    };
    this.#deps.audit.note({ kind: "event", row }, { isAhead: operation.client.postsAnswers });
    return spoken;
  }

  async #ask(asked: OpenQuestion, toolbox: Toolbox): Promise<AgentAnswer> {
    const { discord, timeZone, clock, answerer, answers } = this.#deps;
    const { operation, text, isIsolated } = asked;
    const before = isIsolated ? null : asked.before;
    const continueFrom = async (): Promise<Turn | null> =>
      before && (await answers.continueFrom(operation, before)) ? before.turn : null;
    let continued: Promise<Turn | null> | null = null;
    const { actor, origin, destination } = operation;
    const { botId: id, botName: name, directory } = discord;
    // Looked up first: otherwise earlier requests would decide whether the person's name is known.
    if (origin.guildId) await directory.learnMember(actor, origin.guildId).catch(() => {});
    return answerer.answer(
      {
        text,
        actor: { id: actor, name: (origin.guildId && directory.member(origin.guildId, actor)?.name) || "" },
        channelId: origin.channelId,
        guildId: origin.guildId,
        askedAt: clock.now(),
        timeZone,
        agent: { id, name },
        messageId: origin.messageId,
        about: isIsolated || !asked.about ? null : await readAbout(asked.about, toolbox),
        isPrivate: destination.kind === "actor" || origin.guildId === null,
        isIsolated,
        languageBefore: before?.turn.language ?? null,
        before() {
          continued ??= continueFrom();
          return continued;
        },
        quotedFrom: asked.quotedFrom ?? null,
      },
      toolbox,
      asked.draft,
    );
  }

  #describe(error: unknown): string {
    if (error instanceof EarshotError && error.code !== "internal") return escapeMarkdown(error.message, MAX_PROBLEM);
    this.#deps.log.error({ error }, "a question could not be answered");
    return "Something went wrong. Try again; if it happens again, tell the person who runs this bot.";
  }
}

const MAX_PROBLEM = 500;

function toSpoken(answer: Extract<AgentAnswer, { kind: "text" }>, style: CitationStyle): SpokenText {
  const { text, sources, turn, choices = [], isOwnWords = false } = answer;
  const needsNoSource = isOwnWords || (answer.needsNoSource ?? false);
  const linked = resolveCitations(text, sources, { style, needsNoSource });
  // A model's statement without a source is not reliable.
  const voice = answer.voice ?? (linked.isUncited ? "unsure" : "sure");
  return { kind: "text", ...linked, turn, choices, voice, isOwnWords };
}

/** An answer without sources. */
export function toPlainText(text: string): SpokenText {
  return {
    kind: "text",
    text,
    cited: [],
    context: new Set(),
    facts: [],
    passages: [],
    unknown: 0,
    isUncited: false,
    turn: null,
    choices: [],
    voice: "none",
    isOwnWords: true,
  };
}

/** Null if the message may not be read here. */
async function readAbout({ messageId }: MessageRef, toolbox: Toolbox): Promise<Message | null> {
  try {
    const { messages } = await toolbox.call(getMessageContext, { message_id: messageId, before: 0, after: 0 });
    return messages.find(({ message_id }) => message_id === messageId) ?? null;
  } catch (error) {
    if (error instanceof EarshotError && error.code === "not_found") return null;
    throw error;
  }
}

/** The typed text, without the mention of the bot and the emoji for isolation. */
interface TypedQuestion {
  readonly text: string;
  readonly isIsolated: boolean;
}

/** `mentions`: the mentions of the bot, such as `<@1>`. */
export function readQuestion(typed: string, mentions: readonly string[]): TypedQuestion {
  const isIsolated = shouldSkipContext(typed);
  const text = mentions.reduce((rest, mention) => rest.replaceAll(mention, " "), typed);
  return {
    text: removeIsolationSign(text)
      .replaceAll(/[ \t]+/g, " ")
      .trim(),
    isIsolated,
  };
}

/** Removes the mention of the bot, or of its role. */
export function readMessage(
  message: Message,
  { botId, directory }: { readonly botId: UserId; readonly directory: Pick<Directory, "roles"> },
): TypedQuestion {
  const roles = message.guild_id === null ? [] : directory.roles(message.guild_id);
  const own = roles.filter((role) => role.botId === botId).map(({ id }) => id);
  return readQuestion(typedText(message), mentionsOf(botId, own));
}
