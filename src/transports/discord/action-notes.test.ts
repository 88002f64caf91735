import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import { splitText } from "../../domain/text/split-text.ts";
import type { DiscordAction } from "../../policy/action.ts";
import { describeAction } from "../kit/describe-action.ts";
import { toActionNotes } from "./reviews.ts";

const CHANNEL = "10" as ChannelId;
const ACTOR = "20" as UserId;

/** Invisible code points, and those that reorder or hide the text around them. */
const UNSEEN = [
  ...[0x00, 0x07, 0x0d, 0x1b, 0x7f, 0x85, 0xad, 0x34f, 0x61c, 0x115f, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e],
  ...[0x200f, 0x2028, 0x2029, 0x202a, 0x202d, 0x202e, 0x2060, 0x2066, 0x2069, 0x2800, 0x3164, 0xfe00, 0xfe0f, 0xfeff],
  ...[0xffa0, 0xfff9, 0xe000, 0xe0001, 0xe0041, 0xe007f, 0xe0100],
].map((code) => String.fromCodePoint(code));

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "the boat ", "é", "漢", "\n", "\n\n", "\t", " ", "ש", "🚤") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "`",
      "``",
      "```",
      "\n```\n",
      "```js\n",
      "~~~",
      "@everyone",
      "<@1>",
      "[x](https://e.example)",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...UNSEEN) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "\n".repeat(7),
      "\u200b".repeat(30),
      "`".repeat(50),
      "x".repeat(3_000),
      "a line\n".repeat(200),
      "apart\n\n".repeat(200),
    ),
  },
);
const text = fc
  .array(piece, { minLength: 1, maxLength: 60 })
  .map((pieces) => pieces.join("").slice(0, 20_000).toWellFormed())
  .filter((joined) => splitText(joined).length > 0);

function notesOf(action: DiscordAction, kind: "text" | "dm" = "text"): string[] | null {
  const channel = { kind, guildId: kind === "dm" ? null : "1", recipients: kind === "dm" ? [ACTOR] : [] };
  const places = { channel: () => channel } as unknown as Parameters<typeof describeAction>[2];
  const expiresAt = 1_800_000_000_000;
  return toActionNotes(describeAction(action, { actor: ACTOR, label: { hasStartedOver: false } }, places), expiresAt);
}

function send(said: string, more: object = {}): DiscordAction {
  return { kind: "send", channelId: CHANNEL, text: said, replyTo: null, mentions: [], ...more };
}

/** Reassembles the text as a reader sees it: the blocks, each up to the first fence, as Discord cuts them, without empty lines at their ends. */
function readBack(notes: readonly string[]): string[] {
  const all = notes.join("\n");
  const parts = all.includes("\nMessage 1 of ") ? all.split(/(?:^|\n)Message \d+ of \d+:\n/).slice(1) : [all];
  return parts.map((part) =>
    [...part.matchAll(/```\n([\s\S]*?)\n```/g)]
      .map(([, block = ""]) => block.replace(/^\n+|\n+$/g, ""))
      .map((block) => block.replaceAll("⏎", "\n"))
      .join("")
      .replaceAll("`\u200b", "`")
      .replace(/⟨(\d+) line breaks⟩\n/g, (_, count) => "\n".repeat(Number(count)))
      .replace(/⟨U\+([0-9A-F]+)(?:×(\d+))?⟩/g, (_, code, count = "1") =>
        String.fromCodePoint(Number.parseInt(code, 16)).repeat(Number(count)),
      ),
  );
}

