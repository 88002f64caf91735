import { setImmediate } from "node:timers/promises";
import type { ChannelId } from "../src/domain/ids.ts";
import type { Message } from "../src/domain/message.ts";
import { type OpenPace, Pace, runAtOnce, UNPACED } from "../src/domain/steps/pace.ts";
import { extractSummary } from "../src/domain/summary/extract-summary.ts";
import { estimateTokens } from "../src/domain/text/tokens.ts";
import type { Model } from "../src/ports/model.ts";
import { createSummariser } from "../src/summary/summariser.ts";
import { median, printTable, type Row } from "../test/support/table.ts";
import { sampleTalk, someNames, TALK_NOW } from "../test/support/talk.ts";

const talk = sampleTalk("general");

function measureExtract(amount: number): Row {
  const messages = talk.slice(-amount);
  const request = { messages, ...someNames(), now: TALK_NOW, maxTokens: 1_000 };
  const times = Array.from({ length: 30 }, () => {
    const start = performance.now();
    runAtOnce(extractSummary(request, UNPACED));
    return performance.now() - start;
  });
  const figure = `${median(times).toFixed(1)} ms, the first ${(times[0] ?? 0).toFixed(0)} ms`;
  return {
    what: `${messages.length} messages`,
    figure,
    note: `${runAtOnce(extractSummary(request, UNPACED)).length} bullets`,
  };
}

/** Counts what a model is told. Its bullets are as long as allowed, so that parts must be combined. */
function countingModel(): Model & { calls: number; tokens: number } {
  return {
    calls: 0,
    tokens: 0,
    async generate({ system, prompt, maxOutputTokens }) {
      this.calls += 1;
      this.tokens += estimateTokens(system) + estimateTokens(prompt);
      const bullets = Math.round(maxOutputTokens / 90);
      const text = Array.from({ length: bullets }, (_, at) => `- ${"word ".repeat(30)} [m${at + 1}]`).join("\n");
      return { text, inputTokens: 0, outputTokens: 0 };
    },
  };
}

/** Somebody asks what happened in the last so many messages, and again whenever five more have been written. */
async function measureReuse(amount: number): Promise<Row[]> {
  const model = countingModel();
  let nonce = 0;
  const mintNonce = () => {
    nonce += 1;
    return `nonce-${nonce}`;
  };
  const openPace: OpenPace = (check) => new Pace({ pause: () => setImmediate(), check });
  const { summarise } = createSummariser({ model, clock: { now: () => TALK_NOW }, mintNonce, openPace });
  const ask = async (messages: readonly Message[]) => {
    const before = { calls: model.calls, tokens: model.tokens };
    await summarise({ channelId: "7" as ChannelId, messages, ...someNames(), maxTokens: 1_500 });
    return { calls: model.calls - before.calls, tokens: model.tokens - before.tokens };
  };
  const say = (what: string, { calls, tokens }: { calls: number; tokens: number }): Row => {
    return { what: `${amount} messages, ${what}`, figure: `${calls} calls, ${tokens.toLocaleString("en")} tokens in` };
  };
  const first = await ask(talk.slice(-amount - 50, -50));
  const same = await ask(talk.slice(-amount - 50, -50));
  const later: { calls: number; tokens: number }[] = [];
  for (let moved = 45; moved > 0; moved -= 5) later.push(await ask(talk.slice(-amount - moved, -moved)));
  const middle = { calls: median(later.map(({ calls }) => calls)), tokens: median(later.map(({ tokens }) => tokens)) };
  return [say("the first time", first), say("unchanged", same), say("five newer (median of 9)", middle)];
}

printTable("A summary without a model", [20, 100, 200, 500].map(measureExtract));
printTable("What a model is asked", [...(await measureReuse(100)), ...(await measureReuse(200))]);
