import { ComponentType, MessageFlags, MessageType } from "discord-api-types/v10";
import { expect, it } from "vitest";
import { type Arrive, COMPRESSED_TOO, journeys } from "../support/journeys.ts";

journeys("a message", tellShapes, COMPRESSED_TOO);

function tellShapes(arrive: Arrive): void {
  it("arrives as plain text, with its author and channel", async () => {
    const { sandbox, client } = await arrive();
    const said = sandbox.as("sarah").say("general", "hello, quay");
    expect(await client.seen.find("message")).toMatchObject({
      id: said.id,
      channelId: sandbox.community.channels.get("general"),
      guildId: sandbox.community.guild.id,
      authorId: sandbox.as("sarah").id,
      type: MessageType.Default,
      content: "hello, quay",
      replyTo: null,
    });
  });

  it("arrives as a reply that names its original", async () => {
    const { sandbox, client } = await arrive();
    const question = sandbox.as("sarah").say("general", "tea?");
    const answer = sandbox.as("mark").reply(question, "yes");
    const seen = await client.seen.find("message", ({ id }) => id === answer.id);
    expect(seen).toMatchObject({ type: MessageType.Reply, replyTo: question.id, content: "yes" });
  });

  it("arrives as a reply whose original was deleted, which REST reports as null", async () => {
    const { sandbox, client } = await arrive();
    const question = sandbox.as("sarah").say("general", "tea?");
    const answer = sandbox.as("mark").reply(question, "yes");
    sandbox.as("sarah").delete(question);
    await client.seen.find("delete", ({ id }) => id === question.id);
    const read = await client.api.channels.getMessage(answer.channelId, answer.id);
    expect(read.referenced_message).toBeNull();
    expect(read.message_reference?.message_id).toBe(question.id);
  });

  it("arrives with an embed", async () => {
    const { sandbox, client } = await arrive();
    sandbox.as("sarah").say("general", { embeds: [{ title: "Tides", description: "High at noon" }] });
    expect(await client.seen.find("message")).toMatchObject({ content: "", embedTitles: ["Tides"] });
  });

  it("arrives with version 2 components and no content", async () => {
    const { sandbox, client } = await arrive();
    const text = { type: ComponentType.TextDisplay as const, content: "All in a box" };
    sandbox.as("gabriel").say("general", {
      flags: MessageFlags.IsComponentsV2,
      components: [{ type: ComponentType.Container, components: [text] }],
    });
    const message = await client.seen.find("message");
    expect(message).toMatchObject({ content: "", components: [ComponentType.Container] });
    expect(message.flags & MessageFlags.IsComponentsV2).toBeTruthy();
  });

  it("arrives with a poll", async () => {
    const { sandbox, client } = await arrive();
    sandbox
      .as("mark")
      .say("general", { poll: { question: "Which day?", answers: [{ text: "Mon" }, { text: "Tue" }] } });
    expect(await client.seen.find("message")).toMatchObject({ pollQuestion: "Which day?" });
  });

  it("arrives with a sticker", async () => {
    const { sandbox, client } = await arrive();
    sandbox.as("mark").say("general", { stickerIds: [sandbox.admin.addSticker("Wave")] });
    expect(await client.seen.find("message")).toMatchObject({ content: "", stickers: ["Wave"] });
  });

  it("arrives as a forward, with the text in a snapshot", async () => {
    const { sandbox, client } = await arrive();
    const original = sandbox.as("sarah").say("general", "the boat is called Tern");
    const forwarded = sandbox.as("mark").forward(original, "news");
    const seen = await client.seen.find("message", ({ id }) => id === forwarded.id);
    expect(seen).toMatchObject({ content: "", snapshotTexts: ["the boat is called Tern"], replyTo: original.id });
    expect(seen.flags & MessageFlags.HasSnapshot).toBeTruthy();
  });

  it("arrives with an attachment, whose bytes can be fetched", async () => {
    const { sandbox, client } = await arrive();
    const bytes = new TextEncoder().encode("low water 06:10");
    const said = sandbox.as("mark").say("general", {
      attachments: [{ filename: "tides.txt", contentType: "text/plain", bytes }],
    });
    expect(await client.seen.find("message")).toMatchObject({ filenames: ["tides.txt"] });
    const read = await client.api.channels.getMessage(said.channelId, said.id);
    const file = await fetch(read.attachments[0]?.url ?? "");
    expect(await file.text()).toBe("low water 06:10");
  });

  it("arrives from a webhook, under the webhook's own id", async () => {
    const { sandbox, client } = await arrive();
    const webhook = sandbox.admin.createWebhook("general", "Harbour office");
    sandbox.admin.sayAsWebhook(webhook, { content: "Fog until ten" });
    expect(await client.seen.find("message")).toMatchObject({
      content: "Fog until ten",
      webhookId: webhook.id,
      authorId: webhook.id,
    });
  });

  it("arrives as Discord's own notice that somebody joined", async () => {
    const { sandbox, client } = await arrive();
    const wren = sandbox.admin.createPerson("wren");
    sandbox.admin.addMember("wren");
    expect(await client.seen.find("message")).toMatchObject({ type: MessageType.UserJoin, authorId: wren });
  });

  it("arrives as the notice and the starter of a thread", async () => {
    const { sandbox, client } = await arrive();
    const root = sandbox.as("sarah").say("general", "shall we paint it?");
    const thread = sandbox.as("mark").openThread({ on: root }, "Paint");
    sandbox.as("mark").say(thread.id, "blue, I think");
    expect(thread.id).toBe(root.id);
    expect(await client.seen.find("thread-create")).toMatchObject({ id: root.id, name: "Paint" });
    await client.seen.find("message", ({ channelId }) => channelId === thread.id);
    const history = await client.api.channels.getMessages(thread.id, {});
    expect(history.map(({ type }) => type)).toEqual([MessageType.Default, MessageType.ThreadStarterMessage]);
    expect(history[1]?.referenced_message?.content).toBe("shall we paint it?");
  });

  it("arrives as the first message of a forum post, under the id of its thread", async () => {
    const { sandbox, client } = await arrive();
    const { thread } = sandbox.as("sarah").post("help", "Rusty hinge", { what: "It creaks", tags: ["tools"] });
    const message = await client.seen.find("message", ({ content }) => content === "It creaks");
    expect(message).toMatchObject({ id: thread.id, channelId: thread.id });
    expect(await client.seen.find("thread-create")).toMatchObject({ id: thread.id, name: "Rusty hinge" });
  });

  it("arrives as a DM, outside of any guild", async () => {
    const { sandbox, client } = await arrive();
    sandbox.as("sarah").dm("just between us");
    expect(await client.seen.find("message")).toMatchObject({ content: "just between us", guildId: null });
  });

  it("arrives through the gateway after the bot itself sent it over REST", async () => {
    const { sandbox, client } = await arrive();
    const general = sandbox.community.channels.get("general") ?? "";
    const sent = await client.api.channels.createMessage(general, { content: "I am here" });
    const seen = await client.seen.find("message");
    expect(seen).toMatchObject({ id: sent.id, content: "I am here", authorId: sandbox.as("earshot").id });
  });
}