describe("the note that shows the actor an action", () => {
  it("contains every message that would be sent, to the byte, and no invisible character", () => {
    fc.assert(
      fc.property(text, (said) => {
        const notes = notesOf(send(said));
        fc.pre(notes !== null);
        expect(readBack(notes ?? [])).toEqual(splitText(said));
        for (const note of notes ?? []) {
          expect(note.length).toBeLessThanOrEqual(2_000);
          expect(note.split("```").length % 2).toBe(1);
          const seen = note.replaceAll("`\u200b", "`");
          expect(UNSEEN.filter((character) => seen.includes(character))).toEqual([]);
        }
        const isWarned = notes?.[0]?.includes("cannot be seen") ?? false;
        expect(isWarned).toBe(splitText(said).some((part) => UNSEEN.some((character) => part.includes(character))));
      }),
      { numRuns: 150 },
    );
  });

  it("leaves emoji whole, and names the code point of stacked accents", () => {
    const emoji = "❤️ 👨‍👩‍👧 👍🏽 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿";
    expect(notesOf(send(emoji))?.[0]).toContain(`\n${emoji}\n`);
    expect(notesOf(send(emoji))?.[0]).not.toContain("cannot be seen");
    expect(notesOf(send(`e${"\u0301".repeat(40)}`))?.[0]).toContain(`e${"\u0301".repeat(3)}⟨U+0301×37⟩`);
    expect(notesOf(send("🏴\u{e0068}\u{e0069}"))?.[0]).toContain("🏴⟨U+E0068⟩⟨U+E0069⟩");
  });

  it("counts line breaks that would push the rest out of sight", () => {
    expect(notesOf(send(`a${"\n".repeat(40)}b`))?.[0]).toContain("```\na⟨40 line breaks⟩\nb\n```");
  });

  it("is not split between a backtick and the separator that follows it", () => {
    for (let length = 1_700; length < 1_720; length += 1) {
      const notes = notesOf(send(`${"x".repeat(length)}${"`".repeat(100)}`)) ?? [];
      expect(notes.length).toBeGreaterThan(1);
      expect(notes.join("\n")).not.toContain("\n\u200b");
    }
  });

  it("says the channel, the message replied to, who is pinged, and when it expires", () => {
    const more = { replyTo: "30" as MessageId, mentions: ["41", "42", "43"] };
    const [head = ""] = notesOf(send("<@41> and <@!42>", more)) ?? [];
    expect(head).toContain("sent to <#10>, in reply to https://discord.com/channels/1/10/30.");
    expect(head).toContain("This would ping <@41> <@42>.");
    expect(head).toContain("<t:1800000000:T>");
    expect(notesOf(send("hello"), "dm")?.[0]).toContain(
      "sent to your direct messages with me. Nobody would be pinged.",
    );
  });

  it("is not made for a text that nobody would read to its end", () => {
    expect(notesOf(send(`a${"\u200b\u200c".repeat(9_000)}b`))).toBeNull();
    expect(notesOf(send(`a${"\u200b".repeat(18_000)}b`))).not.toBeNull();
    expect(notesOf(send("x".repeat(20_000)))).not.toBeNull();
    expect(notesOf(send("`".repeat(20_000)))).toBeNull();
  });
});

describe("notes about a change of what was said, or a new thread,", () => {
  const message = { channelId: "7", messageId: "70" };
  const channelId = "7";

  it("show the exact new text, and the message that it concerns", () => {
    const [edit = ""] = notesOf({ kind: "edit", ...message, text: "at\u200b ten" } as DiscordAction) ?? [];
    expect(edit).toContain("https://discord.com/channels/1/7/70");
    expect(edit).toContain("at⟨U+200B⟩ ten");
    const [drop = ""] = notesOf({ kind: "delete", ...message } as DiscordAction) ?? [];
    expect(drop).toContain("would be deleted: https://discord.com/channels/1/7/70");
  });

  it("show the name, the first message and the tags", () => {
    const thread = { kind: "thread", channelId, messageId: null, name: "Raf\u200bfle", text: "Prizes?", tags: ["fun"] };
    const [note = ""] = notesOf(thread as unknown as DiscordAction) ?? [];
    expect(note).toMatch(
      /Name of the thread:[\s\S]+Raf⟨U\+200B⟩fle[\s\S]+First message:[\s\S]+Prizes\?[\s\S]+Tags:[\s\S]+fun/,
    );
    const [typing = ""] = notesOf({ kind: "typing", channelId } as DiscordAction) ?? [];
    expect(typing).toContain("shown as typing in <#7>");
  });
});
