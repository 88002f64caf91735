import { type Message, type MessagePart, typedText } from "../message.ts";
import { type MentionNames, replaceMentions } from "./replace-mentions.ts";
import type { LinePiece } from "./untrusted-block.ts";

const MAX_BRACKETS = 8;

type Words = Pick<Message, "parts" | "attachments" | "author">;

/** The text the author typed, then everything else in the message, each in brackets with a label. Mentions become names where known. */
export function messagePieces(message: Words, names: MentionNames | null): LinePiece[] {
  const typed = typedText(message);
  const brackets = [...attachedTexts(message, names), ...fileNames(message)];
  const own = typed === "" && brackets.length > 0 ? [] : [{ words: withNames(typed, names) }];
  const more = brackets.length - MAX_BRACKETS;
  const rest = more > 0 ? [{ bracketed: `${more} more` }] : [];
  return [...own, ...brackets.slice(0, MAX_BRACKETS), ...rest].flatMap((piece, index) =>
    index === 0 ? [piece] : [" ", piece],
  );
}

/** A text in a message that its author did not type, and Earshot's label for it. */
export interface LabelledText {
  readonly label: string;
  readonly text: string;
}

/** All text in a message that its author did not type: previews, forwards, polls, stickers. */
export function attachedTexts({ parts, author }: Words, names: MentionNames | null): LabelledText[] {
  return parts
    .filter(({ kind }) => kind !== "typed")
    .map((part) => ({ label: labelOf(part, author), text: withNames(bodyOf(part), names) }));
}

export function fileNames({ attachments }: Words): LabelledText[] {
  return attachments.map(({ filename }) => ({ label: "file", text: filename }));
}

/** A person cannot write an embed: Discord makes it from a link. */
function labelOf({ kind }: MessagePart, { bot }: { readonly bot: boolean }): string {
  if (kind === "embed") return bot ? "embed" : "link preview";
  return kind === "forward" ? "forwarded" : kind;
}

/** The text without a prefix that repeats the label. */
function bodyOf({ kind, text }: MessagePart): string {
  if (kind === "sticker") return text.replace(/^\[sticker: ([\s\S]*)\]$/, "$1");
  return kind === "poll" ? text.replace(/^Poll: /, "") : text;
}

function withNames(text: string, names: MentionNames | null): string {
  return names ? replaceMentions(text, names) : text;
}
