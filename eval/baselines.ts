import { DatabaseSync } from "node:sqlite";
import MiniSearch from "minisearch";
import { isStopWord } from "../src/domain/search/stop-words.ts";
import type { Turn } from "./conversations.ts";

/** The ids of the turns found, the best first. */
export type Search = (question: string, limit: number) => readonly string[];

type Open = (turns: readonly Pick<Turn, "id" | "readable">[]) => Search;

/**
 * How much of a neighbour's score counts for a turn too. In the rooms that may be tuned on 0.3 finds more than 0.5; in conversations 0.5 finds a
 * little more among the first 5 and 10 (62.1 / 72.8 percent instead of 60.6 / 70.8), and less at 1.
 */
const NEIGHBOUR_SHARE = 0.3;

/** What one might use instead. Each gets the same text, names and captions included. */
export const BASELINES: Readonly<Record<string, Open>> = {
  fts5: (turns) => openFilled(turns).best,
  fts5_with_neighbours: (turns) => openFilled(turns).bestWithNeighbours,
  minisearch(turns) {
    const index = new MiniSearch({
      fields: ["readable"],
      processTerm: (term) => (isStopWord(term.toLowerCase()) ? null : term.toLowerCase()),
      searchOptions: { prefix: true, fuzzy: 0.2 },
    });
    index.addAll(turns.map(({ id, readable }) => ({ id, readable })));
    return (question, limit) =>
      index
        .search(question)
        .slice(0, limit)
        .map(({ id }) => String(id));
  },
  substring(turns) {
    return (question, limit) =>
      turns
        .filter(({ readable }) => readable.toLowerCase().includes(question.toLowerCase()))
        .reverse()
        .slice(0, limit)
        .map(({ id }) => id);
  },
};

/** SQLite's own search over turns that come and go, without stop words. */
export interface Fts5 {
  /** They come in order. */
  add(id: string, readable: string): void;
  removeOldest(): void;
  readonly best: Search;
  /** A turn gets a share of what the turns before and after it get. */
  readonly bestWithNeighbours: Search;
}

export function openFts5(): Fts5 {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE VIRTUAL TABLE turn USING fts5 (text, tokenize = 'porter unicode61')");
  const insert = database.prepare("INSERT INTO turn (rowid, text) VALUES (?, ?)");
  const remove = database.prepare("DELETE FROM turn WHERE rowid = ?");
  const select = database.prepare("SELECT rowid, bm25(turn) AS score FROM turn WHERE turn MATCH ?");
  const ids: string[] = [];
  let first = 0;
  const score = (question: string): Map<number, number> => {
    const words = (question.match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu) ?? []).filter(
      (word) => !isStopWord(word.toLowerCase().replace(/['’]/, "")),
    );
    const rows = words.length === 0 ? [] : select.all(words.map((word) => `"${word}"`).join(" OR "));
    return new Map(rows.map(({ rowid, score: own }) => [Number(rowid), -Number(own)]));
  };
  /** Of equal ones the newer first. */
  const sort = (scores: ReadonlyMap<number, number>, limit: number) =>
    [...scores]
      .sort(([a, x], [b, y]) => y - x || b - a)
      .slice(0, limit)
      .flatMap(([at]) => ids[at] ?? []);
  return {
    add: (id, readable) => void insert.run(ids.push(id) - 1, readable),
    removeOldest: () => void remove.run(first++),
    best: (question, limit) => sort(score(question), limit),
    bestWithNeighbours(question, limit) {
      const own = score(question);
      const scores = new Map<number, number>();
      for (const [at, each] of own)
        for (const [step, share] of [
          [0, 1],
          [-1, NEIGHBOUR_SHARE],
          [1, NEIGHBOUR_SHARE],
        ] as const)
          if (at + step >= first && at + step < ids.length)
            scores.set(at + step, (scores.get(at + step) ?? 0) + share * each);
      return sort(scores, limit);
    },
  };
}

function openFilled(turns: Parameters<Open>[0]): Fts5 {
  const fts5 = openFts5();
  for (const { id, readable } of turns) fts5.add(id, readable);
  return fts5;
}
