import { describe, expect, it } from "vitest";
import { unsupportedIn } from "../../eval/agent/claims.ts";
import { COPYING_MODEL } from "../../eval/agent/copying-model.ts";
import type { EvalQuestion } from "../../eval/agent/question-set.ts";
import { runModelEval } from "../../eval/agent/run-model-eval.ts";
import { selectQuestions, toToolQuestions } from "../../eval/agent/select-questions.ts";
import { createChatModel } from "../../src/models/openai/create-chat-model.ts";
import { tools } from "../../src/tools/index.ts";
import { type ModelAnswer, type ModelReply, type ModelRequest, openModelServer } from "../support/model-server.ts";

function question(id: string, text: string, more: Partial<EvalQuestion> = {}): EvalQuestion {
  const where = { kind: "test", world: "sample", as: "wren", in: "general" };
  return { id, text, ...where, tools: [], gold: [], outdated: [], expect: "answer", forbidden: [], ...more };
}

const GOLD = [{ channel: "tideboard", starts: "**Correction:** the demo" }];
const usage = { input: 100, output: 10 };

/** What was told so far, the question at the end of the first turn, and whether nothing was looked up yet. */
function read({ messages }: ModelRequest) {
  const texts = messages.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
  const asked = texts[messages.findIndex(({ role }) => role === "user")]?.split("\n").at(-1) ?? "";
  return { told: texts.join("\n"), asked, isFirst: !messages.some(({ role }) => role === "tool") };
}

const call = (tool: string, args: object): ModelAnswer => ({ calls: [{ tool, args }], usage });
const say = (text: string): ModelAnswer => ({ text, usage });

/** One behaviour for each question. */
const SCRIPT: Readonly<Record<string, (told: string, isFirst: boolean) => ModelReply>> = {
  "when is the tideboard deadline": (told, isFirst) =>
    isFirst
      ? call("search_messages", { query: "tideboard deadline correction" })
      : say(`The demo is on the 26th [${/\b(m\d+) [^\n]*Correction/.exec(told)?.[1]}].`),
  "whens the demo": (_, isFirst) =>
    isFirst ? call("get_recent_messages", {}) : say("The demo is on the 99th, says Zebulon."),
  "who owns the submarine": () => say("Nothing was found."),
  "what does the submarine cost": () => say("It costs 4711."),
  "what is hidden for mark": () => say("There is a brass clock."),
  "where is the pier": () => ({ status: 500 }),
  "What did I miss": (_, isFirst) => (isFirst ? call("get_channel_summary", {}) : say("Little.")),
  "Catch me up": (_, isFirst) => (isFirst ? call("search_messages", { query: "x" }) : say("Little.")),
};

