import { EarshotError } from "../errors.ts";

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A fact to be saved, as parsed by `parseFactInput`. */
export interface FactInput {
  readonly name: string;
  readonly value: JsonValue;
}

export const MAX_NAME_CODE_POINTS = 64;
export const MAX_VALUE_BYTES = 2_048;
/** The depth of nested arrays and objects. */
export const MAX_VALUE_DEPTH = 5;

/**
 * Checks a fact before it is stored. Returns a name in one spelling (trimmed, composed, plain spaces) and a copy of the value that consists of
 * plain data only. Throws `invalid` with a sentence that says what is wrong and never repeats the value. Work is bounded by the limits above,
 * not by the size of the input, except that the engine lists all keys of an object at once.
 */
export function parseFactInput(input: { readonly key: unknown; readonly value: unknown }): FactInput {
  const fields = new Map(readEntries(input));
  return { name: parseName(fields.get("key")), value: parseValue(fields.get("value")) };
}

/** Invisible characters, without the format characters of Arabic, which are visible. */
const INVISIBLE = String.raw`[\p{Cf}\p{Default_Ignorable_Code_Point}]--[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]`;
const HIDDEN = new RegExp(`[${INVISIBLE}]`, "v");
/** Scripts in which a joiner or non-joiner between letters changes how a word is written. */
const JOINING =
  "Arab Syrc Mong Nkoo Mand Adlm Rohg Sogd Phag Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Java Bali"
    .split(" ")
    .map((script) => String.raw`\p{Script=${script}}`)
    .join("");
const JOINER = new RegExp(String.raw`(?<=[${JOINING}][\p{M}]?)[\u200c\u200d](?=[${JOINING}])`, "gv");
/** Compiled on first use: the list of all emoji is slow to build. */
const emoji = () => /\p{RGI_Emoji}/gv;

function parseName(key: unknown): string {
  if (typeof key !== "string") throw invalid("The name of a fact must be text.");
  // A code point takes one or two units, and white space around the name is trimmed.
  if (key.length > 4 * MAX_NAME_CODE_POINTS) throw nameTooLong();
  if (!key.isWellFormed()) throw invalid("The name of a fact contains a broken character. Type it again.");
  const name = key.normalize("NFC").trim();
  if (name === "") throw invalid("The name of a fact is empty. Give it a name such as 'deploy day'.");
  if (/[\p{Zl}\p{Zp}\n\r]/u.test(name)) throw invalid("The name of a fact must be one line.");
  if (/[\p{Cc}\p{Bidi_Control}]/u.test(name)) {
    throw invalid("The name of a fact contains a control character. Use letters, digits and spaces.");
  }
  if (/[\p{Cn}\p{Co}]/u.test(name)) {
    throw invalid("The name of a fact contains a character that has no meaning in Unicode. Type it again.");
  }
  // Emoji and some scripts are written with invisible characters.
  if (HIDDEN.test(name) && HIDDEN.test(name.replace(emoji(), " ").replace(JOINER, ""))) {
    throw invalid("The name of a fact contains an invisible character. Type it again.");
  }
  if ([...name].length > MAX_NAME_CODE_POINTS) throw nameTooLong();
  if (!/[\p{L}\p{N}\p{ExtPict}\p{RI}]/u.test(name)) {
    throw invalid("The name of a fact must contain a letter or a digit.");
  }
  return name.replace(/\p{Zs}/gu, " ");
}

function nameTooLong(): EarshotError {
  return invalid(`The name of a fact can have at most ${MAX_NAME_CODE_POINTS} characters.`);
}

function parseValue(value: unknown): JsonValue {
  if (value === null) throw invalid("There is nothing to remember: the value is null.");
  if (value === undefined) throw invalid("There is nothing to remember: the value is missing.");
  const copy = copyJson(value, { depth: 0, budget: { characters: MAX_VALUE_BYTES } });
  // The only way to notice a Proxy that behaves like a plain object. All that is cloned here has passed the limits.
  if (typeof value === "object") refuseProxies(value);
  if (new TextEncoder().encode(JSON.stringify(copy)).length > MAX_VALUE_BYTES) throw tooLarge();
  return copy;
}

interface Copying {
  readonly depth: number;
  /** The rest of the limit. Every value takes at least one character, which also bounds the work. */
  readonly budget: { characters: number };
}

