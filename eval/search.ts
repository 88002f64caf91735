import { parseArgs } from "node:util";
import { parseQuery, toQuery } from "../src/domain/search/query.ts";
import type { Embedder } from "../src/ports/embedder.ts";
import { openArchive } from "../test/support/archive.ts";
import { printTable } from "../test/support/table.ts";
import { BASELINES, type Search } from "./baselines.ts";
import { type Conversation, type Question, readConversations } from "./conversations.ts";
import { type Answers, embedderCalled } from "./embedders.ts";
import { toFigure, writeFigures } from "./figures.ts";

/**
 * Does search find the turns in which the answer was said? Each conversation is a channel; each question is asked as it stands. A turn is found
 * when it is itself among the first so many hits: what is shown around a hit does not count. With `--embedder` it also goes by meaning.
 */
interface Tally {
  questions: number;
  found1: number;
  found5: number;
  found10: number;
  /** With what is shown around the hits. */
  shown5: number;
}

interface Figures {
  readonly recall_at_1: number;
  readonly recall_at_5: number;
  readonly recall_at_10: number;
}

interface Report extends Figures {
  readonly by_category: Readonly<Record<string, Figures & { readonly questions: number }>>;
}

interface Answer {
  readonly hits: readonly string[];
  readonly shown?: readonly string[];
}

const CATEGORIES: Readonly<Record<string, string>> = {
  1: "multi-hop",
  2: "temporal",
  3: "open-domain",
  4: "single-hop",
  5: "adversarial",
};
const LIMIT = 10;
const SCAN = 100_000;
/** An answer in which the embedder had no say would measure nothing. */
const PATIENCE_MS = 600_000;

class Score {
  readonly #tallies = new Map<number, Tally>();
  /** By conversation, how much was found among the first so many hits. */
  readonly byConversation = new Map<string, { of: number; readonly right: Record<number, number> }>();

  add({ category, evidence }: Question, { hits, shown = hits }: Answer, conversation = ""): void {
    const tally = this.#tallies.get(category) ?? { questions: 0, found1: 0, found5: 0, found10: 0, shown5: 0 };
    const share = (ids: readonly string[]) => ids.filter((id) => evidence.has(id)).length / evidence.size;
    tally.questions += 1;
    tally.found1 += share(hits.slice(0, 1));
    tally.found5 += share(hits.slice(0, 5));
    tally.found10 += share(hits.slice(0, 10));
    tally.shown5 += share(shown);
    const own = this.byConversation.get(conversation) ?? { of: 0, right: {} };
    own.of += 1;
    for (const top of [1, 5, 10]) own.right[top] = (own.right[top] ?? 0) + share(hits.slice(0, top));
    this.byConversation.set(conversation, own);
    this.#tallies.set(category, tally);
  }

  report(): Report {
    const by = [...this.#tallies].sort(([a], [b]) => a - b);
    const all = by.map(([, tally]) => tally);
    const sum = (of: keyof Tally) => all.reduce((total, tally) => total + tally[of], 0);
    return {
      ...toFigures({
        questions: sum("questions"),
        found1: sum("found1"),
        found5: sum("found5"),
        found10: sum("found10"),
        shown5: 0,
      }),
      by_category: Object.fromEntries(
        by.map(([category, tally]) => [category, { ...toFigures(tally), questions: tally.questions }]),
      ),
    };
  }

  shown(): number {
    const all = [...this.#tallies.values()];
    return percent(
      all.reduce((sum, { shown5 }) => sum + shown5, 0),
      all.reduce((sum, { questions }) => sum + questions, 0),
    );
  }
}

function toFigures({ questions, found1, found5, found10 }: Tally): Figures {
  return {
    recall_at_1: percent(found1, questions),
    recall_at_5: percent(found5, questions),
    recall_at_10: percent(found10, questions),
  };
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1_000) / 10;
}

/** Through the same code as the tools, on real timelines. */
async function askEarshot(conversations: readonly Conversation[], embedder: Embedder | null): Promise<Score> {
  const score = new Score();
  const { timelines } = openArchive(
    new Map(conversations.map(({ channelId, turns }) => [channelId, turns.map(({ message }) => message)])),
    { messagesPerChannel: SCAN, embedder, embedderWaitMs: PATIENCE_MS },
  );
  for (const { channelId, turns, questions } of conversations) {
    const names = new Map(turns.map(({ id, message }) => [message.message_id, id]));
    for (const question of questions) {
      const query = toQuery(parseQuery(question.text));
      const { hits } = await timelines.find({ channelIds: [channelId], query, limit: LIMIT, scan: SCAN });
      const shown = hits.slice(0, 5).flatMap(({ message, around }) => [message, ...around]);
      const answer = {
        hits: hits.map(({ message }) => names.get(message.message_id) ?? ""),
        shown: shown.map(({ message_id }) => names.get(message_id) ?? ""),
      };
      score.add(question, answer, channelId);
    }
  }
  await timelines.close();
  return score;
}

/** By the texts that an embedder is given. */
function answersIn(conversations: readonly Conversation[]): Answers {
  const answers = new Map<string, string[]>();
  for (const { turns, questions } of conversations)
    for (const { text, evidence } of questions)
      answers.set(
        toQuery(parseQuery(text)).text,
        turns
          .filter(({ id }) => evidence.has(id))
          .map(({ message: { content, attachments } }) =>
            [content, ...attachments.map(({ filename }) => filename)].join(" ").trim(),
          ),
      );
  return answers;
}

function askBaseline(conversations: readonly Conversation[], open: (turns: Conversation["turns"]) => Search): Report {
  const score = new Score();
  for (const conversation of conversations) {
    const search = open(conversation.turns);
    for (const question of conversation.questions) score.add(question, { hits: search(question.text, LIMIT) });
  }
  return score.report();
}

function toRow(what: string, { recall_at_1, recall_at_5, recall_at_10, by_category }: Report) {
  const parts = Object.entries(by_category).map(
    ([category, figures]) =>
      `${CATEGORIES[category] ?? category} ${figures.recall_at_1}/${figures.recall_at_5}/${figures.recall_at_10}`,
  );
  return {
    what,
    figure: [recall_at_1, recall_at_5, recall_at_10].map((each) => each.toFixed(1)).join(" / "),
    note: parts.join(", "),
  };
}

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    embedder: { type: "string" },
    json: { type: "boolean", default: false },
    figures: { type: "string" },
  },
});
if (values.data === undefined) {
  console.error("Say which conversations to search: --data FILE.");
  process.exit(1);
}
const conversations = readConversations(values.data);
const score = await askEarshot(conversations, await embedderCalled(values.embedder, answersIn(conversations)));
const earshot = score.report();
writeFigures(
  values.figures,
  Object.fromEntries(
    [1, 5, 10].map((top) => {
      const rooms = [...score.byConversation.values()].map(({ of, right }) => ({ right: right[top] ?? 0, of }));
      return [`LoCoMo, evidence in the first ${top}`, toFigure(rooms)];
    }),
  ),
);
const baselines = Object.fromEntries(
  Object.entries(BASELINES).map(([name, open]) => [name, askBaseline(conversations, open)]),
);
if (values.json) console.log(JSON.stringify({ earshot, baselines }, null, 2));
else {
  printTable("Evidence found among the first 1 / 5 / 10 hits, in percent", [
    toRow("earshot", earshot),
    ...Object.entries(baselines).map(([name, report]) => toRow(name, report)),
  ]);
  printTable("Evidence shown", [
    { what: "earshot, first 5 hits with what is around them", figure: score.shown().toFixed(1) },
  ]);
}