describe("the evaluation of a model", () => {
  it("has one that copies the first hits, which stand with the question", async () => {
    const questions = [question("given", "correction of the tideboard deadline", { gold: GOLD })];
    const outcomes = await runModelEval(
      { questions, now: undefined, data: "none", tiers: ["small"], only: undefined, limit: 1, show: false },
      { model: COPYING_MODEL, print: () => {} },
    );
    expect(outcomes.get("small")).toMatchObject([{ isGoldCited: true, unsupported: [], calls: [] }]);
  });

  it("reports the shares that a scripted model earns", async () => {
    const server = await openModelServer((request) => {
      const { told, asked, isFirst } = read(request);
      const found = Object.entries(SCRIPT).find(([words]) => asked.includes(words));
      return found?.[1](told, isFirst) ?? say("?");
    });
    const ofTool = toToolQuestions(tools, "small").filter(({ tools: [tool] }) => tool === "get_channel_summary");
    const questions = [
      question("right", "when is the tideboard deadline?", { tools: ["search_messages"], gold: GOLD }),
      question("wrong", "whens the demo again", { tools: ["search_messages"], gold: GOLD }),
      question("none", "who owns the submarine?", { tools: ["search_messages"], expect: "nothing_found" }),
      question("made-up", "what does the submarine cost?", { tools: ["search_messages"], expect: "nothing_found" }),
      question("leak", "what is hidden for mark?", { forbidden: ["Brass Clock"] }),
      question("failure", "where is the pier?", { tools: ["search_messages"] }),
      question("without", "thanks!"),
      ...ofTool,
    ];
    const lines: string[] = [];
    const outcomes = await runModelEval(
      { questions, now: undefined, data: "none", tiers: ["small"], only: undefined, limit: 50, show: true },
      {
        model: createChatModel({ baseUrl: server.url, name: "scripted" }),
        print: (line) => void lines.push(line),
      },
    );
    const figure = (what: string) =>
      lines.find((line) => line.startsWith(`  ${what} `))?.replace(/.*? {2,}(?=\S+ \S)/, "");
    expect(lines[0]).toContain("9 questions in the small tier with 4 calls each: at most 36 calls");
    expect(ofTool).toHaveLength(2);
    expect(figure("tool choice right")).toMatch(/71 % \(36–92\), 5 of 7$/);
    expect(figure("gold cited")).toMatch(/, 1 of 2$/);
    expect(figure("answers with an unsupported number or name")).toMatch(/, 2 of 7$/);
    expect(figure("unanswerable recognised")).toMatch(/, 1 of 2$/);
    expect(figure("leaks")).toMatch(/, 1 of 1$/);
    expect(figure("failures")).toMatch(/, 1 of 8 +1 × unavailable$/);
    expect(figure("tokens in per answer")).toMatch(/mean 157, most 200$/);
    expect(figure("tokens out per answer")).toMatch(/mean 16, most 20$/);
    expect(figure("answered without the model")).toMatch(/1$/);
    const shown = lines.filter((line) => line.startsWith("\n")).join("");
    expect(shown).toContain("wrong [tool get_recent_messages called first, gold not cited, unsupported: 99, Zebulon]");
    expect(shown).not.toContain("right [");
    expect(
      outcomes
        .get("small")
        ?.map(({ failure }) => failure)
        .filter(Boolean),
    ).toEqual(["unavailable"]);
  });

  it("asks no more questions than the limit, spread evenly, each after those that it follows", () => {
    const all = Array.from({ length: 100 }, (_, index) =>
      question(`q${index}`, "?", index % 10 === 5 ? { after: `q${index - 1}` } : {}),
    );
    const ids = selectQuestions(all, 20).map(({ id }) => id);
    expect(ids.length).toBeLessThanOrEqual(20);
    expect(ids.length).toBeGreaterThan(15);
    expect(new Set(ids.map((id) => id.slice(0, -1))).size).toBeGreaterThanOrEqual(8);
    for (const { id, after } of all) if (ids.includes(id) && after !== undefined) expect(ids).toContain(after);
    expect(selectQuestions(all, 1_000)).toEqual(all);
  });

  it("asks in a small context only for tools that are offered there", () => {
    const small = toToolQuestions(tools, "small").flatMap((each) => each.tools);
    const full = toToolQuestions(tools, "full").flatMap((each) => each.tools);
    expect(small).not.toContain("discord.send");
    expect(full).toEqual(expect.arrayContaining([...small, "discord.send"]));
  });
});

describe("an unsupported claim", () => {
  it.each([
    ["The demo is on the 26th at 9:05 [m7].", ["demo: the 26th, 09:05"], []],
    ["The demo is on the 27th [m27].", ["m27 demo: the 26th"], ["27"]],
    ["It was Sarah's idea, and Mark agreed.", ["sarah: my idea"], ["Mark"]],
    ["Nothing was found. Maybe I should ask.\nPerhaps later: Yes.", [], []],
    ["1. red\n2. blue", ["red and blue"], []],
  ])("in “%s” is found by its numbers and names", (answer, texts, claims) => {
    expect(unsupportedIn(answer, texts)).toEqual(claims);
  });

  it("is looked for among numbers only where every noun has a capital", () => {
    expect(unsupportedIn("Das ist ein Boot von 1990.", [], { hasNames: false })).toEqual(["1990"]);
  });
});
