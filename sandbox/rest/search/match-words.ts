import { walkComponents } from "../../render/components.ts";
import type { MessageRecord } from "../../world/records.ts";

/** Words as the index knows them: lower case, without accents, common English endings cut off. */
export function toWords(text: string): string[] {
  const plain = text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return (plain.match(/[\p{L}\p{N}_]+/gu) ?? []).map(stem);
}

/** The relevance of a text: 0 if a word is missing, higher the closer the words are to each other. */
export function scoreWords(
  message: MessageRecord,
  { words, slop }: { readonly words: readonly string[]; readonly slop: number },
): number {
  const whole = searchableText(message);
  if (isPlain(whole) && words.every(isPlain) && !containsAll(whole.toLowerCase(), words)) return 0;
  const text = toWords(whole);
  const positions = new Map<string, number[]>();
  for (const [index, word] of text.entries()) {
    const known = positions.get(word);
    if (known) known.push(index);
    else positions.set(word, [index]);
  }
  if (!words.every((word) => positions.has(word))) return 0;
  const gap = narrowestGap(words.map((word) => positions.get(word) ?? []));
  return gap <= slop ? 2 : 1 / (1 + gap);
}

/** Fast path for a text without accents: if a stem does not occur in it, the text need not be split into words. */
function containsAll(text: string, stems: readonly string[]): boolean {
  return stems.every((one) => text.includes(one));
}

function isPlain(text: string): boolean {
  return !/[^ -~\s]/.test(text);
}

function stem(word: string): string {
  return word.length > 3 ? word.replace(/(?:ing|ed|es|s|e)$/, "") : word;
}

/** The number of words between the searched ones where they are closest. */
function narrowestGap(places: readonly (readonly number[])[]): number {
  let narrowest = Number.POSITIVE_INFINITY;
  for (const start of places[0] ?? []) {
    const nearest = places.map((one) => one.reduce((a, b) => (Math.abs(b - start) < Math.abs(a - start) ? b : a)));
    const width = Math.max(...nearest) - Math.min(...nearest) + 1;
    narrowest = Math.min(narrowest, Math.max(0, width - places.length));
  }
  return narrowest;
}

function searchableText({ content, more }: MessageRecord): string {
  if (!more) return content;
  const parts = [content];
  for (const embed of more.embeds ?? []) {
    parts.push(embed.title ?? "", embed.description ?? "", embed.author?.name ?? "", embed.footer?.text ?? "");
    for (const field of embed.fields ?? []) parts.push(field.name, field.value);
  }
  for (const node of walkComponents(more.components ?? [])) parts.push(String(node["content"] ?? ""));
  for (const snapshot of more.snapshots ?? []) parts.push(snapshot.content);
  if (more.poll) parts.push(more.poll.question, ...more.poll.answers.map(({ text }) => text));
  for (const attachment of more.attachments ?? []) parts.push(attachment.filename);
  return parts.join("\n");
}
