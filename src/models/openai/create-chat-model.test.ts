import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type ModelAnswer,
  type ModelReply,
  type ModelRequest,
  openModelServer,
  toChunks,
} from "../../../test/support/model-server.ts";
import type { StepRequest, ToolOffer } from "../../ports/chat-model.ts";
import { type ArrivedStep, type ChatBehaviour, describeChatModel } from "../chat-model.suite.ts";
import { createChatModel } from "./create-chat-model.ts";
import { withoutThinking } from "./split-text.ts";

function toReply(behaviour: ChatBehaviour): ModelReply {
  switch (behaviour.kind) {
    case "step": {
      const { texts, calls, usage, isCut } = behaviour;
      return {
        ...(texts && { text: texts }),
        ...(calls && { calls }),
        ...(usage && { usage }),
        ...(isCut && { finish: "length" }),
      };
    }
    case "break off": {
      const { text, by } = behaviour;
      if (by === "an error")
        return { text, finish: null, extraEvents: [{ error: { message: "No: A private question." } }, "more"] };
      return { text, breaksOff: { afterEvents: 2, by: by === "closing" ? "cutting" : "silence" } };
    }
    case "write slowly":
      return { text: behaviour.texts, pauseMs: behaviour.everyMs };
    case "refuse": {
      const { status, retryAfter } = behaviour;
      const headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
      return { status, headers, body: JSON.stringify({ error: { message: "No: A private question." } }) };
    }
    case "babble":
      return { status: 200, body: behaviour.text, headers: { "content-type": behaviour.type ?? "text/event-stream" } };
    case "hang up":
      return { instead: "hang up" };
    case "redirect":
      return { status: 307, headers: { location: "/elsewhere" } };
    case "keep silent":
      return { instead: "silence" };
  }
}

function toArrived({ messages, tools = [], tool_choice, max_tokens }: ModelRequest): ArrivedStep {
  const turns = messages.map(({ role, content, tool_calls = [], tool_call_id }) => {
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
    return {
      role,
      text: parts.map(({ text = "" }) => text).join(""),
      pictures: parts.flatMap((part) => ("image_url" in part && part.image_url ? [part.image_url.url] : [])),
      calls: tool_calls.map(({ id, function: { name, arguments: args } }) => ({
        id,
        tool: name,
        args: JSON.parse(args),
      })),
      ...(tool_call_id !== undefined && { callId: tool_call_id }),
    };
  });
  return {
    system: turns.find(({ role }) => role === "system")?.text ?? "",
    turns: turns.filter(({ role }) => role !== "system"),
    tools: tools.map(({ function: { name, description = "", parameters } }) => ({
      name,
      about: description,
      schema: { ...parameters },
    })),
    toolChoice: tool_choice,
    maxOutputTokens: max_tokens,
  };
}

describeChatModel("a server that speaks OpenAI's protocol", async (behaviour, { timeoutMs, apiKey }) => {
  const { url, requests, nextRequest, stop } = await openModelServer(() => toReply(behaviour));
  return {
    model: createChatModel({ baseUrl: url, apiKey, name: "small", timeoutMs }),
    asked: () => requests.map(toArrived),
    nextQuestion: nextRequest,
    stop,
  };
});

const SEARCH: ToolOffer = { name: "search", about: "Finds messages.", schema: { type: "object" } };
const REQUEST: StepRequest = {
  system: "Be brief.",
  turns: [{ role: "user", text: "When is high water?" }],
  tools: [SEARCH],
  toolChoice: "auto",
  maxOutputTokens: 200,
};
const ASKED = { tool: "search", args: { query: "tide" } };
const ALSO = { tool: "search", args: { query: "ebb" } };
const CALL_TEXT = '{"name":"search","arguments":{"query":"tide"}}';

async function stepOf(reply: ModelReply, request: Partial<StepRequest> = {}) {
  const { url, requests } = await openModelServer(() => reply);
  const shown: string[] = [];
  const onText = (text: string) => void shown.push(text);
  const step = await createChatModel({ baseUrl: url, name: "small" }).step({ ...REQUEST, onText, ...request });
  return { ...step, shown, requests, asked: step.calls.map(({ tool, args }) => ({ tool, args })) };
}

