import { describe, expect, it, onTestFinished, vi } from "vitest";
import { failure, override } from "../../test/support/failing-stores.ts";
import { NOON, openTestSpending, operationOf, refusalOf, type TestSpending } from "../../test/support/spending.ts";
import { IS_ON_POSTGRES } from "../../test/support/test-database.ts";
import type { UserId } from "../domain/ids.ts";
import type { SpendChanges } from "../ports/spend-store.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const PLENTY = 1_000_000;
const ELEVEN = Array.from({ length: 11 }, (_, index) => `p${index}`);

/** Each in an answer of its own. */
const reserve = ({ spending }: TestSpending, tokens: number, actor = "a", guild: string | null = "g") =>
  spending.of(operationOf(actor, guild)).reserve(tokens);
const refusal = (test: TestSpending, tokens: number, actor = "a", guild: string | null = "g") =>
  refusalOf(() => reserve(test, tokens, actor, guild));

describe("the limits of what a model may use", () => {
  it("hold for all calls within one answer together", async () => {
    const { spending } = await openTestSpending();
    const operation = operationOf("a");
    spending.of(operation).reserve(30);
    expect(spending.of(operation)).toBe(spending.of(operation));
    const refused = refusalOf(() => spending.of(operation).reserve(21));
    expect(refused).toMatchObject({ code: "rate_limited", retryAfter: undefined });
    expect(refused?.message).toBe(
      "This answer has become too long: one answer may use at most 50 tokens of the model. Ask for less at once.",
    );
    spending.of(operation).reserve(20);
    spending.of(operationOf("a")).reserve(50);
  });

  it("hold for a person for an hour from the first use, in direct messages and all servers together", async () => {
    const test = await openTestSpending();
    reserve(test, 50, "a", null);
    test.clock.time += 20 * MINUTE;
    reserve(test, 40, "a", "h");
    test.clock.time += 28 * MINUTE + 1;
    const refused = refusal(test, 11);
    expect(refused).toMatchObject({ code: "rate_limited", retryAfter: 12 * 60 });
    expect(refused?.message).toBe(
      "You have used up the 100 tokens of the model that one person may use in an hour; try again in 12 minutes.",
    );
    reserve(test, 10);
    reserve(test, 50, "b");
    test.clock.time = NOON + HOUR - 1;
    expect(refusal(test, 1)?.message).toContain("in 1 second.");
    test.clock.time += 1;
    reserve(test, 50);
  });

  it("hold for a server for a day from the first use, and not in direct messages", async () => {
    const test = await openTestSpending({ tokensPerServerDay: 110 });
    for (const other of ELEVEN.slice(1)) reserve(test, 10, other);
    test.clock.time += HOUR;
    const refused = refusal(test, 11, "b");
    expect(refused).toMatchObject({ code: "rate_limited", retryAfter: 23 * 3_600 });
    expect(refused?.message).toBe(
      "This server has used up the 110 tokens of the model that one server may use in a day; try again in 23 hours.",
    );
    reserve(test, 11, "b", "h");
    reserve(test, 11, "b", null);
    reserve(test, 10, "b");
    test.clock.time = NOON + DAY;
    reserve(test, 11, "b");
  });

  it("leave one person a tenth of the day of a server at most, which begins and ends with that day", async () => {
    const test = await openTestSpending({ tokensPerServerDay: 300, tokensPerPersonHour: PLENTY });
    reserve(test, 1, "b");
    test.clock.time += 20 * HOUR;
    reserve(test, 20).settle({ inputTokens: 25, outputTokens: 0 });
    await test.restart();
    const refused = refusal(test, 6);
    expect(refused).toMatchObject({ code: "rate_limited", retryAfter: 4 * 3_600 });
    expect(refused?.message).toBe(
      "You have used up the 30 tokens of the model that one person may use in a server in a day; try again in 4 hours.",
    );
    reserve(test, 5);
    reserve(test, 30, "a", "h");
    reserve(test, 29, "b");
    test.clock.time = NOON + DAY;
    reserve(test, 30);
    expect(refusal(test, 1)?.message).toContain("You have");
  });

  it("hold for a program for a day, whomever it asks for and wherever, and not for those through which everybody asks", async () => {
    const test = await openTestSpending();
    const by = (client: string, tokens: number, actor: string, guild: string | null = "g") =>
      test.spending.of(operationOf(actor, guild, client)).reserve(tokens);
    for (const [index, actor] of ["a", "b", "c"].entries()) by("desk", 50, actor, index === 0 ? null : "g");
    await test.restart();
    const refused = refusalOf(() => by("desk", 1, "d", "h"));
    expect(refused).toMatchObject({ code: "rate_limited", retryAfter: 24 * 3_600 });
    expect(refused?.message).toBe(
      "This program has used up the 150 tokens of the model that one program may use in a day; try again in 24 hours.",
    );
    by("other", 50, "d");
    for (const client of ["agent", "discord", "console"]) for (const actor of ELEVEN) by(client, 20, actor);
    test.clock.time += DAY;
    by("desk", 50, "a");
  });

  it("count nothing of a refused reservation, and name the limit that ends last", async () => {
    const test = await openTestSpending({ tokensPerAnswer: 100, tokensPerServerDay: 1_000 });
    for (const other of ELEVEN.slice(2)) reserve(test, 100, other);
    reserve(test, 90, "a");
    expect(refusal(test, 20, "b")?.message).toContain("This server");
    reserve(test, 10, "b");
    reserve(test, 90, "b", null);
    expect(refusal(test, 1, "b", null)?.message).toContain("You have");
    expect(refusal(test, 11, "a")).toMatchObject({ retryAfter: 24 * 3_600 });
  });

  it("say that waiting does not help where one call needs more than a whole hour or day allows", async () => {
    const test = await openTestSpending({ tokensPerAnswer: PLENTY });
    for (const [tokens, limit] of [
      [101, "100 tokens of the model that one person may use in an hour"],
      [Number.POSITIVE_INFINITY, ""],
    ] as const) {
      const refused = refusal(test, tokens);
      expect(refused).toMatchObject({ code: "rate_limited", retryAfter: undefined });
      expect(refused?.message).toContain(limit);
      expect(refused?.message).toContain("Ask for less at once.");
    }
  });

  it.each(["tokensPerAnswer", "tokensPerPersonHour", "tokensPerServerDay", "tokensPerClientDay"])(
    "allow no call at all where %s is 0, not even one that costs nothing",
    async (setting) => {
      const { spending } = await openTestSpending({ [setting]: 0 });
      const refused = refusalOf(() => spending.of(operationOf("a", "g", "desk")).reserve(0));
      expect(refused).toMatchObject({ code: "rate_limited", message: expect.stringContaining("set its limit to 0") });
    },
  );

  it("refuse an amount that is no number", async () => {
    const test = await openTestSpending();
    for (const tokens of [Number.NaN, -1]) expect(refusal(test, tokens)).toBeInstanceOf(RangeError);
  });

  it("still hold for a person when there are too many others, as long as the hours of others are over", async () => {
    const test = await openTestSpending({ maxWindows: 10, tokensPerAnswer: 100 });
    const others = Array.from({ length: 9 }, (_, index) => `p${index}`);
    for (const other of others) reserve(test, 1, other, null);
    test.clock.time += 50 * MINUTE;
    reserve(test, 50, "a", null);
    for (const other of others) reserve(test, 1, other, null);
    test.clock.time = NOON + HOUR;
    for (const newcomer of others) reserve(test, 1, `new ${newcomer}`, null);
    expect(refusal(test, 51, "a", null)?.message).toContain("You have");
  });
});

