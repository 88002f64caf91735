import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { printTable, type Row } from "../test/support/table.ts";
import { type Figure, type Figures, formatFigure } from "./figures.ts";
import { FLOORS, type Floor } from "./floors.ts";

/** The run to compare with, as it was landed. */
interface KeptRun {
  readonly commit: string;
  readonly figures: Readonly<Record<string, Figures>>;
}

const KEPT = new URL("figures.json", import.meta.url);

/** The options of each, given the folder of the data. Questions and rooms that are only asked about are left out of all of them. */
const RUNS: Readonly<Record<string, (data: string) => readonly string[]>> = {
  search: (data) => ["--data", `${data}/locomo-dev.json`],
  replies: (data) => ["--data", `${data}/discord-replies/rooms.jsonl`, "--quick"],
  chat: (data) => ["--data", `${data}/irc/dev`],
  names: (data) => ["--data", `${data}/names-dev.jsonl`],
  forest: (data) => ["--data", data],
  "forest-across": (data) => ["--data", data],
  agent: (data) => ["--data", `${data}/discord-replies/rooms.jsonl`],
  questions: (data) => ["--data", data],
};

/** Returns the exit code: 1 if an evaluation failed or a figure misses its floor. */
export function runAll(options: readonly string[]): number {
  const { values } = parseArgs({
    args: [...options],
    options: {
      data: { type: "string", default: "../shared/data" },
      only: { type: "string" },
      keep: { type: "boolean", default: false },
    },
  });
  const kept: KeptRun = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, "utf8")) : { commit: "none", figures: {} };
  const names = Object.keys(RUNS).filter((name) => values.only === undefined || values.only.split(",").includes(name));
  const folder = mkdtempSync(join(tmpdir(), "figures-"));
  const figures: Record<string, Figures> = {};
  const failed: string[] = [];
  for (const name of names) {
    const file = join(folder, `${name}.json`);
    const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
    const args = [script, ...(RUNS[name]?.(values.data) ?? []), "--figures", file];
    const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
    const found: Figures | null = status === 0 && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
    if (!found) {
      failed.push(name);
      continue;
    }
    figures[name] = found;
    const rows = toRows(found, { floors: FLOORS[name] ?? {}, before: kept.figures[name] ?? {} });
    printTable(`${name}: figure (90 % interval over rooms) | floor | ${kept.commit}`, rows);
    if (rows.some(({ note }) => note?.includes(MISSED))) failed.push(name);
  }
  rmSync(folder, { recursive: true });
  if (values.keep) {
    const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
    const run: KeptRun = { commit, figures: { ...kept.figures, ...figures } };
    // Each interval on one line, as the formatter wants it.
    const text = JSON.stringify(run, toTenths, 2).replaceAll(/\[\s+(\S+)\s+(\S+)\s+\]/g, "[$1 $2]");
    writeFileSync(KEPT, `${text}\n`);
  }
  if (failed.length > 0) console.error(`\nFailed or below a floor: ${failed.join(", ")}.`);
  return failed.length > 0 ? 1 : 0;
}

const MISSED = "missed";

/** One row for each figure. Fields of `floors` and `before` that were not measured have none. */
export function toRows(
  figures: Figures,
  { floors, before }: { floors: Readonly<Record<string, Floor>>; before: Figures },
): Row[] {
  return Object.entries(figures).map(([what, figure]) => {
    const floor = floors[what];
    const earlier = before[what];
    const columns = [floor ? toGoal(floor, figure) : "-", earlier ? formatFigure(earlier) : "-"];
    return { what, figure: formatFigure(figure), note: `| ${columns.join(" | ")}` };
  });
}

function toGoal({ least, most }: Floor, { value }: Figure): string {
  const isMissed = (least !== undefined && value < least) || (most !== undefined && value > most);
  return `${least === undefined ? `≤ ${most}` : `≥ ${least}`}${isMissed ? ` ${MISSED}` : ""}`;
}

function toTenths(_: string, value: unknown): unknown {
  return typeof value === "number" ? Math.round(value * 10) / 10 : value;
}
