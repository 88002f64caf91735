import type { MessageId } from "../domain/ids.ts";
import type { Kept } from "../domain/source.ts";
import { repeatsWordsOf } from "../domain/text/quotes.ts";
import { type StoredSource, toMessageSource } from "../ports/stored-source.ts";
import { kindOf } from "../sources/kinds/index.ts";
import { textsOf } from "../sources/kinds/message.ts";
import type { Operation } from "./operation.ts";

/**
 * The sources that an answer follows: the cited ones, and each message of which it repeats eight words in a row. Without citations, all
 * sources. The message that asked, and earlier answers to it, do not count.
 */
export function listFollowed(
  { label, origin, effects }: Pick<Operation, "label" | "origin" | "effects">,
  text: string,
  cited: readonly StoredSource[],
): StoredSource[] {
  const messages = [...label.of("message").values()];
  const read = messages.filter(({ messageId: id }) => id !== origin.messageId && !effects.isAnswer(id));
  if (cited.length === 0) {
    const others = [...label].filter(({ kind }) => kind !== "message");
    return [...read, ...others].flatMap((source) => kindOf(source).cite?.(source) ?? []);
  }
  const repeats = repeatsWordsOf(text);
  const repeated = read.filter((message) => [...textsOf(message), message.added ?? ""].some(repeats));
  return [...new Map([...cited, ...repeated.map(toSource)].map((source) => [source.ref, source])).values()];
}

const MESSAGE_LINK = /\/channels\/(?:@me|\d+)\/\d+\/(\d+)/g;

/** The citations of a client: the messages read that its text links to. */
export function listLinked({ label, origin }: Pick<Operation, "label" | "origin">, text: string): StoredSource[] {
  const ids = new Set([...text.matchAll(MESSAGE_LINK)].map(([, id]) => id as MessageId));
  if (origin.messageId) ids.delete(origin.messageId);
  return [...ids].flatMap((id) => label.of("message").get(id) ?? []).map(toSource);
}

function toSource(message: Kept<"message">): StoredSource {
  return toMessageSource(message, message.authorId);
}
