import type { Message } from "../src/domain/message.ts";

/** For each message the place of the one it answers; its own, if it answers none. */
export type Follow = (messages: readonly Message[]) => readonly number[];

/** After so long one's own last message is another matter. */
const PAUSE = 15 * 60_000;

/** What one might do instead. Notices answer nobody. */
export const FOREST_BASELINES: Readonly<Record<string, Follow>> = {
  previous_message: (messages) => {
    let previous: number | undefined;
    return messages.map(({ kind }, index) => {
      if (kind === "system") return index;
      const target = previous ?? index;
      previous = index;
      return target;
    });
  },
  previous_message_of_another_author: (messages) => {
    let [latest, other] = [-1, -1];
    return messages.map(({ kind, author }, index) => {
      if (kind === "system") return index;
      if (latest >= 0 && messages[latest]?.author.id !== author.id) other = latest;
      latest = index;
      return other < 0 ? index : other;
    });
  },
  /** The latest message of the first person named; of nobody, one's own latest unless that is long ago. */
  named_persons_latest: (messages) => {
    const latest = new Map<string, number>();
    return messages.map((message, index) => {
      if (message.kind === "system") return index;
      const own = message.author.name.toLowerCase();
      const named = wordsOf(message).find((word) => word.length > 2 && word !== own && latest.has(word));
      const before = latest.get(own);
      latest.set(own, index);
      if (named !== undefined) return latest.get(named) ?? index;
      return before !== undefined && isSoonAfter(messages[before], message) ? before : index;
    });
  },
};

function wordsOf({ content }: Message): string[] {
  const words = content.toLowerCase().split(/\s+/);
  return words.map((word) => word.replace(/^@/, "").replace(/[:,;.!?]+$/, ""));
}

function isSoonAfter(earlier: Message | undefined, later: Message): boolean {
  return earlier !== undefined && Date.parse(later.ts) - Date.parse(earlier.ts) <= PAUSE;
}
