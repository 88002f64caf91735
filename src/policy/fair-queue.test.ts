import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FairQueue } from "./fair-queue.ts";

const LIMITS = { running: 4, runningPerOwner: 2, waitingPerOwner: 8 };

/** A job that ends when it is told to. */
function arrive(limits = LIMITS) {
  const queue = new FairQueue(limits);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const begin = (owner: string, signal?: AbortSignal) => {
    const outcome = queue.run(
      owner,
      () => {
        started.push(owner);
        return new Promise<string>((resolve) => ends.push(() => resolve(owner)));
      },
      signal,
    );
    outcome.catch(() => {});
    return outcome;
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { started, ends, begin, settle };
}

describe("the fair queue", () => {
  it("runs no more than an owner's share, and starts waiting jobs in turn across owners", async () => {
    const { started, ends, begin, settle } = arrive();
    for (let count = 0; count < 6; count += 1) void begin("greedy");
    void begin("ann");
    void begin("bo");
    void begin("cem");
    expect(started).toEqual(["greedy", "greedy", "ann", "bo"]);
    ends[0]?.();
    await settle();
    expect(started.slice(4)).toEqual(["greedy"]);
    ends[1]?.();
    await settle();
    expect(started.slice(5)).toEqual(["cem"]);
  });

  it("returns the result of a job, and continues after a job that fails", async () => {
    const queue = new FairQueue({ ...LIMITS, running: 1 });
    const failing = queue.run("ann", async () => {
      throw new Error("broken");
    });
    const next = queue.run("bo", async () => 7);
    await expect(failing).rejects.toThrow("broken");
    expect(await next).toBe(7);
  });

  it("refuses an owner with too many waiting jobs, and nobody else", async () => {
    const { begin, started } = arrive({ running: 4, runningPerOwner: 1, waitingPerOwner: 2 });
    for (let count = 0; count < 3; count += 1) void begin("greedy");
    await expect(begin("greedy")).rejects.toMatchObject({ code: "rate_limited", retryAfter: 1 });
    void begin("ann");
    expect(started).toEqual(["greedy", "ann"]);
  });

  it("drops a job that is cancelled while it waits, but not one that is running", async () => {
    const { begin, ends, started, settle } = arrive({ ...LIMITS, runningPerOwner: 1 });
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
    const running = begin("ann", first.signal);
    const waiting = begin("ann", second.signal);
    void begin("ann", third.signal);
    second.abort();
    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
    await expect(begin("ann", second.signal)).rejects.toMatchObject({ code: "cancelled" });
    first.abort();
    ends[0]?.();
    expect(await running).toBe("ann");
    await settle();
    third.abort();
    expect(started).toEqual(["ann", "ann"]);
  });

  it("never runs more jobs than allowed and finally starts every job, whatever the order", async () => {
    const step = fc.record({ owner: fc.nat(4), isEnd: fc.boolean(), isAborted: fc.nat(5).map((n) => n === 0) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const queue = new FairQueue({ running: 3, runningPerOwner: 2, waitingPerOwner: 100 });
        const running: { owner: number; end: () => void }[] = [];
        const outcomes: Promise<string>[] = [];
        const check = () => {
          expect(running.length).toBeLessThanOrEqual(3);
          for (const { owner } of running) expect(running.filter((one) => one.owner === owner).length).toBeLessThan(3);
        };
        for (const { owner, isEnd, isAborted } of steps) {
          if (isEnd) running.shift()?.end();
          else {
            const stop = new AbortController();
            const job = () =>
              new Promise<void>((resolve) => {
                running.push({ owner, end: resolve });
                check();
              });
            const ran = queue.run(String(owner), job, stop.signal);
            outcomes.push(
              ran.then(
                () => "ran",
                (error: { code: string }) => error.code,
              ),
            );
            if (isAborted) stop.abort();
          }
          await new Promise((resolve) => setImmediate(resolve));
          check();
        }
        while (running.length > 0) {
          running.shift()?.end();
          await new Promise((resolve) => setImmediate(resolve));
        }
        for (const outcome of await Promise.all(outcomes)) expect(["ran", "cancelled"]).toContain(outcome);
      }),
      { numRuns: 200 },
    );
  });
});
