import { describe, expect, it } from "vitest";
import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { ToolCall } from "../../gate/call/tool-call.ts";
import { OPERATOR_GRANT } from "../../policy/grant.ts";
import type { Label } from "../../sources/label.ts";
import { ActorSession } from "./actor-session.ts";

const MINUTE = 60_000;

/** Operations that end after a quarter of an hour, and a gate whose one tool does as the test says. */
function arrive(run: (call: ToolCall) => Promise<unknown> = async () => null, callMs = MINUTE) {
  let now = 0;
  let failures = 0;
  const opened: Label[] = [];
  const client = { name: "host", grant: OPERATOR_GRANT };
  const operations = {
    async open(_client: unknown, _request: unknown, label: Label) {
      if (failures > 0) {
        failures -= 1;
        throw new EarshotError("unavailable", "Discord does not answer.");
      }
      return { id: `op-${opened.push(label)}`, actor: "1", client, label, expiresAt: now + 15 * MINUTE };
    },
  };
  const gate = {
    tools: [],
    callTool: async (call: ToolCall) => ({ value: (await run(call)) ?? call.operation.id, text: null }),
  };
  const counters = { calls: 0, running: 0 };
  const actorSession = new ActorSession(
    { client, request: { actor: "1" as UserId, isPrivate: true } },
    {
      gate: gate as never,
      operations: operations as never,
      privacy: { show: async ({ client }) => ({ state: "included", text: client }) },
      clock: { now: () => now },
      limits: { concurrentCalls: 3, callMs },
      counters,
    },
  );
  const call = async (more: Partial<ToolCall> = {}) =>
    (await actorSession.call({ name: "x", args: {}, ...more })).value;
  return {
    actorSession,
    call,
    opened,
    counters,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    fail: (times: number) => {
      failures = times;
    },
  };
}

describe("an actor's session", () => {
  it("a session uses one operation for as long as a call fits into it, and keeps its label in the next", async () => {
    const { call, pass, opened } = arrive();
    expect([await call(), await call()]).toEqual(["op-1", "op-1"]);
    pass(13 * MINUTE);
    expect(await call()).toBe("op-1");
    pass(MINUTE);
    expect(await call()).toBe("op-2");
    pass(60 * MINUTE);
    expect(await call()).toBe("op-3");
    expect(new Set(opened).size).toBe(1);
  });

  it("a session opens one operation for all calls that begin at once, also when the last one has expired", async () => {
    const { call, pass, opened } = arrive();
    expect(await Promise.all([call(), call(), call()])).toEqual(["op-1", "op-1", "op-1"]);
    pass(60 * MINUTE);
    expect(await Promise.all([call(), call(), call()])).toEqual(["op-2", "op-2", "op-2"]);
    expect(opened).toHaveLength(2);
  });

  it("a session tries again to open an operation where that failed", async () => {
    const { call, fail, counters } = arrive();
    fail(1);
    await expect(call()).rejects.toMatchObject({ code: "unavailable" });
    expect(await call()).toBe("op-1");
    expect(counters).toEqual({ calls: 2, running: 0 });
  });

  it("a session refuses calls beyond the maximum at once", async () => {
    const end = Promise.withResolvers<void>();
    const { call, actorSession, counters } = arrive(() => end.promise);
    const calls = [call(), call(), call()];
    await expect(call()).rejects.toMatchObject({ code: "rate_limited" });
    expect([counters.running, actorSession.idleSince]).toEqual([3, null]);
    end.resolve();
    await Promise.all(calls);
    expect([counters.running, actorSession.idleSince]).toEqual([0, 0]);
    expect(await call()).toBe("op-1");
  });

  it("a session gives up a call that makes no progress, and aborts it", async () => {
    const stopped = Promise.withResolvers<void>();
    const { call, counters } = arrive(async ({ signal }) => {
      signal?.addEventListener("abort", () => stopped.resolve());
      await stopped.promise;
    }, 5);
    await expect(call()).rejects.toMatchObject({ code: "timeout" });
    await stopped.promise;
    await expect.poll(() => counters.running).toBe(0);
  });

  it("a session shows its actor's privacy only if an operation can be opened for them", async () => {
    const { actorSession, opened, fail } = arrive();
    fail(1);
    await expect(actorSession.showPrivacy()).rejects.toMatchObject({ code: "unavailable" });
    expect(await actorSession.showPrivacy()).toEqual({ state: "included", text: "host" });
    expect(opened).toHaveLength(1);
  });

  it("a session passes on the signal and the progress of a call", async () => {
    const stop = new AbortController();
    const { call } = arrive(async ({ signal, onProgress }) => {
      onProgress?.({ scanned: 1, scan: 2, found: 0 });
      return signal?.aborted;
    });
    const seen: unknown[] = [];
    const onProgress = (progress: unknown) => {
      seen.push(progress);
      stop.abort();
    };
    expect(await call({ signal: stop.signal, onProgress })).toBe(true);
    expect(seen).toEqual([{ scanned: 1, scan: 2, found: 0 }]);
  });
});
