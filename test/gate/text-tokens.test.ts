import { describe, expect, it, onTestFinished } from "vitest";
import type { Toolbox } from "../../src/agent/answerer.ts";
import { estimateTokens } from "../../src/domain/text/tokens.ts";
import { openAnswerWorld } from "../support/answer-world.ts";
import { readBlock } from "../support/strict-reader.ts";

const QUERIES = ["project deadline", "bracket file", "parking", "tide board sensor", "turtle", "who brings snacks?"];
const CHANNELS = ["general", "tideboard", "announcements"];

/** What the tools say of the sample community, as a model reads it. */
async function openTexts() {
  const nothing = { answer: async () => ({ kind: "text", text: "" }) as never };
  const world = await openAnswerWorld(nothing);
  onTestFinished(() => world.close());
  return async <Result>(work: (toolbox: Toolbox) => Promise<Result>): Promise<Result> => {
    let result: Promise<Result> | null = null;
    const answerer = {
      async answer(_: unknown, toolbox: Toolbox) {
        result = work(toolbox);
        await result;
        return { kind: "text", text: "" } as never;
      },
    };
    await world.ask({ text: "", as: "mark", in: "general", answerer });
    if (result === null) throw new Error("nothing was asked");
    return result;
  };
}

const CALLS = [
  ...QUERIES.map((query) => ["search_messages", { query }] as const),
  ...CHANNELS.map((channel) => ["discord.channel.messages", { channel }] as const),
];

/** How many messages a text has, how many tokens it takes, and how many of those are neither names of authors nor what they wrote. */
function weigh(text: string, nonce: string) {
  const messages = readBlock(text, nonce).lines.filter(({ handle }) => handle?.startsWith("m"));
  const told = messages.reduce(
    (sum, { author, body }) => sum + estimateTokens(` ${author}`) + estimateTokens(` ${body}`),
    0,
  );
  const tokens = estimateTokens(text);
  return { messages: messages.length, tokens, beyond: tokens - told };
}

describe("the text for a model", () => {
  it("takes at most 35 tokens a message on average, 9 of them for all but the author's name and words", async () => {
    const run = await openTexts();
    const sums = { messages: 0, tokens: 0, beyond: 0 };
    await run(async (toolbox) => {
      for (const [name, args] of CALLS) {
        const weight = weigh((await toolbox.run(name, args)).text, toolbox.nonce);
        expect(weight.messages).toBeGreaterThan(3);
        for (const key of ["messages", "tokens", "beyond"] as const) sums[key] += weight[key];
      }
    });
    expect(sums.messages).toBeGreaterThan(200);
    expect(sums.beyond / sums.messages).toBeLessThanOrEqual(9);
    expect(sums.tokens / sums.messages).toBeLessThanOrEqual(35);
  });

  it("has the time of each hit, sets hits apart that have something around them, and tells of no emptiness", async () => {
    const run = await openTexts();
    const { text, value } = await run((toolbox) => toolbox.run("search_messages", { query: "project deadline" }));
    const [first = "", ...rows] = text.slice(0, text.indexOf("⟦end")).split("\n");
    expect(first).toMatch(/ · now 2031-05-23T15:30Z⟧$/);
    const groups = rows.join("\n").trim().split("\n\n");
    const { hits, empty } = value as { hits: { message: { ts: string }; around: unknown[] }[]; empty: string | null };
    expect(groups).toHaveLength(hits.length);
    for (const [index, { message, around }] of hits.entries()) {
      const lines = (groups[index] ?? "").split("\n").filter((line) => /^ *m\d/.test(line));
      expect(lines).toHaveLength(around.length + 1);
      const day = new Date(message.ts).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
      const isOld = Date.parse("2031-05-23T15:30Z") - Date.parse(message.ts) > 2 * 86_400_000;
      const date = isOld ? `, ${day} \\d\\d:\\d\\d` : "(?:, .*)?";
      expect(lines[0]).toMatch(new RegExp(`^ *m\\d+ \\[\\d+ [a-z]+ ago${date}\\] `));
    }
    expect(empty).toBeNull();
    const none = await run((toolbox) => toolbox.run("search_messages", { query: "xylophone zeppelin" }));
    expect(none.value).toMatchObject({ hits: [], empty: "No messages found matching 'xylophone zeppelin'" });
  });

  it("leads to the link of each message where links are wanted", async () => {
    const run = await openTexts();
    const calls = [
      ["search_messages", { query: "project deadline", links: true }],
      ["discord.channel.messages", { channel: "tideboard", limit: 5, links: true }],
      ["get_message_context", { message_id: "m1" }],
    ] as const;
    await run(async (toolbox) => {
      for (const [name, args] of calls) {
        const { text, value } = await toolbox.run(name, args);
        const links: string[] = [];
        let base = "";
        for (const row of text.split("\n")) {
          base = /(?:, | · )links (https:\/\/\S+\/)⟧?$/.exec(row)?.[1] ?? base;
          const id = /^(?:>>> | {4})?m\d+\/(\d+) /.exec(row)?.[1];
          if (id) links.push(`${base}${id}`);
        }
        const known = new Set(JSON.stringify(value).match(/https:\/\/discord\.com\/channels\/\d+\/\d+\/\d+/g));
        expect(links.length, name).toBeGreaterThan(4);
        for (const link of links) expect(known).toContain(link);
      }
    });
  });

  it("names a cursor in short, which goes on from there", async () => {
    const run = await openTexts();
    await run(async (toolbox) => {
      const first = await toolbox.run("get_recent_messages", { channel: "general", limit: 3 });
      expect(first.text).toMatch(/^More with cursor c1\.$/m);
      const { cursor } = first.value as { cursor: string };
      const next = await toolbox.run("get_recent_messages", { channel: "general", limit: 3, cursor: "c1" });
      const again = await toolbox.run("get_recent_messages", { channel: "general", limit: 3, cursor });
      expect(next.value).toEqual(again.value);
      expect(JSON.stringify(next.value)).not.toBe(JSON.stringify(first.value));
    });
  });
});
