import { EarshotError } from "../../domain/errors.ts";
import { toId, type UserId } from "../../domain/ids.ts";
import { allowsSending } from "../../domain/needed-permissions.ts";
import type { WireError } from "../../domain/rpc/rpc-frames.ts";
import { toSpan } from "../../domain/time/time-span.ts";
import type { Gate } from "../../gate/call-tool.ts";
import type { ToolCall } from "../../gate/tool-call.ts";
import type { Operations } from "../../policy/operations.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Asker, CommandRun, Discord, Note, Press, PrivateAnswer, Typing } from "../../ports/discord.ts";
import type { Log } from "../../ports/log.ts";
import { codeOf, explain } from "../kit/explain.ts";
import { type AnswerButton, readAnswerButton } from "./answer-button.ts";
import { catchUp, shareCatchup, toCatchupQuestion } from "./catchup-command.ts";
import { ChannelSuggestions } from "./channel-suggestions.ts";
import { CATCH_UP, COMMANDS, FIND, WHAT_LED_UP } from "./command-menu.ts";
import { showContext } from "./context-command.ts";
import { escapeMarkdown } from "./escape-markdown.ts";
import { findPage, shareFound, toFindQuestion } from "./find-command.ts";
import type { Agent } from "./message-lines.ts";
import { PeopleDesk } from "./people-desk.ts";
import { ProgressNotes } from "./progress.ts";
import { type Asked, Questions } from "./questions.ts";
import { Turns } from "./turns.ts";

/** Lets people ask in Discord itself. */
export interface Commands {
  /** Resolves once the commands are registered on Discord, or that failed. */
  readonly offered: Promise<void>;
  /** Hears no more; calls off what is under way, and resolves when that has been answered. Safe to repeat. */
  close(): Promise<void>;
}

type Listening = Pick<Discord, "listenForPresses" | "listenForCommands" | "listenForTyping">;

export interface CommandsDeps {
  readonly discord: Pick<Discord, "directory" | "offerCommands"> & Listening & Agent;
  readonly gate: Pick<Gate, "callTool">;
  readonly operations: Pick<Operations, "open">;
  /** IANA name of the time zone in which people's words for times are read. */
  readonly timeZone: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Unguessable. */
  mintId(): string;
}

const MAX_AT_ONCE = 3;
/** Discord takes answers for fifteen minutes. Nobody waits that long. */
const COMMAND_TIMEOUT_MS = 2 * 60_000;
const MAX_PROBLEM_LENGTH = 500;
const MAX_CANDIDATES = 5;

const BUSY: Note = { text: "You have three questions under way; wait for an answer first." };
const NOT_YOURS: Note = { text: "Only the person who asked can do that." };
/** For what never was, too. */
const OVER: Note = { text: "This answer is too old for that; give the command again." };
const SHARED: Note = { text: "This has been shared already." };
const NOT_HERE: Note = { text: "You may not speak here, so I may not for you." };

type Work = (manner: Pick<ToolCall, "signal" | "onProgress">) => Promise<Note | readonly Note[]>;

