import { Label } from "../../domain/label.ts";
import { SingleFlight } from "../../domain/single-flight.ts";
import type { ToolAnswer, ToolCall } from "../../gate/call/tool-call.ts";
import type { Gate } from "../../gate/gate.ts";
import type { Client, Operation } from "../../policy/operation.ts";
import type { OpenRequest, Operations } from "../../policy/operations.ts";
import type { Clock } from "../../ports/clock.ts";
import { type CallControl, type CallCounters, CallRunner, type RunnerLimits } from "./call-runner.ts";
import type { Privacy, PrivacyAnswer } from "./privacy.ts";

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
  /** What was read before. */
  readonly label?: Label | undefined;
}

export type ActorSessionCall = Pick<ToolCall, "name" | "args" | "signal" | "onProgress">;

/** A new operation is opened when less than this is left of the current one: a call has to fit into it. */
const MIN_LEFT_MS = 60_000;

/**
 * A client that acts for one person for as long as it likes. Operations expire; the label with everything that was read stays, so that
 * everything said later is checked against all of it.
 */
export class ActorSession {
  readonly client: Client;
  readonly request: OpenRequest;
  readonly #deps: ActorSessionDeps;
  /** Everything that was read. */
  readonly label: Label;
  readonly #runner: CallRunner;
  readonly #opening = new SingleFlight<"operation", Operation>();
  #operation: Operation | null = null;
  #usedAt: number;

  constructor({ client, request, label = new Label() }: ActorSessionRequest, deps: ActorSessionDeps) {
    this.client = client;
    this.request = request;
    this.label = label;
    this.#deps = deps;
    this.#runner = new CallRunner(deps.limits, deps.counters);
    this.#usedAt = deps.clock.now();
  }

  /** When the last call began or ended; null while one is running. */
  get idleSince(): number | null {
    return this.#runner.running > 0 ? null : this.#usedAt;
  }

  touch(): void {
    this.#usedAt = this.#deps.clock.now();
  }

  /** As the gate's. Throws `rate_limited` when too many calls are running, and `timeout` when one makes no progress for too long. */
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

  /** Whether what the actor writes is used. Throws as opening an operation does, and `rate_limited` for a flood. */
  async showPrivacy(): Promise<PrivacyAnswer> {
    this.touch();
    const { actor, client } = await this.openOperation();
    return this.#deps.privacy.show({ person: actor, client: client.name });
  }

  /** The current operation, or a new one with the same label, opened once for all calls that need it. */
  async openOperation(): Promise<Operation> {
    const { operations, clock } = this.#deps;
    const current = this.#operation;
    if (current && current.expiresAt - clock.now() > MIN_LEFT_MS) return current;
    return this.#opening.run("operation", async () => {
      this.#operation = await operations.open(this.client, this.request, this.label);
      return this.#operation;
    });
  }

  async #run({ name, args, signal }: ActorSessionCall, control: CallControl): Promise<ToolAnswer> {
    return this.#deps.gate.callTool({
      name,
      args,
      operation: await this.openOperation(),
      wantsText: true,
      signal: signal ? AbortSignal.any([signal, control.signal]) : control.signal,
      onProgress: control.onProgress,
    });
  }
}
