import { describe, expect, it } from "vitest";
import type { Wanted } from "../../language/language.ts";
import { ENGLISH } from "../../language/languages.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../ids.ts";
import { type Message, toTypedParts } from "../message.ts";
import { isSure, type PassageRequest, pickPassages, shownWords, toTopicWords } from "./passages.ts";

const NOW = Date.parse("2031-05-23T12:00:00.000Z");
const AGENT = { id: "1" as UserId, name: "Earshot" };

/** Messages of a channel, a minute apart, oldest first; `>` answers the message before. */
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

/** As if the search had found all of them, in this order. */
function pick(messages: readonly Message[], topic: string, more: Partial<PassageRequest> = {}) {
  const hits = messages.map((message) => ({ message, channel: { name: "general" }, around: messages }));
  const request = {
    agent: AGENT,
    language: ENGLISH,
    wanted: "said" as const,
    messageId: null,
    text: "",

    topic: toTopicWords(topic, ENGLISH),
  };
  return pickPassages(hits, { ...request, ...more });
}

const textsOf = (passages: ReturnType<typeof pick>) => passages.map(({ text }) => text);

describe("the passages of an answer", () => {
  it("have what answered a question in place of the question, which stands beside it", () => {
    const said = say(
      ["Ana", "where is the west store key?"],
      ["Sarah", "> top drawer in the office"],
      ["Bo", "> thanks"],
    );
    const [first, ...others] = pick(said.slice(0, 1).concat(said.slice(1)), "west store key");
    expect(first).toMatchObject({ text: "top drawer in the office", before: said[0], after: said[2], asks: false });
    expect(textsOf(others)).not.toContain("where is the west store key?");
  });

  it("take a question for one whose other sentences are about something else", () => {
    const [first] = pick(
      say(["Ana", "has somebody got a key for the west store? need the bunting"], ["Sarah", "> top drawer"]),
      "key west store",
    );
    expect(first?.text).toBe("top drawer");
  });

  it("show a question that nobody answered last, and never surely", () => {
    const said = say(["Ana", "where is the west store key?"], ["Ana", "I lost a key once, west of here"]);
    expect(pick(said, "west store key").map(({ asks }) => asks)).toEqual([false, true]);
  });

  it("leave out the agent's answers, the question itself and copies of it, and what was shown before", () => {
    const said = say(
      ["Ana", "<@1> deadline please"],
      ["Earshot", "> The deadline is the 25th."],
      ["Bo", "When is the deadline"],
      ["Cy", "the deadline is close"],
    );
    expect(textsOf(pick(said, "deadline", { text: "when is the deadline?" }))).toEqual(["the deadline is close"]);
    expect(pick(said, "deadline", { text: "when is the deadline?", except: new Set(["1003"]) })).toEqual([]);
  });

  it("may be a statement to the agent, without its name", () => {
    expect(textsOf(pick(say(["Ana", "<@1> the deadline is the 26th now"]), "deadline"))).toEqual([
      "the deadline is the 26th now",
    ]);
  });

  it("show once what was said twice", () => {
    const twice = "the quay gate closes at ten in the evening";
    expect(pick(say(["Ana", twice], ["Bo", twice], ["Cy", "no idea about the gate"]), "quay gate")).toHaveLength(2);
  });

  it.each([
    ["a word of correction", "Correction: the demo is on the 26th", undefined],
    ["a no", "no, the demo is on the 26th", undefined],
    ["a question for what holds now", "the demo is on the 26th", true],
  ])("have the later one first where %s says so, and mark the earlier", (_, later, isLatest) => {
    const said = say(["Ana", "the demo is on the 25th"], ["Bo", later]);
    const passages = pick(said, "demo", isLatest ? { isLatest } : {});
    expect(passages.map(({ text, isEarlier }) => [text, isEarlier])).toEqual([
      [later, false],
      ["the demo is on the 25th", true],
    ]);
  });

  it("have a correction before what else is about as much, also where the search ranks it lower", () => {
    const said = say(
      ["Ana", "the demo is on the 25th"],
      ["Bo", "no, the demo is on the 26th"],
      ["Cy", "the demo needs chairs from the sail loft"],
    );
    const [decided, corrected, later] = said;
    const found = decided && corrected && later ? [later, corrected, decided] : [];
    expect(textsOf(pick(found, "demo"))[0]).toBe("no, the demo is on the 26th");
  });

  it("keep the order of the search where nothing is corrected", () => {
    const said = say(["Ana", "the demo is on the 25th"], ["Bo", "I look forward to the demo"]);
    expect(textsOf(pick(said, "demo"))[0]).toBe("the demo is on the 25th");
  });

  it("count words that are mistyped in the question, or stand in the question that is answered", () => {
    const said = say(["Ana", "who feeds the pelican?"], ["Bo", "> Mark does"]);
    expect(pick(said, "pelicna feeds")[0]).toMatchObject({ coverage: 0.8 });
    expect(pick(say(["Ana", "the warehouse is open"]), "warehuose")[0]).toMatchObject({ coverage: 1 });
  });
});

