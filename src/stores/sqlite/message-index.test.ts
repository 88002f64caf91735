import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type AttachmentId,
  type ChannelId,
  compareIds,
  type GuildId,
  type MessageId,
  type UserId,
} from "../../domain/ids.ts";
import { NEWEST, OLDEST } from "../../domain/intervals.ts";
import { joinParts, type Message, messageSchema, toTypedParts } from "../../domain/message.ts";
import type { MessageIndex } from "../../ports/message-index.ts";
import { HERE as CHANNEL, describeMessageIndex, say, search, texts } from "../message-index.suite.ts";
import { openMessageIndex } from "./message-index.ts";

const anyId = <Id extends string>() => fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((id) => String(id) as Id);
/** Every string there can be, halves of surrogate pairs and NUL included. */
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.nat(0xffff), { maxLength: 12 }).map((codes) => String.fromCharCode(...codes)),
);
const anyTime = fc
  .date({ noInvalidDate: true, min: new Date("0000-01-01T00:00:00.000Z"), max: new Date("9999-12-31T23:59:59.999Z") })
  .map((date) => date.toISOString());
const anyCount = fc.maxSafeNat();
const anyParts = fc.oneof(
  anyText.map(toTypedParts),
  fc.array(
    fc.record({
      kind: fc.constantFrom("typed", "forward", "embed", "component", "poll", "sticker", "notice"),
      text: anyText.filter((text) => text !== ""),
    }),
    { maxLength: 4 },
  ),
);
const anyShell = fc.record({
  message_id: anyId<MessageId>(),
  channel_id: anyId<ChannelId>(),
  guild_id: fc.option(anyId<GuildId>()),
  thread_id: fc.option(anyId<ChannelId>()),
  link: anyText,
  author: fc.record({ id: anyId<UserId>(), name: anyText, bot: fc.boolean() }),
  ts: anyTime,
  edited_ts: fc.option(anyTime),
  kind: fc.constantFrom("text", "reply", "command", "system", "forward"),
  parts: anyParts,
  reply_to: fc.option(
    fc.record(
      {
        message_id: anyId<MessageId>(),
        state: fc.constantFrom("known", "deleted", "unknown"),
        to_bot: fc.constant(true),
      },
      { requiredKeys: ["message_id", "state"], noNullPrototype: true },
    ),
  ),
  attachments: fc.array(
    fc.record({
      id: anyId<AttachmentId>(),
      url: anyText,
      filename: anyText,
      content_type: fc.option(anyText),
      size: anyCount,
      width: fc.option(anyCount),
      height: fc.option(anyCount),
    }),
    { maxLength: 3 },
  ),
});
const anyMessage: fc.Arbitrary<Message> = anyShell.map((shell) => ({ ...shell, content: joinParts(shell.parts) }));

function open(file: string | null = null): MessageIndex {
  const index = openMessageIndex(file);
  onTestFinished(() => index.close());
  return index;
}

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "earshot-index-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describeMessageIndex("memory", () => ({
  index: openMessageIndex(null),
  reopen: () => openMessageIndex(null),
  isDurable: false,
}));

describeMessageIndex("a file", () => {
  const file = join(openFolder(), "messages.db");
  return { index: openMessageIndex(file), reopen: () => openMessageIndex(file), isDurable: true };
});

