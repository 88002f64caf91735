import { ApplicationCommandType } from "discord-api-types/v10";
import { EarshotError } from "../domain/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { CommandOffer } from "../ports/discord.ts";
import type { MissingCommand } from "../ports/discord-stats.ts";
import type { Log } from "../ports/log.ts";
import { type CommandBody, missingFrom, toCommandBody } from "./command-offers.ts";
import type { Delay } from "./delay.ts";
import type { DiscordRest } from "./rest.ts";
import { describeRefusal } from "./rest-errors.ts";

interface CommandRegistryDeps {
  readonly rest: Pick<DiscordRest, "commands" | "putCommand">;
  readonly applicationId: string;
  readonly clock: Clock;
  readonly delay: Delay;
  readonly log: Log;
}

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 300_000;

/** Registers commands with Discord, and tracks which ones are not shown. Retries until Discord answers; refused commands are not
 * retried. */
export class CommandRegistry {
  readonly #deps: CommandRegistryDeps;
  readonly #missing = new Map<string, MissingCommand>();
  readonly #closing = new AbortController();

  constructor(deps: CommandRegistryDeps) {
    this.#deps = deps;
  }

  get missing(): readonly MissingCommand[] {
    return [...this.#missing.values()];
  }

  /** Resolves once each command is shown or refused. Never throws. */
  async offer(offers: readonly CommandOffer[]): Promise<void> {
    const { signal } = this.#closing;
    let left: readonly CommandBody[] = offers.map(toCommandBody);
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, MAX_RETRY_MS)) {
      const failure = await this.#register(left);
      left = left.filter((body) => this.#missing.get(nameOf(body))?.isRefused === false);
      if (left.length === 0 || signal.aborted) return;
      await this.#deps.delay(Math.max(waitMs, (failure?.retryAfter ?? 0) * 1_000), signal).catch(() => undefined);
    }
  }

  close(): void {
    this.#closing.abort();
  }

  /** Registers the commands in sequence, until Discord does not answer. */
  async #register(wanted: readonly CommandBody[]): Promise<EarshotError | null> {
    const { rest, applicationId } = this.#deps;
    let left = wanted;
    try {
      left = missingFrom(await rest.commands(applicationId), wanted);
      this.#noteShown(wanted.filter((body) => !left.includes(body)));
      for (const body of left) {
        await rest.putCommand(applicationId, body).catch((error: unknown) => {
          if (describeRefusal(error) === null) throw error;
          this.#noteMissing([body], error);
        });
        left = left.filter((one) => one !== body);
        if (!this.#missing.get(nameOf(body))?.isRefused) this.#noteShown([body]);
      }
      return null;
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#noteMissing(left, error);
      return error instanceof EarshotError ? error : null;
    }
  }

  #noteShown(bodies: readonly CommandBody[]): void {
    const shown = bodies.map(nameOf).filter((name) => this.#missing.delete(name));
    if (shown.length > 0) this.#deps.log.info({ commands: shown }, "commands are registered on Discord now");
  }

  /** Logs when a command becomes missing, and when the reason changes. */
  #noteMissing(bodies: readonly CommandBody[], error: unknown): void {
    const { clock, log } = this.#deps;
    const refusal = describeRefusal(error);
    const isRefused = refusal !== null;
    const reason = refusal ?? (error instanceof EarshotError ? error.message : "an unexpected error");
    const names = bodies.map(nameOf);
    const isNews = names.some((name) => this.#missing.get(name)?.reason !== reason);
    for (const name of names) {
      const since = this.#missing.get(name)?.since ?? clock.now();
      this.#missing.set(name, { name, since, reason, isRefused });
    }
    if (isNews)
      log.warn(
        { commands: names, reason },
        isRefused ? "Discord refuses commands" : "commands could not be registered on Discord; trying again",
      );
  }
}

function nameOf({ name, type }: CommandBody): string {
  return type === ApplicationCommandType.Message ? `"${name}"` : `/${name}`;
}
