import { describe, expect, it } from "vitest";
import type { MessageRecord } from "../../sandbox/world/records.ts";
import type { MessageId, UserId } from "../../src/domain/ids.ts";
import { SCOPES } from "../../src/policy/grant.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { AgentCommand } from "../../src/transports/discord/agent-command.ts";
import { until } from "../support/edge.ts";
import { openTestMemory } from "../support/memory.ts";
import { buttonId, buttonsOf, openHarbour } from "./open-harbour.ts";

const REMEMBER = "memory_write.remember_fact";
const log = { debug() {}, info() {}, warn() {}, error() {} };

/** Mei reads the staff's room; Sarah does not. */
async function arrive() {
  const harbour = await openHarbour({ openMemory: openTestMemory } as never);
  const { sandbox, edge, gate, open, id } = harbour;
  sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
  const { botId } = edge.discord;
  const within = (operation: Operation) => (name: string, args: object) =>
    gate.callTool({ name, args, operation }).then(
      () => "done",
      ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
    );
  const byBot = () =>
    [...sandbox.world.channels.values()].flatMap((channel) =>
      [...channel.messages].filter(({ authorId }) => authorId === botId).map((message) => ({ channel, message })),
    );
  const promptsIn = (channel: string) => byBot().filter(({ message }) => message.channelId === id(channel));
  const promptsTo = (person: string) => {
    const dm = sandbox.as(person).dm("here?").channelId;
    return byBot().flatMap(({ message }) => (message.channelId === dm ? [message] : []));
  };
  const remember = (key: string) => ({ key, value: `the ${key}` });
  /** Discards what waits in a message, and whatever else waits there. */
  const discard = async (message: MessageRecord) => {
    const { last } = await harbour.review(message);
    harbour.sarah.click(last, buttonId(last, "Discard"));
    await until(() => message.content === "Reviewed.", "the button stayed");
  };
  /** What somebody is shown by `/agent` alone. */
  const waitsFor = async (person: string) => {
    const agent = new AgentCommand({ ...harbour, agent: {} as never, discord: edge.discord, log });
    await agent.offered;
    const note = await sandbox.as(person).run("agent", {}, { in: "general" }).spoken;
    await agent.close();
    return note;
  };
  return { ...harbour, within, promptsIn, promptsTo, remember, discard, waitsFor, open };
}

