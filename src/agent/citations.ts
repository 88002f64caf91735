import type { MessageId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import { escapeMarkdown } from "../domain/text/escape-markdown.ts";
import { listFollowed } from "../policy/followed-sources.ts";
import type { Operation } from "../policy/operation.ts";
import {
  type CitedFact,
  type CitedPassage,
  type StoredSource,
  toFactSource,
  toMessageSource,
  toPassageSource,
} from "../ports/stored-source.ts";
import type { Citable } from "./answerer.ts";

/** Shows a citation as a link, or as a number whose link is elsewhere. */
export type CitationStyle = "links" | "numbers";

export interface CitedText {
  readonly text: string;
  /** The cited messages, ordered by number. */
  readonly cited: readonly Message[];
  /** The cited messages that are only context for others. */
  readonly context: ReadonlySet<MessageId>;
  readonly facts: readonly CitedFact[];
  readonly passages: readonly CitedPassage[];
  /** Number of citations without a source that was read. */
  readonly unknown: number;
  readonly isUncited: boolean;
}

/**
 * `[m7]`, `[m7, f2]`, `【p1】`. An escaped one is part of a quotation. White space before it is matched from its first character only:
 * otherwise a long run of it would take quadratic time.
 */
const CITATION = /(?<!\s)\s*(?<!\\)(?:\[|【)\s*([mfp]\d{1,6}(?:\s*[,;]\s*[mfp]\d{1,6})*)\s*(?:\]|】)(?!\()/g;

const SEPARATOR = /\s*[,;]\s*/;

const MAX_PLACE_LENGTH = 200;
const UNCITED = "Without a source: ";

interface CitationOptions {
  readonly style?: CitationStyle;
  /** Omits the remark that it cites nothing. */
  readonly needsNoSource?: boolean;
}

/** Turns citations into links. Citations without a source that was read are removed; an answer without citations begins with a remark. */
export function resolveCitations(
  text: string,
  sources: ReadonlyMap<string, Citable>,
  { style = "links", needsNoSource = false }: CitationOptions = {},
): CitedText {
  const linked = linkCitations(text, sources, style);
  const isUncited = linked.isUncited && !needsNoSource;
  return { ...linked, isUncited, text: isUncited ? UNCITED + linked.text : linked.text };
}

/** Cuts before the first citation of an unknown source: shown now, later citations would get different numbers in the final text. */
export function beforeUnknownCitation(text: string, sources: ReadonlyMap<string, Citable>): string {
  for (const { 1: handles = "", index } of text.matchAll(CITATION))
    if (!handles.split(SEPARATOR).every((handle) => sources.has(handle))) return text.slice(0, index);
  return text;
}

export function toAnswerSources({
  cited,
  facts,
  passages,
}: Pick<CitedText, "cited" | "facts" | "passages">): StoredSource[] {
  const messages = cited.map(({ message_id: messageId, channel_id: channelId, author }) =>
    toMessageSource({ messageId, channelId }, author.id),
  );
  return [...messages, ...facts.map(toFactSource), ...passages.map(toPassageSource)];
}

/** The sources that a posted answer follows. */
export function toFollowed(
  operation: Operation,
  spoken: Pick<CitedText, "text" | "cited" | "facts" | "passages">,
): StoredSource[] {
  return listFollowed(operation, spoken.text, toAnswerSources(spoken));
}

/** Without a remark on missing citations. The numbers in a text stay the same as the text grows. */
export function linkCitations(
  text: string,
  sources: ReadonlyMap<string, Citable>,
  style: CitationStyle = "links",
): CitedText {
  const numbers = new Map<string, number>();
  const cited: Message[] = [];
  const context = new Set<MessageId>();
  const facts = new Map<string, CitedFact>();
  const passages = new Map<string, CitedPassage>();
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
    if (source.kind === "message") {
      if (source.role === "context") context.add(source.message.message_id);
      return [toNumber(source.message.link, source.message)];
    }
    if (source.kind === "passage") {
      passages.set(source.passageRef, { passageRef: source.passageRef });
      return [];
    }
    const { factId, subjectId } = source;
    facts.set(factId, { factId, subjectId });
    return source.links.map((link) => toNumber(link, null));
  };

  // Documents have no link, so their position is printed.
  const placeOf = (handle: string): string[] => {
    const source = sources.get(handle);
    return source?.kind === "passage" ? [` (${escapeMarkdown(source.where, MAX_PLACE_LENGTH)})`] : [];
  };

  const linked = text.replaceAll(CITATION, (_, list: string) => {
    const handles = list.split(SEPARATOR);
    const marks = [...new Set(handles.flatMap(toMarks))];
    const places = [...new Set(handles.flatMap(placeOf))].join("");
    if (marks.length === 0) return places;
    // Links are not in brackets, because clients disagree about the end of a link before several brackets.
    return (style === "links" ? ` ${marks.join(" ")}` : ` [${marks.join(", ")}]`) + places;
  });
  const found = { cited, context, facts: [...facts.values()], passages: [...passages.values()] };
  return { text: linked, ...found, unknown, isUncited: !isCited };
}
