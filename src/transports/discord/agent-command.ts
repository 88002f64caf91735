import { AGENT_BUTTONS, type AgentButton, answerButtons, readAgentButton } from "../../agent/agent-buttons.ts";
import { AGENT, READ_ONLY_AGENT } from "../../agent/agent-grant.ts";
import { readMessage, type SpokenText, toPlainText } from "../../agent/answering.ts";
import type { AskRequest, OpenedAgent } from "../../agent/open-agent.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { Message, MessageRef } from "../../domain/message.ts";
import { typedText } from "../../domain/message.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import { toMessageLink } from "../../domain/text/message-link.ts";
import type { Answers } from "../../gate/effects/answers.ts";
import type { Gate } from "../../gate/gate.ts";
import type { Client, Operation } from "../../policy/operation.ts";
import type { Operations } from "../../policy/operations.ts";
import type { CommandRun, Discord, Invocation, Leaving, Note, Press, PrivateAnswer } from "../../ports/discord.ts";
import type { Log } from "../../ports/log.ts";
import { getMessageContext } from "../../tools/get-message-context.ts";
import { codeOf, explain } from "../kit/explain.ts";
import { AGENT_COMMANDS, ASK, ASK_ABOUT, CONNECTIONS } from "./command-menu.ts";
import { PersonLimit } from "./person-limit.ts";
import type { Reviews } from "./reviews.ts";
import { openSignedInPrograms, type SignedInPrograms, type SignedInProgramsDeps } from "./signed-in-programs.ts";

export interface AgentCommandDeps {
  readonly agent: Pick<OpenedAgent, "ask" | "commands" | "sourcesOf" | "chosen">;
  readonly answers: Pick<Answers, "respond" | "withdraw">;
  readonly gate: Pick<Gate, "callTool">;
  readonly operations: Pick<Operations, "open">;
  readonly reviews: Pick<Reviews, "list">;
  /** Absent if people cannot sign in programs. */
  readonly signIns?: SignedInProgramsDeps["signIns"];
  readonly discord: Pick<Discord, "botId" | "directory" | "offerCommands" | "listenForCommands" | "listenForPresses">;
  readonly log: Log;
}

const MAX_RUNNING = 2;
/** Discord accepts replies for fifteen minutes. */
const TIMEOUT_MS = 14 * 60_000;
const MAX_QUOTED_QUESTION = 300;
const MAX_LISTED = 10;
const MAX_SOURCE_LENGTH = 120;

const BUSY: Note = { text: "Two of your questions are being answered; wait for an answer first." };
const NO_SOURCES: Note = { text: "There is nothing here that you can read, or it is gone." };
const NO_QUESTION: Note = { text: "The question is gone, or you cannot read it." };
const ASK_SOMETHING = "What is this about?";

/** Answers questions by command, from the menu of a message, and by the buttons under an answer. */
export class AgentCommand {
  readonly #deps: AgentCommandDeps;
  readonly #running = new PersonLimit(MAX_RUNNING);
  readonly #closing = new AbortController();
  readonly #programs: SignedInPrograms;
  readonly #stops: readonly (() => void)[];
  /** Resolves once the commands are registered with Discord, or refused. */
  readonly offered: Promise<void>;

  constructor(deps: AgentCommandDeps) {
    this.#deps = deps;
    const { discord } = deps;
    this.#programs = openSignedInPrograms(deps);
    this.#stops = [
      discord.listenForCommands((run) => this.#onCommand(run)),
      discord.listenForPresses(AGENT_BUTTONS, (press) => this.#onPress(press)),
    ];
    this.offered = discord.offerCommands(AGENT_COMMANDS);
  }

  /** Ignores new events, aborts commands in progress, and resolves once those are answered. Safe to repeat. */
  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#closing.abort();
    await Promise.all([this.#running.settled(), this.#programs.close()]);
  }

  #onCommand(run: CommandRun): void {
    if (run.command !== ASK && run.command !== ASK_ABOUT) return;
    const isPublic = run.options.get("private") === "false" && run.guildId !== null;
    const answer = () => (isPublic ? this.#answerOpenly(run) : this.#answerPrivately(run));
    const isQuestion = run.command === ASK_ABOUT || run.options.has("question");
    this.#start(run, () => {
      if (run.options.has(CONNECTIONS)) return run.whisper(this.#programs.list(run.userId));
      return isQuestion ? this.#deps.agent.commands.once(run, answer) : this.#listWaiting(run);
    });
  }

  #onPress(press: Press): void {
    const button = readAgentButton(press.button);
    if (button) this.#start(press, () => this.#attendPress(press, button));
  }

