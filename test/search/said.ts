import fc from "fast-check";
import type { AttachmentId, ChannelId, MessageId, UserId } from "../../src/domain/ids.ts";
import { type Message, toTypedParts } from "../../src/domain/message.ts";
import { GUILD } from "../support/archive.ts";

/** A message in as few words as a test needs. */
export interface Said {
  readonly channel: string;
  readonly second: number;
  readonly by: string;
  readonly text: string;
  /** The second at which the message answered was said, in the same channel. */
  readonly answers?: number;
  readonly picture?: boolean;
  /** What the text consists of; all of it was typed unless said. */
  readonly parts?: Message["parts"];
}

const EPOCH = 1_420_070_400_000;
/** All that is said in tests is said from here on. */
export const START = Date.parse("2026-03-01T12:00:00.000Z");
export const PEOPLE: Readonly<Record<string, UserId>> = {
  ann: "501" as UserId,
  bob: "502" as UserId,
  cyd: "503" as UserId,
  dot: "504" as UserId,
};

export function channelOf(name: string): ChannelId {
  return String(1_000 + (name.codePointAt(0) ?? 0)) as ChannelId;
}

/** One message per channel and second. */
export function idOf(channel: string, second: number): MessageId {
  return String((BigInt(START + second * 1_000 - EPOCH) << 22n) + BigInt(channel.codePointAt(0) ?? 0)) as MessageId;
}

export function toMessage({ channel, second, by, text, answers, picture, parts }: Said): Message {
  const id = idOf(channel, second);
  const file = { url: "", filename: "p.png", content_type: "image/png", size: 1, width: 1, height: 1 };
  return {
    message_id: id,
    channel_id: channelOf(channel),
    guild_id: GUILD,
    thread_id: null,
    link: "",
    author: { id: PEOPLE[by] ?? ("509" as UserId), name: by, bot: false },
    ts: new Date(START + second * 1_000).toISOString(),
    edited_ts: null,
    kind: answers === undefined ? "text" : "reply",
    content: text,
    parts: parts ?? toTypedParts(text),
    reply_to: answers === undefined ? null : { message_id: idOf(channel, answers), state: "known" },
    attachments: picture ? [{ id: id as string as AttachmentId, ...file }] : [],
  };
}

/** Oldest first, by channel. Every channel named is there. */
export function toChannels(names: readonly string[], said: readonly Said[]): Map<ChannelId, Message[]> {
  return new Map(
    names.map((name) => [
      channelOf(name),
      said
        .filter(({ channel }) => channel === name)
        .toSorted((a, b) => a.second - b.second)
        .map(toMessage),
    ]),
  );
}

/** Words that no stemming changes, none the beginning of another. */
export const WORDS = ["zog", "kuv", "bax", "pum", "lort", "vond", "ann", "bob"];

/** Talk in one channel: pauses short and long, some answers, some pictures. */
export function arbitraryTalk(channel: string, most: number): fc.Arbitrary<Said[]> {
  const one = fc.record({
    pause: fc.constantFrom(7, 60, 600, 4_000, 90_000),
    by: fc.constantFrom(...Object.keys(PEOPLE)),
    words: fc.array(fc.constantFrom(...WORDS, "the", "is", "hoy"), { minLength: 0, maxLength: 6 }),
    back: fc.option(fc.integer({ min: 1, max: 9 })),
    asks: fc.boolean(),
    picture: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  });
  return fc.array(one, { maxLength: most }).map((lines) => {
    const said: Said[] = [];
    let second = 0;
    for (const { pause, by, words, back, asks, picture } of lines) {
      second += pause;
      const answered = back === null ? undefined : said.at(-back);
      const text = `${words.join(" ")}${asks && words.length > 0 ? " ?" : ""}`;
      said.push({ channel, second, by, text, picture, ...(answered && { answers: answered.second }) });
    }
    return said;
  });
}
