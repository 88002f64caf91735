import { EarshotError } from "../../domain/errors.ts";
import { formatSeconds } from "../../domain/text/format-seconds.ts";
import type { Progress } from "../../ports/timelines.ts";
import type { Effect } from "../../tools/define-tool.ts";

export interface RunnerLimits {
  /** Maximum concurrent calls of one connection or session. */
  readonly concurrentCalls: number;
  /** A call that makes no progress for this long is stopped. */
  readonly callMs: number;
}

export const DEFAULT_RUNNER_LIMITS: RunnerLimits = { concurrentCalls: 32, callMs: 60_000 };

export interface CallCounters {
  /** Since the start. */
  calls: number;
  /** Now. */
  running: number;
}

/** Passed to the work of a call: reports progress and carries cancellation. */
export interface CallControl {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export interface RunnableCall<Value> {
  readonly effect: Effect;
  /** Work that returns a value, not a promise, ends in the same turn of the event loop. */
  run(control: CallControl): Promise<Value> | Value;
  /** Not called once the call has ended or was stopped. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Exactly one of the next two is called, once; it must not throw. */
  onValue(value: Value): void;
  onError(error: unknown): void;
}

/** Grace period in which a stopped call with an effect determines whether anything was sent. */
const STOP_GRACE_MS = 1_000;

/** Runs the calls of one connection or session: a maximum concurrently, each with a deadline that progress extends. */
export class CallRunner {
  readonly #limits: RunnerLimits;
  readonly #counters: CallCounters;
  #running = 0;

  constructor(limits: RunnerLimits, counters: CallCounters) {
    this.#limits = limits;
    this.#counters = counters;
  }

  /** Includes calls that were stopped and answered, but whose work has not ended yet. */
  get running(): number {
    return this.#running;
  }

  /** Null if the call has ended already. Throws `rate_limited` if too many calls are running. */
  begin<Value>(call: RunnableCall<Value>): RunningCall<Value> | null {
    const { concurrentCalls, callMs } = this.#limits;
    if (this.#running >= concurrentCalls) {
      const problem = `No more than ${concurrentCalls} calls may be under way at once; wait for one to be answered.`;
      throw new EarshotError("rate_limited", problem, { retryAfter: 1 });
    }
    this.#counters.calls += 1;
    const running = new RunningCall(call);
    let result: Promise<Value> | Value;
    try {
      result = call.run(running);
    } catch (error) {
      call.onError(error);
      return null;
    }
    if (!(result instanceof Promise)) {
      call.onValue(result);
      return null;
    }
    this.#running += 1;
    this.#counters.running += 1;
    running.follow(result, callMs, () => {
      this.#running -= 1;
      this.#counters.running -= 1;
    });
    return running;
  }
}

/** A call in progress. Most end at once, so parts that only a long one needs are created lazily. */
export class RunningCall<Value> implements CallControl {
  readonly #call: RunnableCall<Value>;
  #stopping: AbortController | null = null;
  #deadline: NodeJS.Timeout | undefined;
  #stoppedBy: EarshotError | null = null;
  #hasEnded = false;

  constructor(call: RunnableCall<Value>) {
    this.#call = call;
  }

  readonly onProgress = (progress: Progress): void => {
    if (this.#hasEnded || this.#stoppedBy) return;
    this.#deadline?.refresh();
    this.#call.onProgress?.(progress);
  };

  get signal(): AbortSignal {
    this.#stopping ??= new AbortController();
    return this.#stopping.signal;
  }

  follow(result: Promise<Value>, callMs: number, onEnd: () => void): void {
    this.#deadline = setTimeout(() => this.stop(tooLong(callMs)), callMs);
    result.then(
      (value) => {
        onEnd();
        if (this.#stoppedBy) this.#fail(this.#stoppedBy);
        else if (this.#end()) this.#call.onValue(value);
      },
      (error: unknown) => {
        onEnd();
        const hasLeft = error instanceof EarshotError && error.code === "outcome_unknown";
        this.#fail(this.#stoppedBy && !hasLeft ? this.#stoppedBy : error);
      },
    );
  }

  /** Aborts the work, and ends the call with this error: a read at once, an effect when its work ends or the grace is over. */
  stop(error: EarshotError): void {
    if (this.#hasEnded || this.#stoppedBy) return;
    this.#stoppedBy = error;
    clearTimeout(this.#deadline);
    if (this.#call.effect === "read") this.#fail(error);
    else this.#deadline = setTimeout(() => this.#fail(error), STOP_GRACE_MS);
    this.#stopping ??= new AbortController();
    this.#stopping.abort(error);
  }

  #fail(error: unknown): void {
    if (this.#end()) this.#call.onError(error);
  }

  /** False if it had ended before. */
  #end(): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    clearTimeout(this.#deadline);
    return true;
  }
}

function tooLong(callMs: number): EarshotError {
  const problem = `The call made no progress for ${formatSeconds(callMs / 1_000)} and was given up; nothing further is sent. Ask for less.`;
  return new EarshotError("timeout", problem);
}
