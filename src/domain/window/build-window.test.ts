import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyTalk, toTalk } from "../../../test/support/window-talk.ts";
import { buildThreadForest } from "../forest/build-thread-forest.ts";
import type { Message } from "../message.ts";
import { runAtOnce, UNPACED } from "../steps/pace.ts";
import { buildWindow, type WindowRequest } from "./build-window.ts";

const build = (messages: readonly Message[], more: Partial<WindowRequest> = {}) =>
  runAtOnce(
    buildWindow(
      {
        messages,
        given: [],
        maxTokens: 100_000,
        tokensOf: ({ content }) => content.length + 1,
        tokensPerThread: 3,
        ...more,
      },
      UNPACED,
    ),
  );
const shownIn = (messages: readonly Message[], more?: Partial<WindowRequest>) =>
  build(messages, more).threads.flatMap((thread) => thread.messages);
const idsOf = (messages: readonly Message[]) => messages.map(({ message_id }) => message_id);

describe("a window", () => {
  it("shows each message once, at most twenty in five threads, and says how much it leaves out", () => {
    fc.assert(
      fc.property(anyTalk, fc.nat(20), (talk, givenCount) => {
        const given = talk.slice(0, givenCount);
        const { threads, leftOut } = build(talk, { given });
        const shown = threads.flatMap(({ messages }) => idsOf(messages));
        const rest = new Set(idsOf(talk).filter((id) => !idsOf(given).includes(id)));
        expect(new Set(shown).size).toBe(shown.length);
        expect(shown.every((id) => rest.has(id))).toBe(true);
        expect(threads.length).toBeLessThanOrEqual(5);
        expect(shown.length).toBeLessThanOrEqual(20);
        expect(shown.length + leftOut.messages).toBe(rest.size);
        const earlier = threads.reduce((sum, thread) => sum + thread.earlier, 0);
        expect(earlier).toBeLessThanOrEqual(leftOut.messages);
        if (leftOut.threads === 0) expect(earlier).toBe(leftOut.messages);
        if (rest.size <= 20 && threads.length < 5) expect(leftOut).toEqual({ threads: 0, messages: 0 });
      }),
    );
  });

  it("orders threads by their newest message and messages by time, and shows each thread to its end", () => {
    fc.assert(
      fc.property(anyTalk, (talk) => {
        const { threads } = build(talk);
        const newest = threads.map(({ messages }) => BigInt(messages.at(-1)?.message_id ?? 0));
        expect(newest).toEqual(newest.toSorted((a, b) => (a > b ? -1 : 1)));
        for (const { messages } of threads) {
          const ids = messages.map(({ message_id }) => BigInt(message_id));
          expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
        }
      }),
    );
  });

  it("shows every reply and every link that is likelier right than wrong, and no other link", () => {
    fc.assert(
      fc.property(anyTalk, (talk) => {
        const shown = build(talk).threads.flatMap(({ links }) => [...links]);
        const forest = runAtOnce(buildThreadForest(talk, UNPACED));
        const threads = new Set(shown.map(([from]) => from));
        const expected = forest
          .filter(({ messages }) => messages.some(({ message_id }) => threads.has(message_id)))
          .flatMap(({ links }) => [...links])
          .filter(([, { kind, certainty }]) => kind === "explicit" || certainty >= 0.5);
        expect(new Map(shown)).toEqual(new Map(expected));
      }),
    );
  });

  it("depends neither on the order of the messages nor on duplicates", () => {
    fc.assert(
      fc.property(
        anyTalk.chain((talk) => fc.tuple(fc.constant(talk), fc.shuffledSubarray(talk, { minLength: talk.length }))),
        ([talk, shuffled]) => {
          expect(build([...shuffled, ...shuffled.slice(0, 5)])).toEqual(build(talk));
        },
      ),
    );
  });

  it("never exceeds its budget", () => {
    fc.assert(
      fc.property(anyTalk, fc.nat(200), (talk, maxTokens) => {
        const { threads } = build(talk, { maxTokens });
        const taken = threads
          .flatMap(({ messages }) => messages)
          .reduce((sum, { content }) => sum + content.length + 1, 0);
        expect(taken + threads.length * 3).toBeLessThanOrEqual(maxTokens);
      }),
    );
  });

  it("keeps a conversation together whose middle is among the given messages", () => {
    const talk = toTalk([
      { by: "ann", text: "a keel question", minutes: 9 },
      { by: "bob", text: "which keel?", minutes: 8, answers: 0 },
      { by: "ann", text: "the red one", minutes: 7, answers: 1 },
      { by: "cyd", text: "I like red", minutes: 6, answers: 2 },
    ]);
    const { threads } = build(talk, { given: talk.slice(1, 3) });
    expect(threads.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
      ["a keel question", "I like red"],
    ]);
  });

  it("takes conversations strictly by their newest message, whoever talks there about what", () => {
    fc.assert(
      fc.property(anyTalk, fc.nat(20), (talk, givenCount) => {
        const given = talk.slice(0, givenCount);
        const ids = new Set(idsOf(given));
        const newest = runAtOnce(buildThreadForest([...talk], UNPACED))
          .map(({ messages }) => messages.findLast(({ message_id }) => !ids.has(message_id))?.message_id)
          .filter((id) => id !== undefined)
          .toSorted((a, b) => (BigInt(a) > BigInt(b) ? -1 : 1));
        const shown = build(talk, { given }).threads.map(({ messages }) => messages.at(-1)?.message_id);
        expect(shown).toEqual(newest.slice(0, 5));
      }),
    );
  });

  it("shows the newest thread in depth when the budget is small", () => {
    const run = (by: string, minutes: number) =>
      Array.from({ length: 12 }, (_, index) => ({
        by,
        text: `${by} ${index}`,
        minutes: minutes - index,
        ...(index > 0 && { previous: true }),
      }));
    const flat = [...run("old", 3_000), ...run("new", 15)];
    const talk = toTalk(
      flat.map(({ by, text, minutes }, index) => ({
        by,
        text,
        minutes,
        ...(index % 12 > 0 && { answers: index - 1 }),
      })),
    );
    const { threads } = build(talk, { maxTokens: 80 });
    const counts = Object.fromEntries(threads.map(({ messages }) => [messages[0]?.author.name, messages.length]));
    expect(counts["new"]).toBeGreaterThan(5);
    expect(counts["old"] ?? 0).toBeLessThanOrEqual((counts["new"] ?? 0) / 2);
  });

  it("leaves out system messages", () => {
    const [joined] = toTalk([{ by: "ann", text: "ann joined the server.", minutes: 1 }]);
    expect(shownIn(joined ? [{ ...joined, kind: "system" }] : [])).toEqual([]);
  });
});
