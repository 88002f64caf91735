import { describe, expect, it } from "vitest";
import { type QuestionKind, tidyQuestion, toQuestionKind } from "../../domain/answer/question-kind.ts";
import type { UserId } from "../../domain/ids.ts";
import { estimateTokens } from "../../domain/text/tokens.ts";
import { detectLanguage } from "../../language/languages.ts";
import type { Tool } from "../../tools/define-tool.ts";
import { tools } from "../../tools/index.ts";
import { recallBotConversation } from "../../tools/recall-bot-conversation.ts";
import { toContextBudget } from "./context-budget.ts";
import { toPrompt } from "./prompt.ts";
import { offerTokens, offerTools } from "./tool-offers.ts";

const KINDS: readonly QuestionKind["kind"][] = [
  ...(["needs_model", "about_me", "latest", "shared_facts", "thread", "message", "search"] as const),
  ...(["act", "catch_up", "remember", "forget", "bots", "person", "fact"] as const),
];
const small = toContextBudget(4_096);
const large = toContextBudget(32_768);

describe("the tools that a model is offered", () => {
  it.each(KINDS)(
    "are the four best and search in all channels for %j in a small context, within 1,000 tokens",
    (kind) => {
      const offered = offerTools(tools, { kind, isIsolated: false, budget: small });
      expect(offered).toHaveLength(5);
      expect(offered.map(({ tool }) => tool.name)).toContain("search_messages");
      expect(offered.reduce((sum, { offer }) => sum + offerTokens(offer), 0)).toBeLessThanOrEqual(1_000);
      expect(estimateTokens(toPrompt(offered.map(({ tool }) => tool.name)))).toBeLessThanOrEqual(400);
    },
  );

  it("are all that models may use in a large context", () => {
    const offered = offerTools(tools, { kind: "search", isIsolated: false, budget: large });
    const expected = tools.filter((tool) => !("isForPrograms" in tool) && tool.name !== "discord.attachment.base64");
    expect(offered.map(({ tool }) => tool.name).sort()).toEqual(expected.map(({ name }) => name).sort());
  });

  it("are none for a greeting", () => {
    expect(offerTools(tools, { kind: "greeting", isIsolated: false, budget: large })).toEqual([]);
  });

  it("are none where the person wants nothing used but the question", () => {
    expect(offerTools(tools, { kind: "fact", isIsolated: true, budget: large })).toEqual([]);
  });

  it("are only those that the client may use", () => {
    const offered = offerTools(tools.slice(0, 3), { kind: "search", isIsolated: false, budget: large });
    expect(offered.map(({ tool }) => tool.name)).toEqual(tools.slice(0, 3).map(({ name }) => name));
  });

  it("leave how long a result may be to the agent", () => {
    const offered = offerTools(tools, { kind: "search", isIsolated: false, budget: large });
    expect(JSON.stringify(offered.map(({ offer }) => offer))).not.toContain("max_tokens");
  });
});

describe("the example questions of the tools", () => {
  const forModels: readonly Tool[] = offerTools(tools, { kind: "search", isIsolated: false, budget: large }).map(
    ({ tool }) => tool,
  );
  const offeredFor = (question: string) => {
    const language = detectLanguage(question);
    const text = tidyQuestion(question, { id: "1" as UserId, name: "Earshot" }, language);
    const { kind } = toQuestionKind(text, language, false);
    return offerTools(tools, { kind, isIsolated: false, budget: small }).map(({ tool }) => tool.name);
  };
  const inSmall = new Set(
    KINDS.flatMap((kind) => offerTools(tools, { kind, isIsolated: false, budget: small })).map(({ tool }) => tool.name),
  );

  it.each(forModels)("are at least two for $name, which models are offered, and no other tool has them", (tool) => {
    const { examples = [] } = tool;
    expect(examples.length).toBeGreaterThanOrEqual(2);
    const others: readonly Tool[] = tools.filter(({ name }) => name !== tool.name);
    expect(others.flatMap((other) => other.examples ?? []).filter((each) => examples.includes(each))).toEqual([]);
  });

  it.each([
    ...["What did you talk about with Aetheris?", "Do you remember your conversation with Gabriel?"],
    ...["What does Elena think about lighthouses?", "Have you discussed consciousness with any bots?"],
    "Tell me about your chats with other bots",
  ])("offer recall_bot_conversation for %j in a small context", (question) => {
    expect(offeredFor(question)).toContain("recall_bot_conversation");
    expect(recallBotConversation.about).toContain(question.replace("lighthouses", "X"));
  });

  it("lead to their tool in a small context", () => {
    const routed = forModels.filter(({ name }) => inSmall.has(name));
    const strays = routed.flatMap(({ name, examples = [] }) =>
      examples.filter((example) => !offeredFor(example).includes(name)).map((example) => `${name}: ${example}`),
    );
    expect(strays).toEqual([]);
  });

  it("are only for a large context where the tool reads from Discord directly, or takes something back", () => {
    const missing = forModels.filter(({ name }) => !inSmall.has(name)).map(({ name }) => name);
    const isLarge = ({ name, effect }: Tool) =>
      /^(?:discord|directory)\./.test(name) && (effect === "read" || /\.(?:delete|typing)$/.test(name));
    expect(missing).toEqual(forModels.filter(isLarge).map(({ name }) => name));
  });

  it("are sent to no model", () => {
    const offered = offerTools(tools, { kind: "search", isIsolated: false, budget: large });
    expect(JSON.stringify(offered.map(({ offer }) => offer))).not.toContain("examples");
  });
});

describe("the prompt", () => {
  it("names only tools that are offered", () => {
    const names = tools.map(({ name }) => name);
    for (const kind of KINDS)
      for (const budget of [toContextBudget(2_048), small, large]) {
        const offered = offerTools(tools, { kind, isIsolated: false, budget }).map(({ tool }) => tool.name);
        const prompt = toPrompt(offered);
        for (const name of names) {
          const isNamed = new RegExp(`(?<![a-z_])${name.replaceAll(".", "_")}(?![a-z_])`).test(prompt);
          if (isNamed) expect(offered).toContain(name);
        }
      }
  });

  it("says when to use each tool that reads, remembers or forgets", () => {
    const prompt = toPrompt(tools.map(({ name }) => name));
    for (const { name } of tools.filter((tool) => /^(?:search_|get_|recall_|memory_)/.test(tool.name)))
      expect(prompt).toContain(`- ${name.replaceAll(".", "_")}: `);
  });
});