describe("the message index", () => {
  it("returns every message exactly as it was written", () => {
    const index = open();
    fc.assert(
      fc.property(anyMessage, (message) => {
        expect(messageSchema.safeParse(message).success).toBe(true);
        index.write(message.channel_id, { put: [message] });
        expect(index.get(message.channel_id, [message.message_id])).toEqual([message]);
        index.forget(message.channel_id);
        expect(index.get(message.channel_id, [message.message_id])).toEqual([]);
      }),
      { numRuns: 250 },
    );
  });

  it("finds any part of any text, whether by index lookup or by scanning", () => {
    const index = open();
    fc.assert(
      fc.property(
        fc.array(anyText, { minLength: 1, maxLength: 8 }),
        fc.nat(),
        fc.nat(),
        fc.nat(9),
        (all, which, from, length) => {
          index.write(CHANNEL, { put: all.map((text, id) => say(id, text)) });
          const part = [...(all[which % all.length] ?? "")]
            .slice(from % 12)
            .slice(0, length)
            .join("");
          const found = search(index, part).map(({ message_id }) => Number(message_id));
          expect(found).toContain(which % all.length);
          expect(found).toEqual([...found].sort((a, b) => b - a));
          index.forget(CHANNEL);
        },
      ),
      { numRuns: 250 },
    );
  });

  it("finds exactly the messages that contain every word", () => {
    const words = ["deadlock", "lock", "LOCKED", "ok", "okay", "会議", "会", "議会", "x"];
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.constantFrom(...words), { maxLength: 4 }), { maxLength: 12 }),
        fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 2 }),
        (all, query) => {
          const index = openMessageIndex(null);
          const messages = all.map((each, id) => say(id, each.join(" ")));
          index.write(CHANNEL, { put: messages });
          const holds = ({ content }: Message) =>
            query.every((word) => content.toLowerCase().includes(word.toLowerCase()));
          const expected = messages.filter(holds).sort((a, b) => compareIds(b.message_id, a.message_id));
          expect(search(index, query.join(" "))).toEqual(expected);
          index.close();
        },
      ),
      { numRuns: 100 },
    );
  });

  it("forgets a channel at once, and frees its memory step by step", () => {
    const index = open();
    const empty = index.bytes();
    const put = Array.from({ length: 1_000 }, (_, id) => say(id, `needle number ${id} in a haystack`));
    index.write(CHANNEL, { put, complete: [{ from: OLDEST, to: NEWEST, unconfirmedSince: null }] });
    index.forget(CHANNEL);
    expect(search(index, "needle")).toEqual([]);
    expect(index.get(CHANNEL, ["5" as MessageId])).toEqual([]);
    index.write(CHANNEL, { put: [say(5, "needle again")] });
    let rounds = 0;
    while (index.tidy()) rounds += 1;
    expect(rounds).toBeGreaterThan(9);
    expect(texts(search(index, "needle"))).toEqual(["needle again"]);
    index.forget(CHANNEL);
    while (index.tidy()) rounds += 1;
    expect(index.bytes()).toBeLessThanOrEqual(empty + 3 * 4096);
  });

  it("keeps its content in a file after it was closed, and nothing in memory", () => {
    const file = join(openFolder(), "deep", "messages.db");
    const first = openMessageIndex(file);
    first.write(CHANNEL, {
      put: [say(1, "kept"), say(2, "gone")],
      complete: [{ from: 1n, to: NEWEST, unconfirmedSince: null }],
    });
    first.write(CHANNEL, { remove: ["2" as MessageId] });
    first.close();
    const again = open(file);
    expect(again.held()).toEqual([
      {
        channelId: CHANNEL,
        guildId: "5",
        isThread: false,
        messageIds: ["1"],
        complete: [{ from: 1n, to: NEWEST, unconfirmedSince: null }],
      },
    ]);
    expect(texts(search(again, "kept"))).toEqual(["kept"]);
    expect(open().held()).toEqual([]);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it("keeps unconfirmed intervals and the last heard time in a file, and nothing in memory", () => {
    const file = join(openFolder(), "messages.db");
    const first = openMessageIndex(file);
    expect(first.heardAt()).toBeNull();
    const complete = [
      { from: 1n, to: 9n, unconfirmedSince: 1_700_000_000_123 },
      { from: 10n, to: 19n, unconfirmedSince: null },
      { from: 20n, to: NEWEST, unconfirmedSince: 0 },
    ];
    first.write(CHANNEL, { put: [say(1, "kept")], complete });
    first.noteHeard(1_700_000_000_456);
    first.noteHeard(1_700_000_001_789);
    first.close();
    const again = open(file);
    expect(again.held()).toMatchObject([{ complete }]);
    expect(again.heardAt()).toBe(1_700_000_001_789);
    expect(open().heardAt()).toBeNull();
  });

  it("leaves no byte of deleted, edited or forgotten messages in its files", () => {
    const folder = openFolder();
    const index = open(join(folder, "messages.db"));
    const onDisk = () =>
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), "latin1"))
        .join("");
    const other = "8" as ChannelId;
    const [deleted, edited, forgotten] = ["qqzjxk wvdeleted", "kkjwqy wvedited", "zzkqvw wvforgotten"] as const;
    const fill = Array.from({ length: 300 }, (_, id) => say(id + 10, `filling ${id} words that make pages overflow`));
    index.write(CHANNEL, { put: [say(1, deleted), say(2, edited), ...fill, say(999, "stays here")] });
    index.write(other, { put: [say(3, forgotten, other)] });
    for (const text of [deleted, edited, forgotten]) expect(onDisk()).toContain(text);
    index.write(CHANNEL, { remove: ["1" as MessageId] });
    index.write(CHANNEL, { put: [say(2, "harmless")] });
    index.forget(other);
    const words = [deleted, edited, forgotten].flatMap((text) => text.split(" "));
    // Not even the parts by which they were found.
    const parts = [deleted, edited, forgotten].map((text) => text.slice(0, 3));
    for (const trace of [...words, ...parts]) expect(onDisk()).not.toContain(trace);
    expect(onDisk()).toContain("stays here");
  });

  it("refuses a file that another index has open", () => {
    const file = join(openFolder(), "messages.db");
    open(file).write(CHANNEL, { put: [say(1, "mine")] });
    expect(() => openMessageIndex(file)).toThrow(expect.objectContaining({ code: "misconfigured" }));
  });
});
