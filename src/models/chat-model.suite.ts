import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { ChatModel, StepRequest, ToolOffer } from "../ports/chat-model.ts";
import type { ModelFailureReason } from "../ports/model-failure.ts";
import { failureOf } from "./kit/failure-of.suite.ts";

/** How the server behind the model behaves when it is asked for a step. */
export type ChatBehaviour =
  | {
      readonly kind: "step";
      /** Texts, in the order in which they arrive. */
      readonly texts?: readonly string[];
      readonly calls?: readonly { readonly tool: string; readonly args: string }[];
      readonly usage?: { readonly input: number; readonly output: number };
      readonly isCut?: boolean;
    }
  /** Sends one text, and then closes the connection, reports an error or keeps silent. */
  | { readonly kind: "break off"; readonly text: string; readonly by: "closing" | "an error" | "silence" }
  /** Sends a text every few milliseconds. */
  | { readonly kind: "write slowly"; readonly texts: readonly string[]; readonly everyMs: number }
  | { readonly kind: "refuse"; readonly status: number; readonly retryAfter?: number }
  /** Says something that no client could understand. */
  | { readonly kind: "babble"; readonly text: string; readonly type?: string }
  /** Closes the connection instead of answering. */
  | { readonly kind: "hang up" }
  | { readonly kind: "keep silent" }
  /** Sends the client elsewhere: to a place that would answer. */
  | { readonly kind: "redirect" };

/** A step as it arrived at the server. */
export interface ArrivedStep {
  readonly system: string;
  readonly turns: readonly {
    readonly role: string;
    readonly text: string;
    readonly pictures: readonly string[];
    readonly calls: readonly { readonly id: string; readonly tool: string; readonly args: unknown }[];
    readonly callId?: string;
  }[];
  readonly tools: readonly ToolOffer[];
  readonly toolChoice: string | undefined;
  readonly maxOutputTokens: number | undefined;
}

interface ChatModelFixture {
  readonly model: ChatModel;
  asked(): readonly ArrivedStep[];
  /** Resolves when the next request has arrived. */
  nextQuestion(): Promise<void>;
  /** Later requests find no server. */
  stop(): Promise<void>;
}

/** A model that gives up after `timeoutMs` without a byte, and whose server knows the key. */
type OpenChatModel = (
  behaviour: ChatBehaviour,
  options: { readonly timeoutMs: number; readonly apiKey: string },
) => Promise<ChatModelFixture>;

const KEY = "key-that-nobody-may-see";
const SEARCH: ToolOffer = {
  name: "search_messages",
  about: "Finds messages.",
  schema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
};
const REQUEST: StepRequest = {
  system: "Be brief.",
  turns: [{ role: "user", text: "A private question." }],
  tools: [SEARCH],
  toolChoice: "auto",
  maxOutputTokens: 200,
};
const WITH_PICTURE: StepRequest = {
  ...REQUEST,
  turns: [{ role: "user", text: "What is this?", pictures: [{ mediaType: "image/png", base64: "AQID" }] }],
};
const YES: ChatBehaviour = { kind: "step", texts: ["Yes."] };

