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
  /** The form of something that is said to the bot, or that the bot may answer. */
  readonly form?: "asks" | "states" | "names";
  readonly mentionsBot?: boolean;
}

export const BOT = "earshot";
const BOT_ID = "1" as UserId;

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

export function toMessage({ channel, second, by, answers, picture, parts, ...said }: Said): Message {
  const id = idOf(channel, second);
  const text = said.mentionsBot ? `<@${BOT_ID}> ${said.text}` : said.text;
  const file = { url: "", filename: "p.png", content_type: "image/png", size: 1, width: 1, height: 1 };
  return {
    message_id: id,
    channel_id: channelOf(channel),
    guild_id: GUILD,
    thread_id: null,
    link: "",
    author: { id: by === BOT ? BOT_ID : (PEOPLE[by] ?? ("509" as UserId)), name: by, bot: by === BOT },
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

/** Talk in one channel: pauses short and long, some answers, some pictures, and now and then an exchange with the bot. */
export function arbitraryTalk(channel: string, most: number): fc.Arbitrary<Said[]> {
  const exchange = fc.record({
    words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 2 }),
    form: fc.constantFrom("asks", "asks", "states", "names"),
    mentionsBot: fc.boolean(),
    /** None, or what the bot says to it; what somebody says to one of the two; a question to the bot after that. */
    answer: fc.option(fc.constantFrom(...WORDS)),
    reply: fc.option(fc.record({ word: fc.constantFrom(...WORDS), isToAnswer: fc.boolean() })),
    followUp: fc.option(fc.constantFrom(...WORDS), { freq: 2 }),
    isPosted: fc.nat(4).map((n) => n === 0),
  });
  const one = fc.record({
    pause: fc.constantFrom(7, 60, 600, 4_000, 90_000),
    by: fc.constantFrom(...Object.keys(PEOPLE)),
    words: fc.array(fc.constantFrom(...WORDS, "the", "is", "hoy"), { minLength: 0, maxLength: 6 }),
    back: fc.option(fc.integer({ min: 1, max: 9 })),
    asks: fc.boolean(),
    picture: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    exchange: fc.option(exchange, { freq: 4 }),
  });
  return fc.array(one, { maxLength: most }).map((lines) => {
    const [said, people]: [Said[], Said[]] = [[], []];
    let second = 0;
    for (const { pause, by, words, back, asks, picture, exchange: put } of lines) {
      second += pause;
      const answered = back === null ? undefined : people.at(-back);
      const text = `${words.join(" ")}${asks && words.length > 0 ? " ?" : ""}`;
      const line = { channel, second, by, text, picture, ...(answered && { answers: answered.second }) };
      people.push(line);
      said.push(line);
      if (!put) continue;
      const say = (more: Omit<Said, "channel" | "second">): number => {
        second += 20;
        said.push({ channel, second, ...more });
        return second;
      };
      if (put.isPosted) say({ by: BOT, text: `${put.words.join(" ")} is lort` });
      const spoken = { asks: " ?", states: " is zog", names: "" }[put.form as "asks"];
      const { form, mentionsBot } = put as { form: "asks"; mentionsBot: boolean };
      const asked = say({ by, text: `${put.words.join(" ")}${spoken}`, form, mentionsBot });
      const answer = put.answer === null ? null : say({ by: BOT, text: `${put.answer} zog`, answers: asked });
      if (put.reply)
        say({ by: "dot", text: `${put.reply.word} is`, answers: (put.reply.isToAnswer ? answer : null) ?? asked });
      if (put.followUp !== null && answer !== null)
        say({ by, text: `${put.followUp} ?`, answers: answer, form: "asks", mentionsBot: false });
    }
    return said;
  });
}

/** By the rule, over what is said in one channel: questions to the bot, and its answers. */
export function findEchoes(room: readonly Said[]): ReadonlySet<Said> {
  const isByBot = (second: number | undefined) => room.some((one) => one.by === BOT && one.second === second);
  const isAnswered = ({ second }: Said) => room.some((one) => one.by === BOT && one.answers === second);
  return new Set(
    room.filter((said) => {
      if (said.by === BOT) return said.answers !== undefined;
      if (said.form === "asks") return said.mentionsBot || isAnswered(said) || isByBot(said.answers);
      return said.form === "names" && (said.mentionsBot === true || isAnswered(said));
    }),
  );
}

/** The question to the bot that somebody's message answers, be it by way of the bot's answer. */
export function findQuestion(said: Said, room: readonly Said[]): Said | undefined {
  const echoes = findEchoes(room);
  const target = room.find(({ second }) => second === said.answers);
  const question = target?.by === BOT ? room.find(({ second }) => second === target.answers) : target;
  return question && question.by !== BOT && echoes.has(question) ? question : undefined;
}
