import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId, MessageId, UserId } from "../src/domain/ids.ts";
import type { Fact } from "../src/domain/memory/fact.ts";
import type { ListedFact, ProposalPreview } from "../src/gate/memory/own-facts.ts";
import type { DiscordAction, StartOverAction } from "../src/policy/action.ts";
import { describeFacts } from "../src/transports/discord/memory-text.ts";
import { toDecisionNotes, toDiscordWords } from "../src/transports/discord/proposal-notes.ts";
import { toActionNotes } from "../src/transports/discord/reviews.ts";
import { describeAction } from "../src/transports/kit/describe-action.ts";
import {
  describeProposal,
  type ProposalDirectory,
  type ProposalWords,
} from "../src/transports/kit/describe-proposal.ts";
import { toStartOverLines } from "../src/transports/kit/describe-start-over.ts";
import { describeWhy } from "../src/transports/kit/describe-why.ts";
import { toPlainWords } from "../src/transports/kit/plain-words.ts";
import { toActionText, toPlaceWords, toProposalText } from "../src/transports/mcp/confirm.ts";
import { hostileText } from "./support/hostile-text.ts";

/** Everything that people choose freely and that a face shows in its own sentences. */
interface Chosen {
  readonly server: string;
  readonly channel: string;
  readonly key: string;
  readonly value: string;
}

const ME = "1001" as UserId;
const SERVER = "2001" as GuildId;
const CHANNEL = "3001" as ChannelId;
const HARMLESS: Chosen = { server: "harbour", channel: "quay", key: "boat", value: "Petrel" };

const MARKDOWN = [
  ...["**bold**", "__x__", "~~x~~", "||x||", "`x`", "[x](https://e.example)", "<@1>", "<@&1>", "<t:0:R>", "# x", "> x"],
  ...[
    "-# x",
    "- x",
    "1. x",
    "@everyone",
    "\\",
    "\\*",
    "<https://e.example>",
    "【m7】",
    "│ ",
    "│ Nothing has been done",
    "a\n```\n# **b**\n```js\nc",
  ],
];
const hostile = fc
  .oneof(hostileText("48151623"), fc.constantFrom(...MARKDOWN), fc.constant("x".repeat(400)))
  .filter((text) => text.trim() !== "");
const anyChosen: fc.Arbitrary<Chosen> = fc.record({ server: hostile, channel: hostile, key: hostile, value: hostile });

function toDirectory({ server, channel }: Chosen): ProposalDirectory {
  return {
    guild: () => ({ id: SERVER, name: server, membersComplete: false }),
    channel: () => ({ id: CHANNEL, guildId: SERVER, name: channel, kind: "text" }),
    member: () => ({ id: ME }),
    people: () => [],
    canRead: () => true,
  } as unknown as ProposalDirectory;
}

function toFact({ key, value }: Chosen, types = ["discord_guild", "discord_channel"]): ListedFact {
  const home = { kind: "guild" as const, id: SERVER };
  const fact = {
    ...{ id: "f1", version: 1, scope: "user", scopeId: ME, subjectId: ME, guildId: SERVER, visibility: "org", home },
    ...{
      name: key,
      value,
      createdBy: ME,
      verification: "user_confirmed",
      confidence: 1,
      createdAt: 0,
      expiresAt: null,
    },
    basis: types.map((type) => {
      return { type, ref: type === "discord_guild" ? SERVER : CHANNEL, hash: "", isOwn: false, authorMark: null };
    }),
  } as unknown as Fact;
  return { fact, dormant: null, isReadable: true, isReplaced: false, reading: {} as never, use: null, askedBy: [] };
}

function toProposal(chosen: Chosen): ProposalPreview {
  const listed = toFact(chosen);
  const [channel, home] = [
    { kind: "channel" as const, id: CHANNEL },
    { kind: "guild" as const, id: SERVER },
  ];
  const ends = { replaces: [listed], staysShared: [listed], ends: [listed] };
  const basis = listed.fact.basis.map((one) => ({ ...one, authorId: null, words: "" }));
  const way = { name: "as_shown" as const, key: chosen.key, audiences: [home, channel], ...ends };
  const request = { ...listed.fact, basis, createdBy: ME, ends: [] };
  return { kind: "remember", request, project: chosen.value, ways: [way, { ...way, name: "replace_near" }] };
}

