import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAnswer } from "./read-answer.ts";

const OPTIONS = { takenIds: new Set<string>(), maxCharacters: 10_000, maxBytes: 1_000_000 };
const WORDS = fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.string(), fc.constant("\r\n\ndata: [DONE]\n\n")));
const LINE_END = fc.constantFrom("\n", "\r\n", "\r");

function toEvent(delta: object, rest: object = {}): object {
  return { choices: [{ index: 0, delta, ...rest }] };
}

function toStream(events: readonly (object | string)[], lineEnd = "\n"): Uint8Array {
  const texts = events.map((event) => (typeof event === "string" ? event : JSON.stringify(event)));
  return new TextEncoder().encode(texts.map((text) => `data: ${text}${lineEnd}${lineEnd}`).join(""));
}

/** Cuts at places between 0 and 1,000, in thousandths of the whole. */
async function* cutAt(bytes: Uint8Array, places: readonly number[]): AsyncGenerator<Uint8Array> {
  const ends = places.map((place) => Math.floor((place * bytes.length) / 1_000)).sort((one, other) => one - other);
  let from = 0;
  for (const end of [...ends, bytes.length]) {
    yield bytes.subarray(from, end);
    from = end;
  }
}

function read(bytes: Uint8Array, { places = [], ...options }: { places?: readonly number[]; maxBytes?: number } = {}) {
  return readAnswer(cutAt(bytes, places), { ...OPTIONS, ...options });
}

