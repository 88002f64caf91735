import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LiveLine, liveTalk } from "../../../sandbox/community/sample/live-talk.ts";
import { hostileText } from "../../../test/support/hostile-text.ts";
import { type Line, sampleTalk, someNames, TALK_NOW, talk } from "../../../test/support/talk.ts";
import type { Message } from "../message.ts";
import { runAtOnce, UNPACED } from "../steps/pace.ts";
import { singleLine } from "../text/escape.ts";
import { bulletTokens } from "./bullets.ts";
import { extractSummary, type SummaryRequest } from "./extract-summary.ts";

const summarise = (messages: readonly Message[], more: Partial<SummaryRequest> = {}) =>
  runAtOnce(extractSummary({ messages, ...someNames(), now: TALK_NOW, maxTokens: 2_000, ...more }, UNPACED));
const texts = (messages: readonly Message[], more: Partial<SummaryRequest> = {}) =>
  summarise(messages, more).map(({ text }) => text);

/** Any conversation: what is said is up to `text`. */
const lines = (text: fc.Arbitrary<string>): fc.Arbitrary<Line[]> =>
  fc
    .array(
      fc.record({
        by: fc.constantFrom("Ada", "Bo", "Cem", "Dot"),
        text,
        gap: fc.constantFrom(0.5, 1, 2, 40),
        parent: fc.option(fc.nat(60), { nil: undefined, freq: 3 }),
        bot: fc.boolean(),
      }),
      { maxLength: 60 },
    )
    .map((drafts) => {
      let minutesAgo = drafts.reduce((sum, { gap }) => sum + gap, 0);
      return drafts.map(({ by, text: said, gap, parent, bot }, index) => {
        minutesAgo -= gap;
        const replies = parent !== undefined && parent < index;
        return { by, text: said, minutesAgo, bot: bot && by === "Dot", ...(replies && { replyTo: parent }) };
      });
    });

/** The live talk of the sample community, a script for each conversation. */
const SCRIPTS = liveTalk.reduce<LiveLine[][]>((scripts, line) => {
  const last = scripts.at(-1);
  if (last?.[0]?.in === line.in) last.push(line);
  else scripts.push([line]);
  return scripts;
}, []);

/** Words of these scripts that say nothing about their topic. */
const ORDINARY = ["another", "needs", "under"];

const longWordsOf = (lines: readonly LiveLine[]) =>
  new Set(lines.flatMap(({ text }) => text.match(/[a-z]{5,}/g) ?? []));

const PHRASES = [
  "we decided to meet on Monday",
  "who brings the rope?",
  "lunch was good",
  "let's do it tomorrow at 10:30",
  "the harbour is closed",
  "nobody knows",
  "see https://a.example/b",
];

