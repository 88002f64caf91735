import { EarshotError } from "../domain/errors.ts";
import { type ArgumentSchema, typesOf } from "./argument-schema.ts";

/** A word of the form `key=value`. Throws `invalid` for any other. */
export function splitPair(pair: string): readonly [string, string] {
  const [, key, value = ""] = /^([^\s=]+)=([\s\S]*)$/.exec(pair) ?? [];
  if (key) return [key, value];
  throw new EarshotError("invalid", `"${pair.slice(0, 50)}" is not of the form key=value.`);
}

/**
 * Converts typed words to the types of the tool's schema: `query=123` stays text, `limit=5` becomes a number. A word that does not convert stays text, and the
 * tool reports the error.
 */
export function readPairs(pairs: readonly string[], schema: ArgumentSchema): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map(splitPair).map(([key, value]) => [key, readValue(value, schema.properties?.[key] ?? { type: "string" })]),
  );
}

function readValue(text: string, schema: ArgumentSchema): unknown {
  const types = typesOf(schema);
  if (types.includes("string")) return text;
  if (types.includes("array") && !text.trimStart().startsWith("["))
    return text.split(",").map((item) => readValue(item.trim(), schema.items ?? {}));
  return parseExactly(text);
}

/** JSON where it says exactly what was typed, otherwise text: a number with more digits than a number holds would become another one. */
function parseExactly(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" && String(value) !== text.trim() ? text : value;
  } catch {
    return text;
  }
}
