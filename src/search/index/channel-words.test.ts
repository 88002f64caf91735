import fc from "fast-check";
import { expect, it } from "vitest";
import { toMessage } from "../../../test/search/said.ts";
import { runAtOnce, type Steps, UNPACED } from "../../domain/steps/pace.ts";
import { findPostings, positionOf } from "./block.ts";
import { ChannelWords } from "./channel-words.ts";
import { idAt } from "./frame.ts";
import { TermReader } from "./message-terms.ts";
import { Vocabulary } from "./vocabulary.ts";

const WORDS = ["zog", "kuv", "bax"];
const say = (second: number, word: string) => toMessage({ channel: "a", second, by: "ann", text: word });

type Step =
  | { readonly kind: "put"; readonly seconds: readonly number[]; readonly word: string }
  | { readonly kind: "remove"; readonly seconds: readonly number[] }
  | { readonly kind: "trim"; readonly upTo: number }
  | { readonly kind: "clear" }
  | { readonly kind: "begin"; readonly count: number }
  | { readonly kind: "build" };

const second = fc.integer({ min: 0, max: 60 });
const seconds = fc.uniqueArray(second, { minLength: 1, maxLength: 12 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("put" as const), seconds, word: fc.constantFrom(...WORDS) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), seconds }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("trim" as const), upTo: second }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("clear" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("begin" as const), count: fc.integer({ min: 1, max: 20 }) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("build" as const) }) },
);

it("the word index lists every held message under its words, and no other message", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const vocabulary = new Vocabulary();
      const words = new ChannelWords({ vocabulary, reader: new TermReader() });
      const held = new Map<bigint, ReturnType<typeof say>>();
      /** Under way, with a pause after every message. */
      let building: Steps<boolean> | null = null;
      const rising = () => [...held.keys()].sort((a, b) => (a < b ? -1 : 1));
      const get = (ids: readonly bigint[]) => ids.flatMap((id) => held.get(id) ?? []);
      const idsWith = (word: string) => {
        const number = vocabulary.find(word) ?? -1;
        return runAtOnce(words.frame(UNPACED)).parts.flatMap(({ block, from, to }) => {
          const postings = findPostings(block, number);
          const positions = [...block.postings.subarray(postings.from, postings.to)].map(positionOf);
          return positions
            .filter((position) => position >= from && position < to)
            .map((position) => block.ids[position]);
        });
      };
      for (const each of steps) {
        if (each.kind === "put") {
          const messages = each.seconds.map((at) => say(at, each.word));
          for (const message of messages) held.set(BigInt(message.message_id), message);
          words.note(messages.map(({ message_id }) => BigInt(message_id)));
        } else if (each.kind === "remove") {
          const ids = each.seconds.map((at) => BigInt(say(at, "").message_id));
          for (const id of ids) held.delete(id);
          words.note(ids);
        } else if (each.kind === "trim") {
          const upTo = BigInt(say(each.upTo, "").message_id);
          for (const id of rising()) if (id <= upTo) held.delete(id);
          words.trim(upTo);
        } else if (each.kind === "clear") {
          held.clear();
          words.clear();
        } else if (each.kind === "begin") {
          building ??= words.build({ ids: rising, get }, { spend: () => true });
          for (let count = 0; count < each.count && building; count += 1) if (building.next().done) building = null;
        } else {
          if (building) runAtOnce(building);
          building = null;
          let rounds = 0;
          while (runAtOnce(words.build({ ids: rising, get }, UNPACED))) expect(++rounds).toBeLessThan(100);
          const frame = runAtOnce(words.frame(UNPACED));
          expect(Array.from({ length: frame.size }, (_, place) => idAt(frame, place))).toEqual(rising());
          for (const word of WORDS)
            expect(idsWith(word)).toEqual(rising().filter((id) => held.get(id)?.content === word));
        }
        // Whatever is not built anew yet is at least nothing that has gone or changed.
        for (const word of WORDS) for (const id of idsWith(word)) expect(held.get(id ?? 0n)?.content).toBe(word);
      }
      if (building) runAtOnce(building);
      words.clear();
      expect(vocabulary.size).toBe(0);
    }),
    { numRuns: 1_000 },
  );
});

it.each([10, 15])("the word index takes older messages that come back after a trim, from second %s on", (from) => {
  const words = new ChannelWords({ vocabulary: new Vocabulary(), reader: new TermReader() });
  const held = new Map([10, 15, 20, 30, 40].map((at) => [BigInt(say(at, "").message_id), say(at, "zog")]));
  const ids = [...held.keys()];
  const get = (wanted: readonly bigint[]) => wanted.flatMap((id) => held.get(id) ?? []);
  const build = (all: readonly bigint[]) => runAtOnce(words.build({ ids: () => all, get }, UNPACED));
  while (build(ids));
  words.trim(BigInt(say(15, "").message_id));
  const kept = ids.filter((id) => id >= BigInt(say(from, "").message_id));
  words.note(kept.filter((id) => id <= BigInt(say(15, "").message_id)));
  let rounds = 0;
  while (build(kept)) expect(++rounds).toBeLessThan(10);
  const frame = runAtOnce(words.frame(UNPACED));
  expect(Array.from({ length: frame.size }, (_, place) => idAt(frame, place))).toEqual(kept);
});

it("the word index is built once, not over and over, when trimmed messages come back", () => {
  const words = new ChannelWords({ vocabulary: new Vocabulary(), reader: new TermReader() });
  const messages = [0, 1, 2, 3].map((at) => say(at, "zog"));
  const ids = messages.map(({ message_id }) => BigInt(message_id));
  const get = (some: readonly bigint[]) => messages.filter(({ message_id }) => some.includes(BigInt(message_id)));
  const build = () => runAtOnce(words.build({ ids: () => ids, get }, UNPACED));
  while (build());
  const [oldest = 0n] = ids;
  words.trim(oldest);
  words.note([oldest]);
  expect([build(), build()]).toEqual([true, false]);
  expect(runAtOnce(words.frame(UNPACED)).size).toBe(4);
});

it("the word index gets built although in every pause the oldest message goes and a new one comes", () => {
  const words = new ChannelWords({ vocabulary: new Vocabulary(), reader: new TermReader() });
  const held = new Map(
    Array.from({ length: 3_000 }, (_, at) => say(at, "zog")).map((message) => [BigInt(message.message_id), message]),
  );
  const get = (ids: readonly bigint[]) => ids.flatMap((id) => held.get(id) ?? []);
  let [said, pauses] = [held.size, 0];
  const pacer = { spend: () => ++pauses % 100 === 0 };
  for (let isMissing = true; isMissing; ) {
    const steps = words.build({ ids: () => [...held.keys()], get }, pacer);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) isMissing = step.value;
      if (step.done) break;
      const [oldest] = held.keys();
      if (oldest === undefined) throw new Error("nothing is held");
      held.delete(oldest);
      words.trim(oldest);
      words.note([oldest]);
      const message = say(said++, "kuv");
      held.set(BigInt(message.message_id), message);
      words.note([BigInt(message.message_id)]);
      expect(said).toBeLessThan(3_500);
    }
  }
  const frame = runAtOnce(words.frame(UNPACED));
  expect(Array.from({ length: frame.size }, (_, place) => idAt(frame, place))).toEqual([...held.keys()]);
});