describe("whether the first passage is sure to answer", () => {
  const sure = (messages: readonly Message[], topic: string, wanted: Wanted = "said", text = "") =>
    isSure(pick(messages, topic, { wanted }), {
      agent: AGENT,
      language: ENGLISH,
      text,
      topic: toTopicWords(topic, ENGLISH),
      wanted,
      now: NOW,
    });

  it("is where a sentence tells the number that is asked for, or all that is asked", () => {
    expect(sure(say(["Ana", "mooring fees rise by 6 percent"]), "mooring fees rise", "how_many")).toBe(true);
    expect(sure(say(["Ana", "the quay gate closes early"]), "quay gate closes")).toBe(true);
  });

  it("is where a number is written as a word, and not where the sentence only repeats the time of the question", () => {
    const lent = say(["Ana", "the museum lends us two marquees"]);
    expect(sure(lent, "museum lends us marquees", "how_many")).toBe(true);
    const soup = say(["Ana", "the friday soup is good"]);
    expect(sure(soup, "friday soup", "when")).toBe(true);
    expect(sure(soup, "friday soup", "when", "what time is the friday soup?")).toBe(false);
  });

  it("is not where it only answers a question about a part of what is asked", () => {
    const said = say(["Ana", "does the wifi in the sail loft drop?"], ["Bo", "> yes! when the kiln fires"]);
    expect(sure(said, "wifi password")).toBe(false);
    expect(sure(said, "wifi loft drop")).toBe(true);
  });

  it("is not where somebody asks without a question mark, after whatever word", () => {
    const said = say(["Ana", "right who's on for the pub quiz thursday, we need somebody who knows flags"]);
    expect(sure(said, "pub quiz")).toBe(false);
  });

  it.each([
    ["the regatta starts on the 26th, not the 25th", "so the regatta starts on the 26th", true],
    ["the regatta starts on the 26th", "the regatta starts on the 27th", false],
    ["the regatta starts on the 26th", "I hope that the regatta starts", false],
  ])("is where %j is said, and %j too: %s", (first, second, expected) => {
    expect(sure(say(["Ana", first], ["Bo", second]), "regatta starts", "when")).toBe(expected);
  });

  it.each([
    ["the run is on the 26th", "tide board wall run", "tide-board-wall", true],
    ["the run is on the 26th", "tide board wall run", "general", false],
    ["closed on the 26th", "tide board wall zeppelin", "tide-board-wall", false],
  ])("is where %j, asked for %j, stands in #%s: %s", (text, words, name, expected) => {
    const topic = toTopicWords(words, ENGLISH);
    const request = { agent: AGENT, messageId: null, text: "", wanted: "when", language: ENGLISH, topic } as const;
    const hits = say(["Ana", text]).map((message) => ({ message, channel: { name }, around: [] }));
    expect(isSure(pickPassages(hits, request), { ...request, now: NOW })).toBe(expected);
  });

  it.each<[string, Message[], string, Wanted]>([
    [
      "the agent posted it",
      say(["Earshot", "Try: what is the winter mooring fee, or so"]),
      "winter mooring fee",
      "said",
    ],
    [
      "it says that somebody is not sure",
      say(["Ana", "I think mooring fees rise by 6 percent"]),
      "mooring fees rise",
      "how_many",
    ],
    ["it tells no number", say(["Ana", "mooring fees rise, they say"]), "mooring fees rise", "how_many"],
    [
      "another says something else",
      say(["Ana", "mooring fees rise by 6"], ["Bo", "mooring fees rise by 9"]),
      "mooring fees rise",
      "how_many",
    ],
    [
      "a name is asked for, and it tells a day and what somebody said",
      say(["Ana", "the harbour master comes on Monday, says 'finally somebody with sense'"]),
      "harbour master",
      "name",
    ],
    ["a reason is asked for", say(["Ana", "the quay gate closes early"]), "quay gate closes", "why"],
    [
      "it was only said next",
      say(["Ana", "which chandler sells zeppelin rope?"], ["Bo", "good morning"]),
      "chandler sells zeppelin rope",
      "said",
    ],
  ])("is not where %s", (_, messages, topic, wanted) => {
    expect(sure(messages, topic, wanted)).toBe(false);
  });
});

it.each(["…", '"'])("messages of %s alone do not take the square of their length", { timeout: 2_000 }, (mark) => {
  const marks = `${mark.repeat(1_900)}a`;
  expect(
    pick(say(...Array.from({ length: 40 }, (): [string, string] => ["Ana", `deadline ${marks}`])), "deadline"),
  ).toHaveLength(1);
});

it("what was asked in the same words before gives way to its answer, though both were found", () => {
  const said = say(["Ana", "which chandler sells rope?"], ["Bo", "> Nauticus in the old town"]);
  const hits = said.map((message) => ({ message, channel: { name: "general" }, around: [] }));
  const request = {
    agent: AGENT,
    messageId: null,
    text: "which chandler sells rope?",
    wanted: "said",
    language: ENGLISH,
  } as const;
  const [first] = pickPassages(hits, { ...request, topic: toTopicWords("chandler sells rope", ENGLISH) });
  expect(first).toMatchObject({ text: "Nauticus in the old town", before: said[0] });
});

it("what somebody hid is not shown, and is no reason to find it", () => {
  const [first] = pick(say(["Ana", "the winner of the regatta is ||Heron, by a length||"]), "winner regatta");
  expect(first?.text).toBe("the winner of the regatta is ▒▒▒");
  expect(pick(say(["Ana", "well, ||the Heron sank||"]), "heron")).toEqual([]);
});

describe("how much is shown of a passage", () => {
  const long = `Hello all. ${"We talked about many things. ".repeat(20)}The gate closes at ten. ${"And so on it went. ".repeat(20)}`;

  it("is all of it where it fits, lists included", () => {
    const list = "You need:\n- two eggs\n- flour";
    const [passage] = pick(say(["Ana", list]), "eggs");
    expect(passage && shownWords(passage, 600)).toBe(list);
  });

  it("is what stands around the sentence that is most about it otherwise", () => {
    const [passage] = pick(say(["Ana", long]), "gate closes");
    const shown = passage ? shownWords(passage, 100) : "";
    expect(shown).toMatch(/^… .*The gate closes at ten\..* …$/);
    expect(shown.length).toBeLessThanOrEqual(104);
  });
});
