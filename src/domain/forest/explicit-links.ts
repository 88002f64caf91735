import type { MessageId } from "../ids.ts";
import type { Message } from "../message.ts";

/** The index of the message that a message replies to; `outside` if the original is not in the list; null without a reply. */
export type ExplicitTarget = number | "outside" | null;

/** Expects messages oldest first. In a cycle of replies, which cannot be genuine, the oldest message is taken to answer nothing. */
export function readExplicitLinks(ordered: readonly Message[]): ExplicitTarget[] {
  const places = new Map<MessageId, number>(ordered.map(({ message_id }, index) => [message_id, index]));
  const targets = ordered.map(({ reply_to }, index): ExplicitTarget => {
    if (!reply_to) return null;
    const place = places.get(reply_to.message_id);
    return place === undefined || place === index ? "outside" : place;
  });
  breakCircles(targets);
  return targets;
}

function breakCircles(targets: ExplicitTarget[]): void {
  const walks: (number | undefined)[] = new Array(targets.length).fill(undefined);
  for (let start = 0; start < targets.length; start += 1) {
    let at: ExplicitTarget = start;
    while (typeof at === "number" && walks[at] === undefined) {
      walks[at] = start;
      at = targets[at] ?? null;
    }
    if (typeof at === "number" && walks[at] === start) targets[oldestOfCircle(targets, at)] = "outside";
  }
}

function oldestOfCircle(targets: readonly ExplicitTarget[], start: number): number {
  let oldest = start;
  for (let at = targets[start]; typeof at === "number" && at !== start; at = targets[at] ?? null)
    oldest = Math.min(oldest, at);
  return oldest;
}