describe("a reservation", () => {
  it("is replaced by what was used, once", async () => {
    const test = await openTestSpending({ tokensPerAnswer: 100 });
    const operation = operationOf("a");
    const reservation = test.spending.of(operation).reserve(90);
    reservation.settle({ inputTokens: 20, outputTokens: 10 });
    reservation.settle({ inputTokens: 0, outputTokens: 0 });
    expect(refusalOf(() => test.spending.of(operation).reserve(71))?.message).toContain("This answer");
    test.spending.of(operation).reserve(70);
    expect(test.spending.totals().sinceStart).toEqual({ inputTokens: 20, outputTokens: 10 });
  });

  it("may turn out to be too small, and what was used beyond the limit counts", async () => {
    const test = await openTestSpending();
    reserve(test, 10).settle({ inputTokens: 300, outputTokens: 0 });
    expect(refusal(test, 1, "a", null)?.message).toContain("You have");
  });

  it.each([Number.NaN, -5, 0.5, 1e300])("stays spent where the server reports %s tokens", async (outputTokens) => {
    const test = await openTestSpending({ tokensPerAnswer: 100 });
    reserve(test, 50).settle({ inputTokens: 0, outputTokens });
    expect(refusal(test, 51, "a", null)?.message).toContain("You have");
    reserve(test, 50);
    expect(test.spending.totals().sinceStart).toEqual({ inputTokens: 0, outputTokens: 0 });
  });

  it("changes nothing in the next hour when it is settled then, also after a restart", async () => {
    const test = await openTestSpending({ tokensPerAnswer: 100 });
    const late = reserve(test, 50, "a", null);
    test.clock.time += HOUR;
    reserve(test, 50, "a", null);
    late.settle({ inputTokens: 0, outputTokens: 0 });
    expect(refusal(test, 51, "a", null)?.message).toContain("You have");
    await test.restart();
    reserve(test, 50, "a", null);
    expect(refusal(test, 1, "a", null)?.message).toContain("You have");
  });
});

