import type { UserId } from "../ids.ts";
import { type Message, typedText } from "../message.ts";
import { type DisplayNames, YOU } from "../names/resolve-name.ts";
import { attachedTexts, type LabelledText, messagePieces } from "../text/message-pieces.ts";
import { type MentionNames, replaceMentions } from "../text/replace-mentions.ts";
import { renderPieces } from "../text/untrusted-block.ts";

/** How authors and texts are written in one window. */
export interface MessageFormat {
  /** `you` for the actor; the agent has its own name. */
  nameOf(message: Message): string;
  /** `(m7) ` if lines are to be cited, otherwise empty. */
  handleOf(message: Message): string;
  /** Escaped, on one line, long texts shortened. Text that the author did not type is in brackets. */
  textOf(message: Message): string;
  /** The complete typed text, not escaped. Mentions stay tokens, except of the agent: names are text that others chose. */
  typedBy(message: Message): string;
  /** The mentions in the typed text: each token with its name. */
  mentionedBy(message: Message): readonly string[];
  /** All other text in the message, complete, with names for mentions, not escaped. */
  attachedTo(message: Message): readonly LabelledText[];
}

export interface MessageFormatRequest {
  readonly actor: UserId;
  readonly agent: { readonly id: UserId; readonly name: string };
  readonly displayNames: DisplayNames;
  /** Names that the readers of the answer may know. */
  readonly names: MentionNames;
  /** See `renderBlock`. */
  readonly nonce: string;
  /** The handle by which a message is cited; absent if lines have none. */
  handle?(message: Message): string;
}

export function createMessageFormat(request: MessageFormatRequest): MessageFormat {
  const { actor, agent, displayNames, names, nonce } = request;
  const isAgent = (id: string) => id === agent.id;
  const onlyAgent: MentionNames = {
    user: (id) => (isAgent(id) ? agent.name : undefined),
    channel: () => undefined,
    role: () => undefined,
  };
  return {
    nameOf: ({ author }) => (author.id === actor ? YOU : displayNames.of(author)),
    handleOf: (message) => (request.handle ? `(${request.handle(message)}) ` : ""),
    textOf: (message) => renderPieces(messagePieces(message, names), nonce),
    typedBy: (message) => replaceMentions(typedText(message), onlyAgent),
    mentionedBy(message) {
      const tokens = new Set(typedText(message).match(/<(?:@[!&]?|#)\d{1,20}>/g));
      return [...tokens].flatMap((token) => {
        const name = replaceMentions(token, names);
        return name === token || isAgent(token.replaceAll(/\D/g, "")) ? [] : [`${token} is ${name}`];
      });
    },
    attachedTo: (message) => attachedTexts(message, names),
  };
}
