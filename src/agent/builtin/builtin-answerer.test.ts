import { describe, expect, it } from "vitest";
import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, GuildId, UserId } from "../../domain/ids.ts";
import type { Question, Toolbox } from "../answerer.ts";
import { createBuiltinAnswerer } from "./builtin-answerer.ts";

const QUESTION: Question = {
  text: "",
  actor: { id: "2" as UserId, name: "Wren" },
  channelId: "5" as ChannelId,
  guildId: "9" as GuildId,
  askedAt: Date.parse("2031-05-23T12:00:00.000Z"),
  timeZone: "UTC",
  agent: { id: "1" as UserId, name: "Earshot" },
  messageId: null,
  about: null,
  isPrivate: false,
  isIsolated: false,
  languageBefore: null,
  before: async () => null,
};

const outage = new EarshotError("unavailable", "Discord cannot be reached.");

/** Tools that fail with this error; every call is noted. */
function failing(error: EarshotError) {
  const calls: string[] = [];
  const toolbox: Toolbox = {
    async call({ name }) {
      calls.push(name);
      throw error;
    },
    async run(name) {
      calls.push(name);
      throw error;
    },
    tools: [],
    signal: undefined,
    spending: { reserve: () => ({ settle: () => undefined }) },
    nonce: "0",
    idOf: () => undefined,
  };
  return { calls, toolbox };
}

/** Tools that return these values, whatever they are called with. */
function answering(values: Readonly<Record<string, unknown>>): Toolbox {
  return { ...failing(outage).toolbox, call: async ({ name }) => values[name] as never };
}

const found = (hits: readonly unknown[]) => {
  const reach = { everything_since: null, unreachable: false, still_reading: false, note: null };
  return { hits, coverage: { scanned: 9, from: null, complete: true }, ...reach };
};

const said = (id: string, name: string, text: string) => ({
  ...{ message_id: id, channel_id: "5", guild_id: "9", thread_id: null, link: `https://x/${id}`, kind: "text" },
  author: { id: name, name, bot: false },
  ...{ ts: "2031-05-23T11:00:00.000Z", edited_ts: null, content: text, parts: [{ kind: "typed", text }] },
  ...{ reply_to: null, attachments: [] },
});

const answerer = createBuiltinAnswerer();

