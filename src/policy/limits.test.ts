import { describe, expect, it } from "vitest";
import type { EarshotError } from "../domain/errors.ts";
import type { GuildId, UserId } from "../domain/ids.ts";
import { Limits, type Payers, payersOf } from "./limits.ts";
import type { Operation } from "./operation.ts";
import { rulesSchema } from "./rules.ts";

function arrive(limits: object) {
  let now = 1_000_000;
  const all = new Limits(rulesSchema.parse({ limits }).limits, { now: () => now });
  return {
    limits: all,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const payers = (actor: string, client = "brain", guild: string | null = "g"): Payers => ({
  actor: actor as UserId,
  client,
  guild: guild as GuildId | null,
});

describe("the limits", () => {
  it("let so many calls through for a person, and more as time passes", () => {
    const { limits, pass } = arrive({ callsPerMinute: { actor: 6 } });
    for (let count = 0; count < 6; count += 1) limits.take("calls", payers("a"), 1);
    const refused = problemOf(() => limits.take("calls", payers("a"), 1));
    expect(refused).toMatchObject({ code: "rate_limited", retryAfter: 10 });
    expect(refused?.message).toBe("Too many calls; try again in 10 seconds.");
    limits.take("calls", payers("b"), 1);
    pass(9_999);
    expect(problemOf(() => limits.take("calls", payers("a"), 1))).toBeDefined();
    pass(1);
    limits.take("calls", payers("a"), 1);
  });

  it("count for the person, the client and the server alike, and take nothing from the others when one has no more", () => {
    const { limits } = arrive({ callsPerMinute: { actor: 5, client: 3, guild: 4 } });
    limits.take("calls", payers("a", "one", "g"), 3);
    expect(problemOf(() => limits.take("calls", payers("b", "one", "h"), 1))?.code).toBe("rate_limited");
    limits.take("calls", payers("b", "two", "g"), 1);
    expect(problemOf(() => limits.take("calls", payers("c", "three", "g"), 1))?.code).toBe("rate_limited");
    limits.take("calls", payers("b", "three", null), 3);
    limits.take("calls", payers("b", "four", null), 1);
    expect(problemOf(() => limits.take("calls", payers("b", "five", null), 1))?.code).toBe("rate_limited");
  });

  it("let what was used already go into debt, which must be paid before the next", () => {
    const { limits, pass } = arrive({ scansPerMinute: { actor: 60 } });
    limits.take("scans", payers("a"), 0);
    limits.spend("scans", payers("a"), 90);
    expect(problemOf(() => limits.take("scans", payers("a"), 0))).toMatchObject({ retryAfter: 30 });
    expect(problemOf(() => limits.take("scans", payers("a"), 0))?.message).toContain("messages looked at");
    pass(30_000);
    limits.take("scans", payers("a"), 0);
  });

  it("are paid by the person, the client and the server of an operation", () => {
    const origin = { guildId: "g" as GuildId };
    expect(payersOf({ actor: "a" as UserId, client: { name: "brain" }, origin } as Operation)).toEqual(payers("a"));
  });

  it("keep calls, scans and summaries apart", () => {
    const { limits, pass } = arrive({ callsPerMinute: { actor: 1 }, summariesPerHour: { actor: 1 } });
    limits.take("calls", payers("a"), 1);
    limits.take("summaries", payers("a"), 1);
    limits.take("scans", payers("a"), 1);
    pass(60_000);
    limits.take("calls", payers("a"), 1);
    expect(problemOf(() => limits.take("summaries", payers("a"), 1))?.message).toContain("summaries");
    pass(3_540_000);
    limits.take("summaries", payers("a"), 1);
  });

  it("stay bounded, and forget those first who have nothing to lose", () => {
    const { limits, pass } = arrive({ callsPerMinute: { actor: 2, client: 1_000_000 } });
    for (let count = 0; count < 6_000; count += 1) limits.take("calls", payers(`old${count}`, "brain", null), 1);
    pass(60_000);
    limits.take("calls", payers("a", "brain", null), 2);
    for (let count = 0; count < 18_000; count += 1) limits.take("calls", payers(`new${count}`, "brain", null), 1);
    expect(problemOf(() => limits.take("calls", payers("a", "brain", null), 1))?.code).toBe("rate_limited");
  });

  it("keep so many buckets and no more; where none is full, the oldest goes", () => {
    const { limits } = arrive({ callsPerMinute: { actor: 2, client: 1_000_000 } });
    const take = (actor: string) => limits.take("calls", payers(actor, "brain", null), 2);
    take("first");
    // The client has one, and each person.
    for (let count = 2; count < 20_000; count += 1) take(`p${count}`);
    expect(problemOf(() => take("first"))?.code).toBe("rate_limited");
    take("one more");
    take("first");
  });
});

function problemOf(run: () => void): EarshotError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error as EarshotError;
  }
}