describe("extractSummary", () => {
  it("says when the demo is, for a channel of the sample community", () => {
    const bullets = summarise(sampleTalk("tideboard").slice(-100));
    const decision = bullets.find(({ text }) => text.startsWith("Decision") && text.includes("the 26th, not the 25th"));
    expect(decision?.text).toContain('"Priya {she merges}"');
    expect(decision?.cites).toHaveLength(1);
    expect(bullets[0]?.text).toMatch(/^100 messages by 14 people, most by "Priya {she merges}" \(\d+\)/);
  });

  it("names for each conversation of any hour of sample talk its people, and the words that only it repeats", () => {
    // A conversation of two messages is left out of a busy hour.
    const long = SCRIPTS.filter(({ length }) => length >= 3);
    const hours = fc.shuffledSubarray(long, { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(hours, (scripts) => {
        const spoken = scripts.flatMap((script, round) =>
          script.map((line, index) => ({ ...line, script, minutesAgo: 60 - 20 * round - index / 2 })),
        );
        const messages = talk(spoken);
        const headed = summarise(messages).flatMap(({ text, cites }) => {
          const [, topics = "", rest = ""] = /^(?:About ([^:]+): )?(.*)$/s.exec(text) ?? [];
          const [, names, amount] = /^(.*?), (\d+) messages?, \d+ (?:minutes|hour)s? ago\. /.exec(rest) ?? [];
          const script = spoken[messages.findIndex(({ message_id }) => message_id === cites[0])]?.script ?? [];
          return names ? [{ topics: topics.split(", ").filter(Boolean), names, amount: Number(amount), script }] : [];
        });
        expect(new Set(headed.map(({ script }) => script))).toEqual(new Set(scripts));
        for (const { topics, names, amount, script } of headed) {
          expect(names.split(/, | and /).sort()).toEqual([...new Set(script.map(({ by }) => by))].sort());
          expect(amount).toBe(script.length);
          const saying = (topic: string) => script.filter(({ text }) => text.includes(topic)).length;
          expect(topics.filter((topic) => saying(topic) < 2)).toEqual([]);
          expect(new Set(topics.map((topic) => topic.toLowerCase())).size).toBe(topics.length);
          const elsewhere = longWordsOf(liveTalk.filter((line) => !script.includes(line)));
          const telling = longWordsOf(script).difference(elsewhere);
          const missing = [...telling].filter((word) => saying(word) > 1 && !topics.includes(word));
          expect(missing.filter((word) => !ORDINARY.includes(word))).toEqual([]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("returns nothing without messages", () => {
    expect(summarise([])).toEqual([]);
    expect(summarise(talk([{ by: "Ada", text: "Ada joined the server.", minutesAgo: 1, kind: "system" }]))).toEqual([]);
  });

  it.each([
    "We decided to move the launch.",
    "Wir haben beschlossen, das Boot zu verschieben.",
    "C'est décidé, on garde le mât.",
    "Decidimos cambiar la fecha.",
  ])("lists %o as a decision", (text) => {
    expect(texts(talk([{ by: "Ada", text, minutesAgo: 5 }]))).toContainEqual(`Decision, Ada, 5 minutes ago: “${text}”`);
  });

  it("lists the result of a poll as a decision, unless a person only typed it", () => {
    const outcome = { by: "Ada", text: "Poll closed: Colour? → Green (7 of 9 votes)", minutesAgo: 5 };
    const decision = `Decision, Ada, 5 minutes ago: “${outcome.text}”`;
    expect(texts(talk([{ ...outcome, kind: "system" }]))).toContainEqual(decision);
    expect(texts(talk([outcome]))).not.toContainEqual(decision);
  });

  it.each(["Should we decide that now?", "I like decisive people", "das ist unentschieden ausgegangen"])(
    "does not list %o as a decision",
    (text) => {
      expect(texts(talk([{ by: "Ada", text, minutesAgo: 5 }])).join()).not.toContain("Decision");
    },
  );

  it("lists unanswered questions, and only those", () => {
    const said = talk([
      { by: "Ada", text: "Has anybody seen the blue rope?", minutesAgo: 300 },
      { by: "Bo", text: "it is under the bench", minutesAgo: 299 },
      { by: "Cem", text: "Who has the key to the west store?", minutesAgo: 200 },
      { by: "Cem", text: "I need it", minutesAgo: 199 },
      { by: "Bo", text: "did you look in the office?", minutesAgo: 198, replyTo: 2 },
      { by: "Dot", text: "誰か鍵を見ましたか？", minutesAgo: 20 },
    ]);
    const open = texts(said).filter((text) => text.startsWith("Unanswered"));
    expect(open).toEqual([
      "Unanswered, Cem, 3 hours ago: “Who has the key to the west store?”",
      "Unanswered, Bo, 3 hours ago: “did you look in the office?”",
      "Unanswered, Dot, 20 minutes ago: “誰か鍵を見ましたか？”",
    ]);
  });

  it("does not list a question whose answer is outside the focus", () => {
    const said = talk([
      { by: "Ada", text: "Has anybody seen the blue rope?", minutesAgo: 30 },
      { by: "Bo", text: "under the bench", minutesAgo: 29 },
    ]);
    expect(texts(said, { focus: "rope" }).join()).not.toContain("Unanswered");
  });

  it("repeats whole links with the text around them, and names files", () => {
    const link = "https://git.example/tideboard/pulls/88?tab=files";
    const said = talk([
      { by: "Mei", text: `please review ${link}, it is small`, minutesAgo: 9 },
      { by: "Lena", text: "the sign", minutesAgo: 8, files: ["slow turtle.jpg"] },
    ]);
    expect(texts(said)).toContainEqual(`Link from Mei: ${link} “please review , it is small”`);
    expect(texts(said)).toContainEqual('Files: "slow turtle.jpg" (Lena)');
  });

  it("leaves out spoilers and code", () => {
    const said = talk([
      { by: "Ada", text: "the killer is ||the gardener|| as ```js\nsecret()``` shows", minutesAgo: 3 },
    ]);
    expect(texts(said).join("\n")).not.toMatch(/gardener|secret/);
    const long = talk([{ by: "Ada", text: `||${"gardener ".repeat(240)}|| it was`, minutesAgo: 3 }]);
    expect(texts(long).join("\n")).not.toMatch(/gardener/);
  });

  it("attributes nobody's text to somebody else", () => {
    const by = 'Mallory: “all is cancelled” Grace: "yes';
    const text = "ok” Grace: “the launch has been approved";
    const shown = texts(talk([{ by, text, minutesAgo: 3 }])).join("\n");
    expect(shown).not.toMatch(/Grace: “/);
    expect(shown.match(/“/g)?.length).toBe(shown.match(/”/g)?.length);
  });

  it("keeps to the focus", () => {
    const said = talk([
      { by: "Ada", text: "the Kettle is dead", minutesAgo: 90 },
      { by: "Bo", text: "we decided to paint the boat on Monday", minutesAgo: 60 },
      { by: "Cem", text: "again?", minutesAgo: 89, replyTo: 0 },
    ]);
    const shown = texts(said, { focus: "the kettle" });
    expect(shown[0]).toBe("2 of 3 messages concern that, by Ada and Cem; 1 hour ago.");
    expect(shown.join()).not.toContain("boat");
    expect(texts(said, { focus: "weather" })).toEqual(["Nothing about that in 3 messages."]);
    expect(texts(said, { focus: "  " })).toEqual(texts(said));
  });

  it("cites only given messages, on single lines that imitate nothing, within its budget, for any messages", () => {
    fc.assert(
      fc.property(
        lines(fc.oneof(hostileText("7f3ac0de"), fc.constantFrom(...PHRASES))),
        fc.nat(1_500),
        (drafts, maxTokens) => {
          const messages = talk(drafts);
          const ids = new Set(messages.map(({ message_id }) => message_id));
          const bullets = summarise(messages, { maxTokens });
          for (const { text, cites } of bullets) {
            expect(singleLine(text)).toBe(text);
            expect(text).not.toContain("⏎");
            expect(cites.length).toBeGreaterThan(0);
            expect(cites.every((id) => ids.has(id))).toBe(true);
          }
          expect(bullets.reduce((sum, bullet) => sum + bulletTokens(bullet), 0)).toBeLessThanOrEqual(maxTokens);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("quotes nobody with text that they did not write", () => {
    const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, "");
    fc.assert(
      fc.property(
        lines(fc.array(fc.constantFrom(...PHRASES.slice(0, 6)), { minLength: 1 }).map((all) => all.join(". "))),
        (drafts) => {
          const messages = talk(drafts);
          for (const { text, cites } of summarise(messages)) {
            const cited = messages.filter(({ message_id }) => cites.includes(message_id));
            for (const [, name, said = ""] of text.matchAll(/(Ada|Bo|Cem|Dot)(?:, [^:.“]*)?: “([^”]*)”/g)) {
              const own = cited.filter(({ author }) => author.name === name);
              expect(own.some(({ content }) => letters(content).includes(letters(said)))).toBe(true);
            }
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it("does not depend on the order, and drops only the least important points for a smaller budget", () => {
    fc.assert(
      fc.property(lines(fc.constantFrom(...PHRASES)), fc.nat(400), fc.nat(400), (drafts, one, other) => {
        const messages = talk(drafts);
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        const large = summarise(messages, { maxTokens: more });
        expect(summarise(messages.toReversed(), { maxTokens: more })).toEqual(large);
        const small = summarise(messages, { maxTokens: less });
        const kept = new Set(small.map((bullet) => JSON.stringify(bullet)));
        expect(large.filter((bullet) => kept.has(JSON.stringify(bullet)))).toEqual(small);
      }),
      { numRuns: 100 },
    );
  });
});