function toActions({ key, value }: Chosen): DiscordAction[] {
  const sent = { channelId: CHANNEL, text: value, replyTo: null, mentions: [] };
  return [
    { kind: "send", ...sent },
    { kind: "edit", channelId: CHANNEL, messageId: "9" as MessageId, text: value },
    { kind: "thread", channelId: CHANNEL, messageId: null, name: key, text: value, tags: [key] },
    { kind: "react", channelId: CHANNEL, messageId: "9" as MessageId, emoji: key },
  ];
}

const START_OVER: StartOverAction = {
  ...{ kind: "start_over", channelIds: [CHANNEL], guildIds: [SERVER], others: 0 },
} as StartOverAction;
const OPERATION = { actor: ME, label: { hasStartedOver: false } };

/** The texts of a program or a terminal, where lines alone have a meaning. */
function toPlainTexts(chosen: Chosen): string[] {
  const directory = toDirectory(chosen);
  const words = toPlainWords(ME, directory);
  return [
    describeWhy(toFact(chosen), words).join("\n"),
    toProposalText(describeProposal(toProposal(chosen), words)),
    toProposalText(describeProposal({ kind: "forget", fact: toFact(chosen) }, words)),
    toStartOverLines(START_OVER, words, toPlaceWords).join("\n"),
    ...toActions(chosen).map((action) => toActionText(describeAction(action, OPERATION, directory as never))),
  ];
}

/** The notes in Discord, where markdown has a meaning, too. */
function toNotes(chosen: Chosen): string[] {
  const directory = toDirectory(chosen);
  const words: ProposalWords = toDiscordWords(ME, directory);
  const facts = { head: "Head.", profile: [], isLeftOut: false, person: ME, directory };
  return [
    ...describeFacts([toFact(chosen)], facts),
    ...describeFacts([toFact(chosen, ["typed"])], facts),
    describeWhy(toFact(chosen), words).join("\n"),
    toDecisionNotes(describeProposal(toProposal(chosen), words), 0).join("\n"),
    toDecisionNotes(describeProposal({ kind: "forget", fact: toFact(chosen) }, words), 0).join("\n"),
    ...toActions(chosen).map((action) =>
      (toActionNotes(describeAction(action, OPERATION, directory as never), 0) ?? []).join("\n"),
    ),
  ];
}

/** Characters that a reader does not see, or that move what they see; emoji are built with some of them. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

/** Lines that a face says by itself: without quoted ones, and the remark on spelled-out characters. */
function ownLines(text: string): string[] {
  const isOwn = (line: string) => !line.startsWith("│ ") && !line.includes("⟨U+200B⟩");
  return text.split("\n").filter((line) => isOwn(line) && line !== "");
}

/** The signs that Discord reads, without escaped ones and whole blocks: the shape of a note, which only Earshot may choose. */
function shapeOf(note: string): string {
  // A long text takes several blocks and notes.
  const outside = note.replaceAll(/(?:\n?[\w ]+:|\n?\w+, continued:)?\n```\n[\s\S]*?\n```/g, "").replaceAll("\n…", "");
  const own = outside.split("\n").filter((line) => !line.includes("⟨U+200B⟩"));
  // Mentions and addresses that people wrote stay what they are, and ping and hide nothing.
  const kept = own.join("\n").replaceAll(/<(?:@[!&]?|#)\d+>|https?:\/\/[^\s<>[\]【】()*`|\\⏎]+/g, "");
  return kept.replaceAll(/\\[^A-Za-z0-9\s]/g, "").replaceAll(/[^*_~|`[\]【】<\n]/g, "");
}

describe("a name or value that people choose", () => {
  it("adds no line and no unseen character to a text without formatting", () => {
    const harmless = toPlainTexts(HARMLESS).map((text) => ownLines(text).length);
    const check = (chosen: Chosen) => {
      const texts = toPlainTexts(chosen);
      expect(texts.map((text) => ownLines(text).length)).toEqual(harmless);
      for (const text of texts) expect(text.replaceAll(/[\n\t]|`\u200b/g, "")).not.toMatch(UNSEEN);
    };
    fc.assert(fc.property(anyChosen, check), { numRuns: 300 });
  });

  it("formats nothing in a note in Discord, and gives it no line", () => {
    const harmless = toNotes(HARMLESS).map(shapeOf);
    fc.assert(
      fc.property(anyChosen, (chosen) => {
        expect(toNotes(chosen).map(shapeOf)).toEqual(harmless);
      }),
      { numRuns: 300 },
    );
  });
});
