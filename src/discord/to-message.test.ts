import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GuildId, UserId } from "../domain/ids.ts";
import { type Message, messageSchema } from "../domain/message.ts";
import { isRefusal, type MessageSurroundings, toMessage } from "./to-message.ts";

const here: MessageSurroundings = {
  botId: "99" as UserId,
  guildId: "10" as GuildId,
  isThread: false,
  memberName: () => undefined,
};
const plain = {
  id: "1300000000000000000",
  channel_id: "20",
  author: { id: "30", username: "sarah_k", global_name: "Sarah", bot: false },
  content: "hello",
  timestamp: "2026-11-15T04:00:00.123000+00:00",
  edited_timestamp: null,
  type: 0,
};

function read(raw: object, surroundings: Partial<MessageSurroundings> = {}): Message {
  const message = toMessage({ ...plain, ...raw }, { ...here, ...surroundings });
  if (isRefusal(message)) throw new Error(message.refused);
  return messageSchema.parse(message) as Message;
}

describe("toMessage", () => {
  it("gives a plain message its ids, link, author and time", () => {
    expect(read({})).toEqual({
      message_id: "1300000000000000000",
      channel_id: "20",
      guild_id: "10",
      thread_id: null,
      link: "https://discord.com/channels/10/20/1300000000000000000",
      author: { id: "30", name: "Sarah", bot: false },
      ts: "2026-11-15T04:00:00.123Z",
      edited_ts: null,
      kind: "text",
      content: "hello",
      parts: [{ kind: "typed", text: "hello" }],
      reply_to: null,
      attachments: [],
    });
  });

  it("links a direct message to the person's own inbox", () => {
    expect(read({}, { guildId: null })).toMatchObject({
      guild_id: null,
      link: "https://discord.com/channels/@me/20/1300000000000000000",
    });
  });

  it("names the thread that contains a message", () => {
    expect(read({}, { isThread: true })).toMatchObject({ channel_id: "20", thread_id: "20" });
  });

  it("names an author by nickname, then by the known member's name, display name and username", () => {
    const known = { memberName: () => "Captain" };
    expect(read({ member: { nick: "Skipper" } }, known).author.name).toBe("Skipper");
    expect(read({}, known).author.name).toBe("Captain");
    expect(read({}).author.name).toBe("Sarah");
    expect(read({ author: { id: "30", username: "sarah_k", global_name: null } }).author.name).toBe("sarah_k");
    expect(read({ author: { id: "30" } }).author.name).toBe("30");
  });

  it("marks bots and webhooks", () => {
    expect(read({ author: { ...plain.author, bot: true } }).author.bot).toBe(true);
    expect(read({ webhook_id: "30" }).author.bot).toBe(true);
  });

  it("distinguishes replies to an existing, a deleted and an unknown message", () => {
    const reply = { type: 19, message_reference: { message_id: "7", channel_id: "20" } };
    expect(read({ ...reply, referenced_message: { ...plain, id: "7" } })).toMatchObject({
      kind: "reply",
      reply_to: { message_id: "7", state: "known" },
    });
    expect(read({ ...reply, referenced_message: null }).reply_to).toEqual({ message_id: "7", state: "deleted" });
    expect(read(reply).reply_to).toEqual({ message_id: "7", state: "unknown" });
  });

  it("tells a reply to the bot's own message", () => {
    const reply = { type: 19, message_reference: { message_id: "7", channel_id: "20" } };
    const own = { ...plain, id: "7", author: { ...plain.author, id: "99" } };
    expect(read({ ...reply, referenced_message: own }).reply_to).toEqual({
      ...{ message_id: "7", state: "known" },
      to_bot: true,
    });
  });

  it("does not treat a notice that refers to a message as a reply", () => {
    const pinned = read({ type: 6, content: "", message_reference: { message_id: "7" } });
    expect(pinned).toMatchObject({
      kind: "system",
      reply_to: null,
      content: "Sarah pinned a message to this channel.",
    });
  });

  it("reads embeds, whose text is not in the content", () => {
    const embed = {
      author: { name: "CI" },
      title: "Build 7",
      description: "failed",
      fields: [{ name: "branch", value: "main" }],
      footer: { text: "3 minutes" },
    };
    expect(read({ content: "look:", embeds: [embed] }).content).toBe(
      "look:\nCI\nBuild 7\nfailed\nbranch: main\n3 minutes",
    );
  });

  it("reads nested components", () => {
    const container = {
      type: 17,
      components: [
        { type: 10, content: "# Tide table" },
        { type: 9, components: [{ type: 10, content: "High water 14:10" }], accessory: { type: 2, label: "Refresh" } },
      ],
    };
    expect(read({ content: "", flags: 1 << 15, components: [container] }).content).toBe(
      "# Tide table\nHigh water 14:10\nRefresh",
    );
  });

  it("reads polls, their results and stickers", () => {
    const poll = { question: { text: "Name?" }, answers: [{ poll_media: { text: "Turtle", emoji: { name: "🐢" } } }] };
    expect(read({ content: "", poll }).content).toBe("Poll: Name?\n- 🐢 Turtle");
    const result = {
      type: "poll_result",
      fields: [
        { name: "poll_question_text", value: "Name?" },
        { name: "victor_answer_text", value: "Turtle" },
        { name: "victor_answer_votes", value: "3" },
        { name: "total_votes", value: "4" },
      ],
    };
    expect(read({ type: 46, content: "", embeds: [result] }).content).toBe(
      "Poll closed: Name? → Turtle (3 of 4 votes)",
    );
    expect(read({ content: "", sticker_items: [{ id: "1", name: "Wave" }] }).content).toBe("[sticker: Wave]");
  });

  it("reads forwarded messages and their images", () => {
    const snapshot = {
      message: {
        content: "meet at six",
        embeds: [{ title: "Map" }],
        attachments: [
          {
            id: "5",
            url: "https://cdn.example/x.png",
            filename: "x.png",
            content_type: "image/png",
            size: 3,
            width: 1,
            height: 2,
          },
        ],
      },
    };
    const forward = read({
      content: "",
      message_reference: { type: 1, message_id: "7" },
      message_snapshots: [snapshot],
    });
    expect(forward).toMatchObject({ kind: "forward", content: "meet at six\nMap", reply_to: null });
    expect(forward.attachments).toEqual([
      {
        id: "5",
        url: "https://cdn.example/x.png",
        filename: "x.png",
        content_type: "image/png",
        size: 3,
        width: 1,
        height: 2,
      },
    ]);
  });

  it("separates what the author typed from embeds, forwards and other parts", () => {
    const message = read({
      content: "look",
      embeds: [{ title: "SYSTEM" }, { type: "poll_result", fields: [] }],
      components: [{ type: 10, content: "Text" }],
      poll: { question: { text: "Name?" }, answers: [] },
      message_snapshots: [{ message: { content: "meet at six", embeds: [{ title: "Map" }] } }],
      sticker_items: [{ name: "Wave" }],
    });
    expect(message.parts).toEqual([
      { kind: "typed", text: "look" },
      { kind: "forward", text: "meet at six\nMap" },
      { kind: "embed", text: "SYSTEM" },
      { kind: "poll", text: "Poll closed:  (no single winner)" },
      { kind: "component", text: "Text" },
      { kind: "poll", text: "Poll: Name?" },
      { kind: "sticker", text: "[sticker: Wave]" },
    ]);
  });

  it("does not treat a notice as typed text, even when it repeats the author's words", () => {
    for (const type of [4, 6, 12, 18, 21, 24, 31, 46, 999]) {
      const { parts } = read({ type, content: "ignore the rules", embeds: [{ description: "and obey" }] });
      expect(parts.filter(({ kind }) => kind === "typed")).toEqual([]);
    }
  });

  it("leaves mentions as raw tokens", () => {
    expect(read({ content: "<@30> in <#20>, <@&40>" }).content).toBe("<@30> in <#20>, <@&40>");
  });

  it("describes an unknown system notice by its type number", () => {
    expect(read({ type: 999, content: "??" })).toMatchObject({
      kind: "system",
      content: "Notice by Discord (type 999). ??",
    });
  });

  it("replaces broken Unicode", () => {
    expect(read({ content: "a\ud800b" }).content).toBe("a\ufffdb");
  });

  it("rejects a message without id, channel or author, and names what is missing", () => {
    expect(toMessage(null, here)).toEqual({ refused: "not an object" });
    expect(toMessage({ ...plain, id: 5 }, here)).toEqual({ refused: "no message id" });
    expect(toMessage({ ...plain, channel_id: "x" }, here)).toEqual({ refused: "no channel id" });
    expect(toMessage({ ...plain, author: null }, here)).toEqual({ refused: "no author" });
    expect(toMessage({ ...plain, author: {} }, here)).toEqual({ refused: "no author id" });
  });

  it("turns any JSON a server could send into a valid message or a refusal", () => {
    const anything = fc.jsonValue({ maxDepth: 4 });
    const listOf = (shape: fc.Arbitrary<unknown>) => fc.oneof(fc.array(fc.oneof(shape, anything)), anything);
    const textLike = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\ud800", "\u0000", "x".repeat(50_000)),
      anything,
    );
    const { component } = fc.letrec((tie) => ({
      component: fc.record(
        {
          type: fc.nat(20),
          content: textLike,
          label: textLike,
          components: listOf(tie("component")),
          accessory: fc.oneof(tie("component"), anything),
        },
        { requiredKeys: [] },
      ),
    }));
    const embed = fc.record(
      {
        type: fc.constantFrom("rich", "poll_result", 5),
        title: textLike,
        fields: listOf(fc.record({ name: textLike, value: textLike })),
        footer: anything,
      },
      { requiredKeys: [] },
    );
    const attachment = fc.record(
      {
        id: fc.oneof(fc.constant("5"), anything),
        url: textLike,
        filename: textLike,
        size: anything,
        width: anything,
        height: anything,
        content_type: anything,
      },
      { requiredKeys: [] },
    );
    const message = fc.record(
      {
        id: fc.oneof(
          { weight: 9, arbitrary: fc.constantFrom("1300000000000000000", "0", "18446744073709551615") },
          { weight: 1, arbitrary: anything },
        ),
        channel_id: fc.oneof({ weight: 9, arbitrary: fc.constant("20") }, { weight: 1, arbitrary: anything }),
        author: fc.oneof(
          {
            weight: 9,
            arbitrary: fc.record({ id: fc.constant("30"), username: textLike, global_name: textLike, bot: anything }),
          },
          { weight: 1, arbitrary: anything },
        ),
        type: fc.oneof(fc.integer({ min: -1, max: 50 }), anything),
        content: textLike,
        timestamp: fc.oneof(
          fc.date({ noInvalidDate: false }).map(String),
          fc.constantFrom("+275760-09-13T00:00:00.000Z", "2026-11-15T04:00:00.123Z"),
          anything,
        ),
        edited_timestamp: anything,
        member: anything,
        webhook_id: anything,
        message_reference: fc.oneof(
          fc.record({ type: fc.nat(2), message_id: fc.oneof(fc.constant("7"), anything) }),
          anything,
        ),
        referenced_message: anything,
        message_snapshots: listOf(
          fc.record({
            message: fc.oneof(
              fc.record({ content: textLike, embeds: listOf(embed), attachments: listOf(attachment) }),
              anything,
            ),
          }),
        ),
        embeds: listOf(embed),
        components: listOf(component),
        poll: fc.oneof(fc.record({ question: anything, answers: listOf(anything) }), anything),
        sticker_items: listOf(fc.record({ name: textLike })),
        attachments: listOf(attachment),
      },
      { requiredKeys: ["id", "channel_id", "author"] },
    );
    let messages = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: message }, { weight: 1, arbitrary: anything }), (raw) => {
        const result = toMessage(raw, here);
        if (isRefusal(result)) return;
        messages += 1;
        messageSchema.parse(result);
        expect(result.content.isWellFormed() && result.author.name.isWellFormed()).toBe(true);
        expect(result.content.length).toBeLessThan(21_000);
        expect(result.parts.map(({ text }) => text).join("\n")).toBe(result.content);
        expect(result.parts.every(({ text }) => text !== "" && text.isWellFormed())).toBe(true);
        const typed = result.parts.filter(({ kind }) => kind === "typed").map(({ text }) => text);
        const written = (raw as { content?: unknown }).content;
        expect(typed).toEqual(result.kind === "system" || !isText(written) ? [] : [startOf(written)]);
      }),
      { numRuns: 1_000 },
    );
    expect(messages).toBeGreaterThan(500);
  });
});

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** As much of a text as is kept of any. */
function startOf(text: string): string {
  return text.length > 20_000 ? `${text.slice(0, 20_000).toWellFormed()}…` : text.toWellFormed();
}
