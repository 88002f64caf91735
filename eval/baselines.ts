import { DatabaseSync } from "node:sqlite";
import MiniSearch from "minisearch";
import { isStopWord } from "../src/domain/search/terms.ts";
import type { Conversation } from "./conversations.ts";

/** The ids of the turns found, the best first. */
export type Search = (question: string, limit: number) => readonly string[];

/** What one might use instead. Each gets the same text, names and captions included. */
export const BASELINES: Readonly<Record<string, (conversation: Conversation) => Search>> = {
  fts5({ turns }) {
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE VIRTUAL TABLE turn USING fts5 (text, tokenize = 'porter unicode61')");
    const insert = database.prepare("INSERT INTO turn (rowid, text) VALUES (?, ?)");
    for (const [index, { readable }] of turns.entries()) insert.run(index, readable);
    const select = database.prepare("SELECT rowid FROM turn WHERE turn MATCH ? ORDER BY bm25(turn) LIMIT ?");
    return (question, limit) => {
      const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
      const rows = words.length === 0 ? [] : select.all(words.map((word) => `"${word}"`).join(" OR "), limit);
      return rows.flatMap(({ rowid }) => turns[Number(rowid)]?.id ?? []);
    };
  },
  minisearch({ turns }) {
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
  substring({ turns }) {
    return (question, limit) =>
      turns
        .filter(({ readable }) => readable.toLowerCase().includes(question.toLowerCase()))
        .reverse()
        .slice(0, limit)
        .map(({ id }) => id);
  },
};
