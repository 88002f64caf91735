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

/** How a citation is shown: as a link that people press in Discord, or as a number whose link stands elsewhere. */
export type CitationStyle = "links" | "numbers";

export interface CitedText {
  readonly text: string;
  /** The messages that are cited, in the order of their numbers. */
  readonly cited: readonly Message[];
  /** Those of them that only make others understandable. */
  readonly context: ReadonlySet<MessageId>;
  /** The facts that are cited. */
  readonly facts: readonly CitedFact[];
  /** The passages of documents that are cited. */
  readonly passages: readonly CitedPassage[];
  /** Citations that stood for nothing that was read. */
  readonly unknown: number;
  /** It cites nothing. */
  readonly isUncited: boolean;
}

/**
 * `[m7]`, `[m7, f2]`, `【p1】`. An escaped one is a quotation of somebody's. White space before it is looked at from its first character only:
 * otherwise a long run of it would take the square of its length.
 */
const CITATION = /(?<!\s)\s*(?<!\\)(?:\[|【)\s*([mfp]\d{1,6}(?:\s*[,;]\s*[mfp]\d{1,6})*)\s*(?:\]|】)(?!\()/g;

const SEPARATOR = /\s*[,;]\s*/;

const MAX_PLACE_LENGTH = 200;
const UNCITED = "Without a source: ";

/** How the text of an answer is shown. */
interface CitationOptions {
  readonly style?: CitationStyle;
  /** That it cites nothing need not be said. */
  readonly needsNoSource?: boolean;
}

/** Turns citations into links. What stands for nothing that was read is removed; an answer that cites nothing says so first. */
export function resolveCitations(
  text: string,
  sources: ReadonlyMap<string, Citable>,
  { style = "links", needsNoSource = false }: CitationOptions = {},
): CitedText {
  const linked = linkCitations(text, sources, style);
  const isUncited = linked.isUncited && !needsNoSource;
  return { ...linked, isUncited, text: isUncited ? UNCITED + linked.text : linked.text };
}

/** Up to the first citation that stands for nothing that was read: it would get a number later that now belongs to another. */
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

/** What an answer that is posted within an operation follows. */
export function toFollowed(
  operation: Operation,
  spoken: Pick<CitedText, "text" | "cited" | "facts" | "passages">,
): StoredSource[] {
  return listFollowed(operation, spoken.text, toAnswerSources(spoken));
}

/** Without a word on missing citations. The numbers of a text stay the same when more text follows. */
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

  // There is no link to a document: it is said where the passage stands.
  const placeOf = (handle: string): string[] => {
    const source = sources.get(handle);
    return source?.kind === "passage" ? [` (${escapeMarkdown(source.where, MAX_PLACE_LENGTH)})`] : [];
  };

  const linked = text.replaceAll(CITATION, (_, list: string) => {
    const handles = list.split(SEPARATOR);
    const marks = [...new Set(handles.flatMap(toMarks))];
    const places = [...new Set(handles.flatMap(placeOf))].join("");
    if (marks.length === 0) return places;
    // Not in brackets: clients disagree about where a link ends that several of them follow.
    return (style === "links" ? ` ${marks.join(" ")}` : ` [${marks.join(", ")}]`) + places;
  });
  const found = { cited, context, facts: [...facts.values()], passages: [...passages.values()] };
  return { text: linked, ...found, unknown, isUncited: !isCited };
}
