import type { ElicitResult } from "@modelcontextprotocol/client";
import { assert, asyncProperty, constantFrom, oneof, record, array as sequence } from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleCommunity } from "../../sandbox/index.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { type Grant, SCOPES } from "../../src/policy/grant.ts";
import { until } from "../support/edge.ts";
import { openTestMemory } from "../support/memory.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { arrive, codeOf, textOf, WAYS } from "./arrive.ts";
import type { TestClient } from "./clients.ts";
import { openFullMcp } from "./open-mcp.ts";

const YES: ElicitResult = { action: "accept", content: { confirm: true } };
const NO: ElicitResult = { action: "decline" };
const STILL_KNOWS = "the program still knows what it read before";
const NEWEST = "2026-07-28 over HTTP";

interface Options {
  readonly way?: string;
  readonly trustsHost?: boolean;
  readonly grant?: Partial<Grant>;
  readonly openMemory?: typeof openTestMemory;
}

/** Mei may read the staff room, which not everyone in #general may. */
async function prepare({ way = NEWEST, trustsHost = true, grant = {}, ...more }: Options = {}) {
  const all = await arrive({ trustsHost: () => trustsHost, rules: { memory: { people: "shared" } }, ...more });
  all.sandbox.as("mei").say("staff-room", "the berth is haunted");
  all.sandbox.as("mark").say("general", "the berth opens on monday");
  const mei = all.sandbox.as("mei").id as UserId;
  const shown: string[] = [];
  const answers: ElicitResult[] = [];
  const person = (message: string) => {
    shown.push(message);
    return answers.shift() ?? YES;
  };
  const client = await WAYS[way]?.(all.address("mei", { token: all.token("mei-host", grant) }), person);
  if (!client) throw new Error(`there is no way ${way}`);
  return {
    ...all,
    mei,
    shown,
    answers,
    client,
    read: (channel: string) => client.call("discord_channel_messages", { channel_id: all.id(channel) }),
    post: (text: string, channel = "general") => client.call("discord_send", { channel_id: all.id(channel), text }),
    startOver: () => startOverIn(client),
    /** What waits for Mei, decided in Discord. */
    async confirm() {
      const [one] = all.gate.confirmations.pending(mei, { inPerson: true });
      const way = one?.action.kind === "remember" ? ("as_shown" as const) : undefined;
      if (one) await all.gate.confirm(one.id, mei, { inPerson: true, ...(way && { way }) });
      return one?.action.kind;
    },
  };
}

/** What the host is given, or the error. */
async function startOverIn({ client }: TestClient): Promise<string> {
  try {
    const { messages } = await client.getPrompt({ name: "start_over" });
    return messages.map(({ content }) => (content.type === "text" ? content.text : "")).join("\n");
  } catch (error) {
    return String(error);
  }
}

describe.each(Object.keys(WAYS))("a session over MCP %s", (way) => {
  it("posts again where not everyone may know what it read, once its person has started over and confirmed the post", async () => {
    const { read, post, startOver, shown, said } = await prepare({ way });
    await read("staff-room");
    const refused = await post("it opens on monday");
    expect([codeOf(refused), said("general")]).toEqual(["forbidden", []]);
    expect(textOf(refused)).toContain("#staff-room");
    expect(textOf(refused)).toContain("`start_over`");
    expect(shown).toEqual([]);

    expect(await startOver()).toContain("I have started over");
    expect(shown).toHaveLength(1);
    expect(shown[0]).toContain("#staff-room");
    expect(shown[0]).toContain("still knows what it read");

    for (const text of ["it opens on monday", "good night"]) {
      expect((await post(text)).isError).toBeFalsy();
      expect(shown.at(-1)).toContain(STILL_KNOWS);
      expect(shown.at(-1)).toContain(`│ ${text}`);
    }
    expect(shown).toHaveLength(3);
    expect(said("general")).toEqual(["it opens on monday", "good night"]);
  });
});

