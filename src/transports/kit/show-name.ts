import { singleLine } from "../../domain/text/escape.ts";
import { spellOutHidden } from "./spell-out-hidden.ts";

const MAX_NAME_LENGTH = 60;

/** A self-chosen name, on one line without hidden characters. */
export function showName(name: string): string {
  const { text } = spellOutHidden(singleLine(name.slice(0, 4 * MAX_NAME_LENGTH)));
  return text.length > MAX_NAME_LENGTH ? `${text.slice(0, MAX_NAME_LENGTH)}…` : text;
}
