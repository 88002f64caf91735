import { type Message, typedText } from "../message.ts";
import { listStatedFacts } from "./stated-fact.ts";

/**
 * Whether a fact repeats, word for word, a person's typed text in a message: its name and its value both occur there as whole words, or the name follows from
 * the form of the statement. A name can say as much as a value. Quoted lines, previews and forwards are not typed text.
 */
export function areOwnWords(
  { name, value }: { readonly name: string; readonly value: unknown },
  message: Pick<Message, "parts">,
): boolean {
  // A value of only spaces or punctuation occurs in nearly every text.
  if (typeof value !== "string" || !/[\p{L}\p{N}\p{S}]/u.test(value)) return false;
  const typed = withoutQuotes(typedText(message)).normalize("NFC");
  const [wholeName, wholeValue] = [name.normalize("NFC").toLowerCase(), value.normalize("NFC")];
  if (hasWords(typed, wholeValue) && hasWords(typed.toLowerCase(), wholeName)) return true;
  return listStatedFacts(typed).some((stated) => stated.key === wholeName && stated.value === wholeValue);
}

const QUOTE = /^(?:[\s\p{Cf}]|[-*+]\s|\d+\.\s)*>/u;
/** Replaces a quotation, so that the words before and after it are not adjacent. No fact can contain it. */
const CUT = "\0";

/** `> ` quotes one line, `>>> ` everything after it, even behind invisible characters or a list marker. */
function withoutQuotes(text: string): string {
  const kept: string[] = [];
  for (const line of text.split(/[\n\r\u2028\u2029]/)) {
    const quote = QUOTE.exec(line)?.[0];
    if (quote !== undefined && line.startsWith(">>", quote.length)) break;
    kept.push(quote === undefined ? line : CUT);
  }
  return kept.join("\n");
}

function hasWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    if (!isWithinWord(text, at) && !isWithinWord(text, end)) return true;
  }
  return false;
}

const IN_WORD = /^[\p{L}\p{N}\p{M}_]$/u;

/** Whether this position is inside a word. Neither neighbour is half a surrogate pair, because the searched text is well-formed. */
function isWithinWord(text: string, at: number): boolean {
  const isPair = at >= 2 && (text.codePointAt(at - 2) ?? 0) > 0xffff;
  return IN_WORD.test(text.slice(isPair ? at - 2 : at - 1, at)) && IN_WORD.test(toCharacter(text.codePointAt(at)));
}

function toCharacter(code: number | undefined): string {
  return code === undefined ? "" : String.fromCodePoint(code);
}
