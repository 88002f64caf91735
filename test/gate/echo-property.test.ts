import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { openAgentInProcess, openReusedAnswers, type ReusedAnswers } from "../support/agent-in-process.ts";
import { openModelAnswerer } from "../support/model-answerer.ts";
import { BOT, type PlainMessage, type PlainWorld } from "../support/plain-world.ts";
import { scriptChat, toldIn } from "../support/scripted-chat.ts";
import { ADA, BO, CEM, PLACE, smallWorld } from "../support/small-world.ts";

vi.setConfig({ testTimeout: process.env["SOAK_RUNS"] ? 0 : 240_000 });

const numRuns = Number(process.env["SOAK_RUNS"] ?? 5);
const EPOCH = 1_420_070_400_000n;
const NOW = BigInt(Date.parse("2026-11-15T12:00:00.000Z"));
const MINUTE = 60_000n;

const WORDS = ["regatta", "anchor", "harbour", "Segel", "boat", "tide", "regata"];
/** Who writes what is said anyway. */
const SPEAKERS = [ADA, BO, CEM, "3000"];
/** Who asks where, and is in no exchange. What is said in a private thread is not held for everybody: pages are fetched. */
const LISTENERS = [
  { actor: CEM, channelId: PLACE.general, elsewhere: PLACE.staff },
  { actor: BO, channelId: PLACE.aside, elsewhere: PLACE.general },
] as const;
type Listener = (typeof LISTENERS)[number];
const askersFor = ({ actor }: Listener) => SPEAKERS.filter((id) => id !== actor);
const QUESTIONS = [
  (word: string) => `when does the ${word} start?`,
  (word: string) => `who knows about the ${word}`,
  (word: string) => `tell me about the ${word} please`,
  (word: string) => `wann beginnt die ${word}`,
  (word: string) => `¿cuándo es la ${word}?`,
  (word: string) => `dis-moi quand est la ${word}`,
  (word: string) => `quando começa a ${word}`,
  (word: string) => `was weißt du über die ${word}`,
  (word: string) => `est-ce que la ${word} est annulée`,
  (word: string) => `powiedz mi kiedy jest ${word}`,
  (word: string) => `${word}レガッタはいつですか`,
  (word: string) => `${word} 알려줘`,
  (word: string) => `${word} date`,
  () => "catch me up",
  () => "what did I miss today?",
];
const STATEMENTS = [
  (word: string) => `the ${word} is on the 26th of June`,
  (word: string) => `I saw the ${word} at the pier`,
  (word: string) => `does anybody need the ${word}?`,
  (word: string) => `${word} ${word}`,
  (word: string) => `<@${BOT}> no, the ${word} is on the 19th now`,
  () => "at ten",
];

const said = fc.record({
  kind: fc.nat(STATEMENTS.length - 1),
  word: fc.nat(WORDS.length - 1),
  by: fc.nat(SPEAKERS.length - 1),
  place: fc.nat(1),
  reply: fc.option(fc.nat(5), { freq: 3 }),
  /** Posted by the bot for somebody; or a question to the bot that others reply to. */
  special: fc.nat(9),
});
const exchange = fc.record({
  kind: fc.nat(QUESTIONS.length - 1),
  word: fc.nat(WORDS.length - 1),
  by: fc.nat(SPEAKERS.length - 2),
  place: fc.nat(1),
  /** Minutes before now, and how it stands to others within that minute. */
  at: fc.tuple(fc.integer({ min: 11, max: 900 }), fc.nat(500)),
  /** 0: none; 1: one; 2: in two messages; 3: by a command; 4: what it answers was deleted; from 5 on the question replies to another answer, 6: and has none. 7: it does not mention the bot. */
  answer: fc.nat(7),
});
const histories = fc.record({
  listener: fc.constantFrom(...LISTENERS),
  said: fc.array(said, { minLength: 3, maxLength: 40 }),
  exchanges: fc.oneof(
    { weight: 3, arbitrary: fc.array(exchange, { maxLength: 40 }) },
    { weight: 1, arbitrary: fc.array(exchange, { minLength: 300, maxLength: 500, size: "max" }) },
  ),
});

type History = typeof histories extends fc.Arbitrary<infer Value> ? Value : never;

const idAt = (minutesAgo: number, offset: number) =>
  String(((NOW - EPOCH - BigInt(minutesAgo) * MINUTE + BigInt(offset)) << 22n) + 1n);
