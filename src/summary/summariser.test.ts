import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countPace } from "../../test/support/counted-pace.ts";
import { openModelServer } from "../../test/support/model-server.ts";
import { NOBODY, sampleTalk, someNames, TALK_NOW, talk } from "../../test/support/talk.ts";
import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, MessageId } from "../domain/ids.ts";
import { type Message, toTypedParts } from "../domain/message.ts";
import { bulletTokens } from "../domain/summary/bullets.ts";
import { estimateTokens } from "../domain/text/tokens.ts";
import { createModel } from "../models/openai/create-model.ts";
import type { GenerateRequest, Model } from "../ports/model.ts";
import type { OperationSpending, SpentTokens } from "../ports/operation-spending.ts";
import { createSummariser, type SummariseRequest, type SummariserDeps } from "./summariser.ts";

const CHANNEL = "7" as ChannelId;
const HOUR = 3_600_000;

/** Says every line of the block again, as bullets that cite it. */
function repeatAll({ prompt }: GenerateRequest): string {
  const lines = [...prompt.matchAll(/^(m\d+)(?:→m\d+)?(?: [^:]*)?: (.*)$/gm)];
  return lines.map(([, handle, said]) => `- ${said} [${handle}]`).join("\n");
}

function open(answer: (request: GenerateRequest) => string | Promise<string>, more: Partial<SummariserDeps> = {}) {
  const asked: GenerateRequest[] = [];
  const model: Model = {
    async generate(request) {
      asked.push(request);
      return { text: await answer(request), inputTokens: 0, outputTokens: 0 };
    },
  };
  const mintNonce = () => `nonce-${asked.length}`;
  return {
    asked,
    ...createSummariser({ model, openPace: countPace().openPace, clock: { now: () => TALK_NOW }, mintNonce, ...more }),
  };
}

const request = (messages: readonly Message[], more: Partial<SummariseRequest> = {}): SummariseRequest => {
  return { channelId: CHANNEL, messages, ...someNames(), maxTokens: 2_000, ...more };
};

const TALK = talk([
  { by: "Ada", text: "the mast comes on Monday", minutesAgo: 30 },
  { by: "Bo", text: "see <#55>", minutesAgo: 29 },
  { by: "Ada", text: "we decided to paint it", minutesAgo: 28 },
]);
const retold = (message: Message, content: string): Message => ({ ...message, content, parts: toTypedParts(content) });
const edited = (messages: readonly Message[], at: number) =>
  messages.map((message, index) => (index === at ? retold(message, `${message.content} (really)`) : message));

