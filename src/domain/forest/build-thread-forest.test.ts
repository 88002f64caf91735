import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, talk } from "../../../test/support/talk.ts";
import type { MessageId } from "../ids.ts";
import { type Message, toTypedParts } from "../message.ts";
import { runAtOnce, UNPACED } from "../steps/pace.ts";
import { buildThreadForest, type ForestThread } from "./build-thread-forest.ts";

const build = (messages: readonly Message[]) => runAtOnce(buildThreadForest(messages, UNPACED));

const texts = (threads: readonly ForestThread[]) =>
  threads.map(({ messages }) => messages.map(({ content }) => content));
const group = (lines: readonly Line[]) => texts(build(talk(lines)));

describe("buildThreadForest with replies", () => {
  const chain: Line[] = [
    { by: "Ada", text: "the rope is gone", minutesAgo: 300 },
    { by: "Bo", text: "which one", minutesAgo: 200, replyTo: 0 },
    { by: "Cem", text: "lunch", minutesAgo: 100 },
    { by: "Ada", text: "the long one", minutesAgo: 1, replyTo: 1 },
  ];

  it("returns no threads for no messages, and one thread for one message", () => {
    expect(build([])).toEqual([]);
    const [message] = talk(chain);
    expect(build(message ? [message] : [])).toEqual([{ messages: [message], links: new Map() }]);
  });

  it("follows a chain of replies, and puts the thread with the newest message first", () => {
    const messages = talk(chain);
    const [first, second] = build(messages);
    const [root, middle, , last] = messages.map(({ message_id }) => message_id);
    expect(texts([first, second].filter((thread) => thread !== undefined))).toEqual([
      ["the rope is gone", "which one", "the long one"],
      ["lunch"],
    ]);
    expect([...(first?.links ?? [])]).toEqual([
      [middle, { to: root, kind: "explicit", certainty: 1 }],
      [last, { to: middle, kind: "explicit", certainty: 1 }],
    ]);
    expect(second?.links.size).toBe(0);
  });

  it("begins a thread with a reply to a message that is not in the list, however much it looks like an answer", () => {
    const [question, answer] = talk([
      { by: "Ada", text: "Bo: where is the rope?", minutesAgo: 2 },
      { by: "Bo", text: "Ada: in the shed", minutesAgo: 1 },
    ]);
    if (!question || !answer) throw new Error("There are two.");
    expect(build([question, answer])).toHaveLength(1);
    const elsewhere = { ...answer, reply_to: { message_id: "5" as MessageId, state: "deleted" as const } };
    expect(build([question, elsewhere])).toHaveLength(2);
  });

  it("infers no link that would form a cycle with replies to later messages", () => {
    const [first, second, third] = talk([
      { by: "Ada", text: "Bo: where is the rope?", minutesAgo: 3 },
      { by: "Bo", text: "Ada: in the shed", minutesAgo: 2 },
      { by: "Ada", text: "thank you", minutesAgo: 1, replyTo: 1 },
    ]);
    if (!first || !second || !third) throw new Error("There are three.");
    const ahead = { ...first, reply_to: { message_id: third.message_id, state: "known" as const } };
    const [thread, ...others] = build([ahead, second, third]);
    expect(others).toEqual([]);
    expect(thread?.links.get(second.message_id)).toBeUndefined();
    expect(thread?.links.get(first.message_id)?.to).toBe(third.message_id);
  });

  it("keeps the latest edit of two versions of a message", () => {
    const [first] = talk(chain);
    if (!first) throw new Error("There is one.");
    const edited = {
      ...first,
      content: "the rope is back",
      parts: toTypedParts("the rope is back"),
      edited_ts: first.ts,
    };
    expect(texts(build([first, edited, first]))).toEqual([["the rope is back"]]);
    expect(texts(build([edited, first]))).toEqual([["the rope is back"]]);
  });
});

