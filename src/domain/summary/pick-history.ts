import type { Message } from "../message.ts";
import type { Pacer, Steps } from "../steps/pace.ts";
import { groupConversations } from "./conversations.ts";
import { largestOfEachDay, mostInteresting, pickQuotes, toConversations } from "./describe-conversations.ts";
import { findHighlight } from "./highlights.ts";
import { type SummaryPost, toSummaryPosts } from "./summary-posts.ts";

/** The message that represents a conversation best, and another one of it. */
export interface PickedConversation {
  readonly message: Message;
  readonly around: readonly Message[];
}

/** No text is shown, so mentions stay raw. */
const NAMES = {
  names: { user: () => undefined, channel: () => undefined, role: () => undefined },
  displayNames: { of: ({ name }: { readonly name: string }) => name },
};

/** The largest conversations of each day, those of all days in turn. Each list holds messages of one channel, in any order. */
export function* pickHistory(
  channels: readonly (readonly Message[])[],
  limit: number,
  pacer: Pacer,
): Steps<PickedConversation[]> {
  const groups: SummaryPost[][] = [];
  for (const messages of channels)
    groups.push(...(yield* groupConversations(yield* toSummaryPosts(messages, NAMES, pacer), pacer)));
  const conversations = yield* toConversations(groups, pacer);
  return largestOfEachDay(conversations)
    .flatMap((conversation) => {
      const quotes = pickQuotes(conversation, new Set());
      const told = quotes.filter(({ sentences }) => !sentences.every(({ cues }) => cues.isQuestion));
      const best =
        findHighlight(conversation.posts) ?? mostInteresting(told.length > 0 ? told : quotes, conversation.words);
      const around = quotes.filter((post) => post !== best).map(({ message }) => message);
      return best ? [{ message: best.message, around }] : [];
    })
    .slice(0, limit);
}
