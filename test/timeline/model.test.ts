import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChannelId, MessageId } from "../../src/domain/ids.ts";
import type { Read } from "../../src/ports/timelines.ts";
import { until } from "../support/edge.ts";
import { smallCommunity } from "../support/small-community.ts";
import { openTestTimelines, type TestTimelines } from "../support/timelines.ts";
import type { TimelinesAndSearch } from "../support/timelines-and-search.ts";
import { NaiveKnowledge, type Walk } from "./naive-knowledge.ts";

const WORDS = ["tide", "lantern", "rope", "会議", "ok"] as const;
const word = fc.constantFrom(...WORDS);
const which = fc.nat(400);
const limit = fc.integer({ min: 1, max: 100 });

const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("say" as const), words: fc.array(word, { maxLength: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("edit" as const), which, words: fc.array(word, { maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), which }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("bulk" as const), which, many: fc.integer({ min: 2, max: 60 }) }),
  },
);
const read = fc.oneof(
  fc.record({ read: fc.constant("recent" as const), limit }),
  fc.record({ read: fc.constant("before" as const), which, limit }),
  fc.record({ read: fc.constant("after" as const), which, limit }),
  fc.record({ read: fc.constant("around" as const), which, limit }),
  fc.record({ read: fc.constant("message" as const), which }),
  fc.record({ read: fc.constant("search" as const), word, limit, scan: fc.integer({ min: 1, max: 500 }) }),
);
const meanwhile = fc.array(change, { maxLength: 3 });
const resumed = fc.record({ cut: fc.constant("resumed" as const), meanwhile });
const gap = fc.record({ cut: fc.constant("gap" as const), meanwhile });
const restart = fc.record({ cut: fc.constant("restart" as const), meanwhile });
const step = fc.oneof(
  { weight: 6, arbitrary: change },
  { weight: 8, arbitrary: read },
  { weight: 1, arbitrary: resumed },
);
const steps = (minLength: number, maxLength: number) => fc.array(step, { minLength, maxLength });
const most = fc.constantFrom(1_000, 250, 40);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;
type ReadStep = typeof read extends fc.Arbitrary<infer Value> ? Value : never;
type Cut = { readonly cut: "resumed" | "gap" | "restart"; readonly meanwhile: readonly Change[] };
type Step = Change | ReadStep | Cut;

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

function make({ test, truth, known }: Play, step: Change): void {
  const { sandbox } = test;
  const standing = truth.messages().map(({ id }) => id);
  const chosen = "which" in step ? standing[step.which % standing.length] : undefined;
  if (step.do === "say") {
    const { id } = sandbox.as("sarah").say("general", `said ${step.words.join(" ")}`);
    truth.everMinted.push(id);
    known.hear(id);
  } else if (chosen === undefined) return;
  else if (step.do === "edit") sandbox.as("sarah").edit(chosen, `edited ${step.words.join(" ")}`);
  else if (step.do === "delete") sandbox.as("sarah").delete(chosen);
  else {
    const first = standing.indexOf(chosen);
    const many = standing.slice(first, first + step.many);
    if (many.length > 1) sandbox.admin.bulkDelete(many);
  }
}

async function cut(play: Play, { cut: how, meanwhile }: Cut): Promise<void> {
  const { sandbox, edge } = play.test;
  if (how === "restart") {
    await play.restart(async () => {
      for (const each of meanwhile) make(play, each);
      await play.test.heard();
    });
    play.known.forgetAll();
    return;
  }
  const gaps = edge.of("gap").length;
  if (how === "gap") sandbox.faults.refuseResume();
  sandbox.faults.cutSocket();
  for (const each of meanwhile) make(play, each);
  if (how === "gap") {
    await until(() => edge.of("gap").length > gaps, "no gap was reported");
    play.known.forgetAll();
  }
}

interface Expected {
  readonly messages: { id: string; content: string }[];
  readonly scanned: number;
  readonly more: boolean;
  readonly walk: Walk;
}