describe("buildThreadForest without replies", () => {
  it("keeps two people who take turns in one thread, until they fall silent for hours", () => {
    const said = ["did you see the tide table?", "not yet", "it says half past four", "then we leave at three"];
    const dialogue = [...said, ...said].map((text, index): Line => {
      return { by: index % 2 === 0 ? "Ada" : "Bo Lind", text, minutesAgo: (index < 4 ? 600 : 30) - index * 2 };
    });
    expect(group(dialogue).map(({ length }) => length)).toEqual([4, 4]);
  });

  it("keeps consecutive messages of one author in one thread", () => {
    const lines = ["so", "the thing with the pump", "it works now", "no idea why"];
    expect(group(lines.map((text, index) => ({ by: "Ada", text, minutesAgo: 1 - index / 10 })))).toEqual([lines]);
  });

  it("separates three simultaneous conversations by names, mentions and words", () => {
    const rope = ["Bo: where did you put the rope?", "Ada: it hangs in the shed", "Bo: found the rope, thank you"];
    const soup = [
      "how long do lentils for the soup take?",
      "<@1002> lentils take half an hour",
      "<@1003> even red ones?",
    ];
    const radio = ["does anybody know a good antenna?", "Eve Ö. 🌊: try the antenna shop", "Finn, is that shop open?"];
    const by = ["Ada", "Cem", "Eve Ö. 🌊", "Bo", "Dot", "Finn", "Ada", "Cem", "Eve Ö. 🌊"];
    // Ada is 1000, Cem 1001, Eve 1002, Bo 1003, Dot 1004.
    const order = [rope[0], soup[0], radio[0], rope[1], soup[1]?.replace("1002", "1001"), radio[1]];
    const all = [...order, rope[2], soup[2]?.replace("1003", "1004"), radio[2]];
    const lines = all.map((text = "", index): Line => ({ by: by[index] ?? "", text, minutesAgo: 9 - index }));
    const threads = build(talk(lines));
    expect(texts(threads)).toEqual([2, 1, 0].map((first) => [all[first], all[first + 3], all[first + 6]]));
    for (const { links } of threads)
      for (const { kind, certainty } of links.values()) {
        expect(kind).toBe("inferred");
        expect(certainty).toBeGreaterThan(0);
        expect(certainty).toBeLessThan(1);
      }
  });

  it("links no system message to another message in either direction", () => {
    const lines: Line[] = [
      { by: "Ada", text: "good morning", minutesAgo: 3 },
      { by: "Bo", text: "Bo joined", minutesAgo: 2, kind: "system" },
      { by: "Ada", text: "and welcome", minutesAgo: 1 },
    ];
    expect(group(lines)).toContainEqual(["Bo joined"]);
  });
});

