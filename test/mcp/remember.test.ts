import type { ElicitResult } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import type { Grant } from "../../src/policy/grant.ts";
import { openTestMemory } from "../support/memory.ts";
import { arrive, codeOf, WAYS } from "./arrive.ts";

const FACT = { key: "boat", value: "Heron" };

/** Sarah's host, of a client that acts for her alone unless the grant says otherwise. */
async function prepare(way: string, answer: ElicitResult, grant: Partial<Grant> | null = null) {
  const all = await arrive({ rules: { memory: { people: "shared" } }, openMemory: openTestMemory } as never);
  const sarah = all.sandbox.as("sarah").id as UserId;
  const shown: string[] = [];
  const person = (message: string) => {
    shown.push(message);
    return answer;
  };
  const address = all.address("sarah", { token: all.token("own-host", grant ?? { actors: [sarah] }) });
  const client = await WAYS[way]?.(address, person);
  if (!client) throw new Error(`there is no way ${way}`);
  const own = all.ownMemory;
  const facts = async () => ((await own?.list(sarah)) ?? []).map(({ fact }) => [fact.visibility, fact.value]);
  return { ...all, shown, facts, call: () => client.call("memory_write_remember_fact", FACT) };
}

describe.each(Object.keys(WAYS))("a fact that a model proposes over MCP %s,", (way) => {
  it("is stored in the way that the person chooses, after they were shown all of it", async () => {
    const { call, shown, facts } = await prepare(way, { action: "accept", content: { choice: "as_shown" } });
    expect((await call()).structuredContent).toEqual({ remembered: true });
    expect(shown).toHaveLength(1);
    expect(shown[0]).toContain("Nothing has been remembered yet.");
    expect(shown[0]).toContain("Value:\n│ Heron");
    expect(shown[0]).toContain("“Remember”: only you will be able to hear it.");
    expect(await facts()).toEqual([["private", "Heron"]]);
  });

  it.each<[string, ElicitResult]>([
    ["declines", { action: "decline" }],
    ["chooses nothing", { action: "accept", content: {} }],
    ["says yes without a choice", { action: "accept", content: { choice: true, confirm: "yes" } as never }],
    ["chooses something else", { action: "accept", content: { choice: "__proto__" } }],
    ["confirms without one of the ways", { action: "accept", content: { confirm: true, choice: "all_of_them" } }],
  ])("is not stored when the person %s", async (_, answer) => {
    const { call, facts } = await prepare(way, answer);
    expect(codeOf(await call())).toBe("forbidden");
    expect(await facts()).toEqual([]);
  });
});

describe("a fact about a person", () => {
  it("is not put before a host that acts for others, too: it waits for them in Discord", async () => {
    for (const actors of ["anyone", "two"] as const) {
      const yes: ElicitResult = { action: "accept", content: { choice: "as_shown", confirm: true } };
      const grant = (sarah: UserId): Partial<Grant> => ({
        actors: actors === "anyone" ? "anyone" : [sarah, "1" as UserId],
      });
      const all = await arrive({ rules: { memory: { people: "shared" } }, openMemory: openTestMemory } as never);
      const sarah = all.sandbox.as("sarah").id as UserId;
      const shown: string[] = [];
      const connect = WAYS["2026-07-28 over HTTP"];
      const client = await connect?.(
        all.address("sarah", { token: all.token("own-host", grant(sarah)) }),
        (message) => {
          shown.push(message);
          return yes;
        },
      );
      expect(codeOf((await client?.call("memory_write_remember_fact", FACT)) as never)).toBe("confirmation_needed");
      expect(shown).toEqual([]);
      expect(await all.ownMemory?.list(sarah)).toEqual([]);
      expect(all.gate.confirmations.pending()).toEqual([]);
      expect(all.gate.confirmations.pending(sarah, { inPerson: true })).toHaveLength(1);
    }
  });

  it("is not told in the question to a confined program, which could repeat it to others", async () => {
    const all = await arrive({ rules: { memory: { people: "shared" } }, openMemory: openTestMemory } as never);
    const sarah = all.sandbox.as("sarah").id as UserId;
    const place = { channelId: all.id("general") as never, typedIn: "1" };
    await all.ownMemory?.remember(sarah, { key: "boat", value: "Gull", visibility: "private", ...place });
    for (const confined of [true, false]) {
      const shown: string[] = [];
      const token = all.token(`host-${confined}`, { actors: [sarah], confined });
      const client = await WAYS["2026-07-28 over HTTP"]?.(all.address("sarah", { token }), (message) => {
        shown.push(message);
        return { action: "cancel" };
      });
      await client?.call("memory_write_remember_fact", FACT);
      expect([shown.length, shown[0]?.includes("Gull")]).toEqual([1, !confined]);
    }
  });

  it("is asked about in the same words whether or not a confined program would replace a private value", async () => {
    const shown: string[] = [];
    for (const hasFact of [true, false]) {
      const all = await arrive({ rules: { memory: { people: "shared" } }, openMemory: openTestMemory } as never);
      const sarah = all.sandbox.as("sarah").id as UserId;
      const place = { channelId: all.id("general") as never, typedIn: "1" };
      if (hasFact)
        await all.ownMemory?.remember(sarah, { key: "boat", value: "Gull", visibility: "private", ...place });
      const token = all.token("own-host", { actors: [sarah], confined: true });
      const client = await WAYS["2026-07-28 over HTTP"]?.(all.address("sarah", { token }), (message) => {
        shown.push(message.replace(/Until .*\n/, ""));
        return { action: "cancel" };
      });
      await client?.call("memory_write_remember_fact", FACT);
    }
    expect(shown[0]).toBe(shown[1]);
  });

  it("is asked about in the same words whether or not there is a fact of nearly the same name, which is offered in Discord alone", async () => {
    const shown: string[] = [];
    for (const hasNear of [true, false]) {
      const all = await arrive({ rules: { memory: { people: "shared" } }, openMemory: openTestMemory } as never);
      const sarah = all.sandbox.as("sarah").id as UserId;
      const place = { channelId: all.id("general") as never, typedIn: "1" };
      const near = { key: `${FACT.key}s`, value: "Gull", visibility: "private" } as const;
      if (hasNear) await all.ownMemory?.remember(sarah, { ...near, ...place });
      const token = all.token("own-host", { actors: [sarah], confined: false });
      const client = await WAYS["2026-07-28 over HTTP"]?.(all.address("sarah", { token }), (message) => {
        shown.push(message.replace(/Until .*\n/, ""));
        return { action: "accept", content: { choice: "replace_near" } };
      });
      await client?.call("memory_write_remember_fact", FACT);
      const names = (await all.ownMemory?.list(sarah))?.map(({ fact }) => fact.name);
      expect(names).toEqual(hasNear ? [near.key] : []);
    }
    expect(shown[0]).toBe(shown[1]);
  });
});
