import { GatewayCloseCodes } from "discord-api-types/v10";
import { EarshotError } from "../domain/errors.ts";
import { formatSeconds } from "../domain/text/format-seconds.ts";
import { record } from "./read.ts";
import { tokenRefused } from "./token-health.ts";

/** The gateway closed the connection with a code after which a retry is pointless. */
export class GatewayRefused extends EarshotError {
  readonly closeCode: number;

  constructor(closeCode: number, problem: string) {
    super("misconfigured", problem);
    this.closeCode = closeCode;
  }
}

const NO_CLOSE_FRAME = 1006;
const UNANSWERED = "it does not answer";

/** Advice for refusals that only the operator can resolve. */
const ADVICE: Readonly<Record<number, string>> = {
  [GatewayCloseCodes.InvalidShard]: "Earshot asked for a shard that does not exist; this is a fault of Earshot's.",
  [GatewayCloseCodes.ShardingRequired]:
    "The bot is in too many servers for the number of shards that Discord named; restart.",
  [GatewayCloseCodes.InvalidAPIVersion]: "Discord no longer serves this version of its API; update Earshot.",
  [GatewayCloseCodes.InvalidIntents]: "Discord does not know an intent that Earshot asks for; update Earshot.",
  [GatewayCloseCodes.DisallowedIntents]:
    "Switch on the privileged intents: developer portal → your application → Bot → Privileged Gateway Intents.",
};

/** The last failure of the gateway connection, in words for the operator. */
export class GatewayFailures {
  #last: string | null = null;
  #closeCode: number | null = null;

  get last(): string | null {
    return this.#last;
  }

  noteSocketError(error: Error): void {
    this.#closeCode = null;
    const status = /Unexpected server response: (\d{3})/.exec(error.message)?.[1];
    const { code } = record(error);
    if (status !== undefined) this.#last = `it answers the upgrade to a WebSocket with HTTP status ${status}`;
    else this.#last = typeof code === "string" ? `the connection failed (${code})` : "the connection failed";
  }

  noteUnanswered(): void {
    this.#closeCode = null;
    this.#last = UNANSWERED;
  }

  noteClose(code: number, reason: string): void {
    // The close event after a socket error has less information than the error.
    if (code === NO_CLOSE_FRAME && this.#last !== null && this.#closeCode === null) return;
    this.#closeCode = code;
    // Discord's reasons are sentences, and become part of one here.
    const words = reason.slice(0, 200).replace(/[.\s]+$/, "");
    const said = words === "" ? "" : `: ${words}`;
    this.#last =
      code === NO_CLOSE_FRAME ? "the connection was cut" : `it closed the connection with code ${code}${said}`;
  }

  /** For a first connection that fails. */
  toError(waitedMs: number): EarshotError {
    const why = this.#last ?? UNANSWERED;
    const problem = `The Discord gateway cannot be used after trying for ${formatSeconds(Math.round(waitedMs / 1_000))}: ${why}.`;
    return new EarshotError("unavailable", problem);
  }

  /** Converts an exception of the library to Earshot's own error. */
  explain(error: unknown): Error {
    if (error instanceof EarshotError) return error;
    const code = this.#closeCode;
    if (code === GatewayCloseCodes.AuthenticationFailed) return tokenRefused(false, error);
    const advice = code === null ? undefined : ADVICE[code];
    if (code !== null && advice !== undefined)
      return new GatewayRefused(code, `The Discord gateway cannot be used: ${this.#last}. ${advice}`);
    const why = this.#last ?? "the connection failed";
    return new EarshotError("unavailable", `The Discord gateway cannot be used: ${why}.`, { cause: error });
  }
}
