import { afterAll, describe, expect, it } from "vitest";
import type { Community, PostPlan } from "../../sandbox/index.ts";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import { getChannelSummary } from "../../src/tools/get-channel-summary.ts";
import { searchMessages } from "../../src/tools/search-messages.ts";
import { openAnswerWorld } from "../support/answer-world.ts";

const NOW = Date.parse("2031-05-23T12:00:00.000Z");
const DAY_MINUTES = 1_440;
const TOPICS = ["anchors", "bridges", "candles", "dolphins", "engines", "flags"];

/** Six days ago to yesterday a short talk each, and today more messages than anybody reads. */
const quiet = TOPICS.flatMap((topic, day): PostPlan[] => {
  const minutesAgo = (TOPICS.length - day) * DAY_MINUTES;
  const texts = [
    `we should paint all the ${topic} green`,
    `green ${topic} look nice to me`,
    `then the ${topic} are green`,
  ];
  return texts.map((text, index) => ({
    ...{ minutesAgo: minutesAgo - index, in: day % 2 === 0 ? "quay" : "shed" },
    ...{ by: index % 2 === 0 ? "ada" : "ben", text },
  }));
});
const busy = Array.from({ length: 700 }, (_, index): PostPlan => {
  return {
    minutesAgo: 600 - index * 0.8,
    in: "quay",
    by: index % 2 === 0 ? "ada" : "ben",
    text: `crate ${index} is here`,
  };
});
const community: Community = {
  guild: { name: "Yard", owner: "earshot", everyone: ["ViewChannel", "ReadMessageHistory", "SendMessages"] },
  people: [
    { key: "earshot", username: "earshot", displayName: "Earshot", bot: true },
    { key: "ada", username: "ada", displayName: "Ada" },
    { key: "ben", username: "ben", displayName: "Ben" },
  ],
  roles: [],
  channels: [
    { key: "quay", name: "quay", kind: "text" },
    { key: "shed", name: "shed", kind: "text" },
  ],
  posts: [...quiet, ...busy],
};

const { ask, close } = await openAnswerWorld(createBuiltinAnswerer(), community, NOW);
afterAll(close);

async function callHere<Result>(
  call: (toolbox: Parameters<ReturnType<typeof createBuiltinAnswerer>["answer"]>[1]) => Promise<Result>,
) {
  const results: Result[] = [];
  const answerer = {
    async answer(_: unknown, toolbox: Parameters<typeof call>[0]) {
      results.push(await call(toolbox));
      return { kind: "reaction" as const, emoji: "👍" };
    },
  };
  await ask({ text: "", as: "ada", in: "quay", answerer });
  const [result] = results;
  if (result === undefined) throw new Error("Nothing was called.");
  return result;
}

describe("a period without words", () => {
  it("is found by search_messages as conversations of every day, however busy the last one was", async () => {
    const { hits, has_more } = await callHere((toolbox) => toolbox.call(searchMessages, { since: "7 days" }));
    const texts = hits.map(({ message }) => message.content).join("\n");
    for (const topic of TOPICS) expect(texts).toContain(topic);
    expect(texts).toContain("crate");
    expect(has_more).toBe(false);
  });

  it("needs a time", async () => {
    await expect(callHere((toolbox) => toolbox.call(searchMessages, {}))).rejects.toThrow("`since`");
  });

  it("is summarised by get_channel_summary over all its days, and not by its newest messages", async () => {
    const summary = await callHere((toolbox) => toolbox.call(getChannelSummary, { timeframe: "7 days" }));
    const told = summary.points.map(({ text }) => text).join("\n");
    for (const topic of ["anchors", "candles", "engines"]) expect(told).toContain(topic);
    expect(summary.coverage.complete).toBe(false);
    expect(summary.messages).toBeLessThanOrEqual(600);
  });

  it.each(["quay", "dm"])("is answered with what every day was about, asked in %s", async (place) => {
    const { answer } = await ask({ text: "What did we talk about in the last 7 days?", as: "ada", in: place });
    const text = answer.kind === "text" ? answer.text : "";
    for (const topic of TOPICS) expect(text).toContain(topic);
  });

  it("is told of the last day to somebody who missed next to nothing", async () => {
    const { answer } = await ask({ text: "what did I miss?", as: "ada", in: "quay" });
    expect(answer.kind === "text" ? answer.text : "").toMatch(/\d{3} messages by Ada and Ben/);
  });
});
