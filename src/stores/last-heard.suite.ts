import { describe, expect, it } from "vitest";
import type { LastHeard } from "../ports/last-heard.ts";

/** The store under test. Each call of `open` is a store of its own, and empty. */
export interface LastHeardFixture {
  readonly lastHeard: LastHeard;
  /** The same store after the program was ended and started again. */
  reopen(): LastHeard;
  /** False for a store that keeps nothing on purpose. */
  readonly keeps: boolean;
}

const AT = 1_800_000_000_000;

/** What every store of the time that was heard last owes. */
export function describeLastHeard(name: string, open: () => Promise<LastHeardFixture>): void {
  describe(`${name} as a store of the last heard time`, () => {
    it("loads null every time when nothing was saved for the bot", async () => {
      const { lastHeard } = await open();
      expect([await lastHeard.load("7"), await lastHeard.load("7")]).toEqual([null, null]);
    });

    it("loads the saved time before and after a restart, or null when it stores nothing", async () => {
      const { lastHeard, reopen, keeps } = await open();
      await lastHeard.save("7", AT);
      const expected = keeps ? AT : null;
      expect([await lastHeard.load("7"), await reopen().load("7")]).toEqual([expected, expected]);
    });

    it("keeps the times of two bots apart", async () => {
      const { lastHeard, keeps } = await open();
      await lastHeard.save("7", AT);
      await lastHeard.save("8", AT + 1);
      expect([await lastHeard.load("7"), await lastHeard.load("8"), await lastHeard.load("9")]).toEqual(
        keeps ? [AT, AT + 1, null] : [null, null, null],
      );
    });

    it("accepts repeated and concurrent saves, and the latest call wins", async () => {
      const { lastHeard, reopen, keeps } = await open();
      await lastHeard.save("7", AT);
      await lastHeard.save("7", AT);
      await Promise.all([9, 3, 5].map((more) => lastHeard.save("7", AT + more)));
      expect(await reopen().load("7")).toBe(keeps ? AT + 5 : null);
    });
  });
}
