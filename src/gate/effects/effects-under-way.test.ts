import { describe, expect, it } from "vitest";
import { PendingEffects } from "./effects-under-way.ts";

/** One that is begun, with what is noted of it. */
function begin(effects: PendingEffects) {
  const noted: string[] = [];
  const effect = effects.begin((outcome) => void noted.push(outcome));
  return { effect, noted };
}

describe("effects at a shutdown", () => {
  it("are waited for while Discord may still answer", async () => {
    const effects = new PendingEffects();
    const { effect, noted } = begin(effects);
    effect.leave();
    const closing = effects.close(60_000);
    effect.end(() => void noted.push("done"));
    await closing;
    expect(noted).toEqual(["done"]);
  });

  it("are recorded as not done if they were never sent, and as unknown if they were", async () => {
    const effects = new PendingEffects();
    const [waiting, left] = [begin(effects), begin(effects)];
    left.effect.leave();
    await effects.close(0);
    expect([waiting.noted, left.noted]).toEqual([["failed"], ["outcome_unknown"]]);
    expect(() => waiting.effect.leave()).toThrow("shutting down");
    for (const { effect, noted } of [waiting, left]) effect.end(() => void noted.push("too late"));
    await effects.close(0);
    expect([waiting.noted, left.noted]).toEqual([["failed"], ["outcome_unknown"]]);
  });

  it("are neither started nor sent once it has begun", async () => {
    const effects = new PendingEffects();
    const { effect, noted } = begin(effects);
    const closing = effects.close(60_000);
    const refusal = expect.objectContaining({ code: "unavailable", message: expect.stringContaining("not done") });
    expect(() => effects.begin(() => {})).toThrow(refusal);
    expect(() => effect.leave()).toThrow(refusal);
    expect(effect.hasLeft).toBe(false);
    effect.end(() => void noted.push("failed"));
    await closing;
  });
});
