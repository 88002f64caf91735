import { describe, expect, it } from "vitest";
import { z } from "zod";
import { idSchema } from "../domain/id-schema.ts";
import type { ArgumentSchema } from "./argument-schema.ts";
import { readPairs } from "./read-pairs.ts";

const schema = z.toJSONSchema(
  z.object({
    query: z.string(),
    maybe: z.string().nullable(),
    id: idSchema(),
    limit: z.int(),
    share: z.number(),
    deep: z.boolean(),
    ids: z.array(idSchema()),
    anything: z.json(),
    way: z.enum(["1", "both"]),
  }),
  { io: "input" },
) as ArgumentSchema;
const read = (pair: string) => Object.values(readPairs([pair], schema))[0];

describe("key=value", () => {
  it.each([
    ["query=123", "123"],
    ["query=true", "true"],
    ["query=[a]", "[a]"],
    ["query=", ""],
    ["query=a=b", "a=b"],
    ["maybe=5", "5"],
    ["way=1", "1"],
    ["id=1028328909445267456", "1028328909445267456"],
  ])("%s stays text where the tool wants text", (pair, value) => {
    expect(read(pair)).toBe(value);
  });

  it.each([
    ["limit=5", 5],
    ["share=0.5", 0.5],
    ["deep=false", false],
    ['ids=["1","2"]', ["1", "2"]],
    ["ids=1028328909445267456, 2", ["1028328909445267456", "2"]],
    ['anything={"a":[1]}', { a: [1] }],
    ["anything=12", 12],
  ])("%s becomes what the tool wants", (pair, value) => {
    expect(read(pair)).toEqual(value);
  });

  it.each([
    ["limit=many", "many"],
    ["limit=1028328909445267456", "1028328909445267456"],
    ["limit=1e3", "1e3"],
    ["anything=0012", "0012"],
    ["anything=1028328909445267457", "1028328909445267457"],
    ["ids=[broken", "[broken"],
    ["unknown=5", "5"],
  ])("%s stays as typed: reading it would change or break it", (pair, value) => {
    expect(read(pair)).toBe(value);
  });
});
