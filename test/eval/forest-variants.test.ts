import { describe, expect, it } from "vitest";
import { calmDown, chanceFrom } from "../../eval/forest-variants.ts";
import type { Room } from "../../eval/irc.ts";
import { talk } from "../support/talk.ts";

/** Two conversations at once, each between two people. */
function busyRoom(): Room {
  const messages = talk(
    Array.from({ length: 12 }, (_, index) => ({
      by: `Person ${index % 4}`,
      text: `line ${index}`,
      minutesAgo: 12 - index,
    })),
  );
  // Even lines are one conversation, odd lines the other.
  return {
    name: "room",
    messages,
    answers: new Map(messages.map((_, index) => [index, [Math.max(index % 2, index - 2)]])),
  };
}

describe("calmDown", () => {
  it("tells one conversation after the other, with the same answers", () => {
    const { messages, answers } = calmDown(busyRoom(), chanceFrom(1));
    const lines = messages.map(({ content }) => Number(content.replace("line ", "")));
    expect(lines).toEqual([0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11]);
    expect([...answers.values()].flat()).toEqual([0, 0, 1, 2, 3, 4, 6, 6, 7, 8, 9, 10]);
    const times = messages.map(({ ts }) => Date.parse(ts));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it("has all conversations held by as many people as it is told, those of one conversation staying apart", () => {
    const { messages } = calmDown(busyRoom(), chanceFrom(1), 2);
    expect(new Set(messages.map(({ author }) => author.id)).size).toBe(2);
    for (const [index, { author }] of messages.entries())
      if (index % 6 !== 0) expect(author.id).not.toBe(messages[index - 1]?.author.id);
  });
});
