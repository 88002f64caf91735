import { describe, expect, it } from "vitest";
import type { UserId } from "../../domain/ids.ts";
import { OPERATOR_GRANT } from "../../policy/grant.ts";
import type { ActorSession } from "../kit/actor-session.ts";
import type { ToolFeature } from "./features.ts";
import { DEFAULT_LIMITS } from "./mcp-limits.ts";
import { createMcpServer } from "./mcp-server.ts";
import { Sessions } from "./sessions.ts";

const CALLER = {
  client: { name: "host", grant: OPERATOR_GRANT },
  actor: "1" as UserId,
  toolsets: undefined,
  for: undefined,
};

const ENDLESS: ToolFeature = {
  definition: { name: "endless", inputSchema: { type: "object" } },
  call: () => new Promise(() => {}),
};

/** Sessions whose calls the test begins and ends. */
function arrive(limits: Partial<typeof DEFAULT_LIMITS> = {}) {
  let now = 0;
  let minted = 0;
  const busy = new Set<number>();
  const sessions = new Sessions({
    clock: { now: () => now },
    limits: { ...DEFAULT_LIMITS, ...limits },
    mintId: () => `session-${++minted}`,
    openActorSession({ client, actor }) {
      const number = minted + 1;
      let usedAt = now;
      const actorSession = {
        client,
        request: { actor },
        get idleSince() {
          return busy.has(number) ? null : usedAt;
        },
        touch() {
          usedAt = now;
        },
      };
      return actorSession as ActorSession;
    },
    openServer: () =>
      createMcpServer({ tools: [ENDLESS], prompts: [], resources: { list: [], templates: [], read: () => null } }, "1"),
  });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const ask = (method: string, session?: string) => post({ jsonrpc: "2.0", id: 1, method, params }, session);
  const post = (messages: object, session?: string) => {
    const body = JSON.stringify(messages);
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session && { "mcp-session-id": session }),
    };
    return sessions.serve(new Request("http://localhost/mcp", { method: "POST", headers, body }), CALLER);
  };
  return {
    sessions,
    busy,
    post,
    begin: async () => (await ask("initialize")).status,
    use: async (session: string) => (await ask("ping", session)).status,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

describe("MCP sessions over HTTP", () => {
  it("a session expires when it has been idle for too long, unless a call is running in it", async () => {
    const { sessions, begin, use, pass, busy } = arrive({ idleMs: 100 });
    for (let count = 0; count < 3; count += 1) await begin();
    busy.add(2);
    pass(90);
    expect(await use("session-3")).toBe(200);
    pass(90);
    await sessions.sweep();
    expect([await use("session-1"), await use("session-2"), await use("session-3")]).toEqual([404, 200, 200]);
  });

  it("a new session ends the one that has been idle for longest, and none that is busy", async () => {
    const { begin, use, pass, busy } = arrive({ sessionsPerClient: 3 });
    for (let count = 0; count < 3; count += 1) {
      await begin();
      pass(10);
    }
    busy.add(1);
    expect(await use("session-2")).toBe(200);
    expect(await begin()).toBe(200);
    expect(await use("session-3")).toBe(404);
    expect([await use("session-1"), await use("session-2"), await use("session-4")]).toEqual([200, 200, 200]);
    for (const number of [2, 4]) busy.add(number);
    expect(await begin()).toBe(429);
  });

  it("a request that is cancelled holds back neither its stream nor the other answers of its batch", async () => {
    const { begin, post } = arrive();
    await begin();
    const call = { jsonrpc: "2.0", id: "endless", method: "tools/call", params: { name: "endless" } };
    const list = { jsonrpc: "2.0", id: "list", method: "tools/list" };
    const answers = [await post([call, list], "session-1"), await post({ ...call, id: "alone" }, "session-1")];
    for (const requestId of ["endless", "alone", "unknown"]) {
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
      expect((await post(cancel, "session-1")).status).toBe(202);
    }
    const [batch, alone] = await Promise.all(answers.map((answer) => answer.text()));
    for (const part of ['"id":"list"', '"name":"endless"', '"id":"endless"', "cancelled"])
      expect(batch).toContain(part);
    expect(alone).toMatch(/"id":"alone".*cancelled|cancelled.*"id":"alone"/);
  });
});
