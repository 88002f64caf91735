import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, someNames, talk } from "../../../test/support/talk.ts";
import { runAtOnce, UNPACED } from "../steps/pace.ts";
import { groupConversations } from "./conversations.ts";
import { toSummaryPosts } from "./summary-posts.ts";

const groupAll = (lines: readonly Line[]) =>
  runAtOnce(groupConversations(runAtOnce(toSummaryPosts(talk(lines), someNames(), UNPACED)), UNPACED));

/** The texts of each conversation. */
const group = (lines: readonly Line[]) => groupAll(lines).map((posts) => posts.map(({ text }) => text));

describe("groupConversations", () => {
  it("begins a new conversation after a pause, unless a post is a reply", () => {
    expect(
      group([
        { by: "Ada", text: "the rope is gone", minutesAgo: 100 },
        { by: "Bo", text: "which one", minutesAgo: 99 },
        { by: "Cem", text: "lunch", minutesAgo: 50 },
        { by: "Dot", text: "found it", minutesAgo: 49, replyTo: 0 },
        { by: "Ada", text: "thanks", minutesAgo: 48 },
      ]),
    ).toEqual([["the rope is gone", "which one", "found it", "thanks"], ["lunch"]]);
  });

  it("separates two simultaneous conversations", () => {
    expect(
      group([
        { by: "Ada", text: "rope one", minutesAgo: 40 },
        { by: "Cem", text: "soup one", minutesAgo: 20 },
        { by: "Bo", text: "rope two", minutesAgo: 19, replyTo: 0 },
        { by: "Dot", text: "soup two <@1001>", minutesAgo: 18 },
        { by: "Ada", text: "rope three", minutesAgo: 17 },
        { by: "Cem", text: "soup three", minutesAgo: 16 },
      ]),
    ).toEqual([
      ["rope one", "rope two", "rope three"],
      ["soup one", "soup two <@1001>", "soup three"],
    ]);
  });

  it("splits a long conversation at a pause, unless replies cross it", () => {
    const lines = Array.from({ length: 40 }, (_, index): Line => {
      const late = index >= 22;
      return { by: `P${index}`, text: `${late ? "sails" : "bread"} ${index}`, minutesAgo: (late ? 50 : 60) - index };
    });
    expect(group(lines).map((texts) => texts.length)).toEqual([22, 18]);
    const bridged = lines.map((line, index) => (index >= 22 && index < 26 ? { ...line, replyTo: 21 } : line));
    expect(group(bridged).map((texts) => texts.length)).not.toEqual([22, 18]);
  });

  it("puts every message into exactly one conversation, together with its original unless the conversation was split", () => {
    const drafts = fc.array(
      fc.record({
        by: fc.constantFrom("Ada", "Bo", "Cem"),
        gap: fc.nat(30),
        parent: fc.nat(200),
        isReply: fc.boolean(),
      }),
      { maxLength: 24 },
    );
    fc.assert(
      fc.property(drafts, (all) => {
        let minutesAgo = 10_000;
        const lines = all.map(({ by, gap, parent, isReply }, index): Line => {
          minutesAgo -= gap;
          return { by, text: String(index), minutesAgo, ...(isReply && parent < index && { replyTo: parent }) };
        });
        const groups = group(lines);
        expect(groups.flat().sort()).toEqual(lines.map(({ text }) => text).sort());
        for (const { text, replyTo } of lines)
          if (replyTo !== undefined) expect(groups.find((texts) => texts.includes(text))).toContain(String(replyTo));
      }),
      { numRuns: 300 },
    );
  });
});