describe("a summary by a model", () => {
  it("consists of the bullets that cite messages", async () => {
    const { summarise, asked } = open(() => "- The mast comes on Monday [m1]\n- Invented [m8]\n");
    expect(await summarise(request(TALK))).toEqual({
      bullets: [{ text: "The mast comes on Monday", cites: [TALK[0]?.message_id] }],
      by: "model",
      problem: null,
    });
    expect(asked).toHaveLength(1);
  });

  it("comes from an OpenAI-compatible server over HTTP", async () => {
    const { url, requests } = await openModelServer([() => "- Ada decided to paint [m3]"]);
    const { summarise } = open(() => "", { model: createModel({ baseUrl: url, name: "small" }) });
    const { bullets, by } = await summarise(request(TALK));
    expect([by, bullets[0]?.text]).toEqual(["model", "Ada decided to paint"]);
    expect(requests[0]?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(requests[0]?.messages[0]?.content).not.toContain("mast");
  });

  it("is cached while nothing changes, in whatever order the messages come", async () => {
    const { summarise, asked } = open(repeatAll);
    const first = await summarise(request(TALK));
    expect(await summarise(request(TALK.toReversed()))).toEqual(first);
    expect(asked).toHaveLength(1);
    await summarise(request(TALK, { focus: "mast" }));
    expect(asked).toHaveLength(2);
  });

  it("is regenerated only in part when one message of a long conversation is edited or removed", async () => {
    const long = sampleTalk("general").slice(-200);
    const { summarise, asked } = open(repeatAll);
    await summarise(request(long));
    const parts = asked.filter(({ prompt }) => prompt.includes("· channel ·")).length;
    expect(parts).toBeGreaterThan(3);
    asked.length = 0;
    await summarise(request(edited(long, 3)));
    await summarise(request(long.slice(0, -1)));
    expect(asked.filter(({ prompt }) => prompt.includes("· channel ·"))).toHaveLength(2);
  });

  it("is generated again for an audience that may know other names", async () => {
    const { summarise, asked } = open(repeatAll);
    const insider = { ...NOBODY, channel: (id: string) => (id === "55" ? "staff-secrets" : undefined) };
    expect(JSON.stringify(await summarise(request(TALK, { names: insider })))).toContain("staff-secrets");
    expect(JSON.stringify(await summarise(request(TALK)))).not.toContain("staff-secrets");
    expect(asked).toHaveLength(2);
  });

  it("contains no word of a message that was not passed in, whatever was summarised before", async () => {
    const pool = talk(
      Array.from({ length: 60 }, (_, index) => ({
        by: `P${index % 7}`,
        text: `word${index}v0`,
        minutesAgo: 300 - 4 * index,
      })),
    );
    const call = fc.record({
      picks: fc.subarray(pool.map((_, index) => index)),
      edits: fc.subarray([0, 1, 2, 30], { maxLength: 2 }),
      forgets: fc.option(fc.nat(59)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 6 }), async (calls) => {
        const { summarise, forget } = open(repeatAll);
        for (const { picks, edits, forgets } of calls) {
          const brought = picks.map((index) => pool[index]).filter((one) => one !== undefined);
          const messages = brought.map((message, index) =>
            edits.includes(index) ? retold(message, message.content.replace("v0", "v1")) : message,
          );
          const { bullets } = await summarise(request(messages));
          const known = new Set(messages.map(({ content }) => content));
          const ids = new Set(messages.map(({ message_id }) => message_id));
          for (const word of JSON.stringify(bullets).match(/word\d+v\d/g) ?? []) expect(known).toContain(word);
          for (const id of bullets.flatMap(({ cites }) => cites)) expect(ids).toContain(id);
          if (forgets !== null) forget([pool[forgets]?.message_id as MessageId]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("is evicted from the cache when one of its messages or its channel is forgotten, and after a day", async () => {
    let now = TALK_NOW;
    const { summarise, asked, forget, forgetChannel } = open(repeatAll, { clock: { now: () => now } });
    const paysAgain = async () => {
      const before = asked.length;
      await summarise(request(TALK));
      return asked.length > before;
    };
    expect(await paysAgain()).toBe(true);
    forget(["1" as MessageId]);
    forgetChannel("8" as ChannelId);
    expect(await paysAgain()).toBe(false);
    forget([TALK[1]?.message_id as MessageId]);
    expect(await paysAgain()).toBe(true);
    forgetChannel(CHANNEL);
    expect(await paysAgain()).toBe(true);
    now += 24 * HOUR - 1;
    expect(await paysAgain()).toBe(false);
    now += 1;
    expect(await paysAgain()).toBe(true);
  });

  it("is not cached when one of its messages was deleted while the model was running", async () => {
    const { summarise, asked, forget } = open((asking) => {
      forget([TALK[0]?.message_id as MessageId]);
      return repeatAll(asking);
    });
    await summarise(request(TALK));
    await summarise(request(TALK));
    expect(asked).toHaveLength(2);
  });

  it("is combined from parts where there are too many messages, and cites only messages that the parts cite", async () => {
    const long = sampleTalk("general").slice(-200);
    const { summarise, asked } = open((asking) =>
      asking.prompt.includes("· summaries⟧") ? "- all of it [m1, m9]\n- more [m99]" : repeatAll(asking),
    );
    const { bullets } = await summarise(request(long));
    expect(bullets.map(({ text }) => text)).toEqual(["all of it"]);
    const ids = long.map(({ message_id }) => message_id);
    expect(bullets[0]?.cites.every((id) => ids.includes(id))).toBe(true);
    const paid = asked.length;
    await summarise(request(long));
    expect(asked).toHaveLength(paid);
  });

  it.each([2_048, 4_096])("asks with no prompt that has no room in a context of %d tokens", async (contextTokens) => {
    const asked: GenerateRequest[] = [];
    const model: Model = {
      contextTokens,
      async generate(one) {
        asked.push(one);
        return { text: repeatAll(one), inputTokens: 0, outputTokens: 0 };
      },
    };
    const { summarise } = open(() => "", { model });
    const long = Array.from({ length: 400 }, (_, index) => ({
      by: "Ada",
      text: `${index} the mast of the long boat came down again in the storm, and nobody was there to see it fall`,
      minutesAgo: 500 - index,
    }));
    expect(await summarise(request(talk(long)))).toMatchObject({ by: "model" });
    expect(asked.length).toBeGreaterThan(5);
    for (const { system, prompt, maxOutputTokens } of asked)
      expect(estimateTokens(system) + estimateTokens(prompt) + maxOutputTokens).toBeLessThanOrEqual(contextTokens);
  });

  it("fits its token budget", async () => {
    const { summarise } = open(repeatAll);
    for (const maxTokens of [0, 30, 60, 200]) {
      const { bullets } = await summarise(request(TALK, { maxTokens }));
      expect(bullets.reduce((sum, bullet) => sum + bulletTokens(bullet), 0)).toBeLessThanOrEqual(maxTokens);
    }
  });

  it("may be empty where no message concerns the focus", async () => {
    const { summarise } = open(() => "NOTHING");
    expect(await summarise(request(TALK, { focus: "kettles" }))).toEqual({ bullets: [], by: "model", problem: null });
  });
});

describe("a summary without a model", () => {
  it("is made where there is no model, no message or too many messages", async () => {
    const { summarise } = open(repeatAll, { model: null });
    const { bullets, by, problem } = await summarise(request(TALK));
    expect([by, problem]).toEqual(["extract", null]);
    expect(bullets.map(({ text }) => text)).toContainEqual("Decision, Ada, 28 minutes ago: “we decided to paint it”");
    const other = open(repeatAll);
    expect(await other.summarise(request([]))).toEqual({ bullets: [], by: "extract", problem: null });
    const many = talk(Array.from({ length: 601 }, (_, index) => ({ by: "Ada", text: "x", minutesAgo: 601 - index })));
    expect((await other.summarise(request(many))).by).toBe("extract");
    expect(other.asked).toEqual([]);
  });

  it.each(["unavailable", "rate_limited", "timeout"] as const)(
    "replaces the model's summary when the model fails with %s, and reports that",
    async (code) => {
      const { summarise, asked } = open(() => {
        throw new EarshotError(code, "No.");
      });
      const summary = await summarise(request(TALK));
      expect(summary).toMatchObject({ by: "extract", problem: code });
      expect(summary.bullets.length).toBeGreaterThan(1);
      await summarise(request(TALK));
      expect(asked).toHaveLength(2);
    },
  );

  it("replaces the model's summary when the model answers without citations", async () => {
    const { summarise } = open(() => "Certainly! Everybody was very nice.");
    expect(await summarise(request(TALK))).toMatchObject({ by: "extract", problem: "unavailable" });
  });

  it("replaces the model's summary when the model takes too long", async () => {
    const never: Model = {
      generate: ({ signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener("abort", () => reject(new EarshotError("timeout", "Too long.")));
        }),
    };
    const { summarise } = open(repeatAll, { model: never, patienceMs: 20 });
    expect(await summarise(request(TALK))).toMatchObject({ by: "extract", problem: "timeout" });
  });

  it("is not made for a caller who has cancelled", async () => {
    const controller = new AbortController();
    const { summarise } = open(() => {
      controller.abort();
      throw new EarshotError("cancelled", "Gone.");
    });
    await expect(summarise(request(TALK, { signal: controller.signal }))).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("what summaries use of the model", () => {
  /** Everything that was reserved and settled, in order. */
  function openBudget(maxTokens: number) {
    const reserved: number[] = [];
    const settled: SpentTokens[] = [];
    const spending: OperationSpending = {
      reserve(tokens) {
        if (reserved.reduce((sum, each) => sum + each, tokens) > maxTokens)
          throw new EarshotError("rate_limited", "Used up.");
        reserved.push(tokens);
        return { settle: (usage) => void settled.push({ ...usage }) };
      },
    };
    return { spending, reserved, settled };
  }
  const used = (answer: (request: GenerateRequest) => string): Partial<SummariserDeps> => ({
    model: { generate: async (asked) => ({ text: answer(asked), inputTokens: 300, outputTokens: 40 }) },
  });
  const tokensOf = ({ inputTokens, outputTokens }: SpentTokens) => inputTokens + outputTokens;

  it("is reserved before each call by an upper estimate, and settled with what the model reports", async () => {
    const { spending, reserved, settled } = openBudget(100_000);
    const { summarise } = open(repeatAll, used(repeatAll));
    expect(await summarise(request(TALK, { spending }))).toMatchObject({ by: "model" });
    expect(reserved).toHaveLength(1);
    expect(reserved[0]).toBeGreaterThan(450);
    expect(settled).toMatchObject([{ inputTokens: 300, outputTokens: 40 }]);
    // From the cache.
    await summarise(request(TALK, { spending }));
    expect(reserved).toHaveLength(1);
  });

  it.each([
    ["fails", () => Promise.reject(new EarshotError("unavailable", "No."))],
    ["is cancelled", () => Promise.reject(new EarshotError("cancelled", "Gone."))],
  ])("is settled with the estimate when the call %s", async (_, generate) => {
    const { spending, reserved, settled } = openBudget(100_000);
    const { summarise } = open(repeatAll, { model: { generate } });
    expect(await summarise(request(TALK, { spending }))).toMatchObject({ by: "extract" });
    expect(settled.map(tokensOf)).toEqual(reserved);
  });

  it("is nothing where not all parts can be paid for: the summary is made without the model, and says so", async () => {
    const long = sampleTalk("general").slice(-200);
    const { spending, reserved, settled } = openBudget(5_000);
    const { summarise, asked } = open(repeatAll);
    expect(await summarise(request(long, { spending }))).toMatchObject({ by: "extract", problem: "rate_limited" });
    expect(asked).toEqual([]);
    expect(reserved.length).toBeGreaterThan(0);
    expect(settled).toEqual(reserved.map(() => ({ inputTokens: 0, outputTokens: 0 })));
  });

  it("counts parts that were sent when another part failed, and not those that were not sent", async () => {
    const long = sampleTalk("general").slice(-400);
    const { spending, reserved, settled } = openBudget(100_000);
    let calls = 0;
    const { summarise } = open(
      repeatAll,
      used((asking) => {
        calls += 1;
        if (calls === 2) throw new EarshotError("unavailable", "No.");
        return repeatAll(asking);
      }),
    );
    expect(await summarise(request(long, { spending }))).toMatchObject({ by: "extract", problem: "unavailable" });
    expect(reserved.length).toBeGreaterThan(4);
    const counts = settled.map(tokensOf);
    expect(counts.filter((tokens) => tokens === 340)).toHaveLength(3);
    expect(counts.filter((tokens) => tokens === 0)).toHaveLength(reserved.length - 4);
    expect(settled).toHaveLength(reserved.length);
  });
});
