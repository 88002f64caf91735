import { afterAll, describe, expect, it } from "vitest";
import { citedIn, judge } from "../../eval/agent/measures.ts";
import { readQuestions } from "../../eval/agent/question-set.ts";
import { openWorlds } from "../../eval/agent/worlds.ts";
import type { AgentAnswer } from "../../src/agent/answerer.ts";
import { SAMPLE_NOW } from "../support/answer-world.ts";

const all = readQuestions(new URL("../../eval/agent/dev.json", import.meta.url));
const questions = all.questions.filter(({ kind }) => kind === "examples");
const { worlds } = await openWorlds(questions, { now: all.now, data: "" });
const sample = worlds.get("sample");
afterAll(() => sample?.world.close());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EPOCH = 1_420_070_400_000n;

/** The cited messages in the order of their time, each with the name of its channel. */
function citedMessages(answer: AgentAnswer): { readonly at: number; readonly channel: string; readonly id: string }[] {
  const channels = [...(sample?.world.sandbox.world.channels.values() ?? [])];
  return citedIn(answer)
    .map((id) => ({
      id,
      at: Number((BigInt(id) >> 22n) + EPOCH),
      channel: channels.find(({ messages }) => messages.get(id))?.name ?? "",
    }))
    .toSorted((a, b) => a.at - b.at);
}

/** What newcomers try first, in a channel and in a DM. */
describe("the built-in answerer on the sample community", () => {
  it.each(questions.map((question) => [`${question.text} (${question.in})`, question] as const))(
    "answers %s",
    async (_, question) => {
      if (!sample) throw new Error("There is no sample community.");
      const { answer, calls } = await sample.world.ask({
        text: question.text,
        as: sample.person(question.as),
        in: sample.channel(question.in),
      });
      const [gold, outdated] = [question.gold, question.outdated].map((some) => some.map((one) => sample.message(one)));
      const outcome = judge(question, { answer, calls, gold: gold ?? [], outdated: outdated ?? [] });
      expect(outcome.isGoldCited, outcome.text).not.toBe(false);
      expect(outcome.isGoldFirst, outcome.text).not.toBe(false);
      expect(outcome, outcome.text).toMatchObject({ isToolRight: true, isExpected: true });
    },
  );

  const cited = async (text: string, place: string, person = "wren") => {
    if (!sample) throw new Error("There is no sample community.");
    const { answer } = await sample.world.ask({ text, as: sample.person(person), in: sample.channel(place) });
    const messages = citedMessages(answer);
    expect(messages.length).toBeGreaterThan(1);
    return messages;
  };

  it.each(["What's been happening in this channel?", "Summarize the conversation", "Catch me up on the conversation"])(
    "answers %s with the whole day of the channel in which it is asked, and of no other",
    async (text) => {
      const messages = await cited(text, "general");
      expect(new Set(messages.map(({ channel }) => channel))).toEqual(new Set(["general"]));
      expect(messages[0]?.at).toBeGreaterThanOrEqual(SAMPLE_NOW - DAY_MS);
      expect(messages[0]?.at).toBeLessThan(SAMPLE_NOW - 6 * HOUR_MS);
    },
  );

  it("answers what somebody missed in a channel with what was said since they last wrote there", async () => {
    const { channels, people } = sample?.world.sandbox.community ?? {};
    const channel = sample?.world.sandbox.world.channels.get(channels?.get("general") ?? "");
    const own = [...(channel?.messages ?? [])].filter(({ authorId }) => authorId === people?.get("wren"));
    const messages = await cited("Catch me up on what I missed", "general");
    expect(own.length).toBeGreaterThan(0);
    expect(BigInt(messages[0]?.id ?? 0)).toBeGreaterThan(BigInt(own.at(-1)?.id ?? 0));
  });

  it.each(["what did I miss today?", "Catch me up on what I missed", "What's been happening in this channel?"])(
    "answers %s in a direct message with the last day of several channels of the servers",
    async (text) => {
      const messages = await cited(text, "dm", "sarah");
      expect(new Set(messages.map(({ channel }) => channel)).size).toBeGreaterThan(2);
      expect(messages.map(({ channel }) => channel)).not.toContain("");
      expect(messages[0]?.at).toBeGreaterThanOrEqual(SAMPLE_NOW - DAY_MS);
    },
  );

  it.each(["general", "dm"])(
    "answers what was talked about last week with every day of that week (%s)",
    async (place) => {
      const messages = await cited("What did we talk about last week?", place);
      const days = messages.map(({ at }) => new Date(at).toISOString().slice(0, 10));
      const monday = Date.parse("2031-05-12");
      expect(days).toEqual(
        Array.from({ length: 7 }, (_, day) => new Date(monday + day * DAY_MS).toISOString().slice(0, 10)),
      );
    },
  );

  it("answers what led up to “that message” with the latest message of the channel, and with those before it", async () => {
    if (!sample) throw new Error("There is no sample community.");
    const { channels } = sample.world.sandbox.community;
    const said = [...(sample.world.sandbox.world.channels.get(channels.get("general") ?? "")?.messages ?? [])];
    const latest = said.slice(-4).map(({ id }) => id);
    const asked = { text: "What led up to that message?", as: sample.person("wren"), in: "general" };
    const { answer } = await sample.world.ask(asked);
    expect(citedIn(answer)).toEqual(latest);
    expect(answer.kind === "text" && answer.turn?.shown.map(({ link }) => link?.split("/").at(-1))).toEqual(
      latest.slice(-1),
    );
  });
});
