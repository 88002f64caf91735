import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { EarshotError } from "../domain/errors.ts";
import type { GenerateRequest, Model } from "../ports/model.ts";

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

export interface ModelFixture {
  readonly model: Model;
  /** What the server was asked. */
  readonly asked: readonly { readonly system: string; readonly prompt: string; readonly maxOutputTokens: number }[];
  /** Resolves when the next question has arrived. */
  nextQuestion(): Promise<void>;
  /** Nobody listens there any longer. */
  stop(): Promise<void>;
}

/** A model that gives up after `timeoutMs`, and whose server knows the key. */
type OpenModel = (
  behaviour: Behaviour,
  options: { readonly timeoutMs: number; readonly apiKey: string },
) => Promise<ModelFixture>;

const KEY = "key-that-nobody-may-see";
const REQUEST: GenerateRequest = { system: "Be brief.", prompt: "A private question.", maxOutputTokens: 50 };

/** What every model owes, whatever speaks for it. */
export function describeModel(name: string, openModel: OpenModel): void {
  const open = (behaviour: Behaviour, timeoutMs = 30_000) => openModel(behaviour, { timeoutMs, apiKey: KEY });
  const failureOf = async (answer: Promise<unknown>): Promise<EarshotError> => {
    const error = await answer.then(
      () => null,
      (reason: unknown) => reason,
    );
    if (!(error instanceof EarshotError)) throw new Error(`expected an EarshotError, got ${inspect(error)}`);
    return error;
  };

  describe(`${name} as a model`, () => {
    it("passes on what it is told, the system's words apart, and says what comes back", async () => {
      const { model, asked } = await open({ kind: "answer", text: "Yes.\n- 你好", usage: { input: 12, output: 3 } });
      expect(await model.generate(REQUEST)).toEqual({ text: "Yes.\n- 你好", inputTokens: 12, outputTokens: 3 });
      expect(asked).toEqual([{ system: "Be brief.", prompt: "A private question.", maxOutputTokens: 50 }]);
    });

    it("counts tokens itself where the server does not", async () => {
      const { model } = await open({ kind: "answer", text: "one two three" });
      const { inputTokens, outputTokens } = await model.generate(REQUEST);
      expect(inputTokens).toBeGreaterThanOrEqual(6);
      expect(outputTokens).toBeGreaterThanOrEqual(3);
    });

    it("keeps what the model thought aloud to itself", async () => {
      const { model } = await open({ kind: "answer", text: "<think>- a thought [m1]</think>- said [m2]" });
      expect((await model.generate(REQUEST)).text.trim()).toBe("- said [m2]");
    });

    it("takes saying nothing for an answer", async () => {
      const { model } = await open({ kind: "answer", text: "" });
      expect((await model.generate(REQUEST)).text).toBe("");
    });

    it("tells when it has been asked too much, and how long to wait, without trying again", async () => {
      const { model, asked } = await open({ kind: "refuse", status: 429, retryAfter: 7 });
      expect(await failureOf(model.generate(REQUEST))).toMatchObject({ code: "rate_limited", retryAfter: 7 });
      expect(asked).toHaveLength(1);
      const vague = await open({ kind: "refuse", status: 429 });
      expect(await failureOf(vague.model.generate(REQUEST))).toMatchObject({
        code: "rate_limited",
        retryAfter: undefined,
      });
    });

    it.each([
      ["a wrong key", { kind: "refuse", status: 401 }],
      ["a name that the server does not know", { kind: "refuse", status: 404 }],
      ["a server in trouble", { kind: "refuse", status: 503 }],
      ["an answer that makes no sense", { kind: "babble", text: "<html>" }],
      ["an answer of another shape", { kind: "babble", text: '{"choices":[]}' }],
      ["a connection that breaks", { kind: "hang up" }],
    ] as const)("is unavailable with %s, and asks once", async (_, behaviour) => {
      const { model, asked } = await open(behaviour);
      expect((await failureOf(model.generate(REQUEST))).code).toBe("unavailable");
      expect(asked).toHaveLength(1);
    });

    it("is unavailable where nobody listens", async () => {
      const { model, stop } = await open({ kind: "answer", text: "Yes." });
      await stop();
      expect((await failureOf(model.generate(REQUEST))).code).toBe("unavailable");
    });

    it("does not follow to another address with what it was told", async () => {
      const { model, asked } = await open({ kind: "redirect" });
      expect((await failureOf(model.generate(REQUEST))).code).toBe("unavailable");
      expect(asked).toHaveLength(1);
    });

    it("gives up on a server that keeps silent", async () => {
      const { model } = await open({ kind: "keep silent" }, 50);
      expect((await failureOf(model.generate(REQUEST))).code).toBe("timeout");
    });

    it("tells a signal that ran out of time from one that was called off", async () => {
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

    it("asks nothing once it was called off", async () => {
      const { model, asked } = await open({ kind: "answer", text: "Yes." });
      expect((await failureOf(model.generate({ ...REQUEST, signal: AbortSignal.abort() }))).code).toBe("cancelled");
      expect(asked).toEqual([]);
    });

    it.each<[string, Behaviour]>([
      ["is refused", { kind: "refuse", status: 400 }],
      ["is asked too much", { kind: "refuse", status: 429 }],
      ["hears nonsense", { kind: "babble", text: `{"heard":"A private question.","key":"${KEY}"}` }],
      ["is hung up on", { kind: "hang up" }],
      ["hears nothing", { kind: "keep silent" }],
    ])("tells neither key nor question, however deep one looks, when it %s", async (_, behaviour) => {
      const { model } = await open(behaviour, 50);
      const error = await failureOf(model.generate(REQUEST));
      const told = inspect(error, { depth: 20, showHidden: true });
      expect(told).not.toContain(KEY);
      expect(told).not.toContain("private question");
    });
  });
}
