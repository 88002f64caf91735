import { describe, expect, it } from "vitest";
import type { Message } from "../../src/domain/message.ts";
import { ClientEvents } from "../../src/policy/client-events.ts";
import { ConfinedLabels } from "../../src/policy/confined-labels.ts";
import { type Grant, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { Lookups } from "../../src/policy/lookups.ts";
import { createOperations } from "../../src/policy/operations.ts";
import type { DiscordEvent } from "../../src/ports/discord.ts";
import { createTestConsent } from "../support/consent.ts";
import { openTestEdge } from "../support/edge.ts";
import { toRules } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function arrive() {
  const sandbox = await openTestSandbox();
  const edge = await openTestEdge(sandbox);
  let now = Date.now();
  let minted = 0;
  const clock = { now: () => now };
  const { directory } = edge.discord;
  const rules = toRules();
  const mintId = () => `op-${++minted}`;
  const audit = { note: () => {} };
  const confined = new ConfinedLabels({ keptMs: 3_600_000 }, clock);
  const operations = createOperations({
    directory,
    rules,
    audit,
    clock,
    confined,
    lookups: new Lookups(clock),
    mintId,
    message: async () => undefined,
    openDm: async () => "1" as never,
  });
  const clientEvents = new ClientEvents({
    directory,
    operations,
    rules,
    consent: createTestConsent(),
    confined,
    clock,
  });
  const client = (grant: Partial<Grant> = {}, name = "brain") => ({
    name,
    grant: { ...OPERATOR_GRANT, events: "addressed" as const, ...grant },
  });
  const hear = (event: DiscordEvent, grant: Partial<Grant> = {}) => clientEvents.toClientEvent(event, client(grant));
  const pass = (ms: number) => {
    now += ms;
  };
  return { sandbox, edge, operations, client, hear, pass };
}

describe("the events pushed to a client", () => {
  it("are those that address the agent, each with an operation: a mention, a reply to it, a direct message", async () => {
    const { sandbox, edge, operations, client, hear } = await arrive();
    const sarah = sandbox.as("sarah");
    const own = sandbox.as("earshot").say("general", "I am here");
    const addressed = [
      sarah.say("general", `<@${edge.discord.botId}> hello`),
      sarah.reply(own, "hello"),
      sarah.dm("hello"),
    ];
    const other = sarah.say("general", "hello all");
    await edge.find("message", ({ message }) => message.message_id === other.id);
    for (const event of edge.of("message")) {
      const told = hear(event);
      if (!addressed.some(({ id }) => id === event.message.message_id)) {
        expect(told).toBeNull();
        continue;
      }
      // Whose message it answers is for those who can read that one.
      const { reply_to } = event.message;
      const payload = { ...event.message, reply_to: reply_to && { message_id: own.id, state: "known" } };
      expect(told).toMatchObject({ name: "discord.message", payload });
      expect(JSON.stringify(told)).not.toContain("to_bot");
      const operation = operations.find(told?.operation_id ?? "", client());
      expect(operation).toMatchObject({
        actor: sarah.id,
        destination: { kind: "channel", channelId: event.message.channel_id },
        origin: { messageId: event.message.message_id },
      });
    }
  });

  it("are all events only for a client with that grant", async () => {
    const { sandbox, edge, hear } = await arrive();
    const message = sandbox.as("sarah").say("general", "hello all");
    sandbox.as("sarah").react(message, "👍");
    sandbox.as("sarah").delete(message);
    await edge.find("message_delete");
    const heard = (grant: Partial<Grant>) => edge.events.flatMap((event) => hear(event, grant)?.name ?? []);
    const all = heard({ events: "all" });
    for (const name of ["discord.message", "discord.reaction", "discord.message_delete"]) expect(all).toContain(name);
    expect(heard({ events: "addressed" })).toEqual(["discord.connection"]);
    expect(heard({ events: "none" })).toEqual([]);
    expect(heard({ events: "all", guilds: [] })).toEqual(["discord.connection"]);
  });

  it("are limited to the guilds, channels and conversations of its grant", async () => {
    const { sandbox, edge, hear } = await arrive();
    const mention = `<@${edge.discord.botId}>`;
    sandbox.as("sarah").say("general", mention);
    sandbox.as("sarah").dm("psst");
    await edge.find("message", ({ message }) => message.guild_id === null);
    const heard = (grant: Partial<Grant>) =>
      edge.of("message").flatMap((event) => (hear(event, grant)?.payload as Message | undefined)?.content ?? []);
    expect(heard({})).toEqual([mention, "psst"]);
    expect(heard({ directMessages: false })).toEqual([mention]);
    expect(heard({ channels: [sandbox.community.channels.get("news") as never] })).toEqual(["psst"]);
  });

  it("include edits and deletions of a message that addressed the agent", async () => {
    const { sandbox, edge, hear } = await arrive();
    const sarah = sandbox.as("sarah");
    const asked = sarah.say("general", `<@${edge.discord.botId}> hello`);
    const other = sarah.say("general", "unrelated");
    hear(await edge.find("message", ({ addressed }) => addressed));
    for (const message of [asked, other]) {
      sarah.edit(message, "changed");
      sarah.delete(message);
    }
    await edge.find("message_delete", ({ messageIds }) => messageIds.includes(other.id as never));
    const later = edge.events.filter(({ type }) => type === "message_update" || type === "message_delete");
    expect(later).toHaveLength(4);
    expect(later.flatMap((event) => hear(event)?.name ?? [])).toEqual([
      "discord.message_update",
      "discord.message_delete",
    ]);
  });
});

describe("the events withheld from a client", () => {
  it("include the other messages of a bulk deletion", async () => {
    const { sandbox, edge, hear } = await arrive();
    const sarah = sandbox.as("sarah");
    const asked = sarah.say("general", `<@${edge.discord.botId}> hello`);
    const other = sarah.say("general", "unrelated");
    hear(await edge.find("message", ({ addressed }) => addressed));
    sandbox.admin.bulkDelete([asked, other]);
    const event = await edge.find("message_delete");
    expect(event.messageIds).toHaveLength(2);
    expect(hear(event)).toEqual({
      name: "discord.message_delete",
      payload: { channel_id: asked.channelId, message_ids: [asked.id] },
    });
  });

  it("include changes of channels outside its grant", async () => {
    const { sandbox, edge, hear } = await arrive();
    const general = sandbox.community.channels.get("general") as never;
    sandbox.admin.setOverwrite("help", "person:earshot", { deny: ["ViewChannel"] });
    sandbox.admin.deleteChannel("news");
    await edge.find("channel_deleted");
    const heard = (grant: Partial<Grant>) =>
      edge.events.flatMap((event) => hear(event, { events: "all", ...grant })?.name ?? []);
    expect(heard({})).toEqual(expect.arrayContaining(["discord.access_lost", "discord.channel_deleted"]));
    expect(heard({ channels: [general] }).filter((name) => /lost|deleted|channel/.test(name))).toEqual([]);
  });
});

describe("operations", () => {
  it("belong to the client that received them, and expire", async () => {
    const { sandbox, operations, client, pass } = await arrive();
    const request = {
      actor: sandbox.community.people.get("sarah") as never,
      channelId: sandbox.community.channels.get("general") as never,
    };
    const operation = await operations.open(client(), request);
    expect(operations.find(operation.id, client())).toBe(operation);
    expect(() => operations.find(operation.id, client({}, "other"))).toThrow("no such operation");
    expect(() => operations.find("op-99", client())).toThrow("no such operation");
    pass(16 * 60_000);
    expect(() => operations.find(operation.id, client())).toThrow("expired");
  });

  it("are opened only for people in the grant, in channels that these can view", async () => {
    const { sandbox, operations, client } = await arrive();
    const [sarah, mark] = ["sarah", "mark"].map((key) => sandbox.community.people.get(key) as never);
    const [general, staffRoom] = ["general", "staff-room"].map((key) => sandbox.community.channels.get(key) as never);
    const open = (actor: never, channelId: never, grant: Partial<Grant> = {}) =>
      operations.open(client(grant), { actor, channelId });
    await expect(open(sarah as never, general as never, { actors: [mark as never] })).rejects.toMatchObject({
      code: "forbidden",
    });
    await expect(open(sarah as never, staffRoom as never)).rejects.toMatchObject({ code: "not_found" });
    await expect(open(sarah as never, "5" as never)).rejects.toMatchObject({ code: "not_found" });
    await expect(open("5" as never, general as never)).rejects.toMatchObject({ code: "not_found" });
  });
});