describe("a prompt for a review", () => {
  it("is no way out of a confined client's label: who may not know it is not asked, who may is asked in private", async () => {
    const { sandbox, within, promptsIn, promptsTo, remember, waitsFor, open, settle, id, saidByBot } = await arrive();
    const confined = { confined: true, scopes: [...SCOPES] };
    sandbox.as("mei").say("staff-room", "the code is 1011");
    await settle();
    const greeting = await open("sarah", "general", confined);
    await within(greeting)("discord.send", { channel_id: id("pier"), text: "hello" });
    const [hello] = saidByBot("pier");
    const staff = within(await open("mei", "staff-room", confined));
    expect(await staff("discord.channel.messages", { channel_id: id("staff-room") })).toBe("done");
    const [mei, sarah] = await Promise.all(
      ["mei", "sarah"].map(async (who) => within(await open(who, "general", confined))),
    );
    // Nobody is told anything by a deletion, but that it is asked for would tell Sarah something.
    const deletion = { channel: id("pier"), message_id: hello?.id };
    expect(await sarah?.("discord.delete", deletion)).toMatch(/^confirmation_needed: .*could not be asked/);
    expect(await mei?.(REMEMBER, remember("boat"))).toMatch(/^confirmation_needed: .*by direct message/);
    expect(promptsIn("general")).toEqual([]);
    expect(promptsTo("sarah")).toEqual([]);
    expect(promptsTo("mei").map(buttonsOf)).toMatchObject([[{ label: "Review" }]]);
    expect((await waitsFor("sarah")).content).toMatch(/^Nothing waits/);
    expect((await waitsFor("mei")).content).toBe("1 action waits for your review.");
  });

  it("goes to the person alone when somebody came to see the channel before it left", async () => {
    const { sandbox, open, within, edge, settle, promptsIn, promptsTo, remember, id } = await arrive();
    for (const who of ["person:mark", "person:olga"])
      for (const channel of ["general", "pier"]) sandbox.admin.setOverwrite(channel, who, { deny: ["ViewChannel"] });
    sandbox.as("mei").say("pier", "a seal");
    await settle();
    const call = within(await open("sarah", "general", { scopes: [...SCOPES] }));
    expect(await call("discord.channel.messages", { channel_id: id("pier") })).toBe("done");
    sandbox.faults.stormRest({ match: `POST /channels/${id("general")}/messages`, times: 1, retryAfter: 0.3 });
    const asked = call(REMEMBER, remember("boat"));
    await until(() => edge.discord.stats().rateLimitWaits > 0, "the prompt did not wait");
    sandbox.admin.removeOverwrite("general", "person:mark");
    expect(await asked).toContain("by direct message");
    expect(promptsIn("general")).toEqual([]);
    expect(promptsTo("sarah")).toHaveLength(1);
  });

  it("serves everything that waits for the person there, and stays until all of it is decided", async () => {
    const { ask, id, sarah, saidByBot, said } = await arrive();
    const { act } = await ask();
    for (const text of ["High water", "Low water"])
      await expect(act("discord.send", { channel_id: id("pier"), text })).rejects.toThrow("where the request was made");
    const [message, ...more] = saidByBot("general") as [MessageRecord, ...MessageRecord[]];
    expect(more).toEqual([]);
    const click = sarah.click(message, buttonId(message, "Review"));
    const shown = () => [...click.ephemeral.values()].filter((note) => buttonsOf(note).length > 0);
    await until(() => shown().length === 2, "not both were shown");
    const [first, second] = shown() as [MessageRecord, MessageRecord];
    expect([first.content, second.content].map((text) => /(High|Low) water/.exec(text)?.[0])).toEqual([
      "High water",
      "Low water",
    ]);
    sarah.click(first, buttonId(first, "Discard"));
    await until(() => first.content.startsWith("Discarded"), "no outcome was told");
    expect(buttonsOf(message)).toHaveLength(1);
    // The button names the one that was decided; the other still waits behind it.
    const again = sarah.click(message, buttonId(message, "Review"));
    await until(() => [...again.ephemeral.values()].some(({ content }) => content.includes("Low water")), "not shown");
    sarah.click(second, buttonId(second, "Send"));
    await until(() => message.content === "Reviewed.", "the button stayed");
    const sent = await until(() => said("pier")[0], "nothing was sent");
    expect(sent.content).toBe("Low water");
  });

  it("is posted again for what follows when somebody has deleted it", async () => {
    const { sandbox, ask, id, saidByBot, settle } = await arrive();
    const { act } = await ask();
    await expect(act("discord.send", { channel_id: id("pier"), text: "High water" })).rejects.toThrow();
    for (const message of saidByBot("general")) sandbox.as("mei").delete(message);
    await settle();
    await expect(act("discord.send", { channel_id: id("pier"), text: "Low water" })).rejects.toThrow();
    expect(saidByBot("general")).toHaveLength(1);
  });

  it("ends when the person decides in a client, and is posted again for what follows", async () => {
    const { ask, gate, id, saidByBot } = await arrive();
    const { act, operation } = await ask();
    const decide = {
      confirm: (one: string) => gate.confirm(one, operation.actor),
      reject: async (one: string) => gate.confirmations.reject(one, operation.actor),
    };
    for (const [text, how] of [
      ["High water", decide.confirm],
      ["Low water", decide.reject],
    ] as const) {
      await expect(act("discord.send", { channel_id: id("pier"), text })).rejects.toThrow();
      const prompt = saidByBot("general").at(-1);
      expect(prompt && buttonsOf(prompt)).toMatchObject([{ label: "Review" }]);
      for (const waiting of gate.confirmations.pending(operation.actor)) await how(waiting.id);
      await until(() => prompt?.content === "Reviewed.", "the button stayed");
    }
    expect(saidByBot("general")).toHaveLength(2);
  });

  it("is no message in a channel for a client that may not send", async () => {
    const { open, within, promptsIn, promptsTo, remember } = await arrive();
    const scopes = SCOPES.filter((scope) => scope !== "discord:send");
    const call = within(await open("sarah", "general", { scopes }));
    for (const key of ["boat", "berth", "crew"])
      expect(await call(REMEMBER, remember(key))).toContain("by direct message");
    expect(promptsIn("general")).toEqual([]);
    expect(promptsTo("sarah")).toHaveLength(1);
  });

  it("is sent to nobody more than three times an hour; then /agent shows what waits", async () => {
    const { sandbox, open, within, promptsTo, remember, discard, waitsFor, sarah, said } = await arrive();
    const call = within(await open("sarah", "general", { scopes: [...SCOPES] }, { isPrivate: true }));
    for (const key of ["boat", "berth", "crew"]) {
      expect(await call(REMEMBER, remember(key))).toContain("by direct message");
      await discard(promptsTo("sarah").at(-1) as MessageRecord);
    }
    for (const key of ["mast", "keel"])
      expect(await call(REMEMBER, remember(key))).toContain("could not be asked: they can see it with /agent");
    expect(promptsTo("sarah")).toHaveLength(3);
    expect((await waitsFor("mark")).content).toMatch(/^Nothing waits/);
    const list = await waitsFor("sarah");
    expect(list.more?.ephemeralFor).toBe(sarah.id);
    expect(list.content).toBe("2 actions wait for your review.");
    expect(buttonsOf(list).map(({ label }) => label)).toEqual(["Review 1", "Review 2"]);
    const click = sandbox.as("sarah").click(list, buttonId(list, "Review 2"));
    const shown = await until(
      () => [...click.ephemeral.values()].find((note) => buttonsOf(note).length > 0),
      "the review was not shown",
    );
    expect(shown.content).toContain("the keel");
    sarah.click(shown, buttonId(shown, "Remember"));
    await until(() => shown.content.startsWith("Remembered."), "no outcome was told");
    expect(said("general").filter(({ content }) => content.includes("review"))).toEqual([]);
  });

  it("is sent to nobody more than three times an hour, also where a client says that they asked by direct message", async () => {
    const { sandbox, edge, open, within, promptsTo, remember, discard } = await arrive();
    const old = sandbox.as("sarah").dm("good morning");
    await edge.find("message", ({ message }) => message.message_id === old.id);
    const outcomes: string[] = [];
    for (const key of ["boat", "berth", "crew", "mast"]) {
      const more = { messageId: old.id as MessageId };
      const call = within(await open("sarah", old.channelId, { scopes: [...SCOPES], directMessages: true }, more));
      outcomes.push(await call(REMEMBER, remember(key)));
      if (outcomes.length <= 3) await discard(promptsTo("sarah").at(-1) as MessageRecord);
    }
    expect(outcomes[3]).toContain("could not be asked: they can see it with /agent");
    expect(promptsTo("sarah")).toHaveLength(3);
  });

  it("is posted nowhere when it is not for everyone there and the person takes no direct messages", async () => {
    const { sandbox, edge, open, within, settle, promptsIn, promptsTo, remember, waitsFor, id } = await arrive();
    sandbox.as("mei").say("staff-room", "the code is 1011");
    await settle();
    const dm = await edge.discord.openDm(sandbox.as("mei").id as UserId);
    sandbox.faults.failRest({ match: `POST /channels/${dm}/messages`, status: 403, times: 99 });
    const confined = { confined: true, scopes: [...SCOPES] };
    const staff = within(await open("mei", "staff-room", confined));
    expect(await staff("discord.channel.messages", { channel_id: id("staff-room") })).toBe("done");
    const call = within(await open("mei", "general", confined));
    for (const key of ["boat", "berth"])
      expect(await call(REMEMBER, remember(key))).toContain("could not be asked: they can see it with /agent");
    expect([promptsIn("general"), promptsIn("staff-room"), promptsTo("mei")]).toEqual([[], [], []]);
    expect((await waitsFor("mei")).content).toBe("2 actions wait for your review.");
  });

  it("stands in channels no more than twelve times an hour for one person", async () => {
    const { open, within, saidByBot, remember, discard, promptsTo } = await arrive();
    for (let count = 1; count <= 12; count += 1) {
      const call = within(await open("sarah", "general", { scopes: [...SCOPES] }));
      expect(await call(REMEMBER, remember("boat"))).toContain("where the request was made");
      await discard(saidByBot("general").at(-1) as MessageRecord);
    }
    const call = within(await open("sarah", "general", { scopes: [...SCOPES] }));
    expect(await call(REMEMBER, remember("boat"))).toContain("could not be asked");
    expect(saidByBot("general")).toHaveLength(12);
    expect(promptsTo("sarah")).toEqual([]);
  });
});
