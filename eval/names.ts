import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { createNameIndex } from "../src/domain/names/resolve-name.ts";
import { printTable } from "../test/support/table.ts";
import { toFigure, writeFigures } from "./figures.ts";
import { jaroWinkler, levenshtein } from "./similarities.ts";

/**
 * Whom does a name mean? Each row has a first word of a chat message, the people who were there (who spoke last comes first) and whom the
 * message answered. `name_like` words were written as a name; the others are ordinary words and should mean nobody.
 */
const rowSchema = z.object({
  query: z.string(),
  name_like: z.boolean(),
  truth: z.array(z.string()),
  candidates: z.array(z.string()),
});
type Row = z.infer<typeof rowSchema>;

/** Those it could mean; the right answer has one in it. */
type Way = (query: string, candidates: readonly string[]) => readonly string[];

const WAYS: Readonly<Record<string, Way>> = {
  earshot(query, candidates) {
    const answer = createNameIndex(candidates.map((name) => ({ id: name, names: [name] }))).resolve(query);
    if (answer.kind === "several") return answer.candidates.map(({ id }) => id);
    return answer.kind === "one" ? [answer.candidate.id] : [];
  },
  prefix: nearest((query, name) => (name.startsWith(query) ? 1 : 0), 1),
  "Levenshtein ≥ .7": nearest((a, b) => 1 - levenshtein(a, b) / Math.max(a.length, b.length), 0.7),
  "Jaro-Winkler ≥ .85": nearest(jaroWinkler, 0.85),
};

/** As these are commonly used: the nearest, and the first of those that are equally near. */
function nearest(similarity: (a: string, b: string) => number, threshold: number): Way {
  return (query, candidates) => {
    const measured = candidates.map((name) => ({ name, near: similarity(query.toLowerCase(), name.toLowerCase()) }));
    const [best] = measured.filter(({ near }) => near >= threshold).sort((a, b) => b.near - a.near);
    return best ? [best.name] : [];
  };
}

function score(way: Way, rows: readonly Row[]) {
  const names = { rows: 0, resolved: 0, offered: 0, wrong: 0 };
  const words = { rows: 0, resolved: 0, wrong: 0 };
  for (const { query, name_like, truth, candidates } of rows) {
    const found = way(query, candidates);
    const isTrue = found.some((name) => truth.includes(name));
    const isOne = found.length === 1;
    if (name_like) {
      names.rows += 1;
      names.resolved += Number(isOne && isTrue);
      names.offered += Number(!isOne && isTrue);
      names.wrong += Number(isOne && !isTrue);
    } else {
      words.rows += 1;
      words.resolved += Number(isOne);
      words.wrong += Number(isOne && !isTrue);
    }
  }
  return { names, words };
}

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;

const { values } = parseArgs({
  options: { data: { type: "string" }, json: { type: "boolean", default: false }, figures: { type: "string" } },
});
if (values.data === undefined) {
  console.error("Which data? For example: npm run eval -- names --data ../shared/data/names-dev.jsonl");
  process.exit(1);
}
const rows = readFileSync(values.data, "utf8")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => rowSchema.parse(JSON.parse(line)));
const scores = Object.entries(WAYS).map(([way, run]) => {
  const { names, words } = score(run, rows);
  return { way, names, words, namesResolved: names.resolved / names.rows, wordsResolved: words.resolved / words.rows };
});
if (values.figures !== undefined) {
  // Which room a row is from is not known, so rows are drawn.
  const each = rows.map((row) => score(WAYS.earshot ?? (() => []), [row]));
  writeFigures(values.figures, {
    "names resolved": toFigure(each.map(({ names }) => ({ right: names.resolved, of: names.rows }))),
    "names resolved wrongly": toFigure(each.map(({ names }) => ({ right: names.wrong, of: names.rows }))),
    "ordinary words taken for names": toFigure(each.map(({ words }) => ({ right: words.resolved, of: words.rows }))),
  });
}
if (values.json) console.log(JSON.stringify({ eval: "names", scores }, null, 2));
else
  printTable(
    `Whom does a name mean? ${scores[0]?.names.rows} names (goal: 75 % resolved), ${scores[0]?.words.rows} ordinary words (goal: below 5 %)`,
    scores.map(({ way, names, words }) => ({
      what: way,
      figure: `${percent(names.resolved, names.rows)} of names, ${percent(words.resolved, words.rows)} of words`,
      note: `names: ${percent(names.offered, names.rows)} among several offered, ${percent(names.wrong, names.rows)} wrong; words: ${percent(words.wrong, words.rows)} to another than was answered`,
    })),
  );