describe("an answer", () => {
  it("has the same text however its bytes were cut into chunks, and whatever ends its lines", async () => {
    const places = fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(WORDS, places, LINE_END, async (words, cuts, lineEnd) => {
        const events = [
          ...words.map((content) => toEvent({ content })),
          toEvent({}, { finish_reason: "stop" }),
          "[DONE]",
        ];
        const { text, isCut } = await read(toStream(events, lineEnd), { places: cuts });
        expect([text, isCut]).toEqual([words.join("").toWellFormed(), false]);
      }),
      { numRuns: 200 },
    );
  });

  it("has the same calls however their arguments were cut into deltas", async () => {
    const size = fc.integer({ min: 1, max: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.dictionary(fc.string(), fc.string()), { maxLength: 4 }), size, async (all, step) => {
        const deltas = all.flatMap((args, index) => {
          const text = JSON.stringify(args);
          const pieces = Array.from({ length: Math.ceil(text.length / step) }, (_, at) =>
            text.slice(at * step, (at + 1) * step),
          );
          const start = { index: 0, id: `id-${index}`, function: { name: "search", arguments: "" } };
          return [start, ...pieces.map((piece) => ({ index: 0, function: { arguments: piece } }))];
        });
        const events = [...deltas.map((delta) => toEvent({ tool_calls: [delta] })), "[DONE]"];
        const { calls } = await read(toStream([toEvent({ role: "assistant" }), ...events]));
        const expected = all.map((args, index) => ({ id: `id-${index}`, tool: "search", args: JSON.stringify(args) }));
        expect(calls).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it("reads events of several lines, wherever they are cut, and a last one without an empty line after it", async () => {
    const lines = [
      "data: {",
      'data: "choices":[{"delta":{"content":"潮"},',
      'data:"finish_reason":"stop"}]',
      "data: }",
    ];
    const bytes = new TextEncoder().encode(lines.join("\r\n"));
    for (let end = 0; end <= bytes.length; end += 1) {
      const places = [(end * 1_000) / bytes.length];
      expect(await read(bytes, { places })).toMatchObject({ text: "潮", isCut: false });
    }
  });

  it("leaves out fields of other kinds than they should be", async () => {
    const odd = {
      role: "model",
      content: [{ type: "text", text: "High" }, { type: "other" }, null],
      reasoning: 7,
      audio: {},
    };
    const events = [
      toEvent(odd),
      toEvent({ content: 5 }),
      toEvent({}, { finish_reason: "stop" }),
      { usage: { prompt_tokens: -1 } },
    ];
    expect(await read(toStream(events))).toMatchObject({
      ...{ text: "High", reasoning: "", isCut: false },
      ...{ inputTokens: undefined, outputTokens: undefined },
    });
  });

  it("passes on the last counts of tokens", async () => {
    const usage = (input: number, output: number) => ({ prompt_tokens: input, completion_tokens: output, extra: "x" });
    const events = [{ ...toEvent({ content: "a" }), usage: usage(5, 1) }, { usage: usage(5, 2) }, "[DONE]"];
    expect(await read(toStream(events))).toMatchObject({ inputTokens: 5, outputTokens: 2 });
  });

  it("puts a call together whose name comes late, whose id changes, or which is repeated whole at the end", async () => {
    const call = (id: string | null, name: string | null, args: string) =>
      toEvent({ tool_calls: [{ index: 0, id, function: { name, arguments: args } }] });
    const expected = [{ id: "a", tool: "search", args: '{"q":1}' }];
    for (const events of [
      [call("a", null, ""), call(null, "search", '{"q"'), call(null, "", ":1}")],
      [call("a", "search", '{"q"'), call("b", null, ":1}")],
      [call("a", "search", '{"q"'), call("b", "search", ":1}")],
      [call("a", "search", '{"q":1}'), call("a", "search", '{"q":1}')],
      [call("a", "search", ""), call("a", "search", '{"q":1}')],
      [call(null, "search", ""), call("a", "search", '{"q":1}')],
    ])
      expect((await read(toStream([...events, "[DONE]"]))).calls).toMatchObject(expected);
  });

  it("tells calls of different tools apart by their names alone", async () => {
    const call = (name: string, args: string) =>
      toEvent({ tool_calls: [{ index: 0, function: { name, arguments: args } }] });
    for (const args of ["", "{}"]) {
      const { calls } = await read(toStream([call("search", args), call("list", args), "[DONE]"]));
      expect(calls).toMatchObject([{ tool: "search" }, { tool: "list" }]);
    }
  });

  it("leaves out calls without a name, and calls beyond the hundredth", async () => {
    const call = (name: string, index: number) => ({ index, id: `id-${index}`, function: { name, arguments: "{}" } });
    const events = [toEvent({ tool_calls: [call("", 0), null, "x"] }), "[DONE]"];
    expect((await read(toStream(events))).calls).toEqual([]);
    const many = Array.from({ length: 150 }, (_, index) => call("search", index));
    expect((await read(toStream([toEvent({ tool_calls: many }), "[DONE]"]))).calls).toHaveLength(100);
  });

  it.each<[string, readonly (object | string)[]]>([
    ["reports an error", [toEvent({ content: "a" }), { error: "overloaded" }, "[DONE]"]],
    ["sends an object that is an error", [toEvent({ content: "a" }), { object: "error", message: "x" }, "[DONE]"]],
    ["ends too early", [toEvent({ content: "a" })]],
    ["sends an event that is no JSON", [toEvent({ content: "a" }), "{", "[DONE]"]],
    ["sends an event that is no object", ["null", toEvent({ content: "a" }), "[DONE]"]],
    ["sends no answer", [{ choices: [] }, "[DONE]"]],
  ])("fails when the server %s", async (_, events) => {
    await expect(read(toStream(events))).rejects.toThrow();
  });

  it("fails when the server sends an event of the type error", async () => {
    const [text, end] = [toStream([toEvent({ content: "a" })]), toStream(["[DONE]"])];
    const error = new TextEncoder().encode('event: error\ndata: {"message":"overloaded"}\n\n');
    await expect(read(Buffer.concat([text, error, end]))).rejects.toThrow();
    const named = new TextEncoder().encode("event: message\nid: 7\nretry: 5\n");
    expect((await read(Buffer.concat([named, text, end]))).text).toBe("a");
  });

  it("ends as if it had no more room when it is too long", async () => {
    const events = [
      toEvent({ content: "a" }),
      toEvent({ content: "b".repeat(20_000) }),
      toEvent({ content: "c" }),
      "[DONE]",
    ];
    const { text, isCut } = await read(toStream(events));
    expect([text.length, isCut]).toEqual([20_001, true]);
    const bytes = toStream([toEvent({ content: "a" }), ...Array.from({ length: 500 }, () => ({ choices: [] }))]);
    expect(await read(bytes, { places: [500], maxBytes: bytes.length - 1 })).toMatchObject({
      text: "a",
      isCut: true,
    });
  });
});
