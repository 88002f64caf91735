import type { UserId } from "../ids.ts";
import type { FactInput, JsonValue } from "./fact-input.ts";

/** Discord's links and tokens whose ids name channels, messages, emoji or commands, never a person. The name of an emoji or command is
 * ordinary text. */
const NO_PERSON = [
  String.raw`<#\d{1,20}>`,
  String.raw`(?<=<a?:\w{1,40}:)\d{1,20}(?=>)`,
  String.raw`(?<=</[^:>\n]{1,100}:)\d{1,20}(?=>)`,
  String.raw`(?:discord(?:app)?\.com/channels/(?:@me|\d{1,20})(?:/\d{1,20}){0,2}|https?://[^\s/<>()]+(?:/[^\s/<>()\d]+){0,3}/channels/(?:@me|\d{1,20})/\d{1,20}/\d{1,20})`,
  String.raw`(?:cdn\.discordapp\.com|media\.discordapp\.net)/(?:attachments/\d{1,20}/\d{1,20}|emojis/\d{1,20}|stickers/\d{1,20}|icons/\d{1,20})`,
].join("|");

/** An id only counts as a whole word: `order-123456789012345678x` names no person. Ids in groups of three or four digits count, too. */
const MENTION = new RegExp(
  [
    `(?<noPerson>${NO_PERSON})`,
    String.raw`<@!?(?<mentioned>\d{1,20})>`,
    String.raw`(?<many><@&\d{1,20}>|@(?:everyone|here)(?![\p{L}\p{N}_]|\.[\p{L}\p{N}]))`,
    String.raw`(?<![\p{L}\p{N}_])(?<bare>\d{17,20})(?![\p{L}\p{N}_])`,
    String.raw`(?<![\p{L}\p{N}_])(?<grouped>\d{1,4}(?<sign>[ .,'’_/-])\d{3,4}(?:\k<sign>\d{3,4}){2,5}(?:\k<sign>\d{1,4})?)(?![\p{L}\p{N}_])`,
  ].join("|"),
  "giu",
);

const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{M}]/gu;
const OTHER_DIGIT = /[\p{Nd}--[0-9]]/gv;

/**
 * Whether a fact names a member other than its subject: by a mention, a mention of a role or of everyone, or an id. Such a fact can only be
 * private. For names in plain words see `findNamedPeople`.
 */
export function mentionsOthers(input: FactInput, subjectId: UserId): boolean {
  return findMentions(input).some((id) => id !== subjectId);
}

/** Whether a fact names this person unambiguously, by a mention or an id. */
export function mentionsPerson(input: FactInput, person: UserId): boolean {
  return findMentions(input).includes(person);
}

/** Every text in a fact: its key, and in its value strings, keys of objects, and numbers as they are written. */
export function textsOf({ name, value }: FactInput): readonly string[] {
  return [name, ...textsIn(value)];
}

/** Ids of people; null for a mention of a role or of everyone. */
function findMentions(input: FactInput): (string | null)[] {
  return textsOf(input).flatMap((text) => {
    // Digits of other scripts, marks on digits and invisible characters would hide a mention that a reader or a model still understands.
    const plain = text.normalize("NFKC").replace(UNSEEN, "").replace(OTHER_DIGIT, toDigit);
    return [...plain.matchAll(MENTION)].flatMap(({ groups = {} }) => {
      if (groups["noPerson"] !== undefined) return [];
      if (groups["grouped"] !== undefined) return joinDigits(groups["grouped"]) ?? [];
      return [groups["mentioned"] ?? groups["bare"] ?? null];
    });
  });
}

/** Null if it has too few or too many digits for an id. */
function joinDigits(grouped: string): string | null {
  const digits = grouped.replace(/\D/g, "");
  return digits.length >= 17 && digits.length <= 20 ? digits : null;
}

/** Unicode has the decimal digits of every script in a row, from zero to nine; two such rows may be adjacent. */
function toDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let count = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - count - 1))) count += 1;
  return String(count % 10);
}

function textsIn(value: JsonValue): string[] {
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.entries(value).flatMap(([key, one]) => [key, ...textsIn(one)]);
}
