import { describe, expect, it } from "vitest";
import { buildThreadForest } from "../src/domain/forest/build-thread-forest.ts";
import type { ChannelId } from "../src/domain/ids.ts";
import type { Message } from "../src/domain/message.ts";
import {
  MAX_UNITS_AT_ONCE,
  type Pacer,
  runAtOnce,
  type Steps,
  UNITS_PER_STEP,
  UNPACED,
} from "../src/domain/steps/pace.ts";
import { extractSummary } from "../src/domain/summary/extract-summary.ts";
import { toTranscript } from "../src/domain/summary/transcript.ts";
import { buildWindow } from "../src/domain/window/build-window.ts";
import { createSummariser } from "../src/summary/summariser.ts";
import { countPace } from "./support/counted-pace.ts";
import { type Line, someNames, TALK_NOW, talk } from "./support/talk.ts";

const WORDS = "rope soup antenna sail engine lantern anchor paint tomorrow decided question harbour".split(" ");

/** So many lines by nine people, each `textOf` its number. */
function say(
  count: number,
  textOf: (index: number) => string,
  replyTo: (index: number) => number | undefined = () => undefined,
) {
  return talk(
    Array.from({ length: count }, (_, index): Line => {
      const answered = replyTo(index);
      return {
        ...{ by: `Person ${index % 9}`, text: textOf(index), minutesAgo: (count - index) / 4 },
        ...(answered !== undefined && { replyTo: answered }),
      };
    }),
  );
}

const sentence = (index: number) =>
  Array.from({ length: 12 }, (_, at) => WORDS[(index * 7 + at * at) % WORDS.length]).join(" ") +
  (index % 3 ? "." : "?");
const long = (index: number) => `${sentence(index)} `.repeat(400).slice(0, 20_000);

const TALKS: readonly (readonly [what: string, messages: () => Message[]])[] = [
  ["600 messages", () => say(600, sentence)],
  ["3,000 messages", () => say(3_000, sentence)],
  ["long messages", () => say(60, long)],
  ["questions alone", () => say(1_000, (index) => `and what about the ${WORDS[index % 12]} then, anybody?`)],
  ["a chain of answers", () => say(2_000, sentence, (index) => (index > 0 ? index - 1 : undefined))],
  ["one message that all others answer", () => say(2_000, sentence, (index) => (index > 0 ? 0 : undefined))],
  [
    "links",
    () => say(60, (index) => Array.from({ length: 700 }, (_, at) => `https://a.example/${index}/${at}`).join(" ")),
  ],
  [
    "signs without spaces",
    () =>
      say(60, (index) =>
        String.fromCodePoint(...Array.from({ length: 20_000 }, (_, at) => 0x4e00 + ((at * 7_919 + index) % 20_000))),
      ),
  ],
];

const request = (messages: readonly Message[]) => ({ messages, ...someNames(), now: TALK_NOW, maxTokens: 1_500 });
const WORK: readonly (readonly [what: string, run: (messages: readonly Message[], pacer: Pacer) => Steps<unknown>])[] =
  [
    ["a summary", (messages, pacer) => extractSummary(request(messages), pacer)],
    [
      "a summary with a focus",
      (messages, pacer) => extractSummary({ ...request(messages), focus: "the rope and the soup" }, pacer),
    ],
    ["a transcript", (messages, pacer) => toTranscript(messages, someNames(), pacer)],
    ["a forest", (messages, pacer) => buildThreadForest(messages, pacer)],
    [
      "a window",
      (messages, pacer) =>
        buildWindow(
          {
            messages,
            given: messages.slice(-1),
            maxTokens: 2_000,
            tokensOf: ({ content }) => content.length,
            tokensPerThread: 20,
          },
          pacer,
        ),
    ],
  ];

/** Each talk is written once for all kinds of work. */
const written = new Map<string, Message[]>();

describe.each(WORK)("the work for %s", (_, run) => {
  it.each(TALKS)("keeps every step within its budget: %s", async (what, write) => {
    const all = written.get(what) ?? write();
    written.set(what, all);
    const counted = countPace();
    const pace = counted.openPace(() => {});
    const result = await pace.run(run(all, pace));
    expect(counted.total()).toBeGreaterThan(all.length * 100);
    expect(counted.maxAtOnce()).toBeLessThanOrEqual(MAX_UNITS_AT_ONCE);
    expect(counted.maxStep()).toBeLessThanOrEqual(UNITS_PER_STEP + MAX_UNITS_AT_ONCE);
    expect(result).toEqual(runAtOnce(run(all, UNPACED)));
  });
});

it("a cancelled summary stops at the next step", async () => {
  const controller = new AbortController();
  const counted = countPace({
    unitsPerStep: 10_000,
    onPause: (pause) => {
      if (pause === 3) controller.abort();
    },
  });
  const { summarise } = createSummariser({
    model: null,
    clock: { now: () => TALK_NOW },
    mintNonce: () => "nonce",
    openPace: counted.openPace,
  });
  const asked = { ...request(say(600, sentence)), channelId: "7" as ChannelId, signal: controller.signal };
  await expect(summarise(asked)).rejects.toMatchObject({ code: "cancelled" });
  expect(counted.pauses()).toBe(3);
});