const placeAt = ({ channelId, elsewhere }: Listener, index: number) => (index === 0 ? channelId : elsewhere);
const plain = { edited: false, file: false };

function openWorld({ said: all, listener }: History): PlainWorld {
  const world = smallWorld();
  for (const id of world.messages.keys()) world.messages.set(id, []);
  for (const [index, { kind, word, by, place, reply, special }] of all.entries()) {
    const there = world.messages.get(placeAt(listener, place)) ?? [];
    const text = (STATEMENTS[kind] ?? STATEMENTS[0])?.(WORDS[word] ?? "") ?? "";
    const isAsked = special === 0;
    const message: PlainMessage = {
      ...plain,
      // Now and then two hours of silence.
      id: idAt(900 - index * 20 - (index > 20 ? 120 : 0), 30_000 + index),
      authorId: special === 1 ? BOT : (SPEAKERS[by] ?? ADA),
      content: isAsked ? `<@${BOT}> ${QUESTIONS[kind]?.(WORDS[word] ?? "")}` : text,
      replyTo: reply === null || special === 1 ? null : (there.at(-1 - reply)?.id ?? null),
    };
    const answer = {
      ...plain,
      id: String(BigInt(message.id) + 99n),
      authorId: BOT,
      content: "Nothing found.",
      replyTo: message.id,
    };
    world.messages.set(placeAt(listener, place), [...there, message, ...(isAsked ? [answer] : [])]);
  }
  return world;
}

function mixIn(world: PlainWorld, { exchanges, listener }: History): void {
  const askers = askersFor(listener);
  const lastAnswers = new Map<string, string>();
  for (const [index, one] of exchanges.entries()) {
    const channelId = placeAt(listener, one.place);
    const text = QUESTIONS[one.kind]?.(WORDS[one.word] ?? "") ?? "";
    const isFragment = text.endsWith(" date");
    const id = String(BigInt(idAt(one.at[0], one.at[1] * 50)) + BigInt(index) * 16n);
    const earlier = lastAnswers.get(channelId) ?? null;
    const isFollowUp = [5, 6].includes(one.answer) && earlier !== null && BigInt(earlier) < BigInt(id) && !isFragment;
    const content = isFollowUp || one.answer === 7 ? text : `<@${BOT}> ${text}`;
    const question = { ...plain, id, authorId: askers[one.by] ?? ADA, content, replyTo: isFollowUp ? earlier : null };
    const words = `${text} The ${WORDS[one.word]} is on the 26th of June.`;
    const reply = (offset: bigint, more: string, to: string | null): PlainMessage => {
      const answer = String(BigInt(id) + (offset << 22n));
      return { ...plain, id: answer, authorId: BOT, content: more, replyTo: to };
    };
    const isLong = one.answer === 2;
    // Words that only name something are a question because they were answered.
    const kind = isFragment && [0, 4, 6].includes(one.answer) ? 1 : one.answer;
    const answers =
      kind === 0 || kind === 6
        ? []
        : kind === 3
          ? [{ ...reply(700n, words, null), raw: { type: 20 } }, reply(800n, words, id)]
          : isLong
            ? [reply(700n, `${words} `.repeat(40).slice(0, 1_900), id), reply(900n, words, id)]
            : [reply(700n, words, id)];
    const all = [...(kind === 4 ? [] : [question]), ...answers];
    if (answers[0] && kind !== 3) lastAnswers.set(channelId, answers[0].id);
    world.messages.set(channelId, [...(world.messages.get(channelId) ?? []), ...all]);
  }
  for (const [id, all] of world.messages)
    world.messages.set(
      id,
      all.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)),
    );
}

const CALLS: readonly [tool: string, args: object][] = [
  ...WORDS.slice(0, 3).flatMap((word): [string, object][] => [
    ["search_messages", { query: word }],
    ["search_messages", { query: `when does the ${word} start?`, limit: 3 }],
    ["search_channel_messages", { query: `${word} June`, since: "today" }],
    ["discord.search.window", { query: word, limit: 5 }],
    ["get_channel_summary", { timeframe: "today", focus: word }],
  ]),
  ["search_messages", { query: "regata harbor anchr" }],
  ["search_messages", { query: "-regatta from:nick3001" }],
  ["search_user_messages", { user_name: "nick3002" }],
  ["search_user_messages", { user_name: "nick3001", query: "pier" }],
  ["get_channel_summary", { timeframe: "today" }],
  ["get_channel_summary", { timeframe: "3 hours", limit: 7 }],
  ["get_recent_messages", { include_own: false, limit: 9 }],
  ["context.window", {}],
  ["memory_read.search_context", { query: "when is the regatta?" }],
];
const ASKED = [
  "when is the regatta?",
  "who knows about the anchor?",
  "what did nick3001 say about the boat?",
  "what did I miss?",
  "what are the last messages?",
  "summarise today",
  "wann ist die Regatta?",
  "レガッタはいつですか",
  "where is the harbour?",
];

