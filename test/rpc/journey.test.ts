import { describe, expect, it, onTestFinished } from "vitest";
import { connectEarshot, type EarshotEvent } from "../../src/client/index.ts";
import type { Grant } from "../../src/policy/grant.ts";
import { until } from "../support/edge.ts";
import { openFullRpc } from "../support/full-rpc.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function arrive(grant: Partial<Grant> = {}) {
  const sandbox = await openTestSandbox();
  const rpc = await openFullRpc(sandbox);
  const client = await connectEarshot({ url: rpc.url, token: rpc.token("brain", grant) });
  onTestFinished(() => client.close());
  const events: EarshotEvent[] = [];
  void (async () => {
    for await (const event of client.events()) events.push(event);
  })();
  const hears = <Name extends EarshotEvent["name"]>(
    name: Name,
    fits: (event: Extract<EarshotEvent, { name: Name }>) => boolean = () => true,
  ) => {
    const isMeant = (event: EarshotEvent): event is Extract<EarshotEvent, { name: Name }> =>
      event.name === name && fits(event as Extract<EarshotEvent, { name: Name }>);
    return until(() => events.find(isMeant), `no ${name}; heard: ${events.map((event) => event.name).join()}`);
  };
  return { sandbox, rpc, client, events, hears, bot: `<@${rpc.edge.discord.botId}>` };
}

describe("an agent connected to the whole server", () => {
  it("is pushed an event for everything that happens, each with the documented fields", async () => {
    const { sandbox, events, hears } = await arrive({ events: "all" });
    const [sarah, mei] = [sandbox.as("sarah"), sandbox.as("mei")];
    const first = sarah.say("general", "one");
    sarah.edit(first, "two");
    sarah.react(first, "🎉");
    const more = [sarah.say("general", "three"), sarah.say("general", "four")];
    sandbox.admin.bulkDelete(more);
    sarah.delete(first);
    const thread = mei.openThread({ in: "general" }, "aside");
    mei.say(thread.id, "in the thread");
    sandbox.admin.setOverwrite("news", "everyone", { deny: ["ViewChannel"] });
    sandbox.admin.deleteChannel("pier");
    await hears("discord.message", ({ payload }) => payload.content === "in the thread");
    await hears("discord.message_update", ({ payload }) => payload.content === "two");
    await hears("discord.message_delete", ({ payload }) => payload.message_ids.some((id) => id === first.id));
    await hears("discord.message_delete_bulk", ({ payload }) => payload.message_ids.length === 2);
    await hears("discord.reaction", ({ payload }) => payload.emoji === "🎉");
    await hears("discord.channel", ({ payload }) => payload.channel_id === thread.id);
    await hears("discord.access_lost");
    await hears("discord.channel_deleted");
    sandbox.faults.refuseResume();
    sandbox.faults.cutSocket();
    await hears("discord.connection", ({ payload }) => payload.state === "reconnecting");
    await hears("discord.gap", ({ payload }) => payload.reason === "resume_refused");
    sandbox.admin.deleteGuild();
    await hears("discord.guild_removed");
    expect(events.filter(({ name }) => name === "gap")).toEqual([]);
  });

  it("is pushed only messages that address it, reads what the actor may read, and answers in that channel", async () => {
    const { sandbox, client, events, hears, bot, rpc } = await arrive({ events: "addressed", actors: [] });
    const sarah = sandbox.as("sarah");
    sarah.say("general", "the tide table says 14:10");
    sandbox.as("mei").say("staff-room", `${bot} a secret`);
    const question = sarah.say("general", `${bot} when is high water?`);
    const { payload, operationId } = await hears("discord.message");
    expect(payload.message_id).toBe(question.id);
    const within = { operationId: operationId ?? "" };
    const { channel_id } = payload;
    const read = await client.call("discord.channel.messages", { channel: channel_id, limit: 5 }, within);
    expect(read.messages.map(({ content }) => content)).toContain("the tide table says 14:10");
    const staffRoom = sandbox.community.channels.get("staff-room") ?? "";
    await expect(client.call("discord.channel.messages", { channel: staffRoom }, within)).rejects.toMatchObject({
      code: "not_found",
    });
    const actor = sandbox.as("mark").id;
    await expect(client.call("operation.open", { actor, channel_id })).rejects.toMatchObject({ code: "forbidden" });
    const sent = await client.call(
      "discord.send",
      { channel: channel_id, text: "14:10", reply_to: question.id },
      within,
    );
    await rpc.edge.find(
      "message",
      ({ message }) => message.message_id === sent.message_id && message.content === "14:10",
    );
    expect(events.filter(({ name }) => name === "discord.message")).toHaveLength(1);
  });

  it("is sent after a reconnect only messages that still exist", async () => {
    const { sandbox, client, rpc, hears } = await arrive({ events: "all" });
    const sarah = sandbox.as("sarah");
    sarah.say("general", "before");
    await hears("discord.message");
    const { cursor } = client;
    await client.close();
    const regretted = sarah.say("general", "regretted");
    sarah.say("general", "kept");
    sarah.delete(regretted);
    await rpc.edge.find("message_delete");
    const again = await connectEarshot({ url: rpc.url, token: rpc.token("brain"), cursor });
    onTestFinished(() => again.close());
    const said: string[] = [];
    for await (const event of again.events()) {
      if (event.name === "discord.message") said.push(event.payload.content);
      if (event.name === "discord.message_delete") break;
    }
    expect(said).toEqual(["kept"]);
  });
});
