import { escapeMarkdown } from "../text/escape-markdown.ts";
import { toRelativeTime } from "../text/relative-time.ts";
import type { Language } from "./languages/language-words.ts";
import type { Extract } from "./pick-extracts.ts";

const MAX_ANSWER_LENGTH = 1_100;
const MAX_QUOTE_LENGTH = 200;
const MAX_NAME_LENGTH = 40;
const MAX_TOPIC_LENGTH = 80;

export interface ComposeContext {
  readonly language: Language;
  readonly now: number;
  readonly zone: string;
}

type ShownExtract = Omit<Extract, "evidence"> & { readonly evidence: Pick<Extract["evidence"], "message" | "place"> };

/** One line to a quotation, with who said it, where and when. The value that was asked for leads. */
export function composeExtract(
  { evidence, sentence, value, isEarlier }: ShownExtract,
  handle: string,
  context: ComposeContext & { readonly showsValue: boolean },
): string {
  const { message, place } = evidence;
  const { says } = context.language;
  const where = place === null ? says.inDirectMessages : says.inPlace(escapeName(place));
  const isLead = context.showsValue && !isEarlier && value !== null;
  const isAuthor = value === message.author.name;
  const author = escapeName(message.author.name);
  const when = toRelativeTime(message.ts, context.now, context.language.code);
  const source = `${isLead && isAuthor ? `**${author}**` : author} ${where}, ${when}`;
  const lead = isEarlier ? `${says.earlier}, ` : isLead && !isAuthor ? `**${escapeName(value)}** · ` : "";
  return `${lead}${source}: ${quote(sentence)} [${handle}]`;
}

/** What somebody wrote, on one line that nothing in it can end, format or forge. */
export function quote(words: string, maxLength = MAX_QUOTE_LENGTH): string {
  return `“${escapeMarkdown(words.replaceAll(/[“”„"]/gu, "'"), maxLength)}”`;
}

export function escapeName(name: string): string {
  return escapeMarkdown(name, MAX_NAME_LENGTH);
}

/** What the actor looked for, repeated in our sentence. */
export function escapeTopic(topic: string): string {
  return escapeMarkdown(topic.replaceAll(/['“”"]/gu, "’"), MAX_TOPIC_LENGTH);
}

export interface Reach {
  readonly scanned: number | null;
  readonly from: string | null;
  readonly isPartial: boolean;
  /** The tool's note that others see the answer. */
  readonly isShared: boolean;
}

/** How far was looked, in small print. */
export function composeReach(
  { scanned, from, isPartial, isShared }: Reach,
  { language, zone }: ComposeContext,
): string {
  const { says, code } = language;
  const count = scanned === null ? null : new Intl.NumberFormat(code).format(scanned);
  const since =
    from === null
      ? null
      : new Intl.DateTimeFormat(code, { dateStyle: "medium", timeZone: zone }).format(Date.parse(from));
  const parts = [
    ...(count === null ? [] : [says.lookedAt(count, since)]),
    ...(isPartial ? [says.notEverything] : []),
    says.noModelAsked,
  ];
  const line = parts.join(" · ");
  const stop = /\p{sc=Hiragana}$/u.test(line) ? "。" : ". ";
  return `-# ${line.charAt(0).toUpperCase()}${line.slice(1)}${stop}${isShared ? says.onlyHere : ""}`.trim();
}

/** As many lines as there is room for, and the small print at the end. */
export function composeAnswer(
  heading: string | null,
  lines: readonly string[],
  small: string,
): { text: string; shown: number } {
  const fixed = (heading?.length ?? -1) + 1 + small.length;
  let length = fixed;
  const kept: string[] = [];
  for (const line of lines) {
    if (length + line.length + 1 > MAX_ANSWER_LENGTH && kept.length > 0) break;
    kept.push(line);
    length += line.length + 1;
  }
  return {
    text: [...(heading === null ? [] : [heading]), ...kept, small].filter((line) => line !== "").join("\n"),
    shown: kept.length,
  };
}