describe("a chat model behind a server with quirks", () => {
  it.each<[string, ModelReply]>([
    ["whole", { calls: [ASKED, ALSO] }],
    ["in pieces", { calls: [ASKED, ALSO], argumentPieces: 3 }],
    ["all with index 0 and ids that differ", { calls: [ASKED, ALSO].map((call) => ({ ...call, index: 0 })) }],
    ["in pieces, all with index 0", { calls: [ASKED, ALSO].map((call) => ({ ...call, index: 0 })), argumentPieces: 4 }],
    ["without an index", { calls: [ASKED, ALSO].map((call) => ({ ...call, index: null })) }],
    [
      "in pieces, without an index",
      { calls: [ASKED, ALSO].map((call) => ({ ...call, index: null })), argumentPieces: 2 },
    ],
    ["without ids", { calls: [ASKED, ALSO].map((call) => ({ ...call, id: null })), argumentPieces: 5 }],
    ["without ids or indices", { calls: [ASKED, ALSO].map((call) => ({ ...call, id: null, index: null })) }],
    ["with index 0 and without ids", { calls: [ASKED, ALSO].map((call) => ({ ...call, id: null, index: 0 })) }],
    ["all with the same id", { calls: [ASKED, ALSO].map((call) => ({ ...call, id: "same" })) }],
    ["with empty ids", { calls: [ASKED, ALSO].map((call) => ({ ...call, id: "" })) }],
    ["with the finish reason stop", { calls: [ASKED, ALSO], finish: "stop" }],
    ["without a finish reason", { calls: [ASKED, ALSO], finish: null }],
    ["with arguments as objects", { calls: [ASKED, ALSO].map((call) => ({ ...call, asObject: true })) }],
    ["as plain JSON", { calls: [ASKED, ALSO], ignoresStream: true }],
    [
      "as plain JSON with objects and without ids",
      {
        calls: [ASKED, ALSO].map((call) => ({ ...call, asObject: true, id: null, index: null })),
        ignoresStream: true,
        finish: "stop",
      },
    ],
    ["as text, in an array", { text: `[${CALL_TEXT},${JSON.stringify({ name: "search", parameters: ALSO.args })}]` }],
    [
      "as text, in tags",
      {
        text: `<tool_call>\n${CALL_TEXT}\n</tool_call>\n<tool_call>{"name":"search","arguments":{"query":"ebb"}}</tool_call>`,
      },
    ],
  ])("parallel calls are read that come %s", async (_, reply) => {
    const { asked, calls, text, shown, isCut } = await stepOf(reply);
    expect(asked).toEqual([ASKED, ALSO]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    for (const { id } of calls) expect(id).toMatch(/\S/);
    expect([text, shown, isCut]).toEqual(["", [], false]);
  });

  it("ids are made that no earlier call has, and are the same each time", async () => {
    const turns: StepRequest["turns"] = [
      ...REQUEST.turns,
      { role: "assistant", text: "", calls: [{ id: "call-2", ...ASKED }] },
      { role: "tool", callId: "call-2", tool: "search", text: "Nothing." },
    ];
    for (const reply of [
      {
        calls: [
          { ...ASKED, id: null },
          { ...ALSO, id: "call-2" },
        ],
      },
      {
        calls: [
          { ...ASKED, id: null },
          { ...ALSO, id: null },
        ],
      },
      { text: `[${CALL_TEXT},{"tool":"search","args":{"query":"ebb"}}]` },
    ]) {
      const first = await stepOf(reply, { turns });
      expect(new Set(["call-2", ...first.calls.map(({ id }) => id)]).size).toBe(3);
      expect((await stepOf(reply, { turns })).calls).toEqual(first.calls);
    }
  });

  it.each([
    ["an empty string", ""],
    ["null", null],
    ["nothing", undefined],
    ["the word null", "null"],
  ])("arguments that are %s are an empty object", async (_, args) => {
    const { asked } = await stepOf({ calls: [{ tool: "search", args }] });
    expect(asked).toEqual([{ tool: "search", args: {} }]);
    const plain = await stepOf({ calls: [{ tool: "search", args }], ignoresStream: true });
    expect(plain.asked).toEqual(asked);
  });

  it("calls without arguments of the same tool are not taken for one", async () => {
    const { asked } = await stepOf({ calls: ["a", "b"].map((id) => ({ tool: "search", args: "", id, index: 0 })) });
    expect(asked).toEqual([
      { tool: "search", args: {} },
      { tool: "search", args: {} },
    ]);
  });

  it("a call that comes both as text and as a call is one call", async () => {
    const { asked, text } = await stepOf({ text: CALL_TEXT, calls: [ASKED] });
    expect([asked, text]).toEqual([[ASKED], ""]);
  });

  it("a call cut short is one whose arguments cannot be read", async () => {
    const { asked, isCut } = await stepOf({ calls: [{ tool: "search", args: '{"query":"ti' }], finish: "length" });
    expect([asked, isCut]).toEqual([[{ tool: "search", args: undefined }], true]);
  });

  it.each<[string, readonly string[]]>([
    ["alone", [CALL_TEXT]],
    ["in a fence", ["```json\n", CALL_TEXT, "\n```"]],
    ["in a fence without a language", ["```\n", CALL_TEXT, "\n```\n"]],
    ["in tags", ["<tool_call>", CALL_TEXT, "</tool_call>"]],
    ["after thinking", ["<think>I should search.</think>", CALL_TEXT]],
    ["as a function", [`{"type":"function","function":${CALL_TEXT}}`]],
  ])("a call written as text %s is a call, and is never shown", async (_, pieces) => {
    const text = pieces.flatMap((piece) => [...piece].map((_letter, at) => piece.slice(at, at + 1)));
    const step = await stepOf({ text });
    expect([step.asked, step.text, step.shown]).toEqual([[ASKED], "", []]);
  });

  it.each<[string, ModelReply]>([
    ["is cut short", { text: [...CALL_TEXT.slice(0, -8)], finish: "length" }],
    ["is no JSON", { text: ['```json\n{"name": "search", "argu', "ments\": {query: 'tide'}}\n```"] }],
    ["is cut short in tags", { text: ["<tool_call>", CALL_TEXT.slice(0, -4)], finish: "length" }],
    ["is followed by words", { text: [CALL_TEXT, " This searches."] }],
  ])("a call written as text is one whose arguments cannot be read when it %s", async (_, reply) => {
    const step = await stepOf(reply);
    expect([step.asked, step.text, step.shown]).toEqual([[{ tool: "search", args: undefined }], "", []]);
  });

  it("the words before a call written as text stay text", async () => {
    for (const call of [`\`\`\`json\n${CALL_TEXT}\n\`\`\``, `<tool_call>${CALL_TEXT}</tool_call>`]) {
      const { asked, text, shown } = await stepOf({ text: ["I look. ", call.slice(0, 20), call.slice(20)] });
      expect([asked, text, shown]).toEqual([[ASKED], "I look.", ["I look."]]);
    }
  });

  it.each([
    '{"name":"Ada","arguments":{"for":1}}',
    '{"name":"search","arguments":"none"}',
    '{"name":"search","description":"Finds messages.","parameters":{"type":"object"}}',
    '```json\n{"high":"14:10"}\n```',
    "```json\n[1, 2]\n```\nand that was all",
    "{curly} words",
    "[m1] says so",
    "if a < b",
    "see `code`",
  ])("text stays text that is no call: %s", async (text) => {
    const step = await stepOf({ text: [text.slice(0, 5), text.slice(5)] });
    expect([step.asked, step.text, step.shown.at(-1)]).toEqual([[], text, text]);
  });

  it.each<[string, ModelReply]>([
    ["in the field reasoning", { reasoning: "secret", reasoningField: "reasoning", text: "said" }],
    ["in the field reasoning_content", { reasoning: "secret", text: "said" }],
    ["in the message of a plain JSON answer", { reasoning: "secret", text: "said", ignoresStream: true }],
    ["in tags", { text: "<think>secret</think>\n\nsaid" }],
    ["in tags that are split", { text: [..."<think>secret</think>said"] }],
    ["in long tags", { text: "<thinking>secret</thinking>said" }],
    ["in tags within the text", { text: ["sa", "<think>secret", "</think>id"] }],
    ["before a closing tag that was never opened", { text: "secret</think>said" }],
    ["in tags that are never closed", { text: ["said", "<think>secret", " and more"] }],
  ])("thinking is removed that comes %s", async (_, reply) => {
    const { text, shown } = await stepOf(reply);
    expect(text).toBe("said");
    expect(shown.join()).not.toContain("secret");
  });

  it("thinking before a closing tag that comes late is taken back", async () => {
    const { text, shown } = await stepOf({ text: ["thought", "</think>", "said"] });
    expect([text, shown]).toEqual(["said", ["thought", "said"]]);
  });

  it.each<[string, Partial<ModelAnswer>]>([
    ["lines that end with CRLF", { lineEnd: "\r\n" }],
    ["lines that end with CR", { lineEnd: "\r" }],
    ["comments", { hasComments: true }],
    ["no [DONE]", { isWithoutDone: true }],
    ["no finish reason", { finish: null }],
    ["one byte at a time", { chunkBytes: 1, lineEnd: "\r\n" }],
    ["plain JSON", { ignoresStream: true }],
    ["plain JSON without a finish reason", { ignoresStream: true, finish: null }],
    ["an event without choices", { extraEvents: [{ type: "ping" }, { choices: null }] }],
    ["an error that is null", { extraEvents: [{ error: null, choices: [] }] }],
    ["a cut connection after the finish reason", { breaksOff: { afterEvents: 5, by: "cutting" } }],
  ])("a text is read whole from a server that sends %s", async (_, quirk) => {
    const { text, isCut } = await stepOf({ text: ["Ebbe 🌊 ", "um 14 ", "Uhr: 潮"], ...quirk });
    expect([text, isCut]).toEqual(["Ebbe 🌊 um 14 Uhr: 潮", false]);
  });

  it("a text is the same however the bytes of its stream are cut into chunks", async () => {
    let chunks: readonly Uint8Array[] = [];
    const { url } = await openModelServer(() => ({ chunks }));
    const model = createChatModel({ baseUrl: url, name: "small" });
    const words = fc.array(fc.string({ unit: "grapheme" }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(words, fc.integer({ min: 1, max: 50 }), async (texts, size) => {
        const deltas = texts.map((content) => JSON.stringify({ choices: [{ delta: { content } }] }));
        const stream = [...deltas, "[DONE]"].map((data) => `data: ${data}\r\n\r\n`).join("");
        const begin = `data: ${JSON.stringify({ choices: [{ delta: { role: "assistant" } }] })}\n\n`;
        chunks = toChunks(Buffer.from(begin + stream), size);
        expect((await model.step({ ...REQUEST, tools: [] })).text).toBe(withoutThinking(texts.join("").toWellFormed()));
      }),
      { numRuns: 25 },
    );
  });

  it("a stream that ends without finish reason and [DONE] is a failure", async () => {
    const reply: ModelReply = { text: ["High", " water"], breaksOff: { afterEvents: 3, by: "ending" } };
    await expect(stepOf(reply)).rejects.toMatchObject({ code: "unavailable" });
  });

  it("a server that reports zeros or broken counts has reported nothing", async () => {
    const zeros = await stepOf({ text: "High water", usage: { input: 0, output: 0 } });
    expect(zeros.usage).toMatchObject({ isEstimated: true });
    expect(zeros.usage.outputTokens).toBeGreaterThan(0);
    const broken = await stepOf({ text: "High water", extraEvents: [{ choices: [], usage: { prompt_tokens: "x" } }] });
    expect(broken.usage).toEqual(zeros.usage);
  });

  it("counts far below our estimate, as after a cut prompt, are passed on", async () => {
    const turns = [{ role: "user", text: "word ".repeat(5_000) } as const];
    const { usage, requests } = await stepOf({ text: "Yes.", usage: { input: 2_048, output: 2 } }, { turns });
    expect(usage).toEqual({ inputTokens: 2_048, outputTokens: 2, isEstimated: false });
    expect(requests[0]).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it("sends no empty text beside calls, which some servers refuse", async () => {
    const calls = [{ id: "a", tool: "search", args: { query: "tide" } }];
    const turns = [
      { role: "assistant", text: "", calls },
      { role: "assistant", text: "I look.", calls },
      { role: "assistant", text: "", calls: [] },
    ] as const;
    const { requests } = await stepOf({ text: "Yes." }, { turns });
    expect(requests[0]?.messages.slice(1).map(({ content }) => content)).toEqual([null, "I look.", ""]);
  });

  it("an endless answer is cut", async () => {
    for (const reply of [
      { text: Array.from({ length: 500 }, () => "word ".repeat(200)) },
      { reasoning: "word ".repeat(20_000), text: "never read" },
      { calls: [{ tool: "search", args: `{"query":"${"word ".repeat(20_000)}"}` }], argumentPieces: 1_000 },
      { chunks: Array.from({ length: 200 }, () => `: ${"x".repeat(60_000)}\n`) },
    ]) {
      const { isCut, text } = await stepOf(reply);
      expect(isCut).toBe(true);
      expect(text.length).toBeLessThan(40_000);
    }
  });

  it("a refusal is not read to its end", async () => {
    await expect(stepOf({ status: 400, staysOpen: true })).rejects.toMatchObject({ code: "unavailable" });
  });

  it("a step leaves no connection open, and prints nothing, whatever ends it", async () => {
    const printed = vi.spyOn(console, "error");
    onTestFinished(() => printed.mockRestore());
    const server = await openModelServer(() => ({ text: "High", breaksOff: { afterEvents: 2, by: "silence" } }));
    const step = (request: Partial<StepRequest>, timeoutMs = 30_000) =>
      createChatModel({ baseUrl: server.url, name: "small", timeoutMs }).step({ ...REQUEST, ...request });
    const onText = () => {
      throw new Error("the caller failed");
    };
    await expect(step({ onText })).rejects.toMatchObject({ code: "unavailable" });
    await expect(step({ signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ code: "timeout" });
    await expect(step({}, 20)).rejects.toMatchObject({ code: "timeout" });
    // On a busy machine the time may be over before a request has left.
    await expect.poll(() => server.requests.length > 0 && server.gone === server.requests.length).toBe(true);
    await expect(stepOf({ status: 400 })).rejects.toMatchObject({ code: "unavailable" });
    expect(printed).not.toHaveBeenCalled();
  });
});