describe("buildThreadForest with any messages", () => {
  const names = ["Ada", "", "a", ".*+?^$(){}|[]\\", "🌊🌊", "the", "Ana María", "x".repeat(2_000), "Ada"];
  const word = fc.constantFrom(
    ...names,
    ":",
    ",",
    "@",
    "<@1001>",
    "<@9>",
    "rope",
    "soup",
    "why?",
    "thanks",
    "<@",
    "\n",
  );
  const draft = fc.record({
    by: fc.nat(names.length - 1),
    text: fc.oneof(
      fc.array(word, { maxLength: 8 }).map((words) => words.join(" ")),
      fc.string({ unit: "binary" }),
    ),
    gap: fc.oneof(fc.nat(2), fc.nat(2_000)),
    reply: fc.option(fc.nat(60), { freq: 2 }),
    isNotice: fc.boolean(),
  });
  /** Replies lead anywhere: back, ahead, to themselves, in circles and outside. */
  const rooms = fc.array(draft, { maxLength: 40 }).map((drafts): Message[] => {
    let minutesAgo = 100_000;
    const lines = drafts.map(({ by, text, gap, isNotice }): Line => {
      minutesAgo -= gap;
      return { by: String(by), text, minutesAgo, ...(isNotice && { kind: "system" }) };
    });
    const messages = talk(lines);
    return messages.map((message, index): Message => {
      const { by = 0, reply } = drafts[index] ?? {};
      const author = { ...message.author, name: names[by] ?? "" };
      if (reply === null || reply === undefined) return { ...message, author };
      return {
        ...message,
        author,
        reply_to: { message_id: messages[reply]?.message_id ?? ("1" as MessageId), state: "known" },
      };
    });
  });
  const check = (property: (messages: Message[]) => void) => fc.assert(fc.property(rooms, property), { numRuns: 300 });
  const shuffled = (messages: readonly Message[]) =>
    messages.toSorted(
      (a, b) => Number((BigInt(a.message_id) * 7_919n) % 104_729n) - Number((BigInt(b.message_id) * 7_919n) % 104_729n),
    );

  it("puts every message into exactly one thread, oldest first, and the newest thread first", () => {
    check((messages) => {
      const threads = build(messages);
      const ids = threads.map((thread) => thread.messages.map(({ message_id }) => BigInt(message_id)));
      const ascending = (some: readonly bigint[]) => some.toSorted((a, b) => (a < b ? -1 : 1));
      expect(ascending(ids.flat())).toEqual(messages.map(({ message_id }) => BigInt(message_id)));
      for (const some of ids) expect(some).toEqual(ascending(some));
      const newest = ids.map((some) => some.at(-1) ?? 0n);
      expect(newest).toEqual(ascending(newest).reverse());
    });
  });

  it("gives a thread of n messages n - 1 links, all within the thread", () => {
    check((messages) => {
      for (const thread of build(messages)) {
        const ids = new Set(thread.messages.map(({ message_id }) => message_id));
        expect(thread.links.size).toBe(ids.size - 1);
        for (const [from, { to }] of thread.links) {
          expect(ids.has(from) && ids.has(to)).toBe(true);
          expect(from).not.toBe(to);
        }
      }
    });
  });

  it("depends neither on the order of the messages nor on duplicates", () => {
    check((messages) => {
      const threads = build(messages);
      expect(build(shuffled(messages))).toEqual(threads);
      expect(build([...messages.toReversed(), ...shuffled(messages)])).toEqual(threads);
    });
  });

  it("keeps every reply outside a cycle, and all but one in each cycle", () => {
    check((messages) => {
      const links = new Map(build(messages).flatMap((thread) => [...thread.links]));
      const replies = new Map(messages.map(({ message_id, reply_to }) => [message_id, reply_to?.message_id]));
      const isPresent = (id: MessageId | undefined) => id !== undefined && replies.has(id);
      const circles = new Map<string, number>();
      for (const [from, to] of replies) {
        if (to === undefined || !isPresent(to)) {
          if (to !== undefined) expect(links.has(from)).toBe(false);
          continue;
        }
        const walk: MessageId[] = [from];
        for (
          let at = to;
          isPresent(at) && at !== from && walk.length <= replies.size;
          at = replies.get(at) ?? ("" as MessageId)
        )
          walk.push(at);
        const isCircle = replies.get(walk.at(-1) ?? from) === from;
        const isKept = links.get(from)?.kind === "explicit" && links.get(from)?.to === to;
        if (!isCircle) expect(isKept).toBe(true);
        else circles.set([...walk].sort().join(), (circles.get([...walk].sort().join()) ?? 0) + Number(!isKept));
      }
      for (const missing of circles.values()) expect(missing).toBe(1);
    });
  });

  it("never infers a link to a later message or to a system message", () => {
    check((messages) => {
      const notices = new Set(messages.filter(({ kind }) => kind === "system").map(({ message_id }) => message_id));
      for (const { links } of build(messages))
        for (const [from, { to, kind }] of links) {
          if (kind === "explicit") continue;
          expect(BigInt(to)).toBeLessThan(BigInt(from));
          expect(notices.has(from) || notices.has(to)).toBe(false);
        }
    });
  });
});
