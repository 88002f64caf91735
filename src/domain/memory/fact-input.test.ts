import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EarshotError } from "../errors.ts";
import {
  type FactInput,
  MAX_NAME_CODE_POINTS,
  MAX_VALUE_BYTES,
  MAX_VALUE_DEPTH,
  parseFactInput,
} from "./fact-input.ts";

/** The fact, or the message of the error. Any other error fails the test. */
function parse(key: unknown, value: unknown): FactInput | string {
  try {
    return parseFactInput({ key, value });
  } catch (error) {
    if (!(error instanceof EarshotError) || error.code !== "invalid") throw error;
    return error.message;
  }
}
const parseName = (key: unknown) => {
  const fact = parse(key, "x");
  return typeof fact === "string" ? null : fact.name;
};
const parseValue = (value: unknown) => {
  const fact = parse("name", value);
  return typeof fact === "string" ? undefined : fact.value;
};

describe("the name of a fact", () => {
  it("is kept in any script, with emoji", () => {
    const names = [
      "allergy",
      "deploy day",
      "Größe",
      "誕生日",
      "می‌خواهم",
      "क्‍ष",
      "❤️ song",
      "👩‍💻 setup",
      "🇩🇪",
      "C++",
      "42",
    ];
    for (const name of names) expect(parseName(name)).toBe(name);
  });

  it("gets one spelling: trimmed, composed, with plain spaces", () => {
    expect(parseName("  Cafe\u0301\u00a0 hours\n")).toBe("Café  hours");
  });

  it("is refused when it is no text, empty, too long or only punctuation", () => {
    for (const key of [undefined, null, 7, {}, ["a"], "", "  ", "a".repeat(65), "…", "?!", "$", "\u2800", "--"]) {
      expect(parseName(key)).toBeNull();
    }
    expect(parseName("a".repeat(64))).toHaveLength(64);
    expect([...(parseName("😀".repeat(64)) ?? "")]).toHaveLength(64);
    expect(parseName("a".repeat(1_000_000))).toBeNull();
  });

  it("is refused with line breaks, control, bidi, invisible, unassigned or broken characters", () => {
    const bad = [
      "\n",
      "\u2028",
      "\0",
      "\t",
      "\u0085",
      "\u202e",
      "\u2066",
      "\u200f",
      "\u200b",
      "\u00ad",
      "\u2060",
      "\ufeff",
    ];
    const worse = [
      "\u200d",
      "\u200c",
      "\ufe0f",
      "\u3164",
      "\u{e0041}",
      "\u0378",
      "\uffff",
      "\ue000",
      "\ud800",
      "\udc00",
    ];
    for (const one of [...bad, ...worse]) expect(parseName(`a${one}b`), JSON.stringify(one)).toBeNull();
  });
});

describe("the value of a fact", () => {
  it("is any JSON value except null", () => {
    const values = [
      "penicillin",
      "",
      0,
      -1.5,
      true,
      false,
      [],
      {},
      [null, { a: ["b\n\tc"], d: null }],
      { toJSON: "x" },
    ];
    for (const value of values) expect(parseValue(value)).toStrictEqual(value);
    expect(parse("name", null)).toContain("nothing to remember");
    expect(parse("name", undefined)).toContain("nothing to remember");
    expect(Object.is(parseValue(-0), 0)).toBe(true);
  });

  it("has at most 2,048 bytes of JSON", () => {
    expect(parseValue("a".repeat(MAX_VALUE_BYTES - 2))).toBeDefined();
    expect(parseValue("a".repeat(MAX_VALUE_BYTES - 1))).toBeUndefined();
    expect(parseValue("é".repeat(1_023))).toBeDefined();
    expect(parseValue("é".repeat(1_024))).toBeUndefined();
    expect(parseValue("\n".repeat(1_024))).toBeUndefined();
    expect(parseValue(Array.from({ length: 1_023 }, () => 1))).toBeDefined();
    expect(parseValue(Array.from({ length: 1_024 }, () => 1))).toBeUndefined();
  });

  it("has at most five levels", () => {
    const nested = (levels: number): unknown =>
      levels === 0 ? 1 : levels % 2 ? [nested(levels - 1)] : { a: nested(levels - 1) };
    expect(parseValue(nested(MAX_VALUE_DEPTH))).toEqual(nested(MAX_VALUE_DEPTH));
    expect(parseValue(nested(MAX_VALUE_DEPTH + 1))).toBeUndefined();
  });

  it("contains no control, bidi or broken characters, in keys either", () => {
    for (const one of ["\0", "\r", "\u0085", "\u202e", "\u2067", "\u200e", "\ud800", "x\udfff"]) {
      expect(parseValue(one)).toBeUndefined();
      expect(parseValue({ [`a${one}`]: 1 })).toBeUndefined();
      expect(parseValue([[one]])).toBeUndefined();
    }
  });

  it("contains no key that could change a prototype", () => {
    for (const text of ['{"__proto__":{"a":1}}', '{"a":[{"constructor":1}]}', '{"prototype":1}']) {
      expect(parseValue(JSON.parse(text))).toBeUndefined();
    }
  });

  it("is refused when it is not plain data", () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    class Point {
      readonly x = 1;
    }
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const values: unknown[] = [
      cyclic,
      new Point(),
      revoked.proxy,
      new Proxy({ a: 1 }, {}),
      [new Proxy([1], {})],
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new EarshotError("internal", "trap");
          },
        },
      ),
      {
        get a() {
          return 1;
        },
      },
      { toJSON: () => "x" },
      Object.defineProperty({}, "a", { value: 1 }),
      Object.defineProperty([], 0, { get: () => 1, enumerable: true }),
      Object.assign([1], { a: 1 }),
      Object.create({ a: 1 }),
      { [Symbol("a")]: 1 },
      Object.assign(new Array(3), { 0: 1, 2: 1 }),
      new Array(4_000_000_000),
      Object.setPrototypeOf(new Uint8Array(50_000_000), Object.prototype),
      Object.setPrototypeOf(new String("a".repeat(50_000_000)), null),
      "a".repeat(100_000_000),
      new Date(0),
      new Map(),
      /a/,
      Buffer.from("a"),
      new (class extends Array {})(),
      1n,
      undefined,
      () => 1,
      Symbol("a"),
      Number.NaN,
      Number.POSITIVE_INFINITY,
    ];
    for (const [index, value] of values.entries()) {
      expect(parseValue(value), `value ${index}`).toBeUndefined();
      expect(parseValue([value]), `value ${index} in a list`).toBeUndefined();
    }
  });

  it("is looked at only as far as its size allows", () => {
    let reads = 0;
    const counted: unknown = new Proxy([], {
      getOwnPropertyDescriptor: (target, key) => {
        reads += 1;
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    });
    // A hundred thousand references to the same list, each a hundred times.
    const shared = Array.from({ length: 100 }, () => counted);
    expect(parseValue(Array.from({ length: 1_000 }, () => shared))).toBeUndefined();
    expect(reads).toBeLessThan(MAX_VALUE_BYTES);
  });

  it("does not change when the original changes", () => {
    const original = { list: [1] };
    const copy = parseValue(original);
    original.list.push(2);
    expect(copy).toEqual({ list: [1] });
  });
});

