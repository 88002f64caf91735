import fc from "fast-check";
import type { ChannelId, GuildId, MessageId, UserId } from "../../src/domain/ids.ts";
import { type Message, toTypedParts } from "../../src/domain/message.ts";

export const NOW = Date.parse("2026-07-18T12:00:00.000Z");
const EPOCH = 1_420_070_400_000;

/** A message in as few words as a test needs. */
export interface Line {
  readonly by: string;
  readonly text: string;
  /** Before now. */
  readonly minutes: number;
  /** The place, in the list, of the message that it answers. */
  readonly answers?: number;
  /** What the text consists of; all of it was typed unless said. */
  readonly parts?: Message["parts"];
}

export const personOf = (name: string): UserId =>
  String(1_000 + ([...name].reduce((sum, sign) => sum * 31 + (sign.codePointAt(0) ?? 0), 7) % 1_000_003)) as UserId;

/** A talk as messages of one channel, in the order given. */
export function toTalk(lines: readonly Line[]): Message[] {
  const idOf = (index: number) => {
    const time = NOW - (lines[index]?.minutes ?? 0) * 60_000;
    return String((BigInt(time - EPOCH) << 22n) + BigInt(index)) as MessageId;
  };
  return lines.map(({ by, text, minutes, answers, parts }, index) => ({
    message_id: idOf(index),
    channel_id: "77" as ChannelId,
    guild_id: "7" as GuildId,
    thread_id: null,
    link: `https://discord.com/channels/7/77/${idOf(index)}`,
    author: { id: personOf(by), name: by, bot: false },
    ts: new Date(NOW - minutes * 60_000).toISOString(),
    edited_ts: null,
    kind: answers === undefined ? "text" : "reply",
    content: text,
    parts: parts ?? toTypedParts(text),
    reply_to: answers === undefined ? null : { message_id: idOf(answers), state: "known" },
    attachments: [],
  }));
}

/** Any talk between a few people, with replies to anywhere. */
export const anyTalk: fc.Arbitrary<Message[]> = fc
  .array(
    fc.record({
      by: fc.constantFrom("ann", "bob", "cyd", "vivy"),
      text: fc.constantFrom("the tide?", "bob: yes", "no", "a longer line about the harbour and its boats", "", "ok"),
      minutes: fc.nat(3_000),
      answers: fc.option(fc.nat(60), { nil: undefined }),
    }),
    { maxLength: 60 },
  )
  .map((lines) =>
    toTalk(
      lines.map(({ answers, ...line }) => ({
        ...line,
        ...(answers !== undefined && { answers: answers % lines.length }),
      })),
    ),
  );
