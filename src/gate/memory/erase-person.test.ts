import { describe, expect, it } from "vitest";
import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { createMessageEraser, Erasers, toEraser } from "./erase-person.ts";

const SARAH = "11" as UserId;

describe("erasing a person", () => {
  it("goes through every part, and the receipt has what each of them says", async () => {
    const erasers = new Erasers();
    const erased: string[] = [];
    erasers.add({ name: "confirmations", erase: () => ({ confirmations: 2 }) });
    erasers.add(toEraser("cache", (person) => erased.push(person)));
    erasers.add({ name: "facts", erase: async () => ({ facts: 3, isScrubbed: false }) });
    expect(await erasers.erasePerson(SARAH)).toEqual({
      facts: 3,
      areKeysDeleted: true,
      isScrubbed: false,
      talks: 0,
      confirmations: 2,
      areMessagesErased: true,
    });
    expect(erased).toEqual([SARAH]);
  });

  it("erases everything else when parts fail, and then says what failed first", async () => {
    const erasers = new Erasers();
    const erased: string[] = [];
    const full = new EarshotError("unavailable", "The disk is full.");
    erasers.add(toEraser("first", () => erased.push("first")));
    erasers.add({ name: "facts", erase: () => Promise.reject(full) });
    erasers.add({
      name: "cache",
      erase() {
        throw new TypeError("a mistake");
      },
    });
    erasers.add(toEraser("last", () => erased.push("last")));
    await expect(erasers.erasePerson(SARAH)).rejects.toBe(full);
    expect(erased).toEqual(["first", "last"]);
  });

  it("is unavailable to the person when a part fails unexpectedly, without the words of the failure", async () => {
    const erasers = new Erasers();
    erasers.add(
      toEraser("cache", () => {
        throw new TypeError("private words");
      }),
    );
    const failure = await erasers.erasePerson(SARAH).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "unavailable" });
    expect(String(failure)).not.toContain("private words");
  });

  it("erases held messages once in ten minutes, for each person", () => {
    const clock = { time: 0, now: () => clock.time };
    const erased: string[] = [];
    const timelines = { letGoOf: (id: string) => void erased.push(`timelines ${id}`) };
    const search = { letGoOf: (id: string) => void erased.push(`search ${id}`) };
    const { erase } = createMessageEraser({ timelines, search }, clock);
    expect(erase(SARAH)).toEqual({ areMessagesErased: true });
    expect(erase(SARAH)).toEqual({ areMessagesErased: false });
    expect(erase("12" as UserId)).toEqual({ areMessagesErased: true });
    clock.time += 10 * 60_000;
    expect(erase(SARAH)).toEqual({ areMessagesErased: true });
    expect(erased).toHaveLength(6);
  });
});
