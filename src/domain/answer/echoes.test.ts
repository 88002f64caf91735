import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId, MessageId, UserId } from "../ids.ts";
import { type Message, toTypedParts } from "../message.ts";
import { Echoes } from "./echoes.ts";

const BOT = "1" as UserId;
const SECOND = 1n << 22n;
const START = 1_000_000n * SECOND * 1_000n;

interface Said {
  /** Seconds. */
  readonly at: number;
  readonly by: string;
  readonly text: string;
  readonly replyTo?: number;
  readonly kind?: Message["kind"];
  readonly isDirect?: boolean;
}

const idAt = (seconds: number) => START + BigInt(seconds) * SECOND * 1_000n;

function toMessage({ at, by, text, replyTo, kind, isDirect = false }: Said): Message {
  return {
    message_id: String(idAt(at)) as MessageId,
    channel_id: "5" as ChannelId,
    guild_id: isDirect ? null : ("3" as GuildId),
    thread_id: null,
    link: "",
    author: { id: by as UserId, name: by, bot: by === BOT },
    ts: new Date(0).toISOString(),
    edited_ts: null,
    kind: kind ?? (replyTo === undefined ? "text" : "reply"),
    content: text,
    parts: toTypedParts(text),
    reply_to: replyTo === undefined ? null : { message_id: String(idAt(replyTo)) as MessageId, state: "known" },
    attachments: [],
  };
}

/** What each is, in the order given. */
function judge(...said: Said[]) {
  const echoes = Echoes.among(said.map(toMessage), BOT);
  return said.map(({ at }) => echoes.of(idAt(at)));
}

const QUESTION = "when is the regatta?";
const LONG = "The regatta. ".repeat(100);

describe("an echo", () => {
  it("is a question that mentions the bot, and the bot's reply to it", () => {
    const asked = { at: 1, by: "7", text: `<@1> ${QUESTION}` };
    const answered = { at: 2, by: BOT, text: "On the 26th.", replyTo: 1 };
    expect(judge(asked, answered)).toEqual(["question", "answer"]);
    expect(judge(asked)).toEqual(["question"]);
    expect(judge(answered)).toEqual(["answer"]);
  });

  it("is a question that replies to the bot, or to which the bot has replied, without a mention", () => {
    const posted = { at: 1, by: BOT, text: "The regatta is on the 26th." };
    expect(judge(posted, { at: 2, by: "7", text: "and where?", replyTo: 1 })).toEqual([null, "question"]);
    const words = { at: 1, by: "7", text: "regatta date" };
    expect(judge(words)).toEqual([null]);
    expect(judge(words, { at: 2, by: BOT, text: "The 26th.", replyTo: 1 })).toEqual(["question", "answer"]);
    expect(judge({ ...words, text: "<@1> regatta date" })).toEqual(["question"]);
  });

  it("is a reply to the bot, also where only the reply itself says to whom it is", () => {
    const asked = toMessage({ at: 2, by: "7", text: "and where?", replyTo: 1 });
    const replyTo = { message_id: "1" as MessageId, state: "known" as const };
    const isEcho = (reply_to: Message["reply_to"]) => Echoes.among([{ ...asked, reply_to }], BOT).size === 1;
    expect([isEcho(replyTo), isEcho({ ...replyTo, to_bot: true })]).toEqual([false, true]);
  });

  it("is no statement, to whom it may be said and whether or not the bot has answered it", () => {
    const told = { at: 1, by: "7", text: "<@1> no, it is the 26th now" };
    expect(judge(told, { at: 2, by: BOT, text: "Noted.", replyTo: 1 })).toEqual([null, "answer"]);
    const answer = { at: 1, by: BOT, text: "I found nothing.", replyTo: 0 };
    const corrected = { at: 2, by: "7", text: "at ten", replyTo: 1 };
    const again = { at: 3, by: BOT, text: "I found nothing.", replyTo: 2 };
    expect(judge(answer, corrected, again)).toEqual(["answer", null, "answer"]);
  });

  it("is no question among people, and none to another bot", () => {
    expect(judge({ at: 1, by: "7", text: QUESTION }, { at: 2, by: "8", text: "<@9> !roll" })).toEqual([null, null]);
    expect(judge({ at: 1, by: "7", text: `type \`<@1> ${QUESTION}\`` })).toEqual([null]);
  });

  it("is what the bot responds to a command, and no announcement", () => {
    expect(judge({ at: 1, by: BOT, text: "Found.", kind: "command" })).toEqual(["answer"]);
    expect(judge({ at: 1, by: BOT, text: "The regatta is on the 26th." })).toEqual([null]);
  });

  it("is of a long answer each part, and nothing that the bot posts right after it", () => {
    const first = { at: 1, by: BOT, text: LONG, replyTo: 0 };
    const second = { at: 3, by: BOT, text: "the end", replyTo: 0 };
    const between = { at: 2, by: "7", text: "the tide turns" };
    const posted = { at: 4, by: BOT, text: "The regatta is on the 26th." };
    expect(judge(first, between, second, posted)).toEqual(["answer", null, "answer", null]);
  });

  it("is in direct messages only what the bot says", () => {
    const mine = { at: 1, by: "7", text: QUESTION, isDirect: true };
    expect(judge(mine, { at: 2, by: BOT, text: "On the 26th.", isDirect: true })).toEqual([null, "answer"]);
  });

  it("is told to be the question of what replies to it, also by way of the bot's answer", () => {
    const said = [
      { at: 1, by: "7", text: `<@1> ${QUESTION}` },
      { at: 2, by: BOT, text: LONG, replyTo: 1 },
      { at: 3, by: BOT, text: "more", replyTo: 1 },
      { at: 4, by: "8", text: "at ten", replyTo: 1 },
      { at: 5, by: "8", text: "at ten", replyTo: 2 },
      { at: 6, by: "8", text: "at ten", replyTo: 3 },
      { at: 7, by: "8", text: "at ten", replyTo: 4 },
      { at: 8, by: "8", text: "at ten" },
    ].map(toMessage);
    const echoes = Echoes.among(said, BOT);
    expect(said.map((message) => echoes.questionFor(message)?.content)).toEqual([
      undefined,
      ...Array(5).fill(`<@1> ${QUESTION}`),
      ...[undefined, undefined],
    ]);
  });
});

