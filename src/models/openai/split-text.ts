interface WrittenCall {
  readonly tool: string;
  readonly args: unknown;
}

/** The text without what the model thought aloud. Text right before a `</think>` that was never opened is thinking, too. */
export function withoutThinking(raw: string): string {
  let text = "";
  let from = 0;
  let isThinking = false;
  for (const { 0: tag, 1: slash, index } of raw.matchAll(/<(\/?)think(?:ing)?>/gi)) {
    if (slash === "") {
      if (!isThinking) text += raw.slice(from, index);
      isThinking = true;
    } else {
      isThinking = false;
      from = index + tag.length;
    }
  }
  return (isThinking ? text : text + raw.slice(from)).trim();
}

/**
 * Some models write a call as JSON text: alone, in a code fence at the end of the text, or in `<tool_call>` tags. It is one only if it names an offered
 * tool and has an object of arguments; all other JSON stays text. `args` is undefined where they cannot be read.
 */
export function separateCalls(
  text: string,
  offered: ReadonlySet<string>,
): { readonly text: string; readonly calls: readonly WrittenCall[] } {
  const calls: WrittenCall[] = [];
  const rest = text.replace(/<tool_call>(.*?)(?:<\/tool_call>|$)/gs, (whole, json: string) => {
    const found = parseCalls(json, offered);
    calls.push(...found);
    return found.length > 0 ? "" : whole;
  });
  if (calls.length > 0) return { text: rest.trim(), calls };
  const start = findPossibleCall(text);
  const json = text.slice(start).replace(/^```\w*|```\s*$/g, "");
  const found = parseCalls(json, offered);
  return found.length > 0 ? { text: text.slice(0, start).trim(), calls: found } : { text, calls: [] };
}

/** The part of an unfinished answer that may be shown: no thinking, no unfinished tag, and no text that may turn out to be a call. */
export function toShownText(raw: string, offered: ReadonlySet<string>): string {
  const text = withoutThinking(raw.replace(/(?:<\/?[a-z_]{0,11}|`{1,3}\w*)$/i, ""));
  return offered.size === 0 ? text : text.slice(0, findPossibleCall(text)).trim();
}

/** The start of text that looks like a call up to the end; the length of the text if there is none. */
function findPossibleCall(text: string): number {
  if (/^\s*(?:\{|\[\s*(?:\{|$))/.test(text)) return 0;
  const tag = text.indexOf("<tool_call>");
  const start = tag === -1 ? text.length : tag;
  const opening = /```(?:json|tool_call)?\s*(?:[{[]|$)/gi;
  for (let fence = opening.exec(text); fence && fence.index < start; fence = opening.exec(text)) {
    // JSON has no line breaks within strings, so that a fence at the beginning or end of a line is no part of it.
    const closing = /\n[ \t]*```|```[ \t]*(?:\n|$)/g;
    closing.lastIndex = fence.index + 3;
    const isLast = closing.exec(text) === null || text.slice(closing.lastIndex).trim() === "";
    if (isLast) return fence.index;
    opening.lastIndex = closing.lastIndex;
  }
  return start;
}

/** The beginning of a call whose arguments cannot be read: cut short, or no JSON. */
const BROKEN_CALL = /^\s*\{\s*"(?:name|tool)"\s*:\s*"([^"]+)"\s*,\s*"(?:arguments|parameters|args|input)"\s*:/;

function parseCalls(json: string, offered: ReadonlySet<string>): readonly WrittenCall[] {
  const value = parseJson(json);
  const broken = value === undefined ? BROKEN_CALL.exec(json)?.[1] : undefined;
  if (broken !== undefined && offered.has(broken)) return [{ tool: broken, args: undefined }];
  const inner = isFields(value) && Array.isArray(value["tool_calls"]) ? value["tool_calls"] : value;
  const calls = (Array.isArray(inner) ? inner : [inner]).map((one) => toCall(one, offered));
  return calls.every((call) => call !== undefined) ? calls : [];
}

const NAME_KEYS = ["name", "tool"];
const ARGUMENT_KEYS = ["arguments", "parameters", "args", "input"];
/** An object with other keys is no call, but tells of one: a list of tools with descriptions, for example. */
const CALL_KEYS = new Set([...NAME_KEYS, ...ARGUMENT_KEYS, "id", "type", "function"]);

function toCall(value: unknown, offered: ReadonlySet<string>): WrittenCall | undefined {
  if (!isFields(value) || !Object.keys(value).every((key) => CALL_KEYS.has(key))) return undefined;
  if (isFields(value["function"])) return toCall(value["function"], offered);
  const name = NAME_KEYS.map((key) => value[key]).find((one) => typeof one === "string");
  const given = ARGUMENT_KEYS.map((key) => value[key]).find((one) => one !== undefined);
  const args = typeof given === "string" ? parseJson(given) : given;
  return typeof name === "string" && offered.has(name) && isFields(args) ? { tool: name, args } : undefined;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
