import { type ComposeContext, composeAnswer, composeReach, type Reach } from "../../domain/answer/compose.ts";
import { tidyQuestion } from "../../domain/answer/question-text.ts";
import { type Slots, toSlots } from "../../domain/answer/slots.ts";
import type { Message } from "../../domain/message.ts";
import type { Language } from "../../language/language.ts";
import { detectLanguage } from "../../language/languages.ts";
import type { FactOutput, ProfileOutput } from "../../tools/fact-fields.ts";
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

/** What the question that follows can refer to. */
export function turnOf(
  { text, language }: Asked,
  call: Pick<Turn, "tool" | "args"> &
    Partial<Pick<Turn, "people" | "cursor">> & { readonly shown?: readonly Message[] },
): Turn {
  const shown = (call.shown ?? []).map(toShown);
  return { question: text, language: language.code, people: [], cursor: null, ...call, shown };
}

/** Nothing was searched. */
export const NO_REACH: Reach = { scanned: null, from: null, isPartial: false, isShared: false };

type TextAnswer = Extract<AgentAnswer, { kind: "text" }>;

/** An answer that rests on nothing. */
export function plainAnswer(text: string, more: Partial<Pick<TextAnswer, "turn" | "choices">> = {}): TextAnswer {
  return { kind: "text", text, sources: new Map(), turn: null, isOwnWords: true, voice: "none", ...more };
}

/** Numbers what an answer rests on. */
export class Citations {
  readonly #sources = new Map<string, Citable>();
  readonly #byMessage = new Map<string, string>();
  #facts = 0;
  #passages = 0;

  message(message: Message, role: SourceRole = "passage"): string {
    const known = this.#byMessage.get(message.message_id);
    if (known) return known;
    const handle = `m${this.#byMessage.size + 1}`;
    this.#byMessage.set(message.message_id, handle);
    this.#sources.set(handle, { kind: "message", message, role });
    return handle;
  }

  fact({ fact_id, about, rests_on }: FactOutput): string {
    return this.#add({ kind: "fact", links: rests_on.links, factId: fact_id, subjectId: about.user_id });
  }

  profile({ profile_ref: factId, user_id: subjectId }: ProfileOutput): string {
    return this.#add({ kind: "fact", links: [], factId, subjectId });
  }

  #add(fact: Extract<Citable, { kind: "fact" }>): string {
    this.#facts += 1;
    const handle = `f${this.#facts}`;
    this.#sources.set(handle, fact);
    return handle;
  }

  passage(passage: PassageOutput): string {
    this.#passages += 1;
    const handle = `p${this.#passages}`;
    const where = describePassage(passage);
    this.#sources.set(handle, { kind: "passage", passageRef: passage.passage_id, where });
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

export interface Lines {
  readonly heading?: string | null;
  readonly lines: readonly string[];
  readonly reach: Reach;
  readonly citations: Citations;
  readonly turn: Turn | null;
}

export function linesAnswer({ heading = null, lines, reach, citations, turn }: Lines, asked: Asked): TextAnswer {
  const { text } = composeAnswer(heading, lines, composeReach(reach, asked));
  return { kind: "text", text, sources: citations.sourcesOf(text), turn, needsNoSource: true, voice: "sure" };
}
