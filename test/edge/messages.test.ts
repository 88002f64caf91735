import { ButtonStyle, ComponentType, MessageFlags } from "discord-api-types/v10";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import type { ChannelId } from "../../src/domain/ids.ts";
import { type Message, messageSchema } from "../../src/domain/message.ts";
import { openTestEdge, type TestEdge } from "../support/edge.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const PICTURE = {
  filename: "hull.png",
  contentType: "image/png",
  bytes: new Uint8Array([1, 2, 3]),
  width: 12,
  height: 8,
};

async function arrive(): Promise<{
  sandbox: Sandbox;
  edge: TestEdge;
  general: ChannelId;
  heard: (id: string) => Promise<Message>;
}> {
  const sandbox = await openTestSandbox();
  const edge = await openTestEdge(sandbox);
  const heard = async (id: string) => {
    const { message } = await edge.find("message", (event) => event.message.message_id === id);
    return messageSchema.parse(message) as Message;
  };
  return { sandbox, edge, general: sandbox.community.channels.get("general") as ChannelId, heard };
}

describe("a sandbox message received through the edge", () => {
  it("has the same shape from the gateway and from history, whatever its kind", async () => {
    const { sandbox, edge, general, heard } = await arrive();
    const [sarah, mark, mei] = [sandbox.as("sarah"), sandbox.as("mark"), sandbox.as("mei")];
    const plain = sarah.say("general", "hello <@1> and <#2>");
    const reply = mark.reply(plain, "hello yourself");
    const regretted = sarah.say("general", "regretted");
    const orphan = mark.reply(regretted, "what was that?");
    sarah.delete(regretted);
    const embed = mark.say("general", {
      embeds: [{ title: "Tide table", fields: [{ name: "high", value: "14:10" }] }],
    });
    const text = { type: ComponentType.TextDisplay as const, content: "High water at 14:10" };
    const button = {
      type: ComponentType.Button as const,
      style: ButtonStyle.Secondary as const,
      custom_id: "again",
      label: "Again",
    };
    const panel = mark.say("general", {
      flags: MessageFlags.IsComponentsV2,
      components: [
        {
          type: ComponentType.Container,
          components: [{ type: ComponentType.Section, components: [text], accessory: button }],
        },
      ],
    });
    const poll = sarah.say("general", {
      poll: { question: "Name?", answers: [{ text: "Plan Sea" }, { text: "One Good Tern" }], hours: 1 },
    });
    const sticker = sarah.say("general", { stickerIds: [sandbox.admin.addSticker("Wave")] });
    const picture = sarah.say("general", { content: "look", attachments: [PICTURE] });
    const forward = mark.forward(picture, "general");
    const hook = sandbox.admin.sayAsWebhook(sandbox.admin.createWebhook("general", "CI"), { content: "build failed" });
    mei.pin(plain);

    const shapes: Record<string, Message> = {};
    for (const [name, { id }] of Object.entries({
      plain,
      reply,
      orphan,
      embed,
      panel,
      poll,
      sticker,
      picture,
      forward,
      hook,
    }))
      shapes[name] = await heard(id);
    expect(shapes).toMatchObject({
      plain: {
        kind: "text",
        content: "hello <@1> and <#2>",
        author: { name: "Skipper", bot: false },
        channel_id: general,
        thread_id: null,
      },
      reply: {
        kind: "reply",
        content: "hello yourself",
        reply_to: { message_id: plain.id, state: "known" },
        author: { name: "mark" },
      },
      orphan: { kind: "reply", reply_to: { message_id: regretted.id, state: "known" } },
      embed: { content: "Tide table\nhigh: 14:10" },
      panel: { content: "High water at 14:10\nAgain" },
      poll: { content: "Poll: Name?\n- Plan Sea\n- One Good Tern" },
      sticker: { content: "[sticker: Wave]" },
      picture: {
        content: "look",
        attachments: [{ filename: "hull.png", content_type: "image/png", size: 3, width: 12, height: 8 }],
      },
      forward: { kind: "forward", content: "look", reply_to: null, attachments: [{ filename: "hull.png" }] },
      hook: { content: "build failed", author: { name: "CI", bot: true } },
    });
    const notice = await edge.find("message", ({ message }) => message.kind === "system");
    expect(notice.message).toMatchObject({ content: "mei pinned a message to this channel.", reply_to: null });

    const { messages: history } = await edge.discord.history(general, { limit: 100 });
    expect(history.map(({ message_id }) => message_id)).toEqual(
      history
        .map(({ message_id }) => message_id)
        .sort()
        .reverse(),
    );
    for (const message of history) {
      messageSchema.parse(message);
      const live = edge.of("message").find((event) => event.message.message_id === message.message_id)?.message;
      const expected =
        message.message_id === orphan.id ? { ...live, reply_to: { message_id: regretted.id, state: "deleted" } } : live;
      expect({ ...message, attachments: message.attachments.map(withoutSignature) }).toEqual({
        ...expected,
        attachments: live?.attachments.map(withoutSignature),
      });
    }
  });

  it("names the thread, forum post or direct message it belongs to", async () => {
    const { sandbox, general, heard } = await arrive();
    const sarah = sandbox.as("sarah");
    const thread = sarah.openThread({ on: sarah.say("general", "kettle?") }, "The kettle question");
    expect(await heard(sarah.say(thread.id, "who left it on?").id)).toMatchObject({
      channel_id: thread.id,
      thread_id: thread.id,
    });
    const { thread: post, message } = sarah.post("help", "Stuck winch", { what: "it does not turn", tags: ["tools"] });
    expect(await heard(message.id)).toMatchObject({
      thread_id: post.id,
      message_id: post.id,
      content: "it does not turn",
    });
    const direct = await heard(sarah.dm("psst").id);
    expect(direct).toMatchObject({ guild_id: null, thread_id: null, content: "psst" });
    expect(direct.link).toBe(`https://discord.com/channels/@me/${direct.channel_id}/${direct.message_id}`);
    expect(direct.channel_id).not.toBe(general);
  });

  it("is delivered from a thread that was archived long ago", async () => {
    const { sandbox, heard } = await arrive();
    const sarah = sandbox.as("sarah");
    const thread = sarah.openThread({ in: "general" }, "old");
    sandbox.admin.updateThread(thread.id, { archived: true });
    expect(await heard(sarah.say(thread.id, "anyone here?").id)).toMatchObject({ thread_id: thread.id });
  });

  it("is followed by its edits, link previews, deletions and reactions", async () => {
    const { sandbox, edge, general } = await arrive();
    const sarah = sandbox.as("sarah");
    const link = sarah.say("general", "see https://example.com");
    sandbox.admin.previewLinks(link, [{ title: "Example", type: "link" as never, url: "https://example.com" }]);
    const preview = await edge.find("message_update");
    expect(preview.message).toMatchObject({ edited_ts: null, content: "see https://example.com\nExample" });
    sarah.edit(link, "see nothing");
    const edit = await edge.find("message_update", ({ message }) => message.edited_ts !== null);
    expect(edit.message.content).toContain("see nothing");
    sarah.react(link, "🎉");
    expect(await edge.find("reaction")).toMatchObject({
      action: "add",
      messageId: link.id,
      emoji: "🎉",
      userId: sarah.id,
    });
    sarah.unreact(link, "🎉");
    await edge.find("reaction", ({ action }) => action === "remove");
    sarah.delete(link);
    expect(await edge.find("message_delete")).toEqual({
      type: "message_delete",
      channelId: general,
      messageIds: [link.id],
    });
    const several = [sarah.say("general", "a"), sarah.say("general", "b")];
    sandbox.admin.bulkDelete(several);
    const bulk = await edge.find("message_delete", ({ messageIds }) => messageIds.length === 2);
    expect([...bulk.messageIds].sort()).toEqual(several.map(({ id }) => id).sort());
  });

  it("can be a notice that somebody joined", async () => {
    const { sandbox, edge } = await arrive();
    const newcomer = sandbox.admin.createPerson("wren", "Wren");
    sandbox.admin.addMember(newcomer);
    const { message } = await edge.find("message", (event) => event.message.kind === "system");
    expect(message.content).toBe("Wren joined the server.");
  });
});

