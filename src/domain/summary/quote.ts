import { graphemesOf, singleLine } from "../text/escape.ts";
import { extractLinksWithTrimmed } from "../text/links.ts";
import { type MentionNames, replaceMentions } from "../text/replace-mentions.ts";

/** Created on first use, because it is slow. */
let segmenter: Intl.Segmenter | null = null;

/** Later text is ignored: it rarely says what the message is about. */
const MAX_TEXT_LENGTH = 2_000;
const QUOTES = /["\u00ab\u00bb\u201a\u201c-\u201f\u2033\u2036\u301d-\u301f\uff02]/g;

/** Plain text on one line: names for mentions, placeholders for code, spoilers and links, no markdown. */
export function toPlainText(content: string, names: MentionNames): string {
  let text = content
    .replaceAll(/```[\s\S]*?(?:```|$)/g, " (code) ")
    .replaceAll(/\|\|[\s\S]*?\|\|/g, "(spoiler)")
    .slice(0, MAX_TEXT_LENGTH)
    .replaceAll(/\[([^\]\n]{0,300})\]\(<?[a-z]{1,20}:[^\s)]*\)/gi, "$1 (link)");
  for (const link of extractLinksWithTrimmed(text).sort((a, b) => b.length - a.length))
    text = text.replaceAll(link, "(link)");
  text = text
    .replaceAll(/<\(link\)>/g, "(link)")
    .replaceAll(/(\*\*|__|~~|`)(?=\S)(.{0,300}?\S)\1/g, "$2")
    .replaceAll(/^(?:>>> |> |#{1,3} |-# )/gm, "");
  return singleLine(replaceMentions(text, names)).replaceAll(/[⏎ ]+/g, " ").trim();
}

/** Splits a text into sentences. A fragment such as "Ok." is joined to the next. */
export function sentencesIn(text: string): string[] {
  const sentences: string[] = [];
  segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  for (const { segment } of segmenter.segment(text)) {
    const last = sentences.at(-1);
    if (last !== undefined && last.length < 12) sentences[sentences.length - 1] = last + segment;
    else sentences.push(segment);
  }
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== "");
}

/** Text in quotation marks that it cannot close. */
export function quote(text: string, maxLength: number): string {
  return `“${cutAtWord(text.replaceAll(QUOTES, "'"), maxLength)}”`;
}

/** Cuts at a space if there is one near the end, otherwise between user-perceived characters. */
export function cutAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = graphemesOf(text).containing(maxLength - 1)?.index ?? maxLength - 1;
  const space = text.lastIndexOf(" ", end);
  return `${text.slice(0, space > maxLength * 0.6 ? space : end).replace(/[\s,;:.–—-]+$/u, "")}…`;
}