/** What a read must say, by the server's own records alone. */
function expected(truth: Truth, step: ReadStep): Expected {
  const all = truth.messages().reverse();
  const id = "which" in step ? truth.pick(step.which) : "1";
  const older = all.filter((each) => BigInt(each.id) < BigInt(id));
  const newer = all.filter((each) => BigInt(each.id) > BigInt(id)).reverse();
  const same = all.filter((each) => each.id === id);
  const first = (list: typeof all, most: number, walk: { kind: "back" | "forward"; from: string | null }): Expected => {
    const [scanned, spent] = [Math.min(list.length, most), list.length >= most];
    const more = list.length > most || (list.length === most && most % 100 === 0);
    return { messages: list.slice(0, most), scanned, more, walk: { ...walk, scanned, spent } };
  };
  switch (step.read) {
    case "recent":
      return first(all, step.limit, { kind: "back", from: null });
    case "before":
      return first(older, step.limit, { kind: "back", from: id });
    case "after": {
      const read = first(newer, step.limit, { kind: "forward", from: id });
      return { ...read, messages: read.messages.reverse() };
    }
    case "around": {
      const above = newer.slice(0, Math.floor((step.limit - 1) / 2)).reverse();
      const below = [...same, ...older].slice(0, step.limit - above.length);
      const walk = { kind: "around", id, newer: above.length, older: below.length, limit: step.limit } as const;
      return { messages: [...above, ...below], scanned: above.length + below.length, more: false, walk };
    }
    case "message":
      return { messages: same, scanned: same.length, more: false, walk: { kind: "one", id } };
    case "search": {
      const finds = all.slice(0, step.scan).filter(({ content }) => content.includes(step.word));
      const last = finds[step.limit - 1];
      const scanned = last ? all.indexOf(last) + 1 : Math.min(all.length, step.scan);
      const spent = last !== undefined || scanned === step.scan;
      const more = spent && (scanned % 100 === 0 || scanned < all.length);
      return {
        messages: finds.slice(0, step.limit),
        scanned,
        more,
        walk: { kind: "back", from: null, scanned, spent },
      };
    }
  }
}

async function perform({ timelines, general, truth }: Play, step: ReadStep): Promise<Read> {
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
      return timelines.contains(general, step.word, { limit: step.limit, scan: step.scan });
    case "message": {
      const message = await timelines.message(general, id);
      const messages = message ? [message] : [];
      const coverage = { scanned: messages.length, from: null, to: null, complete: true };
      return { messages, coverage, has_more: false, cursor: null };
    }
  }
}

/** One timeline for one sequence of steps. */
interface Play {
  readonly test: TestTimelines;
  readonly general: ChannelId;
  readonly truth: Truth;
  readonly known: NaiveKnowledge;
  timelines: TimelinesAndSearch;
  /** Only what is on disk outlives it. */
  restart(meanwhile: () => Promise<void>): Promise<void>;
}

async function play(steps: readonly Step[], messagesPerChannel: number, folder: string | null = null): Promise<void> {
  const posts = Array.from({ length: 330 }, (_, index) => ({
    minutesAgo: 330 - index,
    in: "general",
    by: "sarah",
    text: `post ${index} ${WORDS[index % WORDS.length]}`,
  }));
  const test = await openTestTimelines({ messagesPerChannel }, { community: smallCommunity(posts) });
  const general = test.channel("general");
  const truth = new Truth(test);
  const known = new NaiveKnowledge(truth, messagesPerChannel);
  const disk = { folder: folder ?? "", channels: [general], retentionDays: 1_000 };
  const open = () => (folder === null ? test.timelines : test.openAnother({ disk, backgroundIntervalMs: 1 }));
  const played: Play = {
    ...{ test, general, truth, known, timelines: open() },
    async restart(meanwhile) {
      await played.timelines.close();
      await meanwhile();
      played.timelines = open();
    },
  };
  for (const step of steps) {
    if ("read" in step) {
      const before = test.pages();
      const answer = await perform(played, step);
      const { messages, scanned, more, walk } = expected(truth, step);
      expect(answer.messages.map(({ message_id: id, content }) => ({ id, content }))).toEqual(messages);
      expect(answer).toMatchObject({ has_more: more, coverage: { scanned, complete: !more } });
      // What is on disk is also read in the background, and says where a search need not look.
      if (folder === null) expect(test.pages() - before).toBe(known.pagesFor(walk));
    } else {
      if ("do" in step) make(played, step);
      else await cut(played, step);
      await test.heard();
    }
  }
  await played.timelines.close();
  await test.close();
}

async function playOnDisk(steps: readonly Step[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "earshot-model-"));
  try {
    await play(steps, 1_000, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("a timeline, whatever happens,", () => {
  it("has exactly the messages of the server, and requests none that it knows", async () => {
    await fc.assert(
      fc.asyncProperty(steps(5, 30), most, (each, many) => play(each, many)),
      { numRuns: 6, endOnFailure: true },
    );
  });

  it("has exactly the messages of the server on disk after restarts", async () => {
    const stepOrRestart = fc.oneof({ weight: 5, arbitrary: step }, { weight: 2, arbitrary: restart });
    const story = fc.array(stepOrRestart, { minLength: 5, maxLength: 25 });
    await fc.assert(fc.asyncProperty(story, playOnDisk), { numRuns: 3, endOnFailure: true });
  });

  it("has exactly the messages of the server after missed events, edits and deletions among them", async () => {
    const story = fc
      .tuple(steps(2, 8), gap, steps(2, 8))
      .map(([before, missed, after]) => [...before, missed, ...after]);
    // A new session takes five seconds, so several stories are told side by side.
    const stories = fc.array(fc.tuple(story, most), { minLength: 6, maxLength: 6 });
    const tell = async (all: readonly (readonly [Step[], number])[]) => {
      await Promise.all(all.map(([each, messagesPerChannel]) => play(each, messagesPerChannel)));
    };
    await fc.assert(fc.asyncProperty(stories, tell), { numRuns: 1, endOnFailure: true });
  });
});