describe("starting over", () => {
  it("changes nothing when the person declines, and they can be asked again", async () => {
    const { read, post, startOver, answers, said } = await prepare();
    await read("staff-room");
    answers.push(NO);
    expect(await startOver()).toContain("declined");
    expect(codeOf(await post("hello"))).toBe("forbidden");
    expect(await startOver()).toContain("I have started over");
    await post("hello");
    expect(said("general")).toEqual(["hello"]);
  });

  it("waits for the person in Discord where the host is not trusted to ask them", async () => {
    const { read, post, startOver, confirm, shown, said } = await prepare({ trustsHost: false });
    await read("staff-room");
    expect(await startOver()).toContain("has to confirm this first");
    expect(codeOf(await post("hello"))).toBe("forbidden");
    expect(await confirm()).toBe("start_over");
    expect(codeOf(await post("hello"))).toBe("confirmation_needed");
    expect(said("general")).toEqual([]);
    expect(await confirm()).toBe("send");
    expect([said("general"), shown]).toEqual([["hello"], []]);
  });

  it("frees only what had been read when the person was asked", async () => {
    const { read, post, startOver, confirm } = await prepare({ trustsHost: false });
    await read("general");
    await startOver();
    await read("staff-room");
    expect(await confirm()).toBe("start_over");
    expect(codeOf(await post("hello"))).toBe("forbidden");
  });

  it("does not free what is read afterwards", async () => {
    const { read, post, startOver, said } = await prepare();
    await read("staff-room");
    await startOver();
    await read("staff-room");
    expect(codeOf(await post("hello"))).toBe("forbidden");
    expect(said("general")).toEqual([]);
  });

  it("frees nothing that leaves without a confirmation: to the person themselves, everything read still counts", async () => {
    const { sandbox, edge, mei, client, read, startOver, said, id } = await prepare();
    await read("staff-room");
    await startOver();
    const dm = await edge.discord.openDm(mei);
    const post = (text: string) => client.call("discord_send", { channel_id: dm, text });
    expect((await post("haunted")).isError).toBeFalsy();
    sandbox.admin.setRoles("mei", []);
    await until(() => !edge.discord.directory.canRead(mei, id("staff-room") as never), "Mei can still read it");
    expect(codeOf(await post("very haunted"))).toBe("forbidden");
    expect(said(dm)).toEqual(["haunted"]);
  });

  it("leaves everything that was read in what a proposed fact rests on", async () => {
    const { read, startOver, client, gate, mei } = await prepare({ trustsHost: false, openMemory: openTestMemory });
    await read("staff-room");
    await startOver();
    const [one] = gate.confirmations.pending(mei, { inPerson: true });
    await gate.confirm(one?.id ?? "", mei, { inPerson: true });
    await client.call("memory_write_remember_fact", { key: "berth", value: "haunted" });
    const [fact] = gate.confirmations.pending(mei, { inPerson: true });
    expect(fact?.action.kind).toBe("remember");
    expect(JSON.stringify(fact?.action)).toContain("discord_message");
  });

  it("also helps once something that was read has been deleted", async () => {
    const { sandbox, edge, read, post, startOver, said } = await prepare();
    const message = sandbox.as("mark").say("general", "never mind");
    await read("general");
    sandbox.as("mark").delete(message);
    await edge.find("message_delete", ({ messageIds }) => messageIds.includes(message.id as never));
    expect(textOf(await post("hello"))).toContain("deleted");
    expect(await startOver()).toContain("I have started over");
    await post("hello");
    expect(said("general")).toEqual(["hello"]);
  });

  it("names the servers in the way, in the refusal and in the question", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false, community: sampleCommunity() });
    const mcp = await openFullMcp(sandbox);
    const shown: string[] = [];
    const { as, community } = sandbox;
    const client = await WAYS[NEWEST]?.({ url: mcp.url, token: mcp.token(), actor: as("sarah").id }, (message) => {
      shown.push(message);
      return YES;
    });
    if (!client) throw new Error("there is no client");
    await client.call("directory_people", { guild: "Ferry Museum" });
    const post = () => client.call("discord_send", { channel_id: community.channels.get("general"), text: "hello" });
    const refused = await post();
    expect([codeOf(refused), shown]).toEqual(["forbidden", []]);
    expect(textOf(refused)).toContain('the server "Ferry Museum"');
    expect(await startOverIn(client)).toContain("I have started over");
    expect(shown.at(-1)).toContain('the server "Ferry Museum"');
    expect((await post()).isError).toBeFalsy();
  });

  it("says that something remembered is in the way", async () => {
    const { client, post, confirm, shown } = await prepare({
      openMemory: openTestMemory,
      trustsHost: false,
      grant: { scopes: [...SCOPES] },
    });
    await client.call("memory_write_remember_fact", { key: "berth", value: "seven" });
    expect(await confirm()).toBe("remember");
    expect(textOf(await client.call("memory_read_get_user_facts", {}))).toContain("seven");
    const refused = await post("hello");
    expect([codeOf(refused), shown]).toEqual(["forbidden", []]);
    expect(textOf(refused)).toContain("(something that is remembered); answer in a more private place. To say");
  });

  it("is refused to a confined client, with the reason, and not proposed to it", async () => {
    const { read, startOver, post, shown } = await prepare({ grant: { confined: true, events: "none" } });
    await read("staff-room");
    expect(textOf(await post("hello"))).not.toContain("start_over");
    expect(await startOver()).toContain("`confined`");
    expect([codeOf(await post("hello")), shown]).toEqual(["forbidden", []]);
  });

  it("is offered three times an hour, over all sessions of a person and client", async () => {
    const { address, token, startOver, read } = await prepare();
    for (let count = 1; count <= 3; count += 1) expect(await startOver()).toContain("I have started over");
    await read("staff-room");
    expect(await startOver()).toContain("3 times an hour");
    const other = await WAYS["2025-11-25 over HTTP"]?.(address("mei", { token: token("mei-host") }), () => YES);
    expect(other && (await startOverIn(other))).toContain("3 times an hour");
    const sarah = await WAYS["2025-11-25 over HTTP"]?.(address("sarah", { token: token("mei-host") }), () => YES);
    expect(sarah && (await startOverIn(sarah))).toContain("I have started over");
  });

  it("is told in previews of every session of that person and client", async () => {
    const { address, token, startOver, read, id } = await prepare();
    const shown: string[] = [];
    const postIn = async (actor: string, name: string) => {
      const host = await WAYS["2025-11-25 over HTTP"]?.(address(actor, { token: token(name) }), (message) => {
        shown.push(message);
        return YES;
      });
      await host?.call("discord_send", { channel_id: id("general"), text: "hello" });
      return shown.at(-1)?.includes(STILL_KNOWS);
    };
    expect(await postIn("mei", "mei-host")).toBe(false);
    await read("staff-room");
    await startOver();
    expect(await postIn("mei", "mei-host")).toBe(true);
    expect([await postIn("sarah", "mei-host"), await postIn("mei", "other-host")]).toEqual([false, false]);
    expect(shown).toHaveLength(4);
  });

  it("is in the audit as an act of the person, with the places", async () => {
    const { read, startOver, audited, id, mei } = await prepare();
    await read("staff-room");
    await startOver();
    const confirmation = audited.find((entry) => entry.kind === "confirmation")?.row;
    expect(confirmation).toMatchObject({ actor_id: mei, destination: "session" });
    const events = audited.flatMap((entry) => (entry.kind === "event" ? [entry.row] : []));
    const started = events.find(({ name }) => name === "started_over");
    expect(JSON.parse(started?.detail_json ?? "{}")).toMatchObject({ actor_id: mei, channel_ids: [id("staff-room")] });
    expect(events.findIndex(({ name }) => name === "confirmed")).toBeLessThan(
      events.findIndex(({ name }) => name === "started_over"),
    );
  });
});

