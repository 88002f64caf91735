import { EarshotError } from "../../domain/errors.ts";
import type { CallFrame } from "../../domain/rpc/rpc-frames.ts";
import { singleLine } from "../../domain/text/escape.ts";
import { unknownName } from "../../domain/text/unknown-name.ts";
import type { Client } from "../../policy/operation.ts";
import type { Log } from "../../ports/log.ts";
import type { Progress } from "../../ports/timelines.ts";
import type { Effect } from "../../tools/define-tool.ts";
import {
  type CallControl,
  type CallCounters,
  CallRunner,
  type RunnableCall,
  type RunningCall,
} from "../kit/call-runner.ts";
import { explain } from "../kit/explain.ts";
import type { Outbox } from "./frames.ts";
import { type ReturnValue, writeError, writeValue } from "./frames.ts";
import type { Method } from "./methods.ts";
import type { RpcLimits } from "./rpc-limits.ts";

export interface CallsDeps {
  readonly methods: ReadonlyMap<string, Method>;
  readonly log: Log;
  readonly limits: Pick<RpcLimits, "concurrentCalls" | "callMs" | "replyBytes">;
  readonly counters: CallCounters;
}

interface Caller {
  readonly client: Client;
  readonly outbox: Outbox;
}

/** The calls of one connection, by the client's ids. */
export class Calls {
  readonly #deps: CallsDeps;
  readonly #runner: CallRunner;
  readonly #wire: CallWire;

  constructor(caller: Caller, deps: CallsDeps) {
    this.#deps = deps;
    this.#runner = new CallRunner(deps.limits, deps.counters);
    const { log, limits } = deps;
    this.#wire = { ...caller, log, replyBytes: limits.replyBytes, open: new Map() };
  }

  begin(frame: CallFrame): void {
    const { id, payload } = frame;
    const { outbox, open } = this.#wire;
    if (open.has(id)) {
      // An answer to this id would be mistaken for that of the earlier call.
      const problem = `id: another call with the id ${quote(id)} is under way.`;
      outbox.send(writeError(null, new EarshotError("invalid", problem)));
      return;
    }
    const method = this.#deps.methods.get(payload.method.replaceAll("/", "."));
    if (!method) {
      outbox.send(writeError(id, this.#unknownMethod(payload.method)));
      return;
    }
    const call = new RpcCall(frame, method, this.#wire);
    try {
      const running = this.#runner.begin(call);
      if (running) open.set(id, { call, running });
    } catch (error) {
      call.onError(error);
    }
  }

  /** False if no call with this id is in progress. */
  cancel(id: string): boolean {
    const hint = "What it was to do may already have happened.";
    return this.#stop(id, new EarshotError("cancelled", `The call was cancelled. ${hint}`));
  }

  cancelAll(): void {
    for (const id of this.#wire.open.keys())
      this.#stop(id, new EarshotError("cancelled", "The connection was closed."));
  }

  #unknownMethod(typed: string): EarshotError {
    const mine = [...this.#deps.methods.values()].filter((method) => method.isFor(this.#wire.client));
    const known = mine.map(({ name }) => name);
    return unknownName({ kind: "method", typed, known, list: "`rpc.describe` lists those there are" });
  }

  /** The id may be reused from now on. */
  #stop(id: string, error: EarshotError): boolean {
    const running = this.#wire.open.get(id)?.running;
    this.#wire.open.delete(id);
    running?.stop(error);
    return running !== undefined;
  }
}

interface OpenCall {
  readonly call: RpcCall;
  readonly running: RunningCall<ReturnValue>;
}

interface CallWire extends Caller {
  readonly log: Log;
  readonly replyBytes: number;
  /** The calls that have been neither answered nor stopped. */
  readonly open: Map<string, OpenCall>;
}

/** One call, which writes its own progress and its answer. */
class RpcCall implements RunnableCall<ReturnValue> {
  readonly id: string;
  readonly #frame: CallFrame;
  readonly #method: Method;
  readonly #wire: CallWire;
  #progress: Progress | null = null;
  #isAnswered = false;

  constructor(frame: CallFrame, method: Method, wire: CallWire) {
    this.id = frame.id;
    this.#frame = frame;
    this.#method = method;
    this.#wire = wire;
  }

  get effect(): Effect {
    return this.#method.effect;
  }

  run(control: CallControl): Promise<ReturnValue> | ReturnValue {
    const { args, operation_id, text } = this.#frame.payload;
    const { client } = this.#wire;
    const run = () => this.#method.run({ args, operationId: operation_id ?? null, wantsText: text, client }, control);
    const admitted = client.admit?.();
    return admitted ? admitted.then(run) : run();
  }

  /** A call that ends in the same turn sends no progress; of several reports in one turn only the last is sent. */
  onProgress(progress: Progress): void {
    if (this.#progress === null)
      setImmediate(() => {
        if (this.#isAnswered || this.#progress === null) return;
        const { scanned, scan, found } = this.#progress;
        this.#progress = null;
        const payload = JSON.stringify({ scanned, scan, found });
        const frame = `"op":"event/progress","reply_to":${JSON.stringify(this.id)},"payload":${payload}}`;
        if (this.#wire.outbox.hasRoom()) this.#wire.outbox.send(frame);
      });
    this.#progress = progress;
  }

  onValue(value: ReturnValue): void {
    let frame: string;
    try {
      frame = writeValue(this.id, value, this.#wire.replyBytes);
    } catch (error) {
      this.onError(error);
      return;
    }
    this.#answer(frame);
  }

  onError(error: unknown): void {
    const { log, client } = this.#wire;
    const fields = { method: this.#method.name, client: client.name };
    this.#answer(writeError(this.id, explain(error, { log, what: "a call failed unexpectedly", fields })));
  }

  #answer(frame: string): void {
    const { open, outbox } = this.#wire;
    this.#isAnswered = true;
    // A stopped call released its id, which another may use.
    if (open.get(this.id)?.call === this) open.delete(this.id);
    outbox.send(frame);
  }
}

function quote(name: string): string {
  return JSON.stringify(singleLine(name.slice(0, 100)));
}