/** Everything that is told, without what is different each time and what counts the messages that were looked at. */
async function hear(world: PlainWorld, { actor, channelId }: Listener, answers: ReusedAnswers): Promise<string[]> {
  await answers.clear();
  const model = scriptChat((_, count) =>
    count % 2 === 1
      ? {
          calls: [
            ["search_messages", { query: "when does the regatta start?" }],
            ["get_channel_summary", { timeframe: "today" }],
          ],
        }
      : "On the 26th.",
  );
  const place = openAgentInProcess(world, {
    store: answers.store,
    readsAhead: true,
    answerer: createBuiltinAnswerer(),
  });
  const withModel = openModelAnswerer(model);
  const heard: string[] = [];
  try {
    await place.readAhead();
    const operation = await place.operations.open({ name: "test", grant: OPERATOR_GRANT }, {
      actor,
      channelId,
      isPrivate: true,
    } as never);
    for (const [name, args] of CALLS) {
      const { value } = await place.gate.callTool({ name, args, operation });
      heard.push(`${name} ${JSON.stringify(args)}: ${tidy(toText(name, value), operation.nonce)}`);
      const { cursor } = value as { cursor?: string | null };
      if (!cursor) continue;
      const { value: next } = await place.gate.callTool({ name, args: { ...args, cursor }, operation });
      heard.push(`${name} goes on: ${tidy(toText(name, next), operation.nonce)}`);
    }
    for (const text of ASKED) heard.push(`${text} ${await place.askPrivately({ actor, channelId, text })}`);
    const toolbox = {
      call: async (tool: { name: string }, args: unknown) =>
        (await place.gate.callTool({ name: tool.name, args, operation })).value,
      run: async (name: string, args: unknown) => {
        const { value, text } = await place.gate.callTool({ name, args, operation, wantsText: true });
        return { value, text: text ?? "" };
      },
      tools: place.gate.tools,
      signal: undefined,
      spending: { reserve: () => ({ settle: () => undefined }) },
      nonce: operation.nonce,
      idOf: (handle: string) => place.idOf(operation, handle),
    };
    await withModel.answer(
      {
        ...{
          text: "when is the regatta?",
          actor: { id: actor, name: `nick${actor}` },
          channelId,
          guildId: "1000",
        },
        ...{
          askedAt: place.clock.now(),
          timeZone: "UTC",
          agent: { id: BOT, name: "earshot" },
          messageId: null,
          about: null,
        },
        ...{ isPrivate: true, isIsolated: false, languageBefore: null, before: async () => null },
      } as never,
      toolbox as never,
    );
    heard.push(...model.requests.map((request) => `model: ${tidy(toldIn(request), operation.nonce)}`));
    return heard;
  } finally {
    await place.closeAgent();
  }
}

/** Where each word may stand anywhere in a message, what was looked at is told message by message. */
function toText(name: string, value: unknown): string {
  const { cursor, coverage, ...rest } = value as { cursor?: unknown; coverage?: unknown };
  return JSON.stringify(name === "discord.search.window" ? rest : { ...rest, coverage });
}

function tidy(text: string, nonce: string): string {
  return text.replaceAll(nonce, "nonce").replaceAll(/"scanned":\d+/g, '"scanned":0');
}

it("a history into which exchanges with the agent are mixed gives the same hits, summaries, windows and answers as without them", async () => {
  const answers = await openReusedAnswers();
  let hits = 0;
  const property = fc.asyncProperty(histories, async (history) => {
    const { listener } = history;
    const [without, mixed] = [openWorld(history), openWorld(history)];
    mixIn(mixed, history);
    const [here, there] = [await hear(without, listener, answers), await hear(mixed, listener, answers)];
    for (const [index, line] of here.entries()) expect(there[index]).toBe(line);
    hits += here.join().split('"words_in_message"').length - 1;
  });
  await fc.assert(property, { numRuns, endOnFailure: true });
  answers.close();
  // A comparison of nothing with nothing would hold as well.
  expect(hits).toBeGreaterThan(2 * numRuns);
});
