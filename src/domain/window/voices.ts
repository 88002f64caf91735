import type { UserId } from "../ids.ts";
import { type Message, typedText } from "../message.ts";
import { type DisplayNames, YOU } from "../names/display-names.ts";
import { renderPieces } from "../text/line-pieces.ts";
import { attachedTexts, type LabelledText, messagePieces } from "../text/message-pieces.ts";
import { type Names, withNames } from "../text/with-names.ts";

/** How people and their words are written in one window. */
export interface Voices {
  /** `you` for whoever asks; the agent goes by its own name. */
  nameOf(message: Message): string;
  /** In one line, and not much of a long text; what its author did not type stands in brackets. */
  textOf(message: Message): string;
  /** What its author typed, all of it, with names for mentions, but not escaped. */
  typedBy(message: Message): string;
  /** What else can be read in it, all of it, with names for mentions, but not escaped. */
  attachedTo(message: Message): readonly LabelledText[];
}

export interface VoicesRequest {
  readonly actor: UserId;
  readonly displayNames: DisplayNames;
  /** Names that those who read the answer may know. */
  readonly names: Names;
  /** See `renderBlock`. */
  readonly nonce: string;
}

export function createVoices({ actor, displayNames, names, nonce }: VoicesRequest): Voices {
  return {
    nameOf: ({ author }) => (author.id === actor ? YOU : displayNames.of(author)),
    textOf: (message) => renderPieces(messagePieces(message, names), nonce),
    typedBy: (message) => withNames(typedText(message), names),
    attachedTo: (message) => attachedTexts(message, names),
  };
}
