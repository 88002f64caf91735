import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import { type Message, toTypedParts } from "../domain/message.ts";
import { openMessageIndex } from "../stores/sqlite/message-index.ts";
import { weighMessage } from "./weigh-message.ts";

const CHANNEL = "7" as ChannelId;
const OTHER = "8" as ChannelId;
const MAX_COUNT = 3_000;
/** Bytes per message hardly change beyond this, and the index takes seconds to write more. */
const MAX_CHARACTERS = 600_000;

/** The same numbers every time. */
function toRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

const random = toRandom();
const SYLLABLES = "ka ro mi ten sol vu par ner li dos gra fe hum til bo wex cha zan".split(" ");
const syllable = () => SYLLABLES[Math.floor(random() * SYLLABLES.length)];
const VOCABULARY = Array.from({ length: 8_000 }, () =>
  Array.from({ length: 1 + Math.floor(random() * 4) }, syllable).join(""),
);
const texts: Record<string, (length: number) => string> = {
  prose(length) {
    let text = "";
    while (text.length < length) text += `${VOCABULARY[Math.floor(random() ** 3 * VOCABULARY.length)]} `;
    return text.slice(0, length);
  },
  "random letters": (length) => Array.from({ length }, () => Math.floor(random() * 36).toString(36)).join(""),
  "a script without spaces": (length) =>
    Array.from({ length }, () => String.fromCharCode(0x4e00 + Math.floor(random() ** 2 * 3_000))).join(""),
};

function toMessage(index: number, content: string): Message {
  const id = String((BigInt(370_000_000_000 + index * 60_000) << 22n) + BigInt(index)) as MessageId;
  return {
    message_id: id,
    channel_id: CHANNEL,
    guild_id: "5" as GuildId,
    thread_id: null,
    link: `https://discord.com/channels/5/${CHANNEL}/${id}`,
    author: { id: "123456789012345678" as UserId, name: "Somebody", bot: false },
    ts: new Date(1_420_070_400_000 + 370_000_000_000 + index * 60_000).toISOString(),
    edited_ts: null,
    kind: "text",
    content,
    parts: toTypedParts(content),
    reply_to: null,
    attachments: [],
  };
}

function elsewhere(message: Message): Message {
  return { ...message, channel_id: OTHER, message_id: String(BigInt(message.message_id) + 1n) as MessageId };
}

describe("the weight of a message", () => {
  it.each(Object.keys(texts).flatMap((kind) => [10, 400, 2_000].map((length) => ({ kind, length }))))(
    "is at least the bytes the index takes for it, and less than twice that plus a row: $kind of length $length",
    ({ kind, length }) => {
      const count = Math.min(MAX_COUNT, MAX_CHARACTERS / length);
      const index = openMessageIndex(null);
      const empty = index.bytes();
      const messages = Array.from({ length: count }, (_, at) => toMessage(at, texts[kind]?.(length) ?? ""));
      // As history is read: page by page backwards, in two channels in turn, of which one is evicted again.
      for (let end = messages.length; end > 0; end -= 100) {
        const page = messages.slice(Math.max(0, end - 100), end).reverse();
        index.write(CHANNEL, { put: page });
        index.write(OTHER, { put: page.map(elsewhere) });
      }
      for (const message of messages) index.write(OTHER, { remove: [elsewhere(message).message_id] });
      const taken = (index.bytes() - empty) / count;
      index.close();
      const weight = messages.reduce((sum, message) => sum + weighMessage(message), 0) / count;
      expect(weight).toBeGreaterThan(taken);
      expect(weight).toBeLessThan(2 * taken + 128);
    },
  );
});
