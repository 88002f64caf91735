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

const answerer = createBuiltinAnswerer();
const outage = new EarshotError("unavailable", "Discord cannot be reached.");

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
});
