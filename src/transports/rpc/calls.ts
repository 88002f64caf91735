import { EarshotError } from "../../domain/errors.ts";
import type { CallFrame } from "../../domain/rpc/rpc-frames.ts";
import { singleLine } from "../../domain/text/single-line.ts";
import type { Log } from "../../ports/log.ts";
import { answerOfStopped, STOP_GRACE_MS, tooLong } from "../stopped-calls.ts";
import type { Method } from "./methods.ts";
import type { RpcLimits } from "./rpc-limits.ts";
import { type Caller, RunningCall } from "./running-call.ts";
import { type ReturnValue, writeError, writeValue } from "./write-return.ts";

export interface CallsDeps {
  readonly methods: ReadonlyMap<string, Method>;
  readonly log: Log;
  readonly limits: Pick<RpcLimits, "concurrentCalls" | "callMs" | "replyBytes">;
  readonly counters: { calls: number; running: number };
}

interface OpenCall {
  readonly call: RunningCall;
  readonly method: Method;
}

/** The calls of one connection. Each is answered once: by its result, its failure, its deadline or its cancellation. */
export class Calls {
  readonly #caller: Caller;
  readonly #deps: CallsDeps;
  /** Those that have not been answered. */
  readonly #open = new Map<string, OpenCall>();
  /** Also those that were answered `cancelled` or `timeout` and have not come to an end yet. */
  #running = 0;

  constructor(caller: Caller, deps: CallsDeps) {
    this.#caller = caller;
    this.#deps = deps;
  }

  begin(frame: CallFrame): void {
    const { id, payload } = frame;
    if (this.#open.has(id)) {
      // An answer to this id would be taken for the answer to the call that is using it.
      const problem = `id: another call with the id ${quote(id)} is under way.`;
      this.#caller.outbox.send(writeError(null, new EarshotError("invalid", problem)));
      return;
    }
    try {
      const method = this.#find(payload.method);
      const call = new RunningCall(frame, this.#caller);
      this.#deps.counters.calls += 1;
      const result = method.run(call);
      if (result instanceof Promise) void this.#attend(call, method, result);
      else call.answer(writeValue(id, result, this.#deps.limits.replyBytes));
    } catch (error) {
      this.#caller.outbox.send(this.#writeFailure(id, payload.method, error));
    }
  }

  cancel(id: string): void {
    const call = this.#open.get(id);
    if (!call) throw new EarshotError("not_found", "No such call is under way; it may have been answered already.");
    const hint = "What it was to do may already have happened.";
    this.#stop(call, new EarshotError("cancelled", `The call was cancelled. ${hint}`));
  }

  cancelAll(): void {
    for (const call of this.#open.values())
      this.#stop(call, new EarshotError("cancelled", "The connection was closed."));
  }

  #find(name: string): Method {
    const { concurrentCalls } = this.#deps.limits;
    if (this.#running >= concurrentCalls) {
      const problem = `No more than ${concurrentCalls} calls may be under way at once; wait for one to be answered.`;
      throw new EarshotError("rate_limited", problem, { retryAfter: 1 });
    }
    const method = this.#deps.methods.get(name.replaceAll("/", "."));
    if (method) return method;
    throw new EarshotError("not_found", `There is no method ${quote(name)}; rpc.describe lists those there are.`);
  }

  async #attend(call: RunningCall, method: Method, result: Promise<ReturnValue>): Promise<void> {
    const { limits, counters } = this.#deps;
    this.#open.set(call.id, { call, method });
    this.#running += 1;
    counters.running += 1;
    call.limit(limits.callMs, () => this.#stop({ call, method }, tooLong(limits.callMs)));
    let frame: string;
    try {
      const value = await result;
      frame = call.stoppedBy ? writeError(call.id, call.stoppedBy) : writeValue(call.id, value, limits.replyBytes);
    } catch (error) {
      frame = this.#writeFailure(call.id, method.name, call.stoppedBy ? answerOfStopped(call.stoppedBy, error) : error);
    }
    this.#running -= 1;
    counters.running -= 1;
    this.#close(call);
    call.answer(frame);
  }

  #stop({ call, method }: OpenCall, error: EarshotError): void {
    this.#close(call);
    call.stop(error, method.effect === "read" ? 0 : STOP_GRACE_MS);
  }

  /** The id may be in use again by a later call. */
  #close(call: RunningCall): void {
    if (this.#open.get(call.id)?.call === call) this.#open.delete(call.id);
  }

  /** Logs what nobody foresaw, without the message, which may hold what somebody wrote. */
  #writeFailure(id: string, method: string, error: unknown): string {
    if (!(error instanceof EarshotError)) {
      const { name, stack } = error instanceof Error ? error : { name: typeof error, stack: "" };
      const trace = stack?.split("\n").filter((line) => /^\s+at /.test(line));
      const fields = { method, client: this.#caller.client.name, error: name, trace };
      this.#deps.log.error(fields, "a call failed unexpectedly");
    }
    return writeError(id, error);
  }
}

function quote(name: string): string {
  return JSON.stringify(singleLine(name.slice(0, 100)));
}
