import { describe, expect, it } from "vitest";
import { SingleFlight } from "./single-flight.ts";

/** Work that is ended by hand, and counts how often it was begun. */
function openWork() {
  const begun: { resolve(value: number): void; reject(error: unknown): void; readonly signal: AbortSignal }[] = [];
  const work = (signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    begun.push({ resolve, reject, signal });
    return promise;
  };
  return { begun, work };
}

describe("SingleFlight", () => {
  it("does the work once for concurrent callers, and again for a later one", async () => {
    const flights = new SingleFlight<string, number>();
    const { begun, work } = openWork();
    const both = Promise.all([flights.run("a", work), flights.run("a", work)]);
    expect([begun.length, flights.size, flights.has("a")]).toEqual([1, 1, true]);
    begun[0]?.resolve(7);
    expect(await both).toEqual([7, 7]);
    expect(flights.size).toBe(0);
    const later = flights.run("a", work);
    begun[1]?.resolve(8);
    expect(await later).toBe(8);
  });

  it("keeps different keys apart", async () => {
    const flights = new SingleFlight<string, number>();
    const { begun, work } = openWork();
    const both = Promise.all([flights.run("a", work), flights.run("b", work)]);
    begun[0]?.resolve(1);
    begun[1]?.resolve(2);
    expect(await both).toEqual([1, 2]);
  });

  it("rejects for all waiting callers, and starts again for the next", async () => {
    const flights = new SingleFlight<string, number>();
    const { begun, work } = openWork();
    const both = Promise.allSettled([flights.run("a", work), flights.run("a", work)]);
    begun[0]?.reject(new Error("broken"));
    expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(flights.has("a")).toBe(false);
    await expect(
      flights.run("a", () => {
        throw new Error("at once");
      }),
    ).rejects.toThrow("at once");
    expect(flights.size).toBe(0);
  });

  it("lets one caller abort without ending the work for the others", async () => {
    const flights = new SingleFlight<string, number>();
    const { begun, work } = openWork();
    const leaving = new AbortController();
    const left = flights.run("a", work, leaving.signal);
    const stays = flights.run("a", work);
    leaving.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    expect(begun[0]?.signal.aborted).toBe(false);
    begun[0]?.resolve(3);
    expect(await stays).toBe(3);
  });

  it("aborts the work when all callers have aborted, and starts again for the next", async () => {
    const flights = new SingleFlight<string, number>();
    const { begun, work } = openWork();
    const leaving = new AbortController();
    const left = flights.run("a", work, leaving.signal);
    leaving.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    expect(begun[0]?.signal.aborted).toBe(true);
    const next = flights.run("a", work);
    begun[0]?.reject(new Error("late"));
    begun[1]?.resolve(4);
    expect(await next).toBe(4);
  });

  it("starts no work for a caller whose signal is already aborted", async () => {
    const flights = new SingleFlight<string, number>();
    const { begun, work } = openWork();
    await expect(flights.run("a", work, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    expect(begun.length).toBe(0);
  });

  it("aborts all work when it is closed", () => {
    const flights = new SingleFlight<string, number>();
    const { begun, work } = openWork();
    void flights.run("a", work);
    void flights.run("b", work);
    flights.close();
    expect(begun.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });
});
