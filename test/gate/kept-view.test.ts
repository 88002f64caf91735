import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { GuildId } from "../../src/domain/ids.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { tools } from "../../src/tools/index.ts";
import type { View } from "../../src/tools/view.ts";
import { openWorld } from "../support/gate.ts";
import { openTestMemory } from "../support/memory.ts";

type Run = (view: View) => Promise<void>;

/** A world with a tool that does what a test says. */
async function arrive() {
  let current: Run = async () => {};
  const probe = defineTool({
    name: "probe",
    about: "Uses its view.",
    effect: "send",
    scope: "discord:send",
    toolset: "discord",
    input: z.strictObject({}),
    output: z.object({}),
    async run(_, view) {
      await current(view);
      return {};
    },
  });
  const world = await openWorld({ tools: [...tools, probe], openMemory: openTestMemory });
  const operation = await world.open("sarah", "general");
  const call = (run: Run, signal?: AbortSignal) => {
    current = run;
    return world.within(operation).calls("probe", {}, signal);
  };
  return { ...world, call };
}

type Members = Readonly<Record<string, unknown>>;

const namesOf = (part: object): string[] => {
  const prototype: object = Object.getPrototypeOf(part);
  const inherited = prototype === Object.prototype ? [] : Object.getOwnPropertyNames(prototype);
  return [...Object.keys(part), ...inherited].filter((name) => name !== "constructor");
};

/** Each part of a view, and what else a tool gets from one that can read, with its members as they are during the call. */
async function keepAll(view: View) {
  const parts = namesOf(view).map((name) => [name, (view as unknown as Members)[name]] as const);
  const opened = [
    ["channel", await view.channels.named("general")],
    ["names", view.page.names(view.request.guildId as GuildId)],
  ] as const;
  return [...parts, ...opened].flatMap(([name, part]) => {
    const members = part as Members;
    return namesOf(members).map((member) => ({
      name: `${name}.${member}`,
      read: () => members[member],
      kept: members[member],
    }));
  });
}

type Kept = Awaited<ReturnType<typeof keepAll>>;

const codeOf = async (use: () => unknown): Promise<unknown> => {
  try {
    return ["answered", await use()];
  } catch (error) {
    return (error as { code?: string }).code ?? error;
  }
};

/** The members that still answer, or fail with anything else than `cancelled`. */
async function listUsable(all: Kept): Promise<unknown[]> {
  const usable: unknown[] = [];
  for (const { name, read, kept } of all) {
    const uses = [read, ...(typeof kept === "function" ? [() => kept()] : [])];
    for (const use of uses) {
      const code = await codeOf(use);
      if (code !== "cancelled") usable.push([name, code]);
    }
  }
  return usable;
}

describe("the view of a tool", () => {
  it("refuses with every member of every part once the call is answered", async () => {
    const { call } = await arrive();
    let all: Kept = [];
    await call(async (view) => {
      all = await keepAll(view);
    });
    const names = all.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["effects.send", "facts.about", "channel.recent", "names.user", "page.now"]),
    );
    expect(await listUsable(all)).toEqual([]);
  });

  it("refuses with every member of every part once the call has failed", async () => {
    const { call } = await arrive();
    let all: Kept = [];
    const failing = call(async (view) => {
      all = await keepAll(view);
      throw new Error("a fault of the tool");
    });
    await expect(failing).rejects.toThrow("a fault of the tool");
    expect(await listUsable(all)).toEqual([]);
  });

  it("refuses with every member of every part as soon as the call is cancelled", async () => {
    const { call } = await arrive();
    const cancelling = new AbortController();
    let usable: unknown[] = ["not looked at"];
    await call(async (view) => {
      const all = await keepAll(view);
      cancelling.abort();
      usable = await listUsable(all);
    }, cancelling.signal);
    expect(usable).toEqual([]);
  });

  it("sends and proposes nothing that the tool did not wait for", async () => {
    const { sandbox, id, asked, said, call } = await arrive();
    const { id: messageId } = sandbox.as("mark").say("general", "the crane is new");
    const channelId = id("general");
    const started: Promise<unknown>[] = [];
    await call(async ({ channels, effects, proposals }) => {
      const [own] = await effects.send({ channelId, text: "mine", mentions: [] });
      const at = { channelId, messageId: own?.message_id as never };
      await (await channels.named("general")).recent({ limit: 10 });
      started.push(
        effects.send({ channelId, text: "late", mentions: [] }),
        effects.send({ channelId: id("news"), text: "late", mentions: [] }),
        effects.react(channelId, messageId as never, "👍"),
        effects.edit(at, "late"),
        effects.delete(at),
        effects.startThread({ channelId, name: "late", text: "late", tags: [] }),
        effects.showTyping(channelId),
        proposals.remember({ about: "user", key: "berth", value: "C 12", visibility: "private" }),
        proposals.forget({ key: "berth", about: "user" }),
      );
    });
    expect(await listCodes(started)).toEqual(started.map(() => "cancelled"));
    expect([said("general"), said("news"), asked]).toEqual([["mine"], [], []]);
    const { channels } = sandbox.world;
    expect([...channels.values()].filter(({ name }) => name === "late")).toEqual([]);
    expect(channels.get(channelId)?.messages.get(messageId)?.more?.reactions).toBeUndefined();
  });

  it("returns nothing that the tool did not wait for", async () => {
    const { sandbox, person, call } = await arrive();
    sandbox.as("mark").say("general", "the crane is new");
    const started: Promise<unknown>[] = [];
    await call(async ({ channels, facts, messages, people }) => {
      const general = await channels.named("general");
      started.push(
        general.recent({ limit: 10 }),
        general.search("crane", { limit: 10 }),
        channels.named("news"),
        channels.directMessages(person("sarah")),
        channels.list(undefined),
        messages.search({ query: "crane", includeBots: false, limit: 10, scan: 100 }),
        people.list({ limit: 10 }),
        facts.about(undefined, undefined),
      );
    });
    expect(await listCodes(started)).toEqual(started.map(() => "cancelled"));
  });
});

async function listCodes(started: readonly Promise<unknown>[]): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(started);
  return outcomes.map((one) => (one.status === "rejected" ? one.reason.code : one.value));
}