describe("a clock that is set back", () => {
  it("neither frees a budget nor takes it away for longer than an hour, also after a restart", async () => {
    const test = await openTestSpending();
    reserve(test, 50);
    reserve(test, 50);
    test.clock.time -= 300 * DAY;
    for (const isRestarted of [false, true]) {
      if (isRestarted) await test.restart();
      expect(refusal(test, 1, "a", null)).toMatchObject({ retryAfter: 3_600 });
    }
    test.clock.time += HOUR;
    reserve(test, 50, "a", null);
  });
});

describe("what has been used", () => {
  it("is kept over restarts, and so is the total of the day", async () => {
    const test = await openTestSpending();
    reserve(test, 50).settle({ inputTokens: 30, outputTokens: 10 });
    reserve(test, 50);
    await test.restart();
    expect(test.spending.totals()).toEqual({
      today: { inputTokens: 30, outputTokens: 10 },
      sinceStart: { inputTokens: 0, outputTokens: 0 },
    });
    expect(refusal(test, 11)?.message).toContain("You have");
    reserve(test, 10).settle({ inputTokens: 1, outputTokens: 2 });
    expect(test.spending.totals()).toEqual({
      today: { inputTokens: 31, outputTokens: 12 },
      sinceStart: { inputTokens: 1, outputTokens: 2 },
    });
    test.clock.time += 12 * HOUR;
    expect(test.spending.totals()).toEqual({
      today: { inputTokens: 0, outputTokens: 0 },
      sinceStart: { inputTokens: 1, outputTokens: 2 },
    });
  });

  it("is written once a second at most, and not by the one who asks", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const saved: SpendChanges[] = [];
    const isSaved = Promise.withResolvers<void>();
    const test = await openTestSpending({}, (store) =>
      override(store, {
        save: async (changes) => {
          saved.push(changes);
          await store.save(changes);
          isSaved.resolve();
        },
      }),
    );
    await vi.advanceTimersByTimeAsync(1_000);
    await isSaved.promise;
    saved.length = 0;
    for (const tokens of [10, 20, 3]) reserve(test, tokens).settle({ inputTokens: tokens, outputTokens: 0 });
    reserve(test, 1, "b", null);
    expect(saved).toEqual([]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(saved).toHaveLength(1);
    expect(saved[0]?.windows.map(({ kind, id, tokens }) => [kind, id, tokens])).toEqual([
      ["person", "a", 33],
      ["server", "g", 33],
      ["member", "g/a", 33],
      ["person", "b", 1],
    ]);
    expect(saved[0]?.day).toMatchObject({ inputTokens: 33 });
  });

  it("leaves no id of a person on disk for long after the hour is over, though nobody asks anything", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const test = await openTestSpending();
    const windows = async () => (await test.store.load(0)).windows;
    reserve(test, 1, "a", null);
    await vi.advanceTimersByTimeAsync(1_000);
    await expect.poll(windows).toHaveLength(1);
    test.clock.time += HOUR;
    await vi.advanceTimersByTimeAsync(1_000);
    await expect.poll(windows).toEqual([]);
  });

  it("is counted in memory while it cannot be stored, which is logged once, and is stored later", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    let [isFull, attempts] = [true, 0];
    const test = await openTestSpending({}, (store) =>
      override(store, {
        save: async (changes) => {
          attempts += 1;
          if (isFull) throw failure();
          await store.save(changes);
        },
      }),
    );
    reserve(test, 50).settle({ inputTokens: 50, outputTokens: 0 });
    reserve(test, 20, "b", null);
    for (let count = 0; count < 3; count += 1) {
      await vi.advanceTimersByTimeAsync(5_000);
      test.clock.time += MINUTE;
    }
    expect([attempts, test.errors.length]).toEqual([3, 1]);
    reserve(test, 50);
    expect(refusal(test, 1)?.message).toContain("You have");
    isFull = false;
    await vi.advanceTimersByTimeAsync(1_000);
    await test.restart();
    expect(refusal(test, 1)?.message).toContain("You have");
    expect(test.spending.totals().today).toEqual({ inputTokens: 50, outputTokens: 0 });
    expect((await test.store.load(NOON)).windows).toContainEqual(expect.objectContaining({ id: "b", tokens: 20 }));
    expect(test.errors).toHaveLength(1);
  });
});