/** Values that people could write, and everything else that JavaScript has. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 6 }),
  fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    withUnicodeString: true,
    stringUnit: "binary",
  }),
);
const hostile = fc.oneof(
  { weight: 4, arbitrary: anything },
  anything.map((value) => ({ toJSON: () => value })),
  anything.map((value) => ({
    get a() {
      throw value;
    },
  })),
  fc.object().map((value) => new Proxy(value, {})),
  fc.object().map((value) => ({
    a: [
      new Proxy(value, {
        getPrototypeOf: () => {
          throw value;
        },
      }),
    ],
  })),
);

describe("parseFactInput", () => {
  it("throws nothing but `invalid` for any value, and what it returns keeps the limits", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string(), hostile), hostile, (key, value) => {
        const fact = parse(key, value);
        if (typeof fact === "string") return;
        expect([...fact.name].length).toBeLessThanOrEqual(MAX_NAME_CODE_POINTS);
        expect(parse(fact.name, fact.value)).toStrictEqual(fact);
        const text = JSON.stringify(fact.value);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_VALUE_BYTES);
        expect(JSON.parse(text)).toStrictEqual(fact.value);
      }),
      { numRuns: 3_000 },
    );
  });

  it("throws nothing but `invalid` when the input itself is something else", () => {
    fc.assert(
      fc.property(hostile, (input) => {
        try {
          parseFactInput(input as { key: unknown; value: unknown });
        } catch (error) {
          expect(error).toBeInstanceOf(EarshotError);
        }
      }),
    );
  });

  it("keeps every JSON value within the limits as it is", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }).filter((value) => value !== null),
        (value) => {
          fc.pre(
            !/[\p{Cc}\p{Bidi_Control}]|\\u|\\[bfr]|"__proto__"|"constructor"|"prototype"/u.test(JSON.stringify(value)),
          );
          fc.pre(Buffer.byteLength(JSON.stringify(value)) <= MAX_VALUE_BYTES);
          expect(parseValue(value)).toEqual(JSON.parse(JSON.stringify(value)));
        },
      ),
    );
  });

  it("never repeats the value in its message", () => {
    const marker = "zq7-marker-zq7";
    const spoiled = fc.constantFrom("\0", "\u202e", "\ud800", "a".repeat(3_000), "");
    fc.assert(
      fc.property(spoiled, fc.string(), anything, (bad, text, other) => {
        const secret = `${marker}${text}${bad}`;
        const problems = [
          parse(secret, null),
          parse(`${secret}\n.`, "x"),
          parse("name", { [secret]: [secret, other, undefined] }),
          parse(
            "name",
            new Proxy(
              {},
              {
                ownKeys: () => {
                  throw new EarshotError("invalid", secret);
                },
              },
            ),
          ),
        ];
        for (const problem of problems) expect(problem).toEqual(expect.not.stringContaining(marker));
      }),
    );
  });
});
