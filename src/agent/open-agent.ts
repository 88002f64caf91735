import { EarshotError } from "../domain/errors.ts";
import type { MessageId } from "../domain/ids.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import type { AnswerSources } from "../gate/effects/answer-sources.ts";
import type { Answers } from "../gate/effects/answers.ts";
import type { FollowedAnswers } from "../gate/effects/effect-call.ts";
import type { QuestionLookup } from "../gate/effects/question-lookup.ts";
import type { Eraser } from "../gate/memory/erase-person.ts";
import { explainToolRefusal } from "../policy/explain-refusal.ts";
import type { ToolFacts } from "../policy/grant.ts";
import type { Client, Operation } from "../policy/operation.ts";
import type { Operations } from "../policy/operations.ts";
import type { QuestionHolders } from "../policy/question-holders.ts";
import type { AnswerStore } from "../ports/answer-store.ts";
import type { Consent } from "../ports/consent.ts";
import type { Discord } from "../ports/discord.ts";
import { toMessageRef } from "../ports/stored-source.ts";
import { AnswerJobs, type AnswerJobsDeps } from "./answer-jobs.ts";
import { Answering, type AnsweringDeps, readQuestion, type Spoken } from "./answering.ts";
import type { CitationStyle } from "./citations.ts";
import { EditPace, type EditPaceDeps } from "./edit-pace.ts";
import { FollowSources, type FollowSourcesDeps } from "./follow-sources.ts";
import { LiveAnswers } from "./live-answer.ts";
import { MessageAgent } from "./message-agent.ts";
import { MissedQuestions } from "./missed-questions.ts";
import { Reply } from "./reply.ts";
import { Turns } from "./turns.ts";

export interface AgentSettings {
  /** Whether messages to the bot are answered. Questions by command or program always are. */
  readonly enabled: boolean;
  /** Servers, categories, channels and threads in which it stays silent. */
  readonly off: readonly string[];
  readonly catchUpMinutes: number;
  /** How long the sources of an answer are kept. */
  readonly retentionDays: number;
}

export interface OpenAgentDeps
  extends AnsweringDeps,
    Pick<FollowSourcesDeps, "checkMs" | "lookAgainMs">,
    Pick<AnswerJobsDeps, "recoverMs">,
    Pick<EditPaceDeps, "delay"> {
  readonly discord: Pick<Discord, "botId" | "botName" | "directory" | "listen">;
  readonly lookup: QuestionLookup;
  readonly answerSources: AnswerSources;
  readonly answers: Answers;
  readonly operations: Pick<Operations, "openFor">;
  readonly store: AnswerStore;
  readonly consent: Consent;
  readonly holders: QuestionHolders;
  /** Whether a client may receive a message. */
  mayHear(client: Client, message: Message): boolean;
  /** Its version changes with the rules or grants; without it they are constant. */
  readonly policy?: { readonly version: number } | undefined;
  readonly settings: AgentSettings;
  /** Time of the restore of the claims from a backup; 0 or absent for none. */
  readonly restoredAt?: number | undefined;
  /** Whether a message of another bot may be answered; none if absent. */
  readonly mayAnswerBot?: (message: Parameters<MessageAgent["mayAnswer"]>[0]) => boolean;
}

/** A question that is not a message: a command's, or a program's. */
export interface AskRequest {
  readonly text: string;
  readonly about?: MessageRef;
  /** The author of the text, if not the actor. */
  readonly quotedFrom?: string;
  /** Ignores and keeps the earlier turn. */
  readonly isAlone?: boolean;
  readonly signal?: AbortSignal;
  readonly style?: CitationStyle;
}

export interface OpenedAgent {
  /** Answers within an operation, without posting. Throws `forbidden` for a client without the scope, and otherwise only `cancelled`:
   * other failures become answers. */
  ask(operation: Operation, request: AskRequest): Promise<Spoken>;
  readonly commands: Pick<AnswerJobs, "once" | "noteBefore">;
  /** Lets clients' answers follow their sources, too. */
  readonly clientAnswers: FollowedAnswers;
  /** The messages that an answer rests on; null for an unknown answer. */
  sourcesOf(answerId: MessageId): Promise<readonly MessageRef[] | null>;
  /**
   * The question that a person chose under an answer, to be asked within this operation. Throws `not_found` if it is too old or may no
   * longer be told to them, and `forbidden` for anyone else.
   */
  chosen(operation: Operation, choice: { readonly answerId: MessageId; readonly index: number }): Promise<string>;
  readonly eraser: Eraser;
  close(): Promise<void>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The permission to ask, because a question costs model tokens of its person and server. */
const ASK: ToolFacts = { name: "agent.ask", scope: "agent:ask", toolset: "context" };
const MAX_QUESTION_LENGTH = 2_000;
const TOO_OLD = "This is too long ago; ask again.";
const NOT_YOURS = "Only the person who asked can choose; ask yourself.";

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
  const retry = async (id: MessageId) => missed?.retry(id);
  const agent: MessageAgent | null = settings.enabled
    ? new MessageAgent({ ...deps, reply, live, mayAnswerBot, retry })
    : null;
  const missed: MissedQuestions | null =
    agent && new MissedQuestions({ ...deps, agent, sources, catchUpMs: settings.catchUpMinutes * MINUTE_MS });
  const jobs = new AnswerJobs({ ...deps, sources });
  const noteProblem = (what: string) => (error: unknown) => {
    deps.log.warn({ code: error instanceof EarshotError ? error.code : "internal" }, what);
  };
  const recovering = Promise.all([missed?.recover(), jobs.recover()]).catch(
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
      if (!operation.client.grant.scopes.includes(ASK.scope)) throw explainToolRefusal(ASK, "scope_not_granted");
      const { text, ...typed } = readQuestion(request.text.slice(0, MAX_QUESTION_LENGTH), []);
      const isIsolated = typed.isIsolated || operation.isIsolated;
      const before = isAlone ? null : turns.before(operation);
      const asked = { operation, text, isIsolated, about, before, quotedFrom, ...(signal && { signal }) };
      const spoken = await answerUnderOnePolicy(() => answering.answer(asked, style), deps.policy);
      if (!isAlone && !isIsolated && spoken.kind === "text") turns.note(operation, spoken.turn);
      return spoken;
    },
    commands: jobs,
    clientAnswers: jobs,
    async sourcesOf(answerId) {
      const answer = await store.findAnswer(answerId);
      return answer?.sources.flatMap((source) => toMessageRef(source) ?? []) ?? null;
    },
    async chosen(operation, { answerId, index }) {
      const kept = turns.choicesOf(answerId);
      const text = kept?.questions[index];
      if (!kept || text === undefined) throw new EarshotError("not_found", TOO_OLD);
      if (kept.actor !== operation.actor || kept.client !== operation.client.name)
        throw new EarshotError("forbidden", NOT_YOURS);
      if (!(await deps.answers.continueFrom(operation, kept))) throw new EarshotError("not_found", TOO_OLD);
      return text;
    },
    eraser: {
      name: "answers",
      async erase(person) {
        turns.letGoOf(person);
        await agent?.letGoOf(person);
        // Text that Discord shows already may not be stored yet.
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

/** The gate decides posts when they are sent. An answer for a program has no such moment: it is created again if the policy changed
 * meanwhile. */
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
