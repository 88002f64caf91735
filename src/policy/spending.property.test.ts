import fc from "fast-check";
import { expect, it } from "vitest";
import { openTestSpending, operationOf, refusalOf } from "../../test/support/spending.ts";
import type { UserId } from "../domain/ids.ts";
import type { Reservation } from "../ports/operation-spending.ts";
import type { Operation } from "./operation.ts";

const HOUR = 3_600_000;
const LIMITS = { answer: 50, person: 60, member: 20, server: 200, client: 60 };
const LENGTHS = { person: HOUR, member: 24 * HOUR, server: 24 * HOUR, client: 24 * HOUR };

type Kind = keyof typeof LENGTHS;

/** Something that happened, in the naive account of it. A refused reservation is one of 0 tokens. */
type Event =
  | {
      readonly type: "reserve";
      readonly keys: readonly string[];
      readonly time: number;
      tokens: number;
      isRefused: boolean;
    }
  | { readonly type: "erase"; readonly person: string }
  | { readonly type: "restart"; readonly time: number };

/** The remaining budget, computed from all events so far. The day of a member is that of the server. */
function usedBy(key: string, events: readonly Event[], now: number): number {
  const [kind, id = ""] = key.split(" ") as [Kind, string];
  const [guild, person = id] = id.split("/");
  const day = kind === "member" ? `server ${guild}` : key;
  const length = LENGTHS[kind];
  let startedAt = Number.NEGATIVE_INFINITY;
  let used = 0;
  let [isBegun, isErased] = [false, false];
  const setBack = (time: number) => {
    startedAt = Math.min(startedAt, time);
  };
  for (const event of events) {
    if (event.type === "erase" && kind !== "server" && kind !== "client" && event.person === person) isErased = isBegun;
    if (event.type === "restart") {
      if (event.time >= startedAt + length || (isErased && kind === "person")) startedAt = Number.NEGATIVE_INFINITY;
      if (isErased) [used, isBegun, isErased] = [0, false, false];
    }
    if (event.type !== "reserve" || !event.keys.includes(day)) continue;
    setBack(event.time);
    if (event.isRefused) continue;
    if (event.time >= startedAt + length) [startedAt, used, isBegun, isErased] = [event.time, 0, false, false];
    if (!event.keys.includes(key)) continue;
    isBegun = true;
    used += event.tokens;
  }
  setBack(now);
  return now >= startedAt + length ? 0 : used;
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant("reserve" as const), operation: fc.nat(23), tokens: fc.nat(24) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("settle" as const),
      which: fc.nat(),
      input: fc.nat(40),
      output: fc.nat(20),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("pass" as const), minutes: fc.integer({ min: 0, max: 40 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("pass" as const), minutes: fc.integer({ min: -90, max: 1_500 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("restart" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("erase" as const), person: fc.nat(1) }) },
);

it("allows exactly what a naive account of all reservations, settlements, restarts and erasures leaves", async () => {
  const test = await openTestSpending({
    ...{ tokensPerAnswer: LIMITS.answer, tokensPerPersonHour: LIMITS.person },
    ...{ tokensPerServerDay: LIMITS.server, tokensPerClientDay: LIMITS.client },
  });
  const refusedBy: Record<string, number> = {};
  let [run, restarts, refusals] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: "max" }), async (steps) => {
      run += 1;
      const open = (actor: string, guild: string | null, client = "agent") =>
        operationOf(`${run}${actor}`, guild && `${run}${guild}`, client === "agent" ? client : `${run}${client}`);
      const operations: Operation[] = [
        ...["a", "b"].flatMap((actor) => [open(actor, "g"), open(actor, null), open(actor, "h", "desk")]),
        ...["a", "b"].flatMap((actor) => [open(actor, "g"), open(actor, null, "desk"), open(actor, "h")]),
        // The day of a server is used up by many.
        ..."cdefghijklmn".split("").map((actor) => open(actor, "g")),
      ];
      const events: Event[] = [];
      const pending: { readonly event: Event & { type: "reserve" }; readonly reservation: Reservation }[] = [];
      const answers = new Map<Operation, (Event & { type: "reserve" })[]>();
      for (const one of steps) {
        const now = test.clock.now();
        if (one.type === "pass") test.clock.time += one.minutes * 60_000;
        if (one.type === "settle") {
          const [settled] = pending.splice(one.which % Math.max(1, pending.length), 1);
          settled?.reservation.settle({ inputTokens: one.input, outputTokens: one.output });
          if (settled) settled.event.tokens = one.input + one.output;
        }
        if (one.type === "restart") {
          restarts += 1;
          await test.restart();
          events.push({ type: "restart", time: now });
          // Whatever was being answered has ended with the program.
          pending.length = 0;
          answers.clear();
        }
        if (one.type === "erase") {
          const person = `${run}${"ab"[one.person]}`;
          await test.spending.erase(person as UserId);
          events.push({ type: "erase", person });
        }
        if (one.type !== "reserve") continue;
        const operation = operations[one.operation] as Operation;
        const { actor, origin, client } = operation;
        const keys = [
          `person ${actor}`,
          ...(origin.guildId === null ? [] : [`server ${origin.guildId}`, `member ${origin.guildId}/${actor}`]),
          ...(client.name === "agent" ? [] : [`client ${client.name}`]),
        ];
        const tokens = Math.max(1, one.tokens);
        const answered = (answers.get(operation) ?? []).reduce((sum, each) => sum + each.tokens, 0);
        const over = keys
          .map((key) => [key.split(" ")[0] as Kind, usedBy(key, events, now)] as const)
          .filter(([kind, used]) => used + tokens > LIMITS[kind]);
        for (const [kind] of over) refusedBy[kind] = (refusedBy[kind] ?? 0) + 1;
        const isAllowed = answered + tokens <= LIMITS.answer && over.length === 0;
        let reservation: Reservation | undefined;
        const refused = refusalOf(() => {
          reservation = test.spending.of(operation).reserve(one.tokens);
        });
        expect([refused?.code, refused?.message]).toEqual(
          isAllowed ? [undefined, undefined] : ["rate_limited", expect.any(String)],
        );
        if (refused) refusals += 1;
        const event = { type: "reserve" as const, keys, time: now, tokens: refused ? 0 : tokens, isRefused: !!refused };
        events.push(event);
        if (!reservation) continue;
        pending.push({ event, reservation });
        answers.set(operation, [...(answers.get(operation) ?? []), event]);
      }
    }),
    { numRuns: 150 },
  );
  // It was about something.
  expect(Math.min(restarts, refusals)).toBeGreaterThan(20);
  expect(Object.keys(refusedBy).sort()).toEqual(["client", "member", "person", "server"]);
});