/** Links to attachments are signed again each time they are shown. */
function withoutSignature<Value extends { url: string }>(attachment: Value): Value {
  return { ...attachment, url: attachment.url.split("?")[0] ?? "" };
}

describe("a message that addresses the bot", () => {
  it("mentions the bot or the role that Discord made for it, or answers it; other roles, @everyone and edits do not count", async () => {
    const { sandbox, edge } = await arrive();
    const [sarah, mark] = [sandbox.as("sarah"), sandbox.as("mark")];
    const { botId } = edge.discord;
    const own = sandbox.admin.createRole({ name: "Earshot", botId, mentionable: true });
    const other = sandbox.admin.createRole({ name: "sailors", botId: "123", mentionable: true });
    const said = await edge.discord.send(sandbox.community.channels.get("general") as ChannelId, {
      text: "ready",
      mentions: [],
    });
    const isAddressed = async ({ id }: { readonly id: string }) =>
      (await edge.find("message", (event) => event.message.message_id === id)).addressed;
    expect(await isAddressed(sarah.say("general", `<@${botId}> when?`))).toBe(true);
    expect(await isAddressed(sarah.say("general", `<@&${own.id}> when?`))).toBe(true);
    expect(await isAddressed(mark.reply(said.message_id, "when?"))).toBe(true);
    expect(await isAddressed(mark.say("general", `<@&${other.id}> when?`))).toBe(false);
    expect(await isAddressed(sarah.say("general", "@everyone when?"))).toBe(false);
    const late = mark.say("general", "when?");
    mark.edit(late, `<@${botId}> when?`);
    await edge.find("message_update", (event) => event.message.message_id === late.id);
    expect(await isAddressed(late)).toBe(false);
  });
});
