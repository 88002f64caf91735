import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SequenceWatch } from "./gateway-session.ts";

describe("SequenceWatch", () => {
  it("reports a loss exactly when a sequence number is missing, whatever the order of the others", () => {
    const session = fc
      .record({ length: fc.integer({ min: 2, max: 40 }), lost: fc.uniqueArray(fc.integer({ min: 2, max: 39 })) })
      .chain(({ length, lost }) => {
        const arriving = Array.from({ length }, (_, index) => index + 2).filter((number) => !lost.includes(number));
        return fc.tuple(fc.constant({ length, lost }), fc.shuffledSubarray(arriving, { minLength: arriving.length }));
      });
    fc.assert(
      fc.property(session, ([{ lost }, order]) => {
        const watch = new SequenceWatch();
        watch.restart(1);
        for (const [time, number] of order.entries()) watch.note(number, { since: time, now: time });
        const highest = Math.max(1, ...order);
        expect(watch.takeLoss(1_000) !== null).toBe(lost.some((number) => number < highest));
        expect(watch.takeLoss(1_000)).toBeNull();
      }),
    );
  });

  it("dates a loss from the last time at which no event was missing", () => {
    const watch = new SequenceWatch();
    watch.restart(1);
    watch.note(2, { since: 100, now: 110 });
    watch.note(4, { since: 110, now: 200 });
    expect(watch.takeLoss(199)).toBeNull();
    expect(watch.takeLoss(200)).toBe(110);
  });

  it("waits for late events, and forgets the sequence numbers of an old session", () => {
    const watch = new SequenceWatch();
    watch.restart(1);
    expect(watch.note(3, { since: 0, now: 0 })).toBe("in_order");
    expect(watch.isWaiting).toBe(true);
    expect(watch.note(2, { since: 0, now: 1 })).toBe("late");
    expect(watch.isWaiting).toBe(false);
    expect(watch.note(2, { since: 0, now: 1 })).toBe("repeated");
    watch.note(9, { since: 0, now: 2 });
    watch.restart(1);
    expect(watch.takeLoss(10)).toBeNull();
  });

  it("takes the events of a server that does not number them as they come", () => {
    const watch = new SequenceWatch();
    watch.restart(0);
    for (const sequence of [0, 0, Number.NaN]) expect(watch.note(sequence, { since: 0, now: 0 })).toBe("in_order");
    expect(watch.isWaiting).toBe(false);
  });
});
