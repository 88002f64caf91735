import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { GenerateRequest, Model } from "../ports/model.ts";
import { failureOf } from "./kit/failure-of.suite.ts";

/** How the server behind the model behaves when it is asked. */
export type Behaviour =
  | {
      readonly kind: "answer";
      readonly text: string;
      readonly usage?: { readonly input: number; readonly output: number };
    }
  | { readonly kind: "refuse"; readonly status: number; readonly retryAfter?: number }
  /** Says something that no client could understand. */
  | { readonly kind: "babble"; readonly text: string }
  /** Closes the connection instead of answering. */
  | { readonly kind: "hang up" }
  | { readonly kind: "keep silent" }
  /** Sends the client elsewhere: to a place that would answer. */
  | { readonly kind: "redirect" };

interface ModelFixture {
  readonly model: Model;
  asked(): readonly { readonly system: string; readonly prompt: string; readonly maxOutputTokens: number }[];
  /** Resolves when the next question has arrived. */
  nextQuestion(): Promise<void>;
  /** Later requests find no server. */
  stop(): Promise<void>;
}

/** A model that gives up after `timeoutMs`, and whose server knows the key. */
type OpenModel = (
  behaviour: Behaviour,
  options: { readonly timeoutMs: number; readonly apiKey: string },
) => Promise<ModelFixture>;

const KEY = "key-that-nobody-may-see";
const REQUEST: GenerateRequest = { system: "Be brief.", prompt: "A private question.", maxOutputTokens: 50 };

/** The behaviour of every model, whatever serves it. */
export function describeModel(name: string, openModel: OpenModel): void {
  const open = (behaviour: Behaviour, timeoutMs = 30_000) => openModel(behaviour, { timeoutMs, apiKey: KEY });

  describe(`${name} as a model`, () => {
    it("sends the system prompt and the prompt separately, and returns the text and token counts", async () => {
      const { model, asked } = await open({ kind: "answer", text: "Yes.\n- 你好", usage: { input: 12, output: 3 } });
      expect(await model.generate(REQUEST)).toEqual({ text: "Yes.\n- 你好", inputTokens: 12, outputTokens: 3 });
      expect(asked()).toEqual([{ system: "Be brief.", prompt: "A private question.", maxOutputTokens: 50 }]);
    });

    it("estimates token counts when the server does not report them", async () => {
      const { model } = await open({ kind: "answer", text: "one two three" });
      const { inputTokens, outputTokens } = await model.generate(REQUEST);
      expect(inputTokens).toBeGreaterThanOrEqual(6);
      expect(outputTokens).toBeGreaterThanOrEqual(3);
    });

    it("removes the model's reasoning from the answer", async () => {
      const { model } = await open({ kind: "answer", text: "<think>- a thought [m1]</think>- said [m2]" });
      expect((await model.generate(REQUEST)).text.trim()).toBe("- said [m2]");
    });

    it("accepts an empty answer", async () => {
      const { model } = await open({ kind: "answer", text: "" });
      expect((await model.generate(REQUEST)).text).toBe("");
    });

    it("fails with rate_limited and the retry time, without retrying", async () => {
      const { model, asked } = await open({ kind: "refuse", status: 429, retryAfter: 7 });
      expect(await failureOf(model.generate(REQUEST))).toMatchObject({ code: "rate_limited", retryAfter: 7 });
      expect(asked()).toHaveLength(1);
      const vague = await open({ kind: "refuse", status: 429 });
      expect(await failureOf(vague.model.generate(REQUEST))).toMatchObject({
        code: "rate_limited",
        retryAfter: undefined,
      });
    });

    it.each([
      ["a wrong key", { kind: "refuse", status: 401 }],
      ["an unknown model name", { kind: "refuse", status: 404 }],
      ["a failing server", { kind: "refuse", status: 503 }],
      ["an unreadable answer", { kind: "babble", text: "<html>" }],
      ["an answer of another shape", { kind: "babble", text: '{"choices":[]}' }],
      ["a connection that breaks", { kind: "hang up" }],
    ] as const)("is unavailable with %s, and sends one request", async (_, behaviour) => {
      const { model, asked } = await open(behaviour);
      expect((await failureOf(model.generate(REQUEST))).code).toBe("unavailable");
      expect(asked()).toHaveLength(1);
    });

    it("is unavailable when the server is not listening", async () => {
      const { model, stop } = await open({ kind: "answer", text: "Yes." });
      await stop();
      expect((await failureOf(model.generate(REQUEST))).code).toBe("unavailable");
    });

    it("does not follow a redirect with the prompt", async () => {
      const { model, asked } = await open({ kind: "redirect" });
      expect((await failureOf(model.generate(REQUEST))).code).toBe("unavailable");
      expect(asked()).toHaveLength(1);
    });

    it("fails with a timeout when the server does not answer", async () => {
      const { model } = await open({ kind: "keep silent" }, 50);
      expect((await failureOf(model.generate(REQUEST))).code).toBe("timeout");
    });

    it("distinguishes a signal that timed out from one that was cancelled", async () => {
      const { model, nextQuestion } = await open({ kind: "keep silent" });
      const late = model.generate({ ...REQUEST, signal: AbortSignal.timeout(50) });
      expect((await failureOf(late)).code).toBe("timeout");
      const controller = new AbortController();
      const asking = nextQuestion();
      const calledOff = failureOf(model.generate({ ...REQUEST, signal: controller.signal }));
      await asking;
      controller.abort();
      expect((await calledOff).code).toBe("cancelled");
    });

    it("sends nothing when it is already cancelled", async () => {
      const { model, asked } = await open({ kind: "answer", text: "Yes." });
      expect((await failureOf(model.generate({ ...REQUEST, signal: AbortSignal.abort() }))).code).toBe("cancelled");
      expect(asked()).toEqual([]);
    });

    it.each<[string, Behaviour]>([
      ["is refused", { kind: "refuse", status: 400 }],
      ["is rate-limited", { kind: "refuse", status: 429 }],
      ["gets an unreadable answer", { kind: "babble", text: `{"heard":"A private question.","key":"${KEY}"}` }],
      ["loses the connection", { kind: "hang up" }],
      ["gets no answer", { kind: "keep silent" }],
    ])("puts neither key nor prompt anywhere in the error when it %s", async (_, behaviour) => {
      const { model } = await open(behaviour, 50);
      const error = await failureOf(model.generate(REQUEST));
      const told = inspect(error, { depth: 20, showHidden: true });
      expect(told).not.toContain(KEY);
      expect(told).not.toContain("private question");
    });
  });
}