export function openCommands(deps: CommandsDeps): Commands {
  const { discord, clock, log } = deps;
  const { directory } = discord;
  const desk = new PeopleDesk(deps);
  const questions = new Questions(clock, deps.mintId);
  const suggestions = new ChannelSuggestions({ desk, directory, clock });
  const turns = new Turns(MAX_AT_ONCE);
  const typings = new Turns(MAX_AT_ONCE);
  const closing = new AbortController();
  const shared = new WeakSet<Asked>();

  const commands: Readonly<Record<string, (run: CommandRun) => Work>> = {
    [FIND]: (run) => async (manner) => {
      const { since, ...question } = toFindQuestion(run.options);
      const asked = since === undefined ? question : { ...question, since: toMoment(since) };
      await learn(run, question.from);
      return findPage({ asker: toAsker(run), question: asked, cursor: null }, manner, { desk, questions });
    },
    [CATCH_UP]: (run) => async (manner) => {
      await learn(run);
      return catchUp({ asker: toAsker(run), question: toCatchupQuestion(run.options) }, manner, { desk, questions });
    },
    [WHAT_LED_UP]: (run) => async (manner) => {
      const { messageId } = run;
      return messageId === null ? OVER : showContext({ asker: toAsker(run), messageId }, manner, desk);
    },
  };

  const steps: Readonly<Record<AnswerButton["step"], (asked: Asked) => Work>> = {
    more:
      ({ asker, question, cursor }) =>
      async (manner) => {
        if (question.kind !== "find" || cursor === null) return OVER;
        return findPage({ asker, question, cursor }, manner, { desk, questions }).catch(sayOverIfChanged);
      },
    share: (asked) => async (manner) => {
      const { asker, question, shown } = asked;
      if (!maySpeak(asker)) return NOT_HERE;
      if (shared.has(asked)) return SHARED;
      shared.add(asked);
      let isSaid = false;
      try {
        const refusal =
          question.kind === "find"
            ? await shareFound({ asker, question, shown }, manner, desk)
            : await shareCatchup({ asker, question }, manner, desk);
        isSaid = refusal === null;
        return refusal ?? { text: `Shared in <#${asker.channelId}>.` };
      } finally {
        if (!isSaid) shared.delete(asked);
      }
    },
  };

  function onCommand(run: CommandRun): void {
    const command = Object.hasOwn(commands, run.command) ? commands[run.command] : undefined;
    if (command) begin(run, command(run));
  }

  function onPress(press: Press): void {
    const button = readAnswerButton(press.button);
    if (!button) return;
    const { step, owner, questionId } = button;
    const asked = owner === press.userId ? questions.find(questionId, owner) : null;
    begin(press, asked ? steps[step](asked) : async () => (owner === press.userId ? OVER : NOT_YOURS));
  }

  function onTyping(typing: Typing): void {
    const isOurs = COMMANDS.some(({ name }) => name === typing.command);
    if (isOurs) typings.take(typing.userId, () => suggestions.answer(typing).catch(noteProblem));
  }

  function begin(answer: PrivateAnswer & { readonly userId: UserId }, work: Work): void {
    const isBegun = turns.take(answer.userId, () => attend(answer, work).catch(noteProblem));
    if (!isBegun) void answer.whisper(BUSY).catch(noteProblem);
  }

  async function attend(answer: PrivateAnswer, work: Work): Promise<void> {
    await answer.hold();
    const progress = new ProgressNotes(answer, clock);
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(COMMAND_TIMEOUT_MS)]);
    const given = await work({ signal, onProgress: progress.note }).catch((error: unknown) => {
      return { text: describeProblem(explain(error, { log, what: "a command failed unexpectedly" })) };
    });
    await progress.end();
    const [first, ...more] = "text" in given ? [given] : given;
    if (first) await answer.rewrite(first);
    for (const note of more) await answer.whisper(note);
  }

  /** Who is where need not be known yet: then nothing could be found for them, or of them. */
  async function learn({ userId, guildId }: Asker, from?: string): Promise<void> {
    if (guildId === null) for (const { id } of directory.guilds()) await directory.learnMember(userId, id);
    const wanted = toId<UserId>(from);
    if (guildId !== null && wanted) await directory.learnMember(wanted, guildId);
  }

  /** The same for every page: "two hours ago" is soon another time. What is no time is left for the gate to refuse. */
  function toMoment(words: string): string {
    const span = toSpan(words, { now: clock.now(), zone: deps.timeZone });
    return span ? new Date(span.from).toISOString() : words;
  }

  function maySpeak({ userId, channelId }: Asker): boolean {
    return allowsSending(directory.channel(channelId), directory.permissions(userId, channelId));
  }

  function noteProblem(error: unknown): void {
    log.warn({ code: codeOf(error) }, "a command could not be answered");
  }

  const stops = [
    discord.listenForCommands(onCommand),
    discord.listenForPresses(onPress),
    discord.listenForTyping(onTyping),
  ];
  const offered = discord.offerCommands(COMMANDS).catch((error: unknown) => {
    log.warn({ code: codeOf(error) }, "the commands could not be registered on Discord");
  });

  return {
    offered,
    async close() {
      for (const stop of stops) stop();
      closing.abort();
      await Promise.all([turns.settled(), typings.settled()]);
    },
  };
}

function toAsker({ userId, channelId, guildId }: Asker): Asker {
  return { userId, channelId, guildId };
}

/** A cursor holds for one search among the same channels. */
function sayOverIfChanged(error: unknown): Note {
  if (error instanceof EarshotError && error.code === "invalid") return OVER;
  throw error;
}

function describeProblem({ code, message, hint, candidates }: WireError): string {
  if (code === "internal") return "Something went wrong. Try again; if it stays so, tell whoever runs me.";
  if (code === "cancelled") return "This took too long. Ask for less: one channel, or a shorter time.";
  const names = candidates?.slice(0, MAX_CANDIDATES).map(({ name }) => name);
  const problem = names
    ? `Several could be meant: ${names.join(", ")}. Be more exact, or pick from the list.`
    : [message, ...(hint === undefined ? [] : [hint])].join(" ");
  return escapeMarkdown(problem, MAX_PROBLEM_LENGTH);
}
