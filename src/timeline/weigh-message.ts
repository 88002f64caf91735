import type { Message } from "../domain/message.ts";

/** The cost of a message without text: its row and its ids. */
const ROW_BYTES = 128;
/** Pages of the index are not full: history is read backwards, and each page of it is inserted before the previous one. */
const PAGE_RESERVE = 1.75;
/** A longer row takes a separate page. */
const MAX_SHARED_BYTES = 3_800;
const PAGE_BYTES = 16_384;
/** Ordinary prose takes three quarters of this in blocks of words. */
const WORDS_BYTES = 48;
const WORD_BYTES_PER_CHARACTER = 2;

/** Approximate size of a message in the index, with a reserve for pages that are not full. */
export function weighMessage({ content, author, attachments }: Message): number {
  const files = attachments.length > 0 ? JSON.stringify(attachments).length : 0;
  const bytes = Buffer.byteLength(content) + Buffer.byteLength(author.name) + files;
  return ROW_BYTES + Math.ceil(PAGE_RESERVE * bytes) + (bytes > MAX_SHARED_BYTES ? PAGE_BYTES : 0);
}

/** The size of a message with its words, prepared for search. Counted whether prepared or not: other people's searches must not be
 * noticeable. */
export function weighHeld(message: Message): number {
  return weighMessage(message) + WORDS_BYTES + WORD_BYTES_PER_CHARACTER * message.content.length;
}
