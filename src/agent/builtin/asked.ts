import {
  type ComposeContext,
  composeAnswer,
  composeQuote,
  composeReach,
  type Quoted,
  type Reach,
} from "../../domain/answer/compose.ts";
import { type Slots, tidyQuestion, toSlots } from "../../domain/answer/question-kind.ts";
import type { Message } from "../../domain/message.ts";
import type { Language } from "../../language/language.ts";
import { detectLanguage } from "../../language/languages.ts";
import type { FactOutput, ProfileOutput } from "../../tools/fact-fields.ts";
import { ONLY_HERE } from "../../tools/fields.ts";
import { describePassage, type PassageOutput } from "../../tools/passage-fields.ts";
import type { AgentAnswer, Citable, Question, SourceRole, Toolbox } from "../answerer.ts";
import { type Turn, toShown } from "../turn.ts";

/** A question with everything that was understood of it, on its way to an answer. */
export interface Asked extends ComposeContext {
  readonly question: Question;
  readonly toolbox: Toolbox;
  /** As it is compared with patterns. */
  readonly text: string;
  readonly slots: Slots;
}

export function toAsked(question: Question, toolbox: Toolbox): Asked {
  const language: Language = detectLanguage(question.text, question.languageBefore);
  const text = tidyQuestion(question.text, question.agent, language);
  const [now, zone] = [question.askedAt, question.timeZone];
  return { question, toolbox, text, language, now, zone, slots: toSlots(text, { language, now, zone }) };
}

/** The call that an answer rests on, and what the question that follows can refer to besides. */
export type Call = Pick<Turn, "tool" | "args"> &
  Partial<Pick<Turn, "people">> & { readonly shown?: readonly Message[] };

export function turnOf({ text, language }: Asked, { shown = [], ...call }: Call): Turn {
  return { question: text, language: language.code, people: [], ...call, shown: shown.map(toShown) };
}

/** Nothing was searched. */
export const NO_REACH: Reach = { scanned: null, from: null, isPartial: false, isShared: false };

interface SearchReach {
  readonly coverage: { readonly scanned: number; readonly from: string | null; readonly complete: boolean };
  readonly everything_since: string | null;
  readonly unreachable: boolean;
  readonly still_reading: boolean;
  readonly note: string | null;
}

export function reachOf({ coverage, everything_since, unreachable, still_reading, note }: SearchReach): Reach {
  return {
    scanned: coverage.scanned,
    from: coverage.complete ? coverage.from : everything_since,
    isPartial: unreachable || still_reading,
    isShared: note?.endsWith(ONLY_HERE) ?? false,
  };
}

type TextAnswer = Extract<AgentAnswer, { kind: "text" }>;

/** An answer that rests on nothing. */
export function plainAnswer(text: string, more: Partial<Pick<TextAnswer, "turn" | "choices">> = {}): TextAnswer {
  return { kind: "text", text, sources: new Map(), turn: null, isOwnWords: true, voice: "none", ...more };
}

/** Numbers what an answer rests on. */
export class Citations {
  readonly #sources = new Map<string, Citable>();
  readonly #handles = new Map<string, string>();

  message(message: Message, role: SourceRole = "passage"): string {
    return this.#cite("m", message.message_id, { kind: "message", message, role });
  }

  fact({ fact_id, about, rests_on }: FactOutput): string {
    return this.#cite("f", fact_id, { kind: "fact", links: rests_on.links, factId: fact_id, subjectId: about.user_id });
  }

  profile({ profile_ref: factId, user_id: subjectId }: ProfileOutput): string {
    return this.#cite("f", factId, { kind: "fact", links: [], factId, subjectId });
  }

  passage(passage: PassageOutput): string {
    const { passage_id: passageRef } = passage;
    return this.#cite("p", passageRef, { kind: "passage", passageRef, where: describePassage(passage) });
  }

  #cite(letter: string, id: string, source: Citable): string {
    const others = [...this.#sources.keys()].filter((handle) => handle.startsWith(letter));
    const handle = this.#handles.get(id) ?? `${letter}${others.length + 1}`;
    this.#handles.set(id, handle);
    if (!this.#sources.has(handle)) this.#sources.set(handle, source);
    return handle;
  }

  /** Those that stand in a text. */
  sourcesOf(text: string): ReadonlyMap<string, Citable> {
    const used = new Set(
      [...text.matchAll(/(?<!\\)\[([mfp]\d+(?:, [mfp]\d+)*)\]/gu)].flatMap(([, list]) => list?.split(", ") ?? []),
    );
    return new Map([...this.#sources].filter(([handle]) => used.has(handle)));
  }
}

interface Lines {
  readonly heading?: string | null;
  readonly lines: readonly string[];
  readonly reach: Reach;
  readonly citations: Citations;
  readonly call: Call;
}

export function linesAnswer({ heading = null, lines, reach, citations, call }: Lines, asked: Asked): TextAnswer {
  const text = composeAnswer(heading, lines, composeReach(reach, asked));
  const turn = turnOf(asked, call);
  return { kind: "text", text, sources: citations.sourcesOf(text), turn, needsNoSource: true, voice: "sure" };
}

interface QuotedMessages {
  readonly quoted: readonly Quoted[];
  readonly reach: Reach;
  readonly call: Call;
  /** Before each. */
  readonly mark?: string;
}

/** Messages as they were said, one a line. */
export function quoteMessages({ quoted, reach, call, mark = "" }: QuotedMessages, asked: Asked): TextAnswer {
  const shown = quoted.map(({ message }) => message);
  if (shown.length === 0) return plainAnswer(asked.language.says.noActivity, { turn: turnOf(asked, call) });
  const citations = new Citations();
  const lines = quoted.map((one) => `${mark}${composeQuote(one, citations.message(one.message), asked)}`);
  return linesAnswer({ lines, reach, citations, call: { shown, ...call } }, asked);
}
