import { anything, assert, dictionary, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { idSchema } from "../id-schema.ts";
import { describeProblems } from "./describe-problems.ts";

const schema = z.strictObject({
  limit: z.int().min(1).max(100).default(15),
  query: z.string().trim().min(1).max(500),
  channel_id: idSchema().optional(),
  scope: z.enum(["channel", "dm"]).default("channel"),
  people: z.array(idSchema()).max(20).default([]),
  bots: z.boolean().default(true),
  share: z.number().optional(),
  inner: z.strictObject({ name: z.string().min(1).nullish() }).optional(),
  zone: z
    .string()
    .refine((one) => one !== "nowhere", { error: "must be the name of a time zone" })
    .optional(),
});

function problem(value: unknown): string {
  const { error } = schema.safeParse(value);
  return error ? describeProblems(error, { schema, value, whole: "The request" }) : "";
}

describe("describeProblems", () => {
  it.each([
    [{ query: "x", limit: "3" }, "`limit` must be a whole number from 1 to 100 (got text)."],
    [{ query: "x", limit: 0 }, "`limit` must be a whole number from 1 to 100."],
    [{ query: "x", limit: 1e9 }, "`limit` must be a whole number from 1 to 100."],
    [{ query: "x", limit: 1.5 }, "`limit` must be a whole number from 1 to 100."],
    [{}, "`query` is missing: it must be text of 1 to 500 characters."],
    [{ query: "" }, "`query` must be text of 1 to 500 characters."],
    [{ query: "x", channel_id: 7 }, "`channel_id` must be a Discord id, a string of digits (got a number)."],
    [{ query: "x", channel_id: "general" }, "`channel_id` must be a Discord id, a string of digits."],
    [{ query: "x", scope: "all" }, '`scope` must be one of "channel", "dm".'],
    [{ query: "x", people: "12" }, "`people` must be a list of at most 20 items (got text)."],
    [{ query: "x", people: ["12", null] }, "`people.1` must be a Discord id, a string of digits (got null)."],
    [{ query: "x", bots: 1 }, "`bots` must be true or false (got a number)."],
    [{ query: "x", share: [] }, "`share` must be a number (got a list)."],
    [{ query: "x", limti: 3 }, "There is no field `limti`; did you mean `limit`?"],
    [{ query: "x", colour: 3 }, "There is no field `colour`."],
    [{ query: "x", inner: { nmae: 1 } }, "There is no field `inner.nmae`; did you mean `name`?"],
    [{ query: "x", inner: { name: 1 } }, "`inner.name` must be text that is not empty or null (got a number)."],
    [{ query: "x", zone: "nowhere" }, "`zone` must be the name of a time zone."],
    ["text", "The request must be an object (got text)."],
    [
      { query: 1, limit: "2" },
      "`limit` must be a whole number from 1 to 100 (got text). `query` must be text of 1 to 500 characters (got a number).",
    ],
  ])("describes what is wrong with %j", (value, words) => {
    expect(problem(value)).toBe(words);
  });

  it("uses only our own words for any input, within a limit, and repeats no value of it", () => {
    const secret = string({ minLength: 8, maxLength: 30 }).map((one) => `secret ${one}`);
    assert(
      property(dictionary(string(), anything()), secret, (value, hidden) => {
        const said = problem({ ...value, limit: hidden, query: { hidden }, channel_id: hidden });
        expect(said).not.toContain(hidden);
        expect(said).not.toMatch(/Invalid|expected|received|Unrecognized|Too (big|small)/);
        expect(said.length).toBeLessThan(3_000);
      }),
    );
  });
});
