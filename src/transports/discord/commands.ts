import { EarshotError } from "../../domain/errors.ts";
import { toId, type UserId } from "../../domain/ids.ts";
import { allowsSending } from "../../domain/permissions.ts";
import type { WireError } from "../../domain/rpc/rpc-frames.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import { toSpan } from "../../domain/time/time-span.ts";
import type { ToolCall } from "../../gate/call/tool-call.ts";
import type { Gate } from "../../gate/gate.ts";
import type { MentioningFacts } from "../../gate/memory/mentioning-facts.ts";
import type { SharedFacts } from "../../gate/memory/shared-facts.ts";
import type { Operations } from "../../policy/operations.ts";
import type { Consent } from "../../ports/consent.ts";
import type { CommandRun, Discord, Invocation, Note, Press, PrivateAnswer, Typing } from "../../ports/discord.ts";
import type { Log } from "../../ports/log.ts";
import { codeOf, explain } from "../kit/explain.ts";
import type { PersonMemoryDeps } from "../kit/person-memory.ts";
import type { Privacy } from "../kit/privacy.ts";
import { catchUp, shareCatchup, toCatchupRequest } from "./catchup-command.ts";
import { ChannelSuggestions } from "./channel-suggestions.ts";
import { CommandCalls } from "./command-calls.ts";
import { ADMIN_FORGET, CATCH_UP, COMMANDS, FIND, WHAT_LED_UP } from "./command-menu.ts";
import { showContext } from "./context-command.ts";
import { findPage, shareFound, toFindRequest } from "./find-command.ts";
import { MemoryAdminCommand } from "./memory-admin-command.ts";
import { MemoryCommand } from "./memory-command.ts";
import { MentionNotes } from "./mention-notes.ts";
import type { Agent } from "./message-lines.ts";
import { OwnAnswers } from "./own-answers.ts";
import { OWN_BUTTONS, OwnPreviews } from "./own-previews.ts";
import { PersonLimit } from "./person-limit.ts";
import { PrivacyCommand } from "./privacy-command.ts";
import { ProgressNotes } from "./progress.ts";
import { type RecentCommand, RecentCommands } from "./recent-commands.ts";
import { ANSWER_BUTTONS, type AnswerButton, readAnswerButton } from "./review-button.ts";

export interface Commands {
  /** Resolves once the commands are registered with Discord, or refused. */
  readonly offered: Promise<void>;
  /** Drops a person's pending previews, and the state of their command answers. */
  drop(person: UserId): void;
  /** Ignores new events, aborts commands in progress, and resolves once those are answered. Safe to repeat. */
  close(): Promise<void>;
}

type Listening = Pick<Discord, "listenForPresses" | "listenForCommands" | "listenForTyping" | "listenForForms">;

export interface CommandsDeps extends Pick<PersonMemoryDeps, "ownMemory" | "ownTalks" | "erasePerson" | "clock"> {
  readonly discord: Pick<Discord, "directory" | "offerCommands"> & Listening & Agent;
  readonly gate: Pick<Gate, "callTool">;
  readonly operations: Pick<Operations, "open">;
  readonly privacy: Privacy;
  readonly sharedMemory: SharedFacts | null;
  readonly mentions: MentioningFacts | null;
  readonly consent: Pick<Consent, "isLeftOut">;
  /** IANA name of the time zone for typed times. */
  readonly timeZone: string;
  readonly log: Log;
  /** Unguessable. */
  mintId(): string;
  /** Timeout of a command; two minutes by default. */
  readonly timeoutMs?: number;
}

const MAX_RUNNING = 3;
/** Discord accepts replies for fifteen minutes; people do not wait that long. */
const COMMAND_TIMEOUT_MS = 2 * 60_000;
const MAX_PROBLEM_LENGTH = 500;
const MAX_CANDIDATES = 5;

