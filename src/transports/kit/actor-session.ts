import { EarshotError } from "../../domain/errors.ts";
import { Label } from "../../domain/label.ts";
import type { Gate } from "../../gate/call-tool.ts";
import type { ToolAnswer, ToolCall } from "../../gate/tool-call.ts";
import type { Client, Operation } from "../../policy/operation.ts";
import type { OpenRequest, Operations } from "../../policy/operations.ts";
import type { Clock } from "../../ports/clock.ts";
import { answerOfStopped, STOP_GRACE_MS, tooLong } from "./stopped-calls.ts";

export interface ActorSessionDeps {
  readonly gate: Gate;
  readonly operations: Operations;
  readonly clock: Clock;
  readonly limits: { readonly concurrentCalls: number; readonly callMs: number };
  readonly counters: { calls: number; running: number };
}

export type ActorSessionCall = Pick<ToolCall, "name" | "args" | "signal" | "onProgress">;

/** An operation that would end sooner is not begun with: a call has to fit into it. */
const MIN_LEFT_MS = 60_000;

/**
 * A client that acts for one person for as long as it likes. Operations end; what was read stays on the one label, so that whatever is said
 * later is held against all of it.
 */
export class ActorSession {
  readonly client: Client;
  readonly request: OpenRequest;
  readonly #deps: ActorSessionDeps;
  readonly #label = new Label();
  #operation: Promise<Operation> | null = null;
  #running = 0;
  #usedAt: number;

  constructor({ client, request }: { client: Client; request: OpenRequest }, deps: ActorSessionDeps) {
    this.client = client;
    this.request = request;
    this.#deps = deps;
    this.#usedAt = deps.clock.now();
  }

  /** Since when nothing has been asked; null while something is under way. */
  get idleSince(): number | null {
    return this.#running > 0 ? null : this.#usedAt;
  }

  touch(): void {
    this.#usedAt = this.#deps.clock.now();
  }

  /** As the gate's. Throws `rate_limited` when too much is under way, and `timeout` when nothing happens for too long. */
  async call({ signal, onProgress, ...call }: ActorSessionCall): Promise<ToolAnswer> {
    const { limits, counters, gate } = this.#deps;
    if (this.#running >= limits.concurrentCalls) {
      const problem = `No more than ${limits.concurrentCalls} calls may be under way at once; wait for one to be answered.`;
      throw new EarshotError("rate_limited", problem, { retryAfter: 1 });
    }
    counters.calls += 1;
    this.#count(1);
    const late = Promise.withResolvers<never>();
    const stopping = new AbortController();
    let stoppedBy: EarshotError | null = null;
    let deadline = setTimeout(() => {
      const error = tooLong(limits.callMs);
      stoppedBy = error;
      stopping.abort(error);
      deadline = setTimeout(() => late.reject(error), STOP_GRACE_MS);
    }, limits.callMs);
    const work = this.#open()
      .then((operation) =>
        gate.callTool({
          ...call,
          operation,
          wantsText: true,
          signal: signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal,
          onProgress(progress) {
            if (!stoppedBy) deadline.refresh();
            onProgress?.(progress);
          },
        }),
      )
      .then(
        (answer) => {
          if (stoppedBy) throw stoppedBy;
          return answer;
        },
        (error: unknown) => {
          throw stoppedBy ? answerOfStopped(stoppedBy, error) : error;
        },
      )
      .finally(() => {
        clearTimeout(deadline);
        this.#count(-1);
      });
    return Promise.race([work, late.promise]);
  }

  #count(by: number): void {
    this.#running += by;
    this.#deps.counters.running += by;
    this.touch();
  }

  /** The current operation, or a new one with the same label. What asks at the same time gets the same. */
  async #open(): Promise<Operation> {
    const { operations, clock } = this.#deps;
    const current = this.#operation;
    const known = await current;
    if (known && known.expiresAt - clock.now() > MIN_LEFT_MS) return known;
    if (this.#operation !== current) return this.#open();
    const opening = operations.open(this.client, this.request, this.#label);
    this.#operation = opening;
    opening.catch(() => {
      this.#operation = null;
    });
    return opening;
  }
}
