import { EarshotError } from "../domain/errors.ts";
import type { MessageId } from "../domain/ids.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import type { Answers } from "../gate/effects/answers.ts";
import type { QuestionLookup } from "../gate/effects/question-lookup.ts";
import type { Eraser } from "../gate/memory/erase-person.ts";
import type { Client, Operation } from "../policy/operation.ts";
import type { Operations } from "../policy/operations.ts";
import type { QuestionHolders } from "../policy/question-holders.ts";
import { type AnswerStore, citedFactId, GONE } from "../ports/answer-store.ts";
import type { Consent } from "../ports/consent.ts";
import type { Discord } from "../ports/discord.ts";
import { Answering, type AnsweringDeps, type Spoken } from "./answering.ts";
import type { CitationStyle } from "./citations.ts";
import { CommandQuestions } from "./command-questions.ts";
import { EditPace, type EditPaceDeps } from "./edit-pace.ts";
import { FollowSources, type FollowSourcesDeps } from "./follow-sources.ts";
import { LiveAnswers } from "./live-answers.ts";
import { MessageAgent } from "./message-agent.ts";
import { MissedQuestions } from "./missed-questions.ts";
import { readQuestion } from "./read-question.ts";
import { Reply } from "./reply.ts";
import { type KeptChoices, Turns } from "./turns.ts";

export interface AgentSettings {
  /** Whether people who speak to the bot are answered. Those who ask by command or program always are. */
  readonly enabled: boolean;
  /** Servers, categories, channels and threads in which it stays silent. */
  readonly off: readonly string[];
  readonly catchUpMinutes: number;
  /** For how long it is known what an answer rests on. */
  readonly retentionDays: number;
}

export interface OpenAgentDeps
  extends AnsweringDeps,
    Pick<FollowSourcesDeps, "checkMs" | "lookAgainMs">,
    Pick<EditPaceDeps, "delay"> {
  readonly discord: Pick<Discord, "botId" | "botName" | "directory" | "listen">;
  readonly lookup: QuestionLookup;
  readonly answers: Answers;
  readonly operations: Pick<Operations, "openFor">;
  readonly store: AnswerStore;
  readonly consent: Consent;
  readonly holders: QuestionHolders;
  /** Whether a client may hear a message. */
  mayHear(client: Client, message: Message): boolean;
  /** Changes whenever rules or grants do; without it they never do. */
  readonly policy?: { readonly version: number } | undefined;
  readonly settings: AgentSettings;
  /** Whether a message of another bot's may be answered; none when absent. */
  readonly mayAnswerBot?: (message: Parameters<MessageAgent["mayAnswer"]>[0]) => boolean;
}

/** A question that is not a message: a command's, or a program's. */
export interface AskRequest {
  readonly text: string;
  readonly about?: MessageRef;
  /** Whose words these are, if not the actor's. */
  readonly quotedFrom?: string;
  /** What they asked before does not count, and is not replaced. */
  readonly isAlone?: boolean;
  readonly signal?: AbortSignal;
  readonly style?: CitationStyle;
}

export interface OpenedAgent {
  /** Answers within an operation, without saying it anywhere. Throws only `cancelled`: what goes wrong is an answer, too. */
  ask(operation: Operation, request: AskRequest): Promise<Spoken>;
  readonly commands: Pick<CommandQuestions, "once" | "noteBefore">;
  /** What an answer rests on; null where nothing is known of the answer. */
  sourcesOf(answerId: MessageId): Promise<readonly MessageRef[] | null>;
  /** What could be chosen under an answer, and by whom; null when it is too long ago. */
  choicesOf(answerId: MessageId): KeptChoices | null;
  readonly eraser: Eraser;
  close(): Promise<void>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MAX_QUESTION_LENGTH = 2_000;

export function openAgent(deps: OpenAgentDeps): OpenedAgent {
  const { store, settings, clock } = deps;
  const turns = new Turns(clock);
  const answering = new Answering(deps);
  const live = new LiveAnswers();
  const sources = new FollowSources({ ...deps, live });
  const pace = new EditPace(deps);
  const isAnswered = (id: MessageId): boolean => agent?.isAnswered(id) ?? false;
  const reply = new Reply({ ...deps, answering, sources, turns, live, pace, isAnswered });
  const mayAnswerBot = deps.mayAnswerBot ?? (() => false);
  const agent: MessageAgent | null = settings.enabled ? new MessageAgent({ ...deps, reply, live, mayAnswerBot }) : null;
  const missed =
    agent && new MissedQuestions({ ...deps, agent, sources, catchUpMs: settings.catchUpMinutes * MINUTE_MS });
  const commands = new CommandQuestions({ ...deps, sources });
  const noteProblem = (what: string) => (error: unknown) => {
    deps.log.warn({ code: error instanceof EarshotError ? error.code : "internal" }, what);
  };
  const recovering = Promise.all([missed?.recover(), commands.recover()]).catch(
    noteProblem("answers that were cut off could not be looked for"),
  );
  const forget = () =>
    store
      .forgetBefore(clock.now() - settings.retentionDays * DAY_MS)
      .catch(noteProblem("old answers could not be forgotten"));
  const forgetting = setInterval(forget, HOUR_MS);
  forgetting.unref();

  return {
    async ask(operation, { about = null, signal, isAlone = false, style, quotedFrom = null, ...request }) {
      const { text, isIsolated } = readQuestion(request.text.slice(0, MAX_QUESTION_LENGTH), []);
      const { actor, destination, origin } = operation;
      const isPrivate = destination.kind === "actor" || origin.guildId === null;
      const place = { actor, channelId: origin.channelId, isPrivate };
      const before = isAlone ? null : turns.before(place);
      const asked = { operation, text, isIsolated, about, before, quotedFrom, ...(signal && { signal }) };
      const spoken = await answerUnderOnePolicy(() => answering.answer(asked, style), deps.policy);
      if (!isAlone && !isIsolated && spoken.kind === "text") turns.note(place, spoken.turn);
      return spoken;
    },
    commands,
    async sourcesOf(answerId) {
      const answer = await store.findAnswer(answerId);
      return answer?.sources.filter((source) => source.messageId !== GONE && citedFactId(source) === null) ?? null;
    },
    choicesOf: (answerId) => turns.choicesOf(answerId) ?? null,
    eraser: {
      name: "answers",
      async erase(person) {
        turns.letGoOf(person);
        agent?.letGoOf(person);
        // What Discord shows already may not be noted yet.
        await live.stopCiting(person);
        await sources.erase(person);
        return {};
      },
    },
    async close() {
      clearInterval(forgetting);
      missed?.close();
      await agent?.close();
      await recovering;
      sources.close();
      await sources.settled();
    },
  };
}

const MAX_ATTEMPTS = 3;

/** What is posted is decided by the gate when it leaves. What is handed to a program has no such moment: it is made again if the policy changed meanwhile. */
async function answerUnderOnePolicy<Answer>(
  answer: () => Promise<Answer>,
  policy: { readonly version: number } = { version: 0 },
): Promise<Answer> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const { version } = policy;
    const given = await answer();
    if (policy.version === version) return given;
  }
  throw new EarshotError("unavailable", "The rules kept changing; try again.", { retryAfter: 1 });
}