const texts = [
  { text: "when is it?", form: "asks" },
  { text: "it is the 26th", form: "states" },
  { text: "regatta date", form: "names" },
] as const;

const line = fc.record({
  at: fc.integer({ min: 1, max: 60 }),
  by: fc.constantFrom<string>(BOT, BOT, "7", "8"),
  text: fc.nat(texts.length - 1),
  mentions: fc.boolean(),
  replyTo: fc.option(fc.integer({ min: 0, max: 200 }), { nil: null }),
});

type Line = typeof line extends fc.Arbitrary<infer Value> ? Value : never;

/** By the rule as it is told, over the whole list. */
function isEcho(one: Line, all: readonly Line[]): boolean {
  if (one.by === BOT) return one.replyTo !== null;
  const form = texts[one.text]?.form;
  const isAnswered = all.some(({ by, replyTo }) => by === BOT && replyTo === one.at);
  const isToBot = all.some(({ by, at }) => by === BOT && at === one.replyTo);
  if (form === "asks") return isAnswered || one.mentions || isToBot;
  return form === "names" && (one.mentions || (isAnswered && one.replyTo === null));
}

const toLine = ({ at, by, text, mentions, replyTo }: Line) =>
  toMessage({
    at,
    by,
    text: `${mentions && by !== BOT ? "<@1> " : ""}${texts[text]?.text}`,
    ...(replyTo !== null && replyTo < at && { replyTo }),
  });

describe("the echoes of a channel", () => {
  it("are the same whatever order messages come, change and go in", () => {
    const lines = fc
      .uniqueArray(line, { selector: ({ at }) => at, maxLength: 25 })
      .map((all) =>
        all.map((one) => ({ ...one, replyTo: one.replyTo !== null && one.replyTo < one.at ? one.replyTo : null })),
      );
    const property = fc.property(lines, fc.array(fc.tuple(fc.nat(24), fc.nat(3)), { maxLength: 40 }), (all, steps) => {
      const held = new Map<bigint, Message>();
      const echoes = new Echoes({
        botId: BOT,
        read: (id) => held.get(id),
        holds: (id) => held.has(id),
      });
      const now = new Map<number, Line>();
      const turned = new Set<bigint>();
      const apply = (gone: readonly Message[], come: readonly Message[]) => {
        for (const { message_id } of gone) held.delete(BigInt(message_id));
        for (const message of come) held.set(BigInt(message.message_id), message);
        for (const id of echoes.change(gone, come).turned) if (!turned.delete(id)) turned.add(id);
      };
      for (const [index, what] of steps) {
        const given = all[index % Math.max(1, all.length)];
        if (!given) continue;
        const known = now.get(given.at);
        const one = what === 3 && known ? { ...known, text: (known.text + 1) % texts.length } : given;
        if (what === 0 && known) {
          now.delete(given.at);
          apply([toLine(known)], []);
        } else {
          now.set(given.at, one);
          apply(known ? [toLine(known)] : [], [toLine(one)]);
        }
        const expected = [...now.values()].filter((each) => isEcho(each, [...now.values()])).map(({ at }) => idAt(at));
        expect(echoes.between({ from: 0n, to: 1n << 63n })).toEqual(expected.sort((a, b) => (a < b ? -1 : 1)));
      }
      // Whoever follows what turned knows which are echoes.
      const gone = [...turned].filter((id) => held.has(id)).sort((a, b) => (a < b ? -1 : 1));
      expect(gone).toEqual(echoes.between({ from: 0n, to: 1n << 63n }));
    });
    fc.assert(property, { numRuns: Number(process.env["SOAK_RUNS"] ?? 300) });
  });

  it("are in an interval those that what was said there makes echoes, whatever is held beyond it", () => {
    const property = fc.property(
      fc.uniqueArray(line, { selector: ({ at }) => at, maxLength: 25 }),
      fc.tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 200 })),
      fc.nat(25),
      (given, [one, other], split) => {
        const all = given.map((each) => ({
          ...each,
          replyTo: each.replyTo !== null && each.replyTo < each.at ? each.replyTo : null,
        }));
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const below = Echoes.among(all.slice(0, split).map(toLine), BOT);
        const echoes = below.over(all.slice(split).map(toLine));
        const interval = { from: idAt(from), to: idAt(to) };
        const inside = all.filter(({ at }) => at >= from && at <= to);
        for (const each of inside)
          expect([each, echoes.isWithin(idAt(each.at), interval)]).toEqual([each, isEcho(each, inside)]);
      },
    );
    fc.assert(property, { numRuns: Number(process.env["SOAK_RUNS"] ?? 300) });
  });
});
