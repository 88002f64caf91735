import { describe, expect, it } from "vitest";
import { z } from "zod";
import { describeProblems, parseInWords } from "./describe-problems.ts";

const schema = z.strictObject({
  limit: z.int().min(1).max(100).optional(),
  query: z.string().min(2).max(5),
  order: z.enum(["newest", "oldest"]).optional(),
  tags: z.array(z.string()).max(1).optional(),
  id: z.string().regex(/^\d+$/, "must be a Discord id").optional(),
});

function problemsOf(value: unknown): string {
  const { error } = parseInWords(schema, value);
  return error ? describeProblems(error, "args") : "";
}

describe("the description of wrong arguments", () => {
  it.each([
    [{ query: "abc", limit: "5" }, "limit: must be a number (got a string)"],
    [{ query: "abc", limit: 0 }, "limit: must be at least 1"],
    [{ query: "abc", limit: 101 }, "limit: must be at most 100"],
    [{ query: "abc", limit: 1.5 }, "limit: must be a whole number (got a number)"],
    [{}, "query: is missing"],
    [{ query: "a" }, "query: must be at least 2 characters long"],
    [{ query: "abc", order: "any" }, 'order: must be "newest" or "oldest"'],
    [{ query: "abc", tags: ["a", "b"] }, "tags: must be a list of at most 1 items"],
    [{ query: "abc", id: "x" }, "id: must be a Discord id"],
    [{ query: "abc", qeury: 1, more: 2 }, "qeury, more: there is no such field"],
    [null, "args: must be an object (got null)"],
    [{ query: "abc" }, ""],
  ])("says of %j: %s", (value, problem) => {
    expect(problemsOf(value)).toBe(problem);
  });
});
