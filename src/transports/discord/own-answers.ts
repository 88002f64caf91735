import { setTimeout } from "node:timers/promises";
import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { CommandRun, Note, Press, PrivateAnswer } from "../../ports/discord.ts";
import type { Form } from "../../ports/form.ts";
import type { Log } from "../../ports/log.ts";
import { codeOf, explain } from "../kit/explain.ts";
import { PersonLimit } from "./person-limit.ts";

type Answerable = PrivateAnswer & { readonly userId: UserId };
type Work = () => Promise<readonly Note[]>;

/** How a reply is deferred, and how its first note is sent. */
interface Manner {
  /** Maximum wait for the result before the reply is deferred. */
  readonly patienceMs: number;
  promise(): Promise<void>;
  keep(note: Note): Promise<void>;
}

/** Per person. Counted separately from other commands, so that a pending answer never prevents people from deciding about themselves. */
const MAX_RUNNING = 3;
const BUSY: Note = { text: "You have three of these running; wait for an answer first." };
/** A press is answered with its result at once if it arrives within this time. */
const PATIENCE_MS = 1_000;
const WORKING: Note = { text: "One moment…" };

/** Executes people's requests about themselves, and answers them. Starts the work first, so that it is done even if Discord rejects the
 * reply. */
export class OwnAnswers {
  readonly #log: Log;
  readonly #running = new PersonLimit(MAX_RUNNING);

  constructor(log: Log) {
    this.#log = log;
  }

  begin(answer: Answerable, work: Work): void {
    this.#begin(answer, work, { patienceMs: 0, promise: () => answer.hold(), keep: (note) => answer.rewrite(note) });
  }

  /** Replaces the message with the button by the answer. */
  beginPress(press: Press, work: Work): void {
    this.#begin(press, work, {
      patienceMs: PATIENCE_MS,
      promise: () => press.replace(WORKING),
      keep: (note) => press.replace(note),
    });
  }

  /** Answers with a form, which cannot be deferred: it is due within three seconds. */
  beginForm(run: CommandRun, toForm: () => Promise<Form>): void {
    this.#run(run, async () => {
      const forms: Form[] = [];
      const [problem] = await this.#attempt(async () => {
        forms.push(await toForm());
        return [];
      });
      if (problem) await run.whisper(problem);
      for (const form of forms) await run.ask(form);
    });
  }

  async settled(): Promise<void> {
    await this.#running.settled();
  }

  #begin(answer: Answerable, work: Work, manner: Manner): void {
    this.#run(answer, () => this.#attend(answer, work, manner));
  }

  #run(answer: Answerable, task: () => Promise<void>): void {
    const isBegun = this.#running.tryRun(answer.userId, () => task().catch(this.#noteProblem));
    if (!isBegun) void answer.whisper(BUSY).catch(this.#noteProblem);
  }

  async #attend(answer: Answerable, work: Work, { patienceMs, promise, keep }: Manner): Promise<void> {
    const working = this.#attempt(work);
    if (patienceMs === 0 || !(await isDoneWithin(patienceMs, working))) await promise();
    const [first, ...more] = await working;
    if (first) await keep(first);
    for (const note of more) await answer.whisper(note);
  }

  async #attempt(work: Work): Promise<readonly Note[]> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof EarshotError && error.code !== "internal") return [{ text: error.message }];
      explain(error, { log: this.#log, what: "a command about oneself failed unexpectedly" });
      return [{ text: "Something went wrong. Try again; if it happens again, tell the person who runs this bot." }];
    }
  }

  readonly #noteProblem = (error: unknown): void => {
    this.#log.warn({ code: codeOf(error) }, "a command about oneself could not be answered");
  };
}

function isDoneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => true), setTimeout(ms, false, { ref: false })]);
}
