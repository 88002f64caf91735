import { describe, expect, it } from "vitest";
import { ADA, CEM, PLACE } from "../support/small-world.ts";
import { openWithMemory } from "../support/with-memory.ts";

describe("an older value", () => {
  it("does not come back when the newest of several expires", async () => {
    const { keep, hear, clock } = await openWithMemory();
    await keep({ value: "Berlin" });
    await keep({ value: "Kiel" });
    await keep({ value: "Rome", expiresAt: clock.now() + 1_000 });
    clock.ahead += 2_000;
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual([]);
  });
});