describe("erasing a person", () => {
  it("removes what they used from disk, and leaves the running hour counted in memory", async () => {
    const test = await openTestSpending();
    reserve(test, 50, "a").settle({ inputTokens: 40, outputTokens: 10 });
    reserve(test, 20, "b");
    await test.restart();
    const pending = reserve(test, 50, "a");
    expect(await test.spending.erase("a" as UserId)).toEqual({ isScrubbed: !IS_ON_POSTGRES });
    expect(refusal(test, 1, "a", null)?.message).toContain("You have");
    pending.settle({ inputTokens: 10, outputTokens: 0 });
    reserve(test, 40, "a", null);
    expect(refusal(test, 1, "a", null)?.message).toContain("You have");
    await test.restart();
    const { windows } = await test.store.load(NOON);
    expect(windows.map(({ kind, id, tokens }) => [kind, id, tokens]).sort()).toEqual([
      ["member", "g/b", 20],
      ["person", "b", 20],
      ["server", "g", 80],
    ]);
    expect(await test.spending.erase("a" as UserId)).toEqual({ isScrubbed: true });
  });

  it("counts and stores them again from the next hour on", async () => {
    const test = await openTestSpending({ tokensPerAnswer: 100 });
    reserve(test, 50, "a", null);
    await test.spending.erase("a" as UserId);
    test.clock.time += HOUR;
    reserve(test, 50, "a", null);
    await test.restart();
    expect(refusal(test, 51, "a", null)?.message).toContain("You have");
  });

  it("fails with unavailable where their tokens cannot be removed from disk", async () => {
    const test = await openTestSpending({}, (store) => override(store, { erase: () => Promise.reject(failure()) }));
    await expect(test.spending.erase("a" as UserId)).rejects.toMatchObject({ code: "unavailable" });
  });
});
