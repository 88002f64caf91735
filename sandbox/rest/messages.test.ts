import { ButtonStyle, ComponentType, MessageFlags, MessageReferenceType, MessageType } from "discord-api-types/v10";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRestServer, type RestServer, refusalOf } from "../../test/support/rest-server.ts";
import { addSticker } from "../actions/applications.ts";
import { createMessage } from "../actions/messages.ts";
import { addReaction } from "../actions/reactions.ts";

let server: RestServer;

beforeEach(async () => {
  server = await openRestServer();
});

afterEach(() => server.close());

function say(content: string, { by = server.people.sam.id, channelId = server.channels.general.id } = {}) {
  server.clock.advance(1000);
  return createMessage(server.world, by, { channelId, draft: { content } });
}

describe("sending a message", () => {
  it("returns the message with every field that Discord sets", async () => {
    const { channels } = server.client();
    const message = await channels.createMessage(server.channels.general.id, { content: "Ahoy", nonce: "n1" });
    expect(message).toMatchObject({
      content: "Ahoy",
      type: 0,
      author: { id: server.bot.botId, bot: true },
      nonce: "n1",
    });
    expect(message).not.toHaveProperty("guild_id");
    expect(server.heard("MESSAGE_CREATE").at(-1)).toMatchObject({
      id: message.id,
      guild_id: server.guild.id,
      member: {},
    });
  });

  it("as a reply pings the author unless told not to", async () => {
    const { channels } = server.client();
    const original = say("Who has the keys?");
    const reference = { message_id: original.id };
    const loud = await channels.createMessage(server.channels.general.id, {
      content: "Me",
      message_reference: reference,
    });
    const quiet = await channels.createMessage(server.channels.general.id, {
      content: "Me",
      message_reference: reference,
      allowed_mentions: { parse: [] },
    });
    expect(loud).toMatchObject({ type: MessageType.Reply, referenced_message: { id: original.id } });
    expect(loud.mentions.map(({ id }) => id)).toEqual([server.people.sam.id]);
    expect(quiet.mentions).toEqual([]);
  });

  it("fails as a reply to a missing message, unless that is switched off", async () => {
    const { channels } = server.client();
    const message_reference = { message_id: "1234567890123456789" };
    const refusal = await refusalOf(
      channels.createMessage(server.channels.general.id, { content: "?", message_reference }),
    );
    expect(refusal).toMatchObject({
      status: 400,
      code: 50035,
      errors: { message_reference: { _errors: [{ code: "REPLIES_UNKNOWN_MESSAGE" }] } },
    });
    const sent = await channels.createMessage(server.channels.general.id, {
      content: "?",
      message_reference: { ...message_reference, fail_if_not_exists: false },
    });
    expect(sent.type).toBe(MessageType.Default);
  });

  it("as a reply to a deleted message shows the original as null", async () => {
    const { channels } = server.client();
    const original = await channels.createMessage(server.channels.general.id, { content: "soon gone" });
    const reply = await channels.createMessage(server.channels.general.id, {
      content: "reply",
      message_reference: { message_id: original.id },
    });
    await channels.deleteMessage(server.channels.general.id, original.id);
    const fetched = await channels.getMessage(server.channels.general.id, reply.id);
    expect(fetched.referenced_message).toBeNull();
  });

  it("pings only those whom allowed_mentions allows", async () => {
    const { channels } = server.client();
    const { sam, rita } = server.people;
    const content = `<@${sam.id}> <@${rita.id}> <@&${server.staffRole.id}> @everyone`;
    const plain = await channels.createMessage(server.channels.general.id, { content });
    const one = await channels.createMessage(server.channels.general.id, {
      content,
      allowed_mentions: { users: [rita.id] },
    });
    expect(plain.mentions.map(({ id }) => id)).toEqual([sam.id, rita.id]);
    expect(plain).toMatchObject({ mention_roles: [], mention_everyone: false });
    expect(one.mentions.map(({ id }) => id)).toEqual([rita.id]);
  });

  it("supports embeds, stickers and polls", async () => {
    const { channels } = server.client();
    const stickerId = addSticker(server.world, server.guild.id, "wave");
    const embed = { title: "Tide", description: "High at noon", fields: [{ name: "Depth", value: "4 m" }], color: 255 };
    const rich = await channels.createMessage(server.channels.general.id, {
      embeds: [embed],
      sticker_ids: [stickerId],
    });
    expect(rich).toMatchObject({ embeds: [{ type: "rich", title: "Tide" }], sticker_items: [{ name: "wave" }] });
    const polled = await channels.createMessage(server.channels.general.id, {
      poll: {
        question: { text: "Sail?" },
        answers: [{ poll_media: { text: "Yes" } }, { poll_media: { text: "No" } }],
        duration: 1,
      },
    });
    expect(polled.poll).toMatchObject({ question: { text: "Sail?" }, results: { is_finalized: false } });
    const ended = await server.client().poll.expirePoll(server.channels.general.id, polled.id);
    expect(ended.poll?.results?.is_finalized).toBe(true);
    const [notice] = await channels.getMessages(server.channels.general.id, { limit: 1 });
    expect(notice?.type).toBe(MessageType.PollResult);
  });

  it("accepts components of both versions and numbers them", async () => {
    const { channels } = server.client();
    const button = {
      type: ComponentType.Button as const,
      style: ButtonStyle.Primary as const,
      label: "Go",
      custom_id: "go",
    };
    const older = await channels.createMessage(server.channels.general.id, {
      content: "Press",
      components: [{ type: ComponentType.ActionRow, components: [button] }],
    });
    expect(older.components?.[0]).toMatchObject({ id: 1, components: [{ id: 2, custom_id: "go" }] });
    const newer = await channels.createMessage(server.channels.general.id, {
      flags: MessageFlags.IsComponentsV2,
      components: [
        {
          type: ComponentType.Container,
          components: [
            { type: ComponentType.TextDisplay, content: "# Harbour" },
            { type: ComponentType.Separator },
            {
              type: ComponentType.Section,
              components: [{ type: ComponentType.TextDisplay, content: "Berth 4" }],
              accessory: { ...button, custom_id: "berth" },
            },
          ],
        },
      ],
    });
    expect(newer).toMatchObject({
      content: "",
      components: [{ type: 17, spoiler: false, components: [{ content: "# Harbour" }, {}, {}] }],
    });
  });

  it("rejects content together with components of version 2, and more than forty components", async () => {
    const { channels } = server.client();
    const text = { type: ComponentType.TextDisplay as const, content: "x" };
    const flags = MessageFlags.IsComponentsV2;
    const both = await refusalOf(
      channels.createMessage(server.channels.general.id, { content: "no", flags, components: [text] }),
    );
    expect(both).toMatchObject({ code: 50035, errors: { content: {} } });
    const many = await refusalOf(
      channels.createMessage(server.channels.general.id, { flags, components: Array.from({ length: 41 }, () => text) }),
    );
    expect(many).toMatchObject({ code: 50035, errors: { components: {} } });
  });

  it("as a forward keeps a snapshot after the original is deleted", async () => {
    const { channels } = server.client();
    const original = await channels.createMessage(server.channels.general.id, { content: "The boat is called Turtle" });
    const forwarded = await channels.createMessage(server.channels.random.id, {
      message_reference: {
        type: MessageReferenceType.Forward,
        message_id: original.id,
        channel_id: server.channels.general.id,
      },
    });
    await channels.deleteMessage(server.channels.general.id, original.id);
    const fetched = await channels.getMessage(server.channels.random.id, forwarded.id);
    expect(fetched).toMatchObject({
      content: "",
      message_reference: { type: 1 },
      message_snapshots: [{ message: { content: "The boat is called Turtle" } }],
    });
    expect(Number(fetched.flags) & MessageFlags.HasSnapshot).toBeTruthy();
    expect(fetched.message_snapshots?.[0]?.message).not.toHaveProperty("author");
  });

  it("returns the first message again for an enforced nonce", async () => {
    const { channels } = server.client();
    const body = { content: "once", nonce: "same", enforce_nonce: true };
    const first = await channels.createMessage(server.channels.general.id, body);
    const second = await channels.createMessage(server.channels.general.id, body);
    expect(second.id).toBe(first.id);
  });

  it("accepts embeds with empty parts and nulls, and shows only the parts that say something", async () => {
    const { channels } = server.client();
    const icon = "https://tides.example/icon.png";
    const parts = { footer: {}, image: {}, thumbnail: {}, video: {}, provider: {}, author: {} };
    const nulls = {
      ...{ type: null, url: null, color: null, timestamp: null, description: null, fields: null },
      ...{ footer: { text: null, icon_url: null }, image: { url: null, width: null, height: null } },
      ...{ thumbnail: null, video: { url: null }, provider: { name: null, url: null } },
      author: { name: null, url: null, icon_url: null },
    };
    const sent = await channels.createMessage(server.channels.general.id, {
      embeds: [
        { title: "empty", ...parts },
        { title: "nulls", ...nulls },
        { title: "unnamed", author: { icon_url: icon }, footer: { icon_url: icon } },
        { title: "whole", author: { name: "Ada", icon_url: null }, footer: { text: "now" }, image: { url: icon } },
      ] as object[],
    });
    expect(sent.embeds).toEqual([
      { type: "rich", title: "empty" },
      { type: "rich", title: "nulls" },
      { type: "rich", title: "unnamed" },
      { type: "rich", title: "whole", author: { name: "Ada" }, footer: { text: "now" }, image: { url: icon } },
    ]);
  });

  it.each([
    ["nothing at all", {}, 50006, undefined],
    [
      "an embed that says nothing",
      { embeds: [{ color: 255, footer: {} }] },
      50035,
      { embeds: { 0: { description: { _errors: [{ code: "BASE_TYPE_REQUIRED" }] } } } },
    ],
    [
      "a field of an embed without a value",
      { embeds: [{ title: "x", fields: [{ name: "x" }] }] },
      50035,
      { embeds: { 0: { fields: { 0: { value: { _errors: [{ code: "BASE_TYPE_REQUIRED" }] } } } } } },
    ],
    [
      "the video of an embed at a broken link",
      { embeds: [{ title: "x", video: { url: "nowhere" } }] },
      50035,
      { embeds: { 0: { video: { url: { _errors: [{ code: "URL_TYPE_INVALID_URL" }] } } } } },
    ],
    ["only blanks", { content: "   " }, 50006, undefined],
    [
      "2001 characters",
      { content: "x".repeat(2001) },
      50035,
      { content: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH" }] } },
    ],
    ["a number for content", { content: 5 }, 50035, { content: { _errors: [{ code: "STRING_TYPE_CONVERT" }] } }],
    ["a broken embed", { embeds: [{ url: "nowhere" }] }, 50035, { embeds: { 0: { url: { _errors: [{}] } } } }],
    [
      "a button without an id",
      { content: "x", components: [{ type: 1, components: [{ type: 2, style: 1 }] }] },
      50035,
      {},
    ],
  ])("rejects %s", async (_what, body, code, errors) => {
    const { channels } = server.client();
    const refusal = await refusalOf(channels.createMessage(server.channels.general.id, body as { content: string }));
    expect(refusal).toMatchObject({ status: 400, code, ...(errors && { errors }) });
  });

  it("answers invalid JSON and wrong content types with errors, not crashes", async () => {
    const path = `/channels/${server.channels.general.id}/messages`;
    const broken = await server.fetch(path, {
      method: "POST",
      body: "{",
      headers: { "content-type": "application/json" },
    });
    expect([broken.status, await broken.json()]).toMatchObject([400, { code: 50109 }]);
    const strange = await server.fetch(path, { method: "POST", body: "hi", headers: { "content-type": "text/plain" } });
    expect([strange.status, await strange.json()]).toMatchObject([400, { code: 50035 }]);
  });
});

describe("changing a message", () => {
  it("edits the caller's own message and marks the time", async () => {
    const { channels } = server.client();
    const message = await channels.createMessage(server.channels.general.id, { content: "firts" });
    server.clock.advance(5000);
    const edited = await channels.editMessage(server.channels.general.id, message.id, { content: "first" });
    expect(edited).toMatchObject({ content: "first", timestamp: message.timestamp });
    expect(edited.edited_timestamp).not.toBeNull();
    expect(server.heard("MESSAGE_UPDATE").at(-1)).toMatchObject({ content: "first" });
  });

  it("is refused for messages of others", async () => {
    const said = say("mine");
    const edit = server.client().channels.editMessage(server.channels.general.id, said.id, { content: "yours" });
    expect(await refusalOf(edit)).toMatchObject({ status: 403, code: 50005 });
  });

  it("deletes messages of others only with the permission to manage them", async () => {
    const said = say("mine");
    const removal = server.client().channels.deleteMessage(server.channels.general.id, said.id);
    expect(await refusalOf(removal)).toMatchObject({ status: 403, code: 50013 });
  });

  it("publishes a message of an announcement channel once", async () => {
    const { channels } = server.client();
    const news = await channels.createMessage(server.channels.news.id, { content: "Launch on Friday" });
    const published = await channels.crosspostMessage(server.channels.news.id, news.id);
    expect(Number(published.flags) & MessageFlags.Crossposted).toBeTruthy();
    expect(await refusalOf(channels.crosspostMessage(server.channels.news.id, news.id))).toMatchObject({ code: 40033 });
  });
});

describe("following an announcement channel", () => {
  it("copies what is published, updates the copy with it, and marks it when the original is deleted", async () => {
    const { channels, guilds } = server.client();
    const { news, random } = server.channels;
    server.guild.ownerId = server.bot.botId;
    await channels.followAnnouncements(news.id, random.id);
    const message = await channels.createMessage(news.id, { content: "Launch on Friday" });
    await channels.crosspostMessage(news.id, message.id);
    const latest = async () => (await channels.getMessages(random.id, { limit: 2 }))[0];
    expect(await latest()).toMatchObject({
      content: "Launch on Friday",
      flags: MessageFlags.IsCrosspost,
      author: { username: "Harbour #news" },
      message_reference: { channel_id: news.id, message_id: message.id },
    });
    await channels.editMessage(news.id, message.id, { content: "Launch on Sunday" });
    expect(await latest()).toMatchObject({ content: "Launch on Sunday" });
    await channels.deleteMessage(news.id, message.id);
    expect(Number((await latest())?.flags) & MessageFlags.SourceMessageDeleted).toBeTruthy();
    expect(await guilds.getWebhooks(server.guild.id)).toMatchObject([{ type: 2, source_channel: { id: news.id } }]);
    const [, notice] = await channels.getMessages(random.id);
    expect(notice?.type).toBe(MessageType.ChannelFollowAdd);
  });
});

describe("reading messages", () => {
  it("pages newest first, before, after and around", async () => {
    const { channels } = server.client();
    const said = Array.from({ length: 9 }, (_, index) => say(`m${index}`));
    const texts = async (query: object) =>
      (await channels.getMessages(server.channels.general.id, query)).map(({ content }) => content);
    expect(await texts({ limit: 3 })).toEqual(["m8", "m7", "m6"]);
    expect(await texts({ limit: 2, before: said[4]?.id })).toEqual(["m3", "m2"]);
    expect(await texts({ limit: 2, after: said[4]?.id })).toEqual(["m6", "m5"]);
    expect(await texts({ limit: 3, around: said[4]?.id })).toEqual(["m5", "m4", "m3"]);
  });

  it.each([["limit=0"], ["limit=101"], ["limit=many"], ["before=yesterday"]])("rejects the query %s", async (query) => {
    const response = await server.fetch(`/channels/${server.channels.general.id}/messages?${query}`);
    expect([response.status, await response.json()]).toMatchObject([400, { code: 50035 }]);
  });

  it("counts reactions and marks the caller's own", async () => {
    const { channels } = server.client();
    const { general } = server.channels;
    const said = say("Nice");
    addReaction(server.world, server.people.rita.id, { channelId: general.id, messageId: said.id, emoji: "👍" });
    await channels.addMessageReaction(general.id, said.id, "👍");
    const message = await channels.getMessage(general.id, said.id);
    expect(message.reactions).toMatchObject([{ count: 2, me: true, emoji: { id: null, name: "👍" } }]);
    const reactors = await channels.getMessageReactions(general.id, said.id, "👍");
    expect(reactors.map(({ username }) => username)).toEqual(["rita", "earshot"]);
    await channels.deleteOwnMessageReaction(general.id, said.id, "👍");
    expect((await channels.getMessage(general.id, said.id)).reactions).toMatchObject([{ count: 1, me: false }]);
    expect(await refusalOf(channels.addMessageReaction(general.id, said.id, "no emoji"))).toMatchObject({
      code: 10014,
    });
  });

  it("blanks messages of others for an application without MESSAGE_CONTENT, with Discord's exceptions", async () => {
    const { channels } = server.client();
    server.bot.privileged.messageContent = false;
    const secret = say("secret");
    const called = say(`hello <@${server.bot.botId}>`);
    const own = await channels.createMessage(server.channels.general.id, { content: "own" });
    const [first, second, third] = await channels.getMessages(server.channels.general.id, { limit: 3 });
    expect([first?.id, first?.content]).toEqual([own.id, "own"]);
    expect([second?.id, second?.content]).toEqual([called.id, called.content]);
    expect([third?.id, third?.content]).toEqual([secret.id, ""]);
  });

  it("supports both pins routes, with a notice and an event", async () => {
    const { channels } = server.client();
    const { general } = server.channels;
    const said = await channels.createMessage(general.id, { content: "pin me" });
    expect(await refusalOf(channels.pinMessage(general.id, said.id))).toMatchObject({ code: 50013 });
    server.guild.ownerId = server.bot.botId;
    await channels.pinMessage(general.id, said.id);
    const pins = await server.fetch(`/channels/${general.id}/messages/pins`);
    expect(await pins.json()).toMatchObject({ items: [{ message: { id: said.id, pinned: true } }], has_more: false });
    expect(await channels.getPins(general.id)).toMatchObject([{ id: said.id }]);
    const [notice] = await channels.getMessages(general.id, { limit: 1 });
    expect(notice).toMatchObject({
      type: MessageType.ChannelPinnedMessage,
      message_reference: { message_id: said.id },
    });
    expect(server.heard("CHANNEL_PINS_UPDATE")).toHaveLength(1);
    await channels.unpinMessage(general.id, said.id);
    expect(await channels.getPins(general.id)).toEqual([]);
  });
});