const step = oneof(
  record({ kind: constantFrom("read" as const), channel: constantFrom("staff-room", "general") }),
  record({ kind: constantFrom("post" as const), answer: constantFrom(YES, NO) }),
  record({ kind: constantFrom("start_over" as const), answer: constantFrom(YES, NO) }),
);

describe("whatever a session reads and its person decides", () => {
  it("nothing is posted but what they confirmed to the byte, and nothing while the staff room was read since they last started over", async () => {
    await assert(
      asyncProperty(sequence(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        const { read, post, startOver, shown, answers, said } = await prepare();
        let isBarred = false;
        let started = 0;
        const expected: string[] = [];
        for (const [index, one] of steps.entries()) {
          if (one.kind === "read") {
            await read(one.channel);
            isBarred ||= one.channel === "staff-room";
            continue;
          }
          const before = shown.length;
          answers.splice(0, answers.length, one.answer);
          if (one.kind === "start_over") {
            await startOver();
            started += 1;
            if (one.answer === YES && started <= 3) isBarred = false;
            continue;
          }
          await post(`post ${index}`);
          expect(shown.length - before).toBe(isBarred ? 0 : 1);
          if (isBarred) continue;
          expect(shown.at(-1)).toContain(`│ post ${index}`);
          if (one.answer === YES) expected.push(`post ${index}`);
        }
        expect(said("general")).toEqual(expected);
      }),
      { numRuns: 5 },
    );
  });
});