/** The behaviour of every model that calls tools, whatever serves it. */
export function describeChatModel(name: string, openModel: OpenChatModel): void {
  const open = (behaviour: ChatBehaviour, timeoutMs = 30_000) => openModel(behaviour, { timeoutMs, apiKey: KEY });

  describe(`${name} as a chat model`, () => {
    it("a step sends all turns, tools and pictures, and returns the text and token counts", async () => {
      const { model, asked } = await open({
        kind: "step",
        texts: ["Yes.\n", "- 你好"],
        usage: { input: 12, output: 3 },
      });
      const step = await model.step({
        ...REQUEST,
        turns: [
          { role: "user", text: "What is this?", pictures: [{ mediaType: "image/png", base64: "AQID" }] },
          { role: "assistant", text: "I look.", calls: [{ id: "a", tool: "search_messages", args: { query: "x" } }] },
          { role: "tool", callId: "a", tool: "search_messages", text: "Nothing." },
          { role: "assistant", text: "", calls: [{ id: "b", tool: "search_messages", args: undefined }] },
          { role: "tool", callId: "b", tool: "search_messages", text: "The arguments are no JSON." },
          { role: "assistant", text: "I found nothing.", calls: [] },
          { role: "user", text: "Really?" },
        ],
      });
      const usage = { inputTokens: 12, outputTokens: 3, isEstimated: false };
      expect(step).toEqual({ text: "Yes.\n- 你好", calls: [], isCut: false, usage });
      const plain = { pictures: [], calls: [] };
      const called = (id: string, args: unknown) => [{ id, tool: "search_messages", args }];
      expect(asked()).toEqual([
        {
          system: "Be brief.",
          turns: [
            { role: "user", text: "What is this?", pictures: ["data:image/png;base64,AQID"], calls: [] },
            { role: "assistant", text: "I look.", pictures: [], calls: called("a", { query: "x" }) },
            { ...plain, role: "tool", text: "Nothing.", callId: "a" },
            { role: "assistant", text: "", pictures: [], calls: called("b", {}) },
            { ...plain, role: "tool", text: "The arguments are no JSON.", callId: "b" },
            { ...plain, role: "assistant", text: "I found nothing." },
            { ...plain, role: "user", text: "Really?" },
          ],
          tools: [SEARCH],
          toolChoice: "auto",
          maxOutputTokens: 200,
        },
      ]);
    });

    it("a step sends no tools where none are offered, and says when none may be called", async () => {
      const { model, asked } = await open(YES);
      await model.step({ ...REQUEST, tools: [] });
      await model.step({ ...REQUEST, toolChoice: "none" });
      expect(asked().map(({ tools, toolChoice }) => [tools.length, toolChoice])).toEqual([
        [0, undefined],
        [1, "none"],
      ]);
    });

    it("a step returns the calls that the model asks for, with the text before them", async () => {
      const calls = [
        { tool: "search_messages", args: '{"query":"tide"}' },
        { tool: "search_messages", args: '{"query":"ebb"}' },
      ];
      const { model } = await open({ kind: "step", texts: ["I look."], calls });
      const step = await model.step(REQUEST);
      expect(step.text).toBe("I look.");
      expect(step.calls.map(({ tool, args }) => ({ tool, args }))).toEqual([
        { tool: "search_messages", args: { query: "tide" } },
        { tool: "search_messages", args: { query: "ebb" } },
      ]);
      expect(new Set(step.calls.map(({ id }) => id)).size).toBe(2);
    });

    it("a step passes on calls of tools that were not offered, and those whose arguments cannot be read", async () => {
      const calls = [
        { tool: "launch_missiles", args: "{}" },
        { tool: "search_messages", args: '{"query": tide' },
        { tool: "search_messages", args: '{"limit":"many"}' },
      ];
      for (const toolChoice of ["auto", "none"] as const) {
        const { model } = await open({ kind: "step", calls });
        const step = await model.step({ ...REQUEST, toolChoice });
        expect(step.calls.map(({ tool, args }) => ({ tool, args }))).toEqual([
          { tool: "launch_missiles", args: {} },
          { tool: "search_messages", args: undefined },
          { tool: "search_messages", args: { limit: "many" } },
        ]);
      }
    });

    it("onText gets all of the text so far each time it has grown", async () => {
      const { model } = await open({ kind: "step", texts: ["High ", "water ", "", "at 14:10."] });
      const texts: string[] = [];
      const { text } = await model.step({ ...REQUEST, onText: (soFar) => texts.push(soFar) });
      expect(texts).toEqual(["High", "High water", "High water at 14:10."]);
      expect(text).toBe("High water at 14:10.");
    });

    it("thinking is neither in the text nor in what onText gets", async () => {
      const { model } = await open({ kind: "step", texts: ["<thi", "nk>a sec", "ret</th", "ink>said", " this"] });
      const texts: string[] = [];
      const { text } = await model.step({ ...REQUEST, onText: (soFar) => texts.push(soFar) });
      expect([text, ...texts]).toEqual(["said this", "said", "said this"]);
    });

    it("an empty answer has no text and no calls", async () => {
      const { model } = await open({ kind: "step" });
      expect(await model.step(REQUEST)).toMatchObject({ text: "", calls: [], isCut: false });
    });

    it("a step says when the model had no more room", async () => {
      const { model } = await open({ kind: "step", texts: ["It goes on and"], isCut: true });
      expect(await model.step(REQUEST)).toMatchObject({ text: "It goes on and", isCut: true });
    });

    it("token counts are estimated when the server does not report them", async () => {
      const { model } = await open({ kind: "step", texts: ["one two three"] });
      const { usage } = await model.step(REQUEST);
      expect(usage.isEstimated).toBe(true);
      expect(usage.inputTokens).toBeGreaterThanOrEqual(30);
      expect(usage.outputTokens).toBeGreaterThanOrEqual(3);
      const seen = await model.step(WITH_PICTURE);
      expect(seen.usage.inputTokens).toBeGreaterThan(usage.inputTokens + 500);
    });

    it("a step fails with rate_limited and the retry time, without retrying", async () => {
      const { model, asked } = await open({ kind: "refuse", status: 429, retryAfter: 7 });
      expect(await failureOf(model.step(REQUEST))).toMatchObject({ code: "rate_limited", retryAfter: 7 });
      expect(asked()).toHaveLength(1);
    });

    it.each<[string, ChatBehaviour, ModelFailureReason, number | null]>([
      ["a wrong key", { kind: "refuse", status: 401 }, "key_refused", 401],
      ["an unknown model name", { kind: "refuse", status: 404 }, "no_such_model", 404],
      ["a request that it does not take", { kind: "refuse", status: 422 }, "refused", 422],
      ["a failing server", { kind: "refuse", status: 503 }, "server_failed", 503],
      ["a web page", { kind: "babble", text: "<html>", type: "text/html; charset=utf-8" }, "not_a_model", 200],
      ["an unreadable answer", { kind: "babble", text: "data: {\n\n" }, "unreadable", 200],
      ["an answer of another shape", { kind: "babble", text: '{"choices":[]}' }, "cut_off", 200],
      ["an error for an answer", { kind: "babble", text: '{"error":{"message":"overloaded"}}' }, "server_failed", 200],
      ["a connection that breaks", { kind: "hang up" }, "unreachable", null],
      ["a connection that breaks in the middle", { kind: "break off", text: "High", by: "closing" }, "cut_off", 200],
      ["an error in the middle", { kind: "break off", text: "High", by: "an error" }, "server_failed", 200],
    ])("a step is unavailable with %s, says why, and sends one request", async (_, behaviour, reason, httpStatus) => {
      const { model, asked } = await open(behaviour);
      expect(await failureOf(model.step(REQUEST))).toMatchObject({ code: "unavailable", reason, httpStatus });
      expect(asked()).toHaveLength(1);
    });

    it("a step is unavailable when the server is not listening", async () => {
      const { model, stop } = await open(YES);
      await stop();
      expect((await failureOf(model.step(REQUEST))).code).toBe("unavailable");
    });

    it("a step is unsupported when the server refuses its pictures, but not when it refuses the key or the rate", async () => {
      for (const [status, code] of [
        [400, "unsupported"],
        [415, "unsupported"],
        [401, "unavailable"],
        [429, "rate_limited"],
        [500, "unavailable"],
      ] as const) {
        const { model } = await open({ kind: "refuse", status });
        expect((await failureOf(model.step(WITH_PICTURE))).code).toBe(code);
      }
    });

    it("a step does not follow a redirect", async () => {
      const { model, asked } = await open({ kind: "redirect" });
      expect((await failureOf(model.step(REQUEST))).code).toBe("unavailable");
      expect(asked()).toHaveLength(1);
    });

    it("a step fails with a timeout when the server sends nothing, at first or in the middle", async () => {
      for (const [behaviour, reason] of [
        [{ kind: "keep silent" }, "silent"],
        [{ kind: "break off", text: "High", by: "silence" }, "stalled"],
      ] as const) {
        // A call that has begun is known to have begun, however late the first words arrive on a busy machine.
        const { model } = await open(behaviour, reason === "silent" ? 50 : 1_000);
        expect(await failureOf(model.step(REQUEST))).toMatchObject({ code: "timeout", reason });
      }
    });

    it("a model that writes slowly is not cut off", async () => {
      const texts = Array.from({ length: 12 }, (_, index) => `${index} `);
      // Longer in all than it is waited for, and much less between two words, also on a loaded machine.
      const { model } = await open({ kind: "write slowly", texts, everyMs: 250 }, 2_000);
      expect((await model.step(REQUEST)).text).toBe("0 1 2 3 4 5 6 7 8 9 10 11");
    });

    it("a step distinguishes a signal that timed out from one that was cancelled", async () => {
      const { model, nextQuestion } = await open({ kind: "break off", text: "High", by: "silence" });
      const late = model.step({ ...REQUEST, signal: AbortSignal.timeout(50) });
      expect((await failureOf(late)).code).toBe("timeout");
      const controller = new AbortController();
      const asking = nextQuestion();
      const cancelled = failureOf(model.step({ ...REQUEST, signal: controller.signal }));
      await asking;
      controller.abort();
      expect((await cancelled).code).toBe("cancelled");
    });

    it("a step that is already cancelled sends nothing", async () => {
      const { model, asked } = await open(YES);
      expect((await failureOf(model.step({ ...REQUEST, signal: AbortSignal.abort() }))).code).toBe("cancelled");
      expect(asked()).toEqual([]);
    });

    it.each<[string, ChatBehaviour]>([
      ["is refused", { kind: "refuse", status: 400 }],
      ["is rate-limited", { kind: "refuse", status: 429 }],
      ["gets an unreadable answer", { kind: "babble", text: `{"heard":"A private question.","key":"${KEY}"}` }],
      ["gets an unreadable event", { kind: "babble", text: `data: {"heard":"A private question.","key":"${KEY}\n\n` }],
      ["loses the connection", { kind: "hang up" }],
      ["meets an error in the middle", { kind: "break off", text: "A private question.", by: "an error" }],
      ["gets no answer", { kind: "keep silent" }],
    ])("the error of a step that %s contains neither key nor prompt", async (_, behaviour) => {
      const { model } = await open(behaviour, 50);
      const told = inspect(await failureOf(model.step(REQUEST)), { depth: 20, showHidden: true });
      expect(told).not.toContain(KEY);
      expect(told).not.toContain("private question");
    });
  });
}
