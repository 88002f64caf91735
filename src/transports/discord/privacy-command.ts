import { EarshotError } from "../../domain/errors.ts";
import type { CommandRun, Note } from "../../ports/discord.ts";
import type { Log } from "../../ports/log.ts";
import { codeOf, explain } from "../kit/explain.ts";
import type { Privacy, PrivacyAnswer, PrivacyRequest } from "../kit/privacy.ts";
import { INCLUDE_ME, LEAVE_ME_OUT, SHOW_PRIVACY } from "./command-menu.ts";
import { PersonLimit } from "./person-limit.ts";

export interface PrivacyCommandDeps {
  readonly privacy: Privacy;
  readonly log: Log;
}

/** Of one person. Apart from other commands: nobody who waits for an answer is kept from deciding. */
const MAX_RUNNING = 3;
const BUSY: Note = { text: "You have three of these running; wait for an answer first." };

/** `/privacy`: a person decides about their own messages. */
export class PrivacyCommand {
  readonly #deps: PrivacyCommandDeps;
  readonly #running = new PersonLimit(MAX_RUNNING);

  constructor(deps: PrivacyCommandDeps) {
    this.#deps = deps;
  }

  /** False when it is another command. */
  begin(run: CommandRun): boolean {
    const decide = this.#decisionOf(run.command);
    if (!decide) return false;
    const isBegun = this.#running.tryRun(run.userId, () => this.#attend(run, decide).catch(this.#noteProblem));
    if (!isBegun) void run.whisper(BUSY).catch(this.#noteProblem);
    return true;
  }

  async settled(): Promise<void> {
    await this.#running.settled();
  }

  #decisionOf(command: string): ((request: PrivacyRequest) => Promise<PrivacyAnswer>) | null {
    const { privacy } = this.#deps;
    if (command === SHOW_PRIVACY) return async (request) => privacy.show(request);
    if (command === LEAVE_ME_OUT) return (request) => privacy.leaveOut(request);
    return command === INCLUDE_ME ? (request) => privacy.include(request) : null;
  }

  /** The decision is made first: it holds even if Discord takes no answer. */
  async #attend(run: CommandRun, decide: (request: PrivacyRequest) => Promise<PrivacyAnswer>): Promise<void> {
    const deciding = decide({ person: run.userId, client: "discord" }).then(({ text }) => text, this.#describeProblem);
    await run.hold();
    await run.rewrite({ text: await deciding });
  }

  readonly #describeProblem = (error: unknown): string => {
    if (error instanceof EarshotError) return error.message;
    explain(error, { log: this.#deps.log, what: "a privacy command failed unexpectedly" });
    return "Something went wrong. Try again; if it happens again, tell the person who runs this bot.";
  };

  readonly #noteProblem = (error: unknown): void => {
    this.#deps.log.warn({ code: codeOf(error) }, "a privacy command could not be answered");
  };
}