describe("the built-in answerer", () => {
  it.each(["hello", "thanks!", "👍", "what can you do?", "tell me a joke", ""])(
    "calls no tool for %j",
    async (text) => {
      const { calls, toolbox } = failing(outage);
      await answerer.answer({ ...QUESTION, text }, toolbox);
      expect(calls).toEqual([]);
    },
  );

  it.each([
    ...["post hello in #general", "start a thread about the sign", "react to that with a turtle", "kick him"],
    ...["tell Mark that the keel is dry", "remind Mark about the keel", "edit what you posted", "pin that message"],
  ])("says that it can only look up what was said, and looks at nothing, when it is asked to act: %s", async (text) => {
    const { calls, toolbox } = failing(outage);
    const answer = await answerer.answer({ ...QUESTION, text }, toolbox);
    expect(answer).toMatchObject({ kind: "text", text: expect.stringContaining("I can only look up what was said") });
    expect(calls).toEqual([]);
  });

  it("lets an outage be an outage, and not an empty result", async () => {
    await expect(answerer.answer({ ...QUESTION, text: "when is the deadline?" }, failing(outage).toolbox)).rejects.toBe(
      outage,
    );
  });

  it("says that it waits for the person's word, and never that something is remembered", async () => {
    const { toolbox } = failing(new EarshotError("confirmation_needed", "Asked."));
    const answer = await answerer.answer({ ...QUESTION, text: "remember that my berth is C 12" }, toolbox);
    expect(answer).toMatchObject({ kind: "text", text: expect.stringContaining("Waiting for your word") });
  });

  it.each([
    ...["what did I miss?", "what do you know about me?", "remember that my berth is C 12", "more"],
    ...["who is Sarah?", "which roles does Sarah have?", "when is the regatta?", "what did Mark say about the tide?"],
  ])("looks at nothing for %j when it is asked in isolation", async (text) => {
    const { calls, toolbox } = failing(outage);
    await answerer.answer({ ...QUESTION, text, isIsolated: true }, toolbox);
    expect(calls).toEqual([]);
  });

  it("searches for what was said where nobody is found by the name in a question about a person", async () => {
    const { calls, toolbox } = failing(new EarshotError("not_found", "Nobody."));
    await answerer.answer({ ...QUESTION, text: "who is Zorro?" }, toolbox);
    expect(calls).toEqual(["memory_read.get_user_facts", "search_messages"]);
  });

  it("offers those whom a name could mean, and guesses none", async () => {
    const candidates = [
      { name: "Sara", id: "3" },
      { name: "Sarah", id: "4" },
    ];
    const { toolbox } = failing(new EarshotError("invalid", "Several could be meant", { candidates }));
    const answer = await answerer.answer({ ...QUESTION, text: "what did Sar say about the boat?" }, toolbox);
    expect(answer).toMatchObject({
      choices: [
        { label: "Sara", question: "what did <@3> say about the boat" },
        { label: "Sarah", question: "what did <@4> say about the boat" },
      ],
    });
  });

  it("offers everybody who is called so when it is asked who somebody is, and searches where the names are only similar", async () => {
    const candidates = [
      { name: "Sam", id: "3" },
      { name: "Sam · sails", id: "4" },
    ];
    const { calls, toolbox } = failing(new EarshotError("invalid", "Several could be meant", { candidates }));
    expect(await answerer.answer({ ...QUESTION, text: "who is Sam?" }, toolbox)).toMatchObject({
      choices: [
        { label: "Sam", question: "who is <@3>" },
        { label: "Sam · sails", question: "who is <@4>" },
      ],
    });
    expect(calls).toEqual(["memory_read.get_user_facts"]);
    await answerer.answer({ ...QUESTION, text: "tell me about samples" }, toolbox);
    expect(calls.slice(1)).toEqual(["memory_read.get_user_facts", "search_messages"]);
  });

  it.each(["what did she say about the boat?", "which roles does she have?", "when did he join?", "who is she?"])(
    "asks whom he or she is when nobody was named: %j",
    async (text) => {
      const { calls, toolbox } = failing(outage);
      const answer = await answerer.answer({ ...QUESTION, text }, toolbox);
      expect(answer).toMatchObject({ text: expect.stringContaining("Whom do you mean") });
      expect(calls).toEqual([]);
    },
  );

  it("shows what somebody replied to a question about it, where they never said the word themselves", async () => {
    const asked = said("10", "Sara", "what's the plan for ballast?");
    const replied = { ...said("11", "Bo", "lead pigs, 180 kg"), reply_to: { message_id: "10", state: "known" } };
    const toolbox = answering({
      search_user_messages: found([]),
      search_messages: found([
        { message: said("9", "Cy", "I was the ballast"), channel: { name: "sea" }, around: [] },
        { message: asked, channel: { name: "yard" }, around: [replied] },
      ]),
    });
    const answer = await answerer.answer({ ...QUESTION, text: "what did Bo say about ballast?" }, toolbox);
    expect(answer).toMatchObject({ text: expect.stringMatching(/^Bo in #yard.*“lead pigs, 180 kg”/u) });
  });

  it("shows beside what is closest the message that it replies to and the one that replied to it", async () => {
    const reply = (id: string, name: string, text: string) => ({
      ...said(id, name, text),
      reply_to: { message_id: String(Number(id) - 1), state: "known" },
    });
    const message = reply("11", "Bo", "no idea, some coal ferry I guess");
    const around = [said("10", "Ana", "who was at the quay?"), reply("12", "Cy", "it was the tug")];
    const hit = { message, channel: { name: "yard" }, around, words_in_message: "all" };
    const answer = await answerer.answer(
      { ...QUESTION, text: "why is the coal ferry painted?" },
      answering({ search_messages: found([hit]) }),
    );
    expect(answer.kind === "text" && answer.text.split("\n").slice(1, 4)).toEqual([
      expect.stringMatching(/^- Bo in #yard, .* \[m1\]$/),
      "  ↑ Ana: “who was at the quay?” [m2]",
      "  ↓ Cy: “it was the tug” [m3]",
    ]);
  });

  it("does not show whatever somebody said where they said nothing of what is asked for", async () => {
    const message = said("10", "Rosa", "a wise man");
    const hit = { message, channel: { name: "yard" }, around: [], words_in_message: "none" };
    const toolbox = answering({ search_user_messages: found([]), search_messages: found([hit]) });
    const answer = await answerer.answer({ ...QUESTION, text: "what did Rosa say about the coal ferry?" }, toolbox);
    expect(answer).toMatchObject({ voice: "none", text: expect.not.stringContaining("wise") });
  });

  it.each([
    ["how do I get a berth?", "Berths are given out by the office"],
    ["where is Cy's berth?", "pontoon D"],
    ["who has a berth?", "pontoon D"],
  ])(
    "answers %j from %j, and only who is named or looked for by a fact about somebody else",
    async (text, expected) => {
      const about = { user_id: "7", name: "Cy" };
      const fact = { fact_id: "1", about, key: "berth", text: "pontoon D", rests_on: { links: [] } };
      const passage = (id: string, words: string) => {
        const where = { passage_id: id, document: "handbook", headings: ["Moorings"], first_line: 1, last_line: 1 };
        return { source: "docs", passage: { ...where, text: words } };
      };
      const items = [{ source: "memory_fact", fact }, passage("p1", "Berths are given out by the office.")];
      const context = { items, note: null };
      const toolbox = answering({
        "memory_read.search_context": context,
        "memory_read.get_user_facts": {
          facts: [fact],
          profile: [],
          note: null,
        },
        search_messages: found([]),
      });
      expect(await answerer.answer({ ...QUESTION, text }, toolbox)).toMatchObject({
        text: expect.stringContaining(expected),
      });
    },
  );

  it.each([
    ["where is the coal ferry?", "everywhere I may look"],
    ["where is the coal ferry in #sea?", "in #sea"],
    ["where is the coal ferry in <#7>?", "in <#7>"],
    ["did anyone see the coal ferry in here?", "in <#5>"],
    ["what did Rosa say about the coal ferry?", "everywhere I may look"],
    ["wo ist die Kohlenfähre?", "überall, wo ich schauen darf"],
  ])("says where it looked when nothing is found for %j", async (text, where) => {
    const toolbox = answering({
      search_messages: found([]),
      search_channel_messages: found([]),
      search_user_messages: found([]),
    });
    const answer = await answerer.answer({ ...QUESTION, text }, toolbox);
    expect(answer).toMatchObject({ voice: "none", text: expect.stringContaining(` · ${where} · `) });
  });

  describe("asked about talks with other bots", () => {
    const recalled = (state: string, more: object = {}) =>
      answering({ recall_bot_conversation: { state, text: "", bots: [], exchanges: [], note: null, ...more } });
    const bots = [
      { id: "3", name: "Gabriel" },
      { id: "4", name: "Gabriella" },
    ];
    const quoteOf = (id: string, name: string, text: string) => ({ message: said(id, name, text), when: "now", text });
    const exchange = { bot: bots[0], said: quoteOf("10", "Gabriel", "the tide is late"), replied: null };
    const replied = { ...exchange, replied: quoteOf("11", "Earshot", "by an hour") };
    const text = "worüber hast du mit Gabriel über die Flut geredet?";

    it("quotes both in the language of the question", async () => {
      const answer = await answerer.answer({ ...QUESTION, text }, recalled("recalled", { exchanges: [replied] }));
      expect(answer).toMatchObject({ voice: "sure", turn: { language: "de" } });
      expect(answer.kind === "text" && answer.text.split("\n").slice(0, 2)).toEqual([
        "**Gabriel**, vor 1 Stunde: “the tide is late” [m1]",
        "**Earshot**, vor 1 Stunde: “by an hour” [m2]",
      ]);
    });

    it("shows what a bot said to others as the closest, and no answer", async () => {
      const toolbox = recalled("said_to_others", { exchanges: [exchange] });
      expect(await answerer.answer({ ...QUESTION, text }, toolbox)).toMatchObject({
        voice: "unsure",
        text: expect.stringMatching(/^Eine klare Antwort habe ich nicht gefunden.*\n\*\*Gabriel\*\*/u),
      });
    });

    it.each([
      ["nothing", "Keine Nachrichten von Gabriel gefunden"],
      ["off", "Gespräche mit Bots werden hier nicht festgehalten."],
    ])("says %s in the language of the question", async (state, expected) => {
      const answer = await answerer.answer({ ...QUESTION, text }, recalled(state));
      expect(answer).toMatchObject({ voice: "none", text: expect.stringContaining(expected) });
    });

    it("offers the bots that a name could mean", async () => {
      const answer = await answerer.answer({ ...QUESTION, text }, recalled("several_bots", { bots }));
      expect(answer).toMatchObject({ choices: [{ label: "Gabriel" }, { label: "Gabriella" }] });
    });
  });

  it("takes no passage that repeats the day of the question for the time that is asked for", async () => {
    const where = { passage_id: "p1", document: "handbook", headings: ["Guests"], first_line: 1, last_line: 1 };
    const items = [{ source: "docs", passage: { ...where, text: "Guests are welcome at the Friday soup." } }];
    const toolbox = answering({
      "memory_read.search_context": { items, note: null },
      search_messages: found([]),
    });
    const answer = await answerer.answer({ ...QUESTION, text: "what time is the soup on friday?" }, toolbox);
    expect(answer).toMatchObject({ voice: "none" });
  });
});
