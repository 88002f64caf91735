import type { Message } from "../domain/message.ts";

/** Of a message without text: its row, its id, its place among those that can be found. */
const ROW_BYTES = 128;
/** Of each part by which a text can be found: three neighbouring letters, say. */
const PART_BYTES = 8;
/** From here on a single character can be searched for, takes three bytes, and begins three parts that are mostly rare. */
const FIRST_WIDE = 0x2e80;
const WIDE_BYTES = 33;
/** Ordinary prose takes three quarters of this in blocks of words. */
const WORDS_BYTES = 48;
const WORD_BYTES_PER_CHARACTER = 2;

/**
 * Roughly the memory that a message takes in the index, with a reserve for what is deleted but not cleared away yet. Ordinary prose takes
 * about five bytes a character, random letters nine, Chinese and Japanese over twenty.
 */
export function weighMessage({ content, author, attachments }: Message): number {
  const files = attachments.length > 0 ? JSON.stringify(attachments).length : 0;
  return ROW_BYTES + weighText(content) + author.name.length + files;
}

/** What a message takes with its words, once they are prepared for search. Of both, whether they are or not: what others have searched must not show. */
export function weighHeld(message: Message): number {
  return weighMessage(message) + WORDS_BYTES + WORD_BYTES_PER_CHARACTER * message.content.length;
}

/** An upper bound for the parts that `toGrams` finds, without building them. */
function weighText(text: string): number {
  let bytes = 0;
  /** Characters since the last space. */
  let run = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    run = code > 0x20 && code !== 0x7f ? run + 1 : 0;
    if (code >= FIRST_WIDE) bytes += WIDE_BYTES;
    else bytes += 1 + (run > 2 ? PART_BYTES : 0);
  }
  return bytes;
}
