import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MessageId } from "../../src/domain/ids.ts";
import type { Read } from "../../src/ports/timelines.ts";
import { until } from "../support/edge.ts";
import { smallCommunity } from "../support/small-community.ts";
import { openTestTimelines, type TestTimelines } from "../support/timelines.ts";
import { NaiveKnowledge } from "./naive-knowledge.ts";

const WORDS = ["tide", "lantern", "rope", "会議", "ok"] as const;
const word = fc.constantFrom(...WORDS);
const which = fc.nat(400);
const limit = fc.integer({ min: 1, max: 100 });

const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("say" as const), words: fc.array(word, { maxLength: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("edit" as const), which, words: fc.array(word, { maxLength: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("bulk" as const), which, many: fc.integer({ min: 2, max: 60 }) }) },
);
const read = fc.oneof(
  fc.record({ read: fc.constant("recent" as const), limit }),
  fc.record({ read: fc.constant("before" as const), which, limit }),
  fc.record({ read: fc.constant("after" as const), which, limit }),
  fc.record({ read: fc.constant("around" as const), which, limit }),
  fc.record({ read: fc.constant("message" as const), which }),
  fc.record({ read: fc.constant("search" as const), word, limit, scan: fc.integer({ min: 1, max: 500 }) }),
);
const step = fc.oneof(
  { weight: 6, arbitrary: change },
  { weight: 8, arbitrary: read },
  { weight: 1, arbitrary: fc.record({ cut: fc.constant("resumed" as const), meanwhile: fc.array(change, { maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ cut: fc.constant("gap" as const), meanwhile: fc.array(change, { maxLength: 3 }) }) },
);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;
type ReadStep = typeof read extends fc.Arbitrary<infer Value> ? Value : never;
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** The server's own records, oldest first, and every id there ever was. */
class Truth {
  readonly #test: TestTimelines;
  readonly everMinted: string[];

  constructor(test: TestTimelines) {
    this.#test = test;
    this.everMinted = this.messages().map(({ id }) => id);
  }

  messages(): { id: string; content: string }[] {
    const log = this.#test.sandbox.world.channels.get(this.#test.channel("general"))?.messages ?? [];
    return [...log].map(({ id, content }) => ({ id, content }));
  }

  pick(which: number): string {
    return this.everMinted[which % this.everMinted.length] ?? "1";
  }
}

function change_(test: TestTimelines, truth: Truth, step: Change): void {
  const { sandbox } = test;
  const standing = truth.messages().map(({ id }) => id);
  const chosen = "which" in step ? standing[step.which % standing.length] : undefined;
  if (step.do === "say") truth.everMinted.push(sandbox.as("sarah").say("general", `said ${step.words.join(" ")}`).id);
  else if (chosen === undefined) return;
  else if (step.do === "edit") sandbox.as("sarah").edit(chosen, `edited ${step.words.join(" ")}`);
  else if (step.do === "delete") sandbox.as("sarah").delete(chosen);
  else {
    const first = standing.indexOf(chosen);
    const many = standing.slice(first, first + step.many);
    if (many.length > 1) sandbox.admin.bulkDelete(many);
  }
}

async function cut(test: TestTimelines, truth: Truth, step: Extract<Step, { cut: string }>, known: NaiveKnowledge) {
  const { sandbox, edge } = test;
  const gaps = edge.of("gap").length;
  const before = truth.everMinted.length;
  if (step.cut === "gap") sandbox.faults.refuseResume();
  sandbox.faults.cutSocket();
  for (const each of step.meanwhile) change_(test, truth, each);
  if (step.cut === "gap") {
    await until(() => edge.of("gap").length > gaps, "no gap was reported");
    known.forgetAll();
  } else for (const id of truth.everMinted.slice(before)) known.hear(id);
  await until(() => edge.discord.state === "ready", "not ready again");
}

/** What a read must say, by the server's own records alone. */
function expected(truth: Truth, step: ReadStep): { messages: { id: string; content: string }[]; scanned: number; more: boolean } {
  const all = truth.messages().reverse();
  const older = (a: string, b: string) => BigInt(a) < BigInt(b);
  const cutOff = (list: typeof all, most: number) => ({
    messages: list.slice(0, most),
    scanned: Math.min(list.length, most),
    more: list.length > most || (list.length === most && most % 100 === 0),
  });
  switch (step.read) {
    case "recent":
      return cutOff(all, step.limit);
    case "before":
      return cutOff(
        all.filter(({ id }) => older(id, truth.pick(step.which))),
        step.limit,
      );
    case "after": {
      const newer = all.filter(({ id }) => older(truth.pick(step.which), id)).reverse();
      const part = cutOff(newer, step.limit);
      return { ...part, messages: part.messages.reverse() };
    }
    case "around": {
      const id = truth.pick(step.which);
      const newer = all.filter((each) => older(id, each.id)).reverse();
      const above = newer.slice(0, Math.floor((step.limit - 1) / 2)).reverse();
      const below = all.filter((each) => !older(id, each.id)).slice(0, step.limit - above.length);
      return { messages: [...above, ...below], scanned: above.length + below.length, more: false };
    }
    case "message": {
      const found = all.filter(({ id }) => id === truth.pick(step.which));
      return { messages: found, scanned: found.length, more: false };
    }
    case "search": {
      const finds: typeof all = [];
      let scanned = 0;
      for (const message of all) {
        if (scanned === step.scan || finds.length === step.limit) break;
        scanned += 1;
        if (message.content.includes(step.word)) finds.push(message);
      }
      const isSpent = scanned === step.scan || finds.length === step.limit;
      return { messages: finds, scanned, more: isSpent && (scanned % 100 === 0 || scanned < all.length) };
    }
  }
}

async function perform({ timelines, channel }: TestTimelines, truth: Truth, step: ReadStep): Promise<Read> {
  const general = channel("general");
  const id = ("which" in step ? truth.pick(step.which) : "1") as MessageId;
  switch (step.read) {
    case "recent":
      return timelines.recent(general, { limit: step.limit });
    case "before":
      return timelines.before(general, id, { limit: step.limit });
    case "after":
      return timelines.after(general, id, { limit: step.limit });
    case "around":
      return timelines.around(general, id, { limit: step.limit });
    case "search":
      return timelines.search(general, step.word, { limit: step.limit, scan: step.scan });
    case "message": {
      const message = await timelines.message(general, id);
      const messages = message ? [message] : [];
      const coverage = { scanned: messages.length, from: null, to: null, complete: true };
      return { messages, coverage, has_more: false, cursor: null };
    }
  }
}

async function play(steps: readonly Step[], messagesPerChannel: number): Promise<void> {
  const posts = Array.from({ length: 330 }, (_, index) => ({
    minutesAgo: 330 - index,
    in: "general",
    by: "sarah",
    text: `post ${index} ${WORDS[index % WORDS.length]}`,
  }));
  const test = await openTestTimelines({ messagesPerChannel }, { community: smallCommunity(posts) });
  const truth = new Truth(test);
  const known = new NaiveKnowledge(truth, messagesPerChannel);
  try {
    for (const step of steps) {
      if ("do" in step) {
        const minted = truth.everMinted.length;
        change_(test, truth, step);
        await test.heard();
        for (const id of truth.everMinted.slice(minted)) known.hear(id);
        known.trim();
      } else if ("cut" in step) {
        await cut(test, truth, step, known);
        await test.heard();
        known.trim();
      } else {
        const before = test.pages();
        const answer = await perform(test, truth, step);
        const should = expected(truth, step);
        expect(answer.messages.map(({ message_id: id, content }) => ({ id, content }))).toEqual(should.messages);
        expect(answer).toMatchObject({ has_more: should.more, coverage: { scanned: should.scanned } });
        expect(test.pages() - before).toBe(known.pagesFor(step, should.scanned));
        known.trim();
        expect(test.timelines.stats().messages - test.timelinesOf("news")).toBeLessThanOrEqual(messagesPerChannel);
      }
    }
  } finally {
    await test.end();
  }
}

describe("a timeline, whatever happens", () => {
  it("is exactly what the server holds, and asks for nothing that it knows", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 25 }),
        fc.constantFrom(1_000, 250, 40),
        (steps, messagesPerChannel) => play(steps, messagesPerChannel),
      ),
      { numRuns: 25, endOnFailure: true },
    );
  });
});
