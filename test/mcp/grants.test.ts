import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import type { Grant } from "../../src/policy/grant.ts";
import { openTestMemory } from "../support/memory.ts";
import { arrive, codeOf, textOf, WAYS } from "./arrive.ts";

const connect = WAYS["2026-07-28 over HTTP"];

async function prepare(name: string, grant: Partial<Grant> = {}, rules: object = {}) {
  const all = await arrive({ rules: { memory: { people: "shared" }, ...rules }, openMemory: openTestMemory });
  const sarah = all.sandbox.as("sarah").id as UserId;
  const client = await connect?.(all.address("sarah", { token: all.token(name, grant) }));
  const call = (tool: string, args: Record<string, unknown> = {}) => {
    if (!client) throw new Error("nobody is connected");
    return client.call(tool, args);
  };
  return { ...all, sarah, call };
}

const SELF = "memory_read_get_user_facts";

describe("somebody who asks for facts about themselves over MCP", () => {
  it("is told by the operator's own client why private ones are missing, whether or not there are any", async () => {
    const { call } = await prepare("operator");
    for (const args of [{}, { user: "me" }]) {
      const result = await call(SELF, args);
      expect(result.isError).toBeFalsy();
      expect(textOf(result)).toContain("memory:read_self");
      expect(textOf(result)).toContain("docs/guide/mcp.md");
    }
    expect(textOf(await call(SELF, { user: "mark" }))).not.toContain("memory:read_self");
  });

  it("is told nothing of that by any other client", async () => {
    const { call } = await prepare("own-host");
    expect(textOf(await call(SELF))).not.toContain("memory:read_self");
  });
});

describe("direct messages over MCP", () => {
  it("are refused with the name of what the grant lacks, whether or not there are any", async () => {
    const { call, sandbox, sarah } = await prepare("own-host", { directMessages: false });
    const calls = [
      () => call("discord_dm_messages"),
      () => call("discord_dm_messages", { user_id: sandbox.as("mark").id }),
      () => call("discord_search_window", { query: "berth", scope: "dm" }),
    ];
    const ask = async () => {
      const results = [];
      for (const one of calls) {
        const result = await one();
        results.push([codeOf(result), textOf(result)]);
      }
      return results;
    };
    const before = await ask();
    for (const [code, text] of before) {
      expect(code).toBe("forbidden");
      expect(text).toContain("`directMessages`");
    }
    sandbox.as("sarah").dm("the berth is mine");
    expect(await ask()).toEqual(before);
    expect(sarah).toBeTruthy();
  });

  it("are refused with the operator's rule where the rules switch them off, and with the reason where they are granted", async () => {
    const off = await prepare("own-host", {}, { directMessages: false });
    expect(textOf(await off.call("discord_dm_messages"))).toContain("switched off here by the operator");
    const granted = await prepare("own-host");
    const result = await granted.call("discord_dm_messages");
    expect([codeOf(result), textOf(result)]).toEqual([
      "forbidden",
      expect.stringContaining("within that conversation"),
    ]);
  });
});