const BUSY: Note = { text: "You have three commands running; wait for an answer first." };
const NOT_YOURS: Note = { text: "Only the person who asked can do that." };
/** Also for unknown ids. */
const OVER: Note = { text: "This answer is too old for that; use the command again." };
const SHARED: Note = { text: "This has been shared already." };
const NOT_HERE: Note = { text: "You may not send messages here, so I may not for you." };

type Work = (manner: Pick<ToolCall, "signal" | "onProgress">) => Promise<Note | readonly Note[]>;

export function openCommands(deps: CommandsDeps): Commands {
  const { discord, clock, log } = deps;
  const { directory } = discord;
  const calls = new CommandCalls(deps);
  const recent = new RecentCommands(clock, deps.mintId);
  const suggestions = new ChannelSuggestions({ calls, directory, clock });
  const running = new PersonLimit(MAX_RUNNING);
  const answers = new OwnAnswers(log);
  const previews = new OwnPreviews({ answers, clock, mintId: deps.mintId });
  const drop = (person: UserId) => {
    previews.drop(person);
    recent.drop(person);
  };
  const mentionNotes = new MentionNotes({ ...deps, directory, previews });
  const privacyCommand = new PrivacyCommand({ ...deps, answers, previews, mentionNotes });
  const memoryCommand = new MemoryCommand({ ...deps, directory, answers, previews });
  const memoryAdminCommand = new MemoryAdminCommand({ ...deps, directory, answers, previews });
  const suggesting = new PersonLimit(MAX_RUNNING);
  const closing = new AbortController();
  const shared = new WeakSet<RecentCommand>();

  const commands: Readonly<Record<string, (run: CommandRun) => Work>> = {
    [FIND]: (run) => async (manner) => {
      const { since, ...rest } = toFindRequest(run.options);
      const request = since === undefined ? rest : { ...rest, since: toMoment(since) };
      await learn(run, request.from);
      return findPage({ invocation: toInvocation(run), request, cursor: null }, manner, { calls, recent });
    },
    [CATCH_UP]: (run) => async (manner) => {
      await learn(run);
      return catchUp({ invocation: toInvocation(run), request: toCatchupRequest(run.options) }, manner, {
        calls,
        recent,
      });
    },
    [WHAT_LED_UP]: (run) => async (manner) => {
      const { messageId } = run;
      return messageId === null ? OVER : showContext({ invocation: toInvocation(run), messageId }, manner, calls);
    },
  };

  const steps: Readonly<Record<AnswerButton["step"], (command: RecentCommand) => Work>> = {
    more:
      ({ invocation, request, cursor }) =>
      async (manner) => {
        if (request.kind !== "find" || cursor === null) return OVER;
        return findPage({ invocation, request, cursor }, manner, { calls, recent }).catch(sayOverIfChanged);
      },
    share: (command) => async (manner) => {
      const { invocation, request, shown } = command;
      if (!maySpeak(invocation)) return NOT_HERE;
      if (shared.has(command)) return SHARED;
      shared.add(command);
      let isSaid = false;
      try {
        const refusal =
          request.kind === "find"
            ? await shareFound({ invocation, request, shown }, manner, calls)
            : await shareCatchup({ invocation, request }, manner, calls);
        isSaid = refusal === null;
        return refusal ?? { text: `Shared in <#${invocation.channelId}>.` };
      } finally {
        if (!isSaid) shared.delete(command);
      }
    },
  };

  function onCommand(run: CommandRun): void {
    if (privacyCommand.begin(run) || memoryCommand.begin(run) || memoryAdminCommand.begin(run)) return;
    const command = Object.hasOwn(commands, run.command) ? commands[run.command] : undefined;
    if (command) begin(run, command(run));
  }

  function onPress(press: Press): void {
    const button = readAnswerButton(press.button);
    if (!button) return;
    const { step, owner, commandId } = button;
    const command = owner === press.userId ? recent.find(commandId, owner) : null;
    begin(press, command ? steps[step](command) : async () => (owner === press.userId ? OVER : NOT_YOURS));
  }

  function onTyping(typing: Typing): void {
    const isOurs = COMMANDS.some(({ name }) => name === typing.command);
    const isAdmins = typing.command === ADMIN_FORGET;
    if (!isOurs && !isAdmins && !memoryCommand.suggestsFor(typing)) return;
    const source = isOurs ? suggestions : isAdmins ? memoryAdminCommand : memoryCommand;
    suggesting.tryRun(typing.userId, () => source.suggest(typing).catch(noteProblem));
  }

  function begin(answer: PrivateAnswer & { readonly userId: UserId }, work: Work): void {
    const isBegun = running.tryRun(answer.userId, () => attend(answer, work).catch(noteProblem));
    if (!isBegun) void answer.whisper(BUSY).catch(noteProblem);
  }

  async function attend(answer: PrivateAnswer, work: Work): Promise<void> {
    await answer.hold();
    const progress = new ProgressNotes(answer, clock);
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(deps.timeoutMs ?? COMMAND_TIMEOUT_MS)]);
    const given = await work({ signal, onProgress: progress.note }).catch((error: unknown) => {
      return { text: describeProblem(explain(error, { log, what: "a command failed unexpectedly" })) };
    });
    await progress.end();
    const [first, ...more] = "text" in given ? [given] : given;
    if (first) await answer.rewrite(first);
    for (const note of more) await answer.whisper(note);
  }

  /** Membership may not be known yet; without it, searches by or about these people would find nothing. */
  async function learn({ userId, guildId }: Invocation, from?: string): Promise<void> {
    if (guildId === null) for (const { id } of directory.guilds()) await directory.learnMember(userId, id);
    const wanted = toId<UserId>(from);
    if (guildId !== null && wanted) await directory.learnMember(wanted, guildId);
  }

  /** Fixes a relative time, so that all pages use the same: "two hours ago" keeps moving. The gate rejects invalid times. */
  function toMoment(words: string): string {
    const span = toSpan(words, { now: clock.now(), zone: deps.timeZone });
    return span ? new Date(span.from).toISOString() : words;
  }

  function maySpeak({ userId, channelId }: Invocation): boolean {
    return allowsSending(directory.channel(channelId), directory.permissions(userId, channelId));
  }

  function noteProblem(error: unknown): void {
    log.warn({ code: codeOf(error) }, "a command could not be answered");
  }

  const stops = [
    discord.listenForCommands(onCommand),
    discord.listenForPresses(ANSWER_BUTTONS, onPress),
    discord.listenForPresses(OWN_BUTTONS, (press) => previews.beginPress(press)),
    discord.listenForTyping(onTyping),
    discord.listenForForms((filled) => void memoryCommand.beginForm(filled)),
  ];
  const offered = discord.offerCommands(COMMANDS);

  return {
    offered,
    drop,
    async close() {
      for (const stop of stops) stop();
      closing.abort();
      await Promise.all([running.settled(), suggesting.settled(), answers.settled()]);
    },
  };
}

function toInvocation({ userId, channelId, guildId, locale }: Invocation): Invocation {
  return { userId, channelId, guildId, locale };
}

/** A cursor is valid for one search among the same channels. */
function sayOverIfChanged(error: unknown): Note {
  if (error instanceof EarshotError && error.code === "invalid") return OVER;
  throw error;
}

function describeProblem({ code, message, hint, candidates }: WireError): string {
  if (code === "internal")
    return "Something went wrong. Try again; if it happens again, tell the person who runs this bot.";
  if (code === "cancelled") return "This took too long. Ask for less: one channel, or a shorter time.";
  const names = candidates?.slice(0, MAX_CANDIDATES).map(({ name }) => name);
  const problem = names
    ? `Several could be meant: ${names.join(", ")}. Be more exact, or pick from the list.`
    : [message, ...(hint === undefined ? [] : [hint])].join(" ");
  return escapeMarkdown(problem, MAX_PROBLEM_LENGTH);
}
