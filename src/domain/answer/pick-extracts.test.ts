import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId, MessageId, UserId } from "../ids.ts";
import { type Message, toTypedParts } from "../message.ts";
import { toEvidence } from "./evidence.ts";
import { en } from "./languages/en.ts";
import type { Wanted } from "./languages/language-words.ts";
import { pickExtracts } from "./pick-extracts.ts";
import { toTopicWords } from "./topic.ts";

const NOW = Date.parse("2031-05-23T12:00:00.000Z");
const AGENT = { id: "1" as UserId, name: "Earshot" };

/** Messages of a channel, ten minutes apart, oldest first; `>` answers the message before. */
function say(...lines: readonly [author: string, text: string][]): Message[] {
  return lines.map(([author, text], index) => ({
    message_id: String(1_000 + index) as MessageId,
    channel_id: "5" as ChannelId,
    guild_id: "3" as GuildId,
    thread_id: null,
    link: "",
    author: { id: (author === "Earshot" ? "1" : author) as UserId, name: author, bot: author === "Earshot" },
    ts: new Date(NOW - (lines.length - index) * 60_000).toISOString(),
    edited_ts: null,
    kind: text.startsWith("> ") ? "reply" : "text",
    content: text.replace(/^> /, ""),
    parts: toTypedParts(text.replace(/^> /, "")),
    reply_to: text.startsWith("> ") ? { message_id: String(999 + index) as MessageId, state: "known" } : null,
    attachments: [],
  }));
}

function pick(messages: readonly Message[], topic: string, wanted: Wanted = "said", text = "") {
  const hits = messages.map((message) => ({ message, channel: { name: "general" }, around: [] }));
  const evidence = toEvidence(hits, { agent: AGENT, messageId: null, text });
  return pickExtracts(evidence, { topic: toTopicWords(topic, en), wanted, now: NOW, limit: 3 });
}

describe("the sentence that answers", () => {
  it("is the answer to a message that only asks, never the question", () => {
    const [first] = pick(
      say(["Ana", "where is the west store key?"], ["Sarah", "> top drawer in the office"]),
      "west store key",
      "where",
    );
    expect(first).toMatchObject({ sentence: "top drawer in the office", value: "top drawer in the office" });
  });

  it("is never the agent's own answer, the question itself or a copy of it", () => {
    const said = say(
      ["Ana", "<@1> deadline please"],
      ["Earshot", "> The deadline is the 25th."],
      ["Bo", "When is the deadline"],
    );
    expect(pick(said, "deadline", "when", "when is the deadline?")).toEqual([]);
  });

  it("may be a statement to the agent, or what the agent posted for somebody", () => {
    const told = say(["Ana", "<@1> the deadline is the 26th now"], ["Bo", "see you there"]);
    expect(pick(told, "deadline", "when")[0]).toMatchObject({ value: "the 26th" });
    const posted = say(["Earshot", "The deadline is the 25th."], ["Bo", "see you there"]);
    expect(pick(posted, "deadline", "when")[0]).toMatchObject({ value: "the 25th" });
  });

  it("is the newest of those that say different dates, and the older one is marked", () => {
    const said = say(
      ["Priya", "The deadline is the 25th."],
      ["Priya", "Correction: the deadline is the 26th, not the 25th."],
    );
    expect(pick(said, "deadline", "when").map(({ value, isEarlier }) => [value, isEarlier])).toEqual([
      ["the 26th", false],
      ["the 25th", true],
    ]);
  });

  it("is none where too little of the question occurs", () => {
    expect(pick(say(["Sara", "I teach at the pool on mondays"]), "swimming pool opening hours Bergen")).toEqual([]);
  });

  it("has the value that stands next to what was asked about", () => {
    const [first] = pick(say(["Priya", "party on the 27th, launch on the 30th, demo on the 26th"]), "launch", "when");
    expect(first?.value).toBe("the 30th");
  });

  it("is found with letters that changed places", () => {
    expect(pick(say(["Mei", "the turtle came back at six"]), "trutle")).toHaveLength(1);
  });

  it("has as a name no ordinary word with a capital, and people who speak there in any case", () => {
    const value = (...lines: readonly [string, string][]) => pick(say(...lines), "kettle", "who")[0]?.value;
    expect(value(["Pat", "the kettle arrives tomorrow, There is a pan"])).toBeNull();
    expect(value(["Pat", "the kettle is with omar"], ["Omar", "tea at noon"])).toBe("omar");
    expect(value(["Pat", "ask Ludmila about the kettle"])).toBe("Ludmila");
  });
});
