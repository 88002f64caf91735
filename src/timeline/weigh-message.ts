import type { Message } from "../domain/message.ts";

/** The cost of a message without text: its row and its ids. */
const ROW_BYTES = 128;
/** Pages of the index are not full: history is read backwards, and each page of it is inserted before the one that was read last. */
const PAGE_RESERVE = 1.75;
/** A row that is longer takes a page of its own. */
const MAX_SHARED_BYTES = 3_800;
const PAGE_BYTES = 16_384;
/** Ordinary prose takes three quarters of this in blocks of words. */
const WORDS_BYTES = 48;
const WORD_BYTES_PER_CHARACTER = 2;

/** Roughly the memory that a message takes in the index, with a reserve for pages that are not full. */
export function weighMessage({ content, author, attachments }: Message): number {
  const files = attachments.length > 0 ? JSON.stringify(attachments).length : 0;
  const bytes = Buffer.byteLength(content) + Buffer.byteLength(author.name) + files;
  return ROW_BYTES + Math.ceil(PAGE_RESERVE * bytes) + (bytes > MAX_SHARED_BYTES ? PAGE_BYTES : 0);
}

/** The weight of a message with its words, prepared for search. Both are counted whether they are prepared or not: other people's searches must not show. */
export function weighHeld(message: Message): number {
  return weighMessage(message) + WORDS_BYTES + WORD_BYTES_PER_CHARACTER * message.content.length;
}