function copyJson(value: unknown, copying: Copying): JsonValue {
  spend(copying, 1);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return checkText(value, copying);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw invalid("A number in the value is not finite.");
    // JSON has no negative zero.
    return value + 0;
  }
  if (typeof value !== "object") throw notJson();
  if (copying.depth === MAX_VALUE_DEPTH) {
    throw invalid(`The value can have at most ${MAX_VALUE_DEPTH} levels of lists and objects inside each other.`);
  }
  const inner = { ...copying, depth: copying.depth + 1 };
  const entries = readEntries(value, copying.budget.characters);
  if (Array.isArray(value)) return entries.map(([, one]) => copyJson(one, inner));
  const copy: Record<string, JsonValue> = {};
  for (const [key, one] of entries) {
    if (FORBIDDEN_KEYS.includes(key)) throw invalid(FORBIDDEN_KEY);
    copy[checkText(key, copying)] = copyJson(one, inner);
  }
  return copy;
}

const FORBIDDEN_KEYS = ["__proto__", "constructor", "prototype"];
const FORBIDDEN_KEY = `The value has a key that is not allowed: none may be called ${FORBIDDEN_KEYS.join(", ")}.`;

function checkText(text: string, copying: Copying): string {
  spend(copying, text.length);
  if (!text.isWellFormed()) throw invalid("The value contains a broken character. Type it again.");
  if (/[[\p{Cc}\p{Bidi_Control}]--[\n\t]]/v.test(text)) {
    throw invalid("The value contains a control character. Only line breaks and tabs are allowed.");
  }
  return text;
}

function spend({ budget }: Copying, characters: number): void {
  budget.characters -= characters;
  if (budget.characters < 0) throw tooLarge();
}

/** The entries of a plain array or object, without running any of its code: an accessor, a class or a sparse array is refused. */
function readEntries(value: unknown, maxEntries = MAX_VALUE_BYTES): readonly Entry[] {
  const entries = tryReadEntries(value, maxEntries);
  if (entries === "too many") throw tooLarge();
  if (entries === "not plain") throw notJson();
  return entries;
}

type Entry = readonly [key: string, value: unknown];

/** Returns the problem instead of throwing: an error thrown here comes from a Proxy, and could repeat the value. */
function tryReadEntries(value: unknown, maxEntries: number): readonly Entry[] | "not plain" | "too many" {
  try {
    if (typeof value !== "object" || value === null || hasIndexedContent(value)) return "not plain";
    const isList = Array.isArray(value);
    const prototype = Object.getPrototypeOf(value);
    if (isList ? prototype !== Array.prototype : prototype !== Object.prototype && prototype !== null)
      return "not plain";
    if (isList && value.length > maxEntries) return "too many";
    // The last key of an array is `length`, and all others must be its indexes.
    const keys = isList ? Reflect.ownKeys(value).slice(0, -1) : Reflect.ownKeys(value);
    if (isList && keys.length !== value.length) return "not plain";
    if (keys.length > maxEntries) return "too many";
    const entries: Entry[] = [];
    for (const [index, key] of keys.entries()) {
      const property = Object.getOwnPropertyDescriptor(value, key);
      if (typeof key !== "string" || !property?.enumerable || !("value" in property)) return "not plain";
      if (isList && key !== String(index)) return "not plain";
      entries.push([key, property.value]);
    }
    return entries;
  } catch {
    return "not plain";
  }
}

/** Whether each character or byte is a key, which would make a list of all keys huge. */
function hasIndexedContent(value: object): boolean {
  if (ArrayBuffer.isView(value)) return true;
  try {
    String.prototype.valueOf.call(value);
    return true;
  } catch {
    return false;
  }
}

function refuseProxies(value: object): void {
  try {
    structuredClone(value);
  } catch {
    throw notJson();
  }
}

function tooLarge(): EarshotError {
  return invalid(`The value is too large: at most ${MAX_VALUE_BYTES} bytes of JSON are remembered.`);
}

function notJson(): EarshotError {
  return invalid("The value must be plain JSON: text, numbers, true or false, lists and objects.");
}

function invalid(message: string): EarshotError {
  return new EarshotError("invalid", message);
}
