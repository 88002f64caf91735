import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { separateCalls, toShownText, withoutThinking } from "./split-text.ts";

const OFFERED = new Set(["search"]);
const CALL = '{"name":"search","arguments":{"query":"tide"}}';

describe("the text of a model", () => {
  it.each([
    ["a<think>b</think>c", "ac"],
    ["<THINK>b</THINK> c", "c"],
    ["b</think>c", "c"],
    ["<think>b<think>c</think>d", "d"],
    ["<think>b</think>c</think>d", "d"],
    ["a<think>b</think>c</think>d", "ad"],
    ["a<think>b", "a"],
    ["<think>", ""],
    ["<thinker>a</thinker>", "<thinker>a</thinker>"],
  ])("is without thinking: %s", (raw, text) => {
    expect(withoutThinking(raw)).toBe(text);
  });

  it("is shown from its beginning, piece by piece, and in the end whole", () => {
    const word = fc.string({ unit: fc.constantFrom("a", " ", "ä", "\n", ".", "[", "m", "1", "]", "(", "<") });
    fc.assert(
      fc.property(word, (raw) => {
        const text = withoutThinking(raw);
        for (let end = 0; end <= raw.length; end += 1)
          expect(text.startsWith(toShownText(raw.slice(0, end), OFFERED))).toBe(true);
        expect(separateCalls(text, OFFERED)).toEqual({ text, calls: [] });
      }),
    );
  });

  it("never shows a part of a call, wherever it breaks off", () => {
    const before = fc.constantFrom("", "I look. ", "<think>x</think>", "```js\nx\n```\n");
    const wrapped = fc.constantFrom(
      ["```json\n", "\n```"],
      ["```", "```\n"],
      ["<tool_call>", "</tool_call>"],
      ["<tool_call>", ""],
    );
    const value = fc.oneof(fc.string(), fc.constant("```\n"), fc.constant("</think"));
    fc.assert(
      fc.property(before, wrapped, value, (start, [open, close], query) => {
        const raw = `${start}${open}${JSON.stringify({ name: "search", arguments: { query } })}${close}`;
        for (let end = 0; end <= raw.length; end += 1)
          expect(toShownText(raw.slice(0, end), OFFERED)).not.toMatch(/name|tool_call|json/);
        const { text, calls } = separateCalls(withoutThinking(raw), OFFERED);
        expect(calls).toEqual([{ tool: "search", args: { query } }]);
        expect(text).toBe(withoutThinking(start));
      }),
    );
  });

  it("has a call only where nothing comes after a fence", () => {
    expect(separateCalls(`\`\`\`json\n${CALL}\n\`\`\`\nis how you search.`, OFFERED).calls).toEqual([]);
    expect(separateCalls(`\`\`\`json\n${CALL}\n\`\`\`\nor\n\`\`\`json\n${CALL}\n\`\`\``, OFFERED).calls).toHaveLength(
      1,
    );
  });

  it("shows what comes after a fence with other JSON", () => {
    const text = '```json\n{"high":"14:10"}\n```\n[m1] says so';
    expect(toShownText(text, OFFERED)).toBe(text);
  });

  it("has a call whose arguments are a string with JSON in it", () => {
    const args = { query: "tide" };
    const text = JSON.stringify({ name: "search", arguments: JSON.stringify(args) });
    expect(separateCalls(text, OFFERED).calls).toEqual([{ tool: "search", args }]);
  });

  it("shows JSON at once where no tools are offered", () => {
    expect(toShownText(CALL, new Set())).toBe(CALL);
    expect(separateCalls(CALL, new Set())).toEqual({ text: CALL, calls: [] });
  });
});
