import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EarshotError } from "../../domain/errors.ts";
import { type CallControl, CallRunner, type RunnableCall } from "./call-runner.ts";

/** Begins calls whose work is a function, and notes how they ended. */
function openRunner(limits: { concurrentCalls?: number; callMs?: number } = {}) {
  const counters = { calls: 0, running: 0 };
  const runner = new CallRunner({ concurrentCalls: 2, callMs: 60_000, ...limits }, counters);
  const ends: unknown[] = [];
  const begin = (run: (control: CallControl) => unknown, more: Partial<RunnableCall<unknown>> = {}) =>
    runner.begin({
      effect: "read",
      run: run as RunnableCall<unknown>["run"],
      onValue: (value) => void ends.push(value),
      onError: (error) => void ends.push(error instanceof EarshotError ? error.code : String(error)),
      ...more,
    });
  return { runner, counters, ends, begin };
}

const cancelled = () => new EarshotError("cancelled", "Stopped.");
const untilAborted = ({ signal }: CallControl) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
const forever = () => new Promise(() => {});

describe("the call runner", () => {
  it("ends a call whose work needs no waiting in the same turn of the event loop", () => {
    const { begin, ends, counters } = openRunner();
    expect(begin(() => 7)).toBeNull();
    expect(
      begin(() => {
        throw cancelled();
      }),
    ).toBeNull();
    expect(ends).toEqual([7, "cancelled"]);
    expect(counters).toEqual({ calls: 2, running: 0 });
  });

  it("refuses a call beyond the maximum, stopped calls whose work goes on included", () => {
    const { begin, ends, counters } = openRunner();
    begin(forever)?.stop(cancelled());
    begin(forever);
    expect(ends).toEqual(["cancelled"]);
    expect(() => begin(() => 7)).toThrow(expect.objectContaining({ code: "rate_limited", retryAfter: 1 }));
    expect(counters).toEqual({ calls: 2, running: 2 });
  });

  it("stops a call that makes no progress, and not one that does", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { begin, ends } = openRunner({ callMs: 100 });
    begin(untilAborted);
    begin(async ({ onProgress }) => {
      for (let scanned = 0; scanned < 10; scanned += 1) {
        onProgress({ scanned, scan: 10, found: 0 });
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      return "done";
    });
    await vi.advanceTimersByTimeAsync(400);
    expect(ends).toEqual(["timeout", "done"]);
  });

  it("ends a stopped read at once, and reports no progress of it any more", async () => {
    const { begin, ends, runner } = openRunner();
    const seen: number[] = [];
    const work = Promise.withResolvers<string>();
    const controls: CallControl[] = [];
    const running = begin(
      (control) => {
        controls.push(control);
        return work.promise;
      },
      { onProgress: ({ scanned }) => void seen.push(scanned) },
    );
    controls[0]?.onProgress({ scanned: 1, scan: 2, found: 0 });
    running?.stop(cancelled());
    controls[0]?.onProgress({ scanned: 2, scan: 2, found: 0 });
    expect([ends, seen, controls[0]?.signal.aborted]).toEqual([["cancelled"], [1], true]);
    work.resolve("late");
    await expect.poll(() => runner.running).toBe(0);
    expect(ends).toEqual(["cancelled"]);
  });

  it("lets a stopped effect say that its outcome is unknown, and waits a second at most", async () => {
    const { begin, ends } = openRunner();
    const left = ({ signal }: CallControl) =>
      new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(new EarshotError("outcome_unknown", "It left."))),
      );
    begin(left, { effect: "send" })?.stop(cancelled());
    begin(forever, { effect: "send" })?.stop(cancelled());
    expect(ends).toEqual([]);
    await expect.poll(() => ends, { timeout: 5_000 }).toEqual(["outcome_unknown", "cancelled"]);
  });
});
