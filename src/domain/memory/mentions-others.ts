import type { UserId } from "../ids.ts";
import type { FactInput, JsonValue } from "./fact-input.ts";

/** Discord's links and tokens whose ids name channels, messages, emoji or commands, never a person. */
const NO_PERSON = [
  String.raw`<#\d{1,20}>`,
  String.raw`<a?:\w{1,40}:\d{1,20}>`,
  String.raw`</[^:>\n]{1,100}:\d{1,20}>`,
  String.raw`discord(?:app)?\.com/channels/(?:@me|\d{1,20})(?:/\d{1,20}){0,2}`,
  String.raw`(?:cdn\.discordapp\.com|media\.discordapp\.net)/(?:attachments/\d{1,20}/\d{1,20}|emojis/\d{1,20}|stickers/\d{1,20}|icons/\d{1,20})`,
].join("|");

/** An id only counts as a whole word: `order-123456789012345678x` names nobody. */
const MENTION = new RegExp(
  [
    `(?<noPerson>${NO_PERSON})`,
    String.raw`<@!?(?<mentioned>\d{1,20})>`,
    String.raw`(?<many><@&\d{1,20}>|@(?:everyone|here)(?![\p{L}\p{N}_]|\.[\p{L}\p{N}]))`,
    String.raw`(?<![\p{L}\p{N}_])(?<bare>\d{17,20})(?![\p{L}\p{N}_])`,
  ].join("|"),
  "giu",
);

/**
 * Whether a fact names a member other than its subject: by a mention, a mention of a role or of everybody, or an id. Such a fact can only be
 * private. Names in plain words are not recognised.
 */
export function mentionsOthers({ name, value }: FactInput, subjectId: UserId): boolean {
  return [name, ...textsOf(value)].some((text) => {
    // Look-alike digits and invisible characters would hide a mention that a reader or a model still understands.
    const plain = text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
    return [...plain.matchAll(MENTION)].some(({ groups = {} }) => {
      if (groups["noPerson"] !== undefined) return false;
      return groups["many"] !== undefined || (groups["mentioned"] ?? groups["bare"]) !== subjectId;
    });
  });
}

/** Every text in a value: strings, keys of objects, and numbers as they are written. */
function textsOf(value: JsonValue): string[] {
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.entries(value).flatMap(([key, one]) => [key, ...textsOf(one)]);
}
