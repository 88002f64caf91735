import fc from "fast-check";
import { expect, it } from "vitest";
import { parseExactJson } from "./exact-json.ts";

it("keeps every digit of a 64-bit integer in JSON, and all else as JSON.parse has it", () => {
  const id = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n });
  const withoutLongNumbers = fc.json().filter((text) => !/\d{16}/.test(text));
  fc.assert(
    fc.property(id, withoutLongNumbers, (number, beside) => {
      const [parsed, rest] = parseExactJson(`[${number},${beside}]`) as [unknown, unknown];
      expect(String(parsed)).toBe(String(number));
      expect(rest).toEqual(JSON.parse(beside));
    }),
  );
});

it("leaves numbers that are no 64-bit integers to be rejected as such", () => {
  expect(parseExactJson('[1e400, -5, 1.5, {"id": 9007199254740993}]')).toEqual([
    Number.POSITIVE_INFINITY,
    -5,
    1.5,
    { id: "9007199254740993" },
  ]);
  expect(parseExactJson("9".repeat(100_000))).toBe(Number.POSITIVE_INFINITY);
});
