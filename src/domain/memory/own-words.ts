import { type Message, typedText } from "../message.ts";

/**
 * Whether a fact repeats, word for word, what somebody typed in a message: its name and its value both stand there as whole words. A name can say
 * as much as a value. Quoted lines, previews and forwards are not what they typed.
 */
export function areOwnWords(
  { name, value }: { readonly name: string; readonly value: unknown },
  message: Pick<Message, "parts">,
): boolean {
  if (typeof value !== "string") return false;
  const typed = withoutQuotes(typedText(message)).normalize("NFC");
  return hasWords(typed, value.normalize("NFC")) && hasWords(typed.toLowerCase(), name.normalize("NFC").toLowerCase());
}

/** `> ` quotes one line, `>>> ` everything that follows. */
function withoutQuotes(text: string): string {
  const kept: string[] = [];
  for (const line of text.split("\n")) {
    if (/^\s*>>>/.test(line)) break;
    if (!/^\s*>/.test(line)) kept.push(line);
  }
  return kept.join("\n");
}

function hasWords(text: string, words: string): boolean {
  const isInWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}\p{M}_]/u.test(character);
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const before = [...text.slice(0, at)].at(-1);
    const [after] = text.slice(at + words.length);
    const [first, last] = [[...words][0], [...words].at(-1)];
    if (!(isInWord(before) && isInWord(first)) && !(isInWord(last) && isInWord(after))) return true;
  }
  return false;
}
