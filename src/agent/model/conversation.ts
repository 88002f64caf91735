import { estimateTokens } from "../../domain/text/tokens.ts";
import type { ChatPicture, ChatTurn, Step, ToolRequest } from "../../ports/chat-model.ts";
import { PICTURE_TOKENS } from "./context-budget.ts";

/** Tokens that servers add around each turn. */
const TURN_TOKENS = 8;
const LEFT_OUT = "(Left out for lack of room. Call the tool again if you need it.)";
const MORE = "(The rest was left out for lack of room.)";

export interface FirstTurn {
  /** Facts and messages, the most dispensable first. */
  readonly context: readonly string[];
  readonly question: string;
  readonly pictures: readonly ChatPicture[];
}

/** The turns of one answer, kept within the model's context. */
export class Conversation {
  #first: FirstTurn;
  readonly #later: ChatTurn[] = [];

  constructor(first: FirstTurn) {
    this.#first = first;
  }

  get turns(): readonly ChatTurn[] {
    const { context, question, pictures } = this.#first;
    // One turn, because some servers reject consecutive turns of the same role.
    const text = [...context, question].join("\n\n");
    return [{ role: "user", text, ...(pictures.length > 0 && { pictures }) }, ...this.#later];
  }

  get tokens(): number {
    return this.turns.reduce((sum, turn) => sum + turnTokens(turn), 0);
  }

  get hasPictures(): boolean {
    return this.#first.pictures.length > 0;
  }

  addStep({ text, calls }: Pick<Step, "text" | "calls">): void {
    this.#later.push({ role: "assistant", text, calls });
  }

  addResult({ id: callId, tool }: ToolRequest, text: string): void {
    this.#later.push({ role: "tool", callId, tool, text });
  }

  leaveOutPictures(): void {
    this.#first = { ...this.#first, pictures: [] };
  }

  /**
   * Drops the least useful parts until the rest fits: old results that the model has not referred to since, then other results, then the
   * initial context. False if it still does not fit.
   */
  fit(maxTokens: number): boolean {
    for (const isDispensable of [(index: number) => !this.#isReferredTo(index), () => true])
      for (const [index, turn] of this.#later.entries()) {
        if (this.tokens <= maxTokens) return true;
        if (turn.role === "tool" && this.#isOld(index) && isDispensable(index))
          this.#later[index] = { ...turn, text: LEFT_OUT };
      }
    while (this.tokens > maxTokens && this.#first.context.length > 0)
      this.#first = { ...this.#first, context: this.#first.context.slice(1) };
    return this.tokens <= maxTokens;
  }

  /** The results of the last step have not been used yet. */
  #isOld(index: number): boolean {
    return this.#later.findLastIndex(({ role }) => role === "assistant") > index;
  }

  #isReferredTo(index: number): boolean {
    const turn = this.#later[index];
    if (turn?.role !== "tool") return false;
    const handles = new Set(handlesIn(turn.text));
    return this.#later
      .slice(index + 1)
      .some((later) => later.role === "assistant" && handlesIn(wordsOf(later)).some((handle) => handles.has(handle)));
  }
}

function wordsOf({ text, calls }: Extract<ChatTurn, { role: "assistant" }>): string {
  return `${text} ${calls.map(({ args }) => JSON.stringify(args) ?? "").join(" ")}`;
}

function handlesIn(text: string): string[] {
  return text.match(/\b[mfp]\d{1,6}\b/g) ?? [];
}

function turnTokens(turn: ChatTurn): number {
  if (turn.role === "assistant") return estimateTokens(wordsOf(turn)) + TURN_TOKENS * (turn.calls.length + 1);
  const pictures = turn.role === "user" ? (turn.pictures?.length ?? 0) : 0;
  return estimateTokens(turn.text) + TURN_TOKENS + pictures * PICTURE_TOKENS;
}

/** Cuts whole lines at the end. Keeps the closing line of a block: without it, later text would seem to belong to the block. */
export function cutResult(text: string, maxTokens: number): string {
  if (estimateTokens(text) <= maxTokens) return text;
  const lines = text.split("\n");
  const end = lines.findLastIndex((line) => line.startsWith("⟦end"));
  const closing = end === -1 ? [] : lines.slice(end, end + 1);
  let room = maxTokens - estimateTokens([MORE, ...closing].join("\n"));
  const kept: string[] = [];
  for (const line of end === -1 ? lines : lines.slice(0, end)) {
    room -= estimateTokens(line) + 1;
    if (room < 0) break;
    kept.push(line);
  }
  return [...kept, ...closing, MORE].join("\n");
}

export function cutWords(text: string, maxTokens: number): string {
  if (estimateTokens(text) <= maxTokens) return text;
  const words = text.match(/\S+\s*|\s+/gu) ?? [];
  let room = maxTokens;
  let length = 0;
  for (const word of words) {
    room -= estimateTokens(word);
    if (room < 0) break;
    length += word.length;
  }
  // A text without spaces is cut by characters: none takes more than four tokens.
  return text.slice(0, Math.max(length, Math.floor(maxTokens / 4)));
}
