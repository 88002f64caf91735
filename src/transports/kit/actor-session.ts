import { EarshotError } from "../../domain/errors.ts";
import { SingleFlight } from "../../domain/single-flight.ts";
import type { ToolAnswer, ToolCall } from "../../gate/call/tool-call.ts";
import type { Gate } from "../../gate/gate.ts";
import type { Client, Operation } from "../../policy/operation.ts";
import type { OpenRequest, Operations } from "../../policy/operations.ts";
import type { Clock } from "../../ports/clock.ts";
import { SessionLabel } from "../../sources/session-label.ts";
import { type CallControl, type CallCounters, CallRunner, type RunnerLimits } from "./call-runner.ts";
import { codeOf } from "./explain.ts";
import { type Privacy, type PrivacyAnswer, toPrivacyRequest } from "./privacy.ts";

export interface ActorSessionDeps {
  readonly gate: Gate;
  readonly operations: Operations;
  readonly privacy: Pick<Privacy, "show">;
  readonly clock: Clock;
  readonly limits: RunnerLimits;
  readonly counters: CallCounters;
}

interface ActorSessionRequest {
  readonly client: Client;
  readonly request: OpenRequest;
  /** The label of earlier reads. */
  readonly label?: SessionLabel | undefined;
}

export type ActorSessionCall = Pick<ToolCall, "name" | "args" | "signal" | "onProgress">;

/** A new operation is opened if less than this is left of the current one, because a call must fit into it. */
const MIN_LEFT_MS = 60_000;

/**
 * A client that acts for one person over many operations. Operations expire; the label with all reads stays, so that every later effect is
 * checked against all of it.
 */
export class ActorSession {
  readonly client: Client;
  readonly request: OpenRequest;
  readonly #deps: ActorSessionDeps;
  /** All sources read so far. */
  readonly label: SessionLabel;
  readonly #runner: CallRunner;
  readonly #opening = new SingleFlight<"operation" | "starting over", Operation>();
  #operation: Operation | null = null;
  /** The operation in which the actor is asked whether to start over. */
  #startingOver: Operation | null = null;
  #usedAt: number;

  constructor({ client, request, label }: ActorSessionRequest, deps: ActorSessionDeps) {
    this.client = client;
    this.request = request;
    this.label = label ?? new SessionLabel(() => deps.gate.hasStartedOver(client, request.actor));
    this.#deps = deps;
    this.#runner = new CallRunner(deps.limits, deps.counters);
    this.#usedAt = deps.clock.now();
  }

  /** Time of the last start or end of a call; null while one is running. */
  get idleSince(): number | null {
    return this.#runner.running > 0 ? null : this.#usedAt;
  }

  touch(): void {
    this.#usedAt = this.#deps.clock.now();
  }

  /** Throws as the gate does, `rate_limited` if too many calls are running, and `timeout` if one makes no progress for too long. */
  call(call: ActorSessionCall): Promise<ToolAnswer> {
    this.touch();
    return new Promise((resolve, reject) => {
      this.#runner.begin({
        effect: this.#deps.gate.tools.find(({ name }) => name === call.name)?.effect ?? "read",
        run: (control) => this.#run(call, control).finally(() => this.touch()),
        onProgress: call.onProgress,
        onValue: resolve,
        onError: reject,
      });
    });
  }

  /** Whether the actor's messages are used. Throws as opening an operation does, and `rate_limited` for a flood. */
  async showPrivacy(): Promise<PrivacyAnswer> {
    this.touch();
    return this.#deps.privacy.show(toPrivacyRequest(await this.openOperation()));
  }

  /** The current operation, or a new one with the same label, opened once for concurrent calls. */
  async openOperation(): Promise<Operation> {
    const { operations } = this.#deps;
    const current = this.#operation;
    if (current && this.#hasTime(current)) return current;
    return this.#opening.run("operation", async () => {
      this.#operation = await operations.open(this.client, this.request, this.label);
      return this.#operation;
    });
  }

  /**
   * Starts over once the actor has confirmed it: sources read until they were asked no longer limit their confirmed actions. Throws
   * `confirmation_needed` while they are undecided, `forbidden` if they declined or the client is confined, and `rate_limited`.
   */
  async startOver(): Promise<void> {
    this.touch();
    const asked = this.#startingOver;
    try {
      if (asked && this.#hasTime(asked)) return await this.#propose(asked);
    } catch (error) {
      // The person declined earlier and has chosen it again now.
      if (codeOf(error) !== "forbidden") throw error;
    }
    const operation = await this.#opening.run("starting over", () =>
      this.#deps.operations.open(this.client, this.request, this.label.keepApart()),
    );
    return this.#propose(operation);
  }

  async #propose(operation: Operation): Promise<void> {
    this.#startingOver = operation;
    await this.#deps.gate.startOver(operation, this.label);
    this.#startingOver = null;
  }

  #hasTime({ expiresAt }: Operation): boolean {
    return expiresAt - this.#deps.clock.now() > MIN_LEFT_MS;
  }

  /** An operation is not one request here: once its maximum of effects is reached, the session continues with a new one. */
  async #run(request: ActorSessionCall, control: CallControl): Promise<ToolAnswer> {
    const operation = await this.openOperation();
    try {
      return await this.#callWithin(operation, request, control);
    } catch (error) {
      if (!operation.effects.isUsedUp || !isRateLimited(error)) throw error;
      if (this.#operation === operation) this.#operation = null;
      return this.#callWithin(await this.openOperation(), request, control);
    }
  }

  #callWithin(operation: Operation, request: ActorSessionCall, control: CallControl): Promise<ToolAnswer> {
    const { name, args, signal } = request;
    return this.#deps.gate.callTool({
      name,
      args,
      operation,
      wantsText: true,
      signal: signal ? AbortSignal.any([signal, control.signal]) : control.signal,
      onProgress: control.onProgress,
    });
  }
}

function isRateLimited(error: unknown): boolean {
  return error instanceof EarshotError && error.code === "rate_limited";
}
