import type { Message } from "../domain/message.ts";
import type { CitedFact } from "../ports/answer-store.ts";
import type { Source } from "./answerer.ts";

/** How a citation is shown: as a link that people press in Discord, or as a number whose link stands elsewhere. */
export type CitationStyle = "links" | "numbers";

export interface CitedText {
  readonly text: string;
  /** The messages that are cited, in the order of their numbers. */
  readonly cited: readonly Message[];
  /** The facts that are cited. */
  readonly facts: readonly CitedFact[];
  /** Citations that stood for nothing that was read. */
  readonly unknown: number;
}

/** `[m7]`, `[m7, f2]`, `【m7】`. An escaped one is a quotation of somebody's. */
const CITATION = /\s*(?<!\\)(?:\[|【)\s*([mf]\d{1,6}(?:\s*[,;]\s*[mf]\d{1,6})*)\s*(?:\]|】)(?!\()/g;

const UNCITED = "Without a source: ";

/**
 * Turns citations into links. What stands for nothing that was read is removed; an answer that rests on something and cites none of it says so.
 */
export function resolveCitations(
  text: string,
  sources: ReadonlyMap<string, Source>,
  style: CitationStyle = "links",
): CitedText {
  const numbers = new Map<string, number>();
  const cited: Message[] = [];
  const facts = new Map<string, CitedFact>();
  let unknown = 0;
  let isCited = false;

  const toNumber = (link: string, message: Message | null): string => {
    const known = numbers.get(link);
    const number = known ?? numbers.size + 1;
    if (known === undefined) {
      numbers.set(link, number);
      if (message) cited.push(message);
    }
    return style === "links" ? `[${number}](<${link}>)` : String(number);
  };
  const toMarks = (handle: string): string[] => {
    const source = sources.get(handle);
    if (!source) {
      unknown += 1;
      return [];
    }
    isCited = true;
    if (source.kind === "message") return [toNumber(source.message.link, source.message)];
    const { factId, subjectId } = source;
    facts.set(factId, { factId, subjectId });
    return source.links.map((link) => toNumber(link, null));
  };

  const linked = text.replaceAll(CITATION, (_, handles: string) => {
    const marks = [...new Set(handles.split(/\s*[,;]\s*/).flatMap(toMarks))];
    if (marks.length === 0) return "";
    // Not in brackets: clients disagree about where a link ends that several of them follow.
    return style === "links" ? ` ${marks.join(" ")}` : ` [${marks.join(", ")}]`;
  });
  const isUncited = !isCited && (sources.size > 0 || unknown > 0);
  return { text: isUncited ? UNCITED + linked : linked, cited, facts: [...facts.values()], unknown };
}