  #start(answer: PrivateAnswer & Invocation, work: () => Promise<void>): void {
    const attended = async () => {
      try {
        await work();
      } catch (error) {
        const { code, message } = explain(error, { log: this.#deps.log, what: "a question failed unexpectedly" });
        const text = code === "cancelled" ? "This took too long; ask for less." : escapeMarkdown(message, 500);
        await answer.whisper({ text });
      }
    };
    const isBegun = this.#running.tryRun(answer.userId, () => attended().catch(this.#noteProblem));
    if (!isBegun) void answer.whisper(BUSY).catch(this.#noteProblem);
  }

  async #listWaiting(run: CommandRun): Promise<void> {
    await run.hold();
    await run.whisper(await this.#deps.reviews.list(run.userId));
  }

  async #answerPrivately(run: CommandRun): Promise<void> {
    await run.hold();
    const about = run.messageId === null ? {} : { about: { channelId: run.channelId, messageId: run.messageId } };
    const text = run.options.get("question") ?? ASK_SOMETHING;
    await this.#tell(run, await this.#open(run, AGENT), { text, ...about });
  }

  /** A refusal is shown to the person alone: a whisper deletes the deferred public reply. */
  async #answerOpenly(run: CommandRun): Promise<void> {
    const { agent, answers, operations } = this.#deps;
    const answerId = await run.holdOpenly();
    const question = run.options.get("question") ?? "";
    const { userId, channelId, locale } = run;
    const operation = await operations.open(AGENT, { actor: userId, channelId, locale });
    const said = toText(await agent.ask(operation, { text: question, signal: this.#signal() }));
    const quoted = `> ${escapeMarkdown(question, MAX_QUOTED_QUESTION)}\n${said.text}`;
    const buttons = answerButtons({ hasSources: said.cited.length > 0, question: "quoted" });
    await agent.commands.noteBefore({ command: run, answerId, operation, spoken: said });
    await answers.respond(operation, { text: quoted, buttons }, (note, leaving) => run.fill(note, leaving));
  }

  async #attendPress(press: Press, button: AgentButton): Promise<void> {
    await press.hold();
    if (button.kind === "sources") return this.#showSources(press);
    if (button.kind === "choose") return this.#answerChoice(press, button.choice);
    const ref = button.question ?? { channelId: press.channelId, messageId: press.messageId };
    const message = await this.#read(await this.#open(press, READ_ONLY_AGENT), ref);
    const text = message && (button.question ? this.#questionIn(message) : quotedIn(message));
    if (!message || !text) return press.whisper(NO_QUESTION);
    const author = button.question && message.author.id !== press.userId ? { quotedFrom: message.author.name } : {};
    // A separate operation, so that reading the question does not narrow the sources of its answer.
    await this.#tell(press, await this.#open(press, READ_ONLY_AGENT), { text, isAlone: true, ...author });
  }

  async #answerChoice(press: Press, choice: number): Promise<void> {
    const operation = await this.#open(press, AGENT);
    const text = await this.#deps.agent.chosen(operation, { answerId: press.messageId, index: choice });
    await this.#tell(press, operation, { text });
  }

  async #showSources(press: Press): Promise<void> {
    const refs = (await this.#deps.agent.sourcesOf(press.messageId)) ?? [];
    const operation = await this.#open(press, READ_ONLY_AGENT);
    const readable: Message[] = [];
    for (const ref of refs.slice(0, MAX_LISTED)) {
      const message = await this.#read(operation, ref);
      if (message) readable.push(message);
    }
    if (readable.length === 0) return press.whisper(NO_SOURCES);
    const lines = readable.map(
      ({ author, link, content }) =>
        `- **${escapeMarkdown(author.name, 40)}**: ${escapeMarkdown(content, MAX_SOURCE_LENGTH)} [open](<${link}>)`,
    );
    await this.#deps.answers.respond(operation, { text: lines.join("\n") }, deliverTo(press));
  }

  async #tell(to: PrivateAnswer, operation: Operation, request: AskRequest): Promise<void> {
    const { agent, answers } = this.#deps;
    const spoken = await agent.ask(operation, { ...request, signal: this.#signal() });
    await answers.respond(operation, { text: toText(spoken).text }, deliverTo(to));
  }

  /** For an answer that only this person reads. */
  #open({ userId, channelId, guildId, locale }: Invocation, client: Client): Promise<Operation> {
    const where = guildId === null ? {} : { channelId };
    return this.#deps.operations.open(client, { actor: userId, ...where, locale, isPrivate: true });
  }

  /** Null if it is deleted or hidden: the two look alike. */
  async #read(operation: Operation, { channelId, messageId }: MessageRef): Promise<Message | null> {
    try {
      const guildId = this.#deps.discord.directory.channel(channelId)?.guildId;
      const link = toMessageLink({ guildId, channelId, messageId });
      const args = { message_id: link, before: 0, after: 0 };
      const { value } = await this.#deps.gate.callTool({ name: getMessageContext.name, args, operation });
      const { messages } = getMessageContext.output.parse(value);
      return messages.find(({ message_id }) => message_id === messageId) ?? null;
    } catch (error) {
      if (error instanceof EarshotError && error.code === "not_found") return null;
      throw error;
    }
  }

  #questionIn(message: Message): string {
    return readMessage(message, this.#deps.discord).text;
  }

  #signal(): AbortSignal {
    return AbortSignal.any([this.#closing.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  }

  readonly #noteProblem = (error: unknown): void => {
    this.#deps.log.warn({ code: codeOf(error) }, "a question could not be answered");
  };
}

function deliverTo(answer: PrivateAnswer) {
  return (note: Note, { recheck }: Leaving): Promise<void> => {
    recheck?.();
    return answer.whisper(note);
  };
}

/** A command has no message to react to. */
function toText(spoken: { kind: "reaction"; emoji: string } | SpokenText): SpokenText {
  return spoken.kind === "text" ? spoken : toPlainText(spoken.emoji);
}

/** An answer to a command begins with its question. */
function quotedIn(message: Message): string | null {
  return /^> (.+)$/m.exec(typedText(message))?.[1] ?? null;
}
