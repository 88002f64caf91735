import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { canary } from "../support/random-community.ts";
import { ADA, BO, CEM, PLACE } from "../support/small-world.ts";
import { openWithMemory } from "../support/with-memory.ts";

const SCOPES = ["context:read_channel_recent", "memory:read_self", "memory:read_project", "discord:send"];

interface Turn {
  readonly kind: string;
  readonly text: string;
  readonly tokens: number;
}

async function openWindows() {
  const system = await openWithMemory();
  const ask = async (actor: string, place: string, text: string, { scopes = SCOPES, args = {} } = {}) => {
    const { id } = system.say(place, actor, text);
    const operation = await system.open(actor, place, { scopes } as never, { messageId: id as never });
    const outcome = await system.call(operation, "context.window", args, true);
    if (!outcome.ok) throw new Error(outcome.message);
    const turns = outcome.value["turns"] as Turn[];
    const facts = outcome.value["facts"] as { key: string; value: unknown }[];
    return {
      operation,
      facts: facts.map(({ key, value }) => `${key}=${value}`),
      turn: turns.find(({ kind }) => kind === "facts"),
    };
  };
  return { ...system, ask };
}

describe("the context window", () => {
  it("carries what is remembered for everyone there and fits the request, with who says it", async () => {
    const { ask, remember } = await openWindows();
    await remember(ADA, ["boat", "the ketch is called Heron"], "org");
    await remember(ADA, ["city", "Berlin"], "org");
    const { facts, turn } = await ask(CEM, PLACE.general, "what is the heron?");
    expect(facts).toEqual(["boat=the ketch is called Heron"]);
    expect(turn?.text).toMatch(
      /^⟦untrusted [\w-]+ · remembered facts⟧\n- boat \(since [\d-]+\): nick3001 says: the ketch is called Heron\n⟦end/,
    );
  });

  it("never carries a private fact, not even to its owner alone", async () => {
    const { ask, remember } = await openWindows();
    await remember(ADA, ["boat", "the ketch is called Heron"]);
    expect((await ask(ADA, PLACE.general, "what is the heron?")).turn).toBeUndefined();
    expect((await ask(ADA, PLACE.letters, "what is the heron?")).turn).toBeUndefined();
  });

  it("carries nothing that not everyone there may hear", async () => {
    const { ask, remember } = await openWindows();
    await remember(ADA, ["boat", "the ketch is called Heron"], "project", { channelId: PLACE.staff });
    expect((await ask(BO, PLACE.general, "what is the heron?")).turn).toBeUndefined();
    expect((await ask(BO, PLACE.staff, "what is the heron?")).facts).toEqual(["boat=the ketch is called Heron"]);
  });

  it("carries none where the person asks for an isolated answer, or the client has no scope for facts", async () => {
    const { ask, remember } = await openWindows();
    await remember(ADA, ["boat", "the ketch is called Heron"], "org");
    expect((await ask(CEM, PLACE.general, "🚫 what is the heron?")).turn).toBeUndefined();
    const scopes = ["context:read_channel_recent"];
    expect((await ask(CEM, PLACE.general, "what is the heron?", { scopes })).turn).toBeUndefined();
  });

  it("carries at most twelve facts and 400 tokens of them", async () => {
    const { ask, remember } = await openWindows();
    for (let index = 0; index < 20; index += 1) await remember(ADA, [`heron ${index}`, "a heron"], "org");
    const short = await ask(CEM, PLACE.general, "heron?", { args: { max_tokens: 8_000 } });
    expect(short.facts).toHaveLength(12);
    for (let index = 0; index < 20; index += 1) await remember(BO, [`heron ${index}`, "heron ".repeat(100)], "org");
    const long = await ask(CEM, PLACE.general, "heron heron heron", { args: { max_tokens: 8_000 } });
    expect(long.turn?.tokens ?? 0).toBeLessThanOrEqual(400);
    expect(long.facts.length).toBeGreaterThan(0);
  });

  it("is not answered from once a fact in it was forgotten", async () => {
    const { ask, remember, own, call, departures } = await openWindows();
    const { id } = await remember(ADA, ["boat", "the ketch is called Heron"], "org");
    const { operation } = await ask(CEM, PLACE.general, "what is the heron?");
    await own.forget(ADA as UserId, id);
    const sent = await call(operation, "discord.send", { channel_id: PLACE.general, text: "a ketch" });
    expect([sent.ok, departures]).toEqual([false, []]);
  });

  it("depends on facts alone that have a word in common with the request", async () => {
    const { ask, remember, own, call } = await openWindows();
    await remember(ADA, ["boat", "the ketch is called Heron"], "org");
    const { id } = await remember(ADA, ["city", "Berlin"], "org");
    const { operation } = await ask(CEM, PLACE.general, "what is the heron?");
    await own.forget(ADA as UserId, id);
    expect(await call(operation, "discord.send", { channel_id: PLACE.general, text: "a ketch" })).toMatchObject({
      ok: true,
    });
  });
});

describe("mentions in a fact", () => {
  it("get names only where those who read the answer may know them", async () => {
    const { remember, open, call } = await openWithMemory();
    await remember(ADA, ["where", `<#${PLACE.staff}> and <#${PLACE.general}>`], "org");
    const read = async (actor: string, place: string) => {
      const operation = await open(actor, place, { scopes: SCOPES } as never);
      const outcome = await call(operation, "memory_read.get_user_facts", { user: ADA });
      return outcome.ok ? (outcome.value["facts"] as { text: string }[])[0]?.text : outcome.message;
    };
    expect(await read(BO, PLACE.general)).toBe(`<#${PLACE.staff}> and #${canary.name(PLACE.general)}`);
    expect(await read(BO, PLACE.staff)).toBe(`#${canary.name(PLACE.staff)} and #${canary.name(PLACE.general)}`);
  });
});
