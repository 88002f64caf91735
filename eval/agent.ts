import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import type { Turn } from "../src/agent/turn.ts";
import { printTable, type Row } from "../test/support/table.ts";
import { formatRate, judge, measuresOf, type Outcome } from "./agent/measures.ts";
import { readQuestions } from "./agent/question-set.ts";
import { isOnly } from "./agent/select-questions.ts";
import { openWorlds } from "./agent/worlds.ts";
import { toFigure, writeFigures } from "./figures.ts";

/**
 * How well does the built-in answerer answer? `npm run eval -- agent [--data rooms.jsonl] [--show] [--half 1|2] [--only kind or beginning of id]` asks the questions of
 * `eval/agent/dev.json`; `--held-out` asks those that nobody tuned to, three times at most: each run is noted in `eval/agent/held-out-runs.log`.
 *
 * How well does a model? `npm run eval -- agent --model [--tier small|full] [--limit 50] [--only tools]` asks the one that EARSHOT_MODEL names, which may cost money;
 * `--only tools` asks the example questions of the tools (`examples` in `src/tools/`). `--copies` asks one that only copies what it is given, which needs no server.
 */
const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/data/discord-replies/rooms.jsonl" },
    "held-out": { type: "boolean", default: false },
    show: { type: "boolean", default: false },
    half: { type: "string" },
    only: { type: "string" },
    model: { type: "boolean", default: false },
    copies: { type: "boolean", default: false },
    tier: { type: "string" },
    limit: { type: "string", default: "50" },
    figures: { type: "string" },
  },
});
const MAX_HELD_OUT_RUNS = 3;
const asksModel = values.model || values.copies;
const LOG = new URL(`agent/held-out-${asksModel ? "model-" : ""}runs.log`, import.meta.url);
const isHeldOut = values["held-out"];
const data =
  [values.data, "../../shared/data/discord-replies/rooms.jsonl"].find((file) => existsSync(file)) ?? values.data;

if (isHeldOut && !asksModel) refuseMoreRuns("");
const { questions: all, now } = readQuestions(new URL(`agent/${isHeldOut ? "held-out" : "dev"}.json`, import.meta.url));

if (asksModel) process.exit(await askModel());
const { worlds, missing } = await openWorlds(all, { now, data });

const outcomes: Outcome[] = [];
const turns = new Map<string, Turn | null>();
for (const [index, question] of all.entries()) {
  const at = worlds.get(question.world);
  if (!at) continue;
  const { answer, calls } = await at.world.ask({
    text: question.text,
    as: at.person(question.as),
    in: at.channel(question.in),
    ...(question.private !== undefined && { isPrivate: question.private }),
    before: question.after === undefined ? null : (turns.get(question.after) ?? null),
  });
  turns.set(question.id, answer.kind === "text" ? answer.turn : null);
  // Whoever tunes to one half sees on the other whether it holds in general.
  if (values.half !== undefined && (index % 2) + 1 !== Number(values.half)) continue;
  if (!isOnly(question, values.only)) continue;
  const gold = question.gold.map((reference) => at.message(reference));
  const outdated = question.outdated.map((reference) => at.message(reference));
  outcomes.push(judge(question, { answer, calls, gold, outdated }));
}
for (const { world } of worlds.values()) await world.close();

if (values.show)
  for (const { question, text, tool, outcome, isToolRight, isGoldCited, isGoldFirst, isExpected, leaked } of outcomes) {
    const wrong = [
      ...(isToolRight ? [] : [`tool ${tool}`]),
      ...(isGoldCited === false ? ["gold not cited"] : isGoldFirst === false ? ["gold not first"] : []),
      ...(isExpected ? [] : [`${outcome} instead of ${question.expect}`]),
      ...leaked.map((words) => `leaked “${words}”`),
    ];
    if (wrong.length > 0)
      console.log(`\n${question.id} [${wrong.join(", ")}] ${question.as} in ${question.in}: ${question.text}\n${text}`);
  }

const measured = measuresOf(outcomes);
const rows = Object.entries(measured).map(([what, rate]) => ({ what, figure: formatRate(rate) }));
printTable(`${outcomes.length} questions, all kinds`, rows);
// Most are about one world, so questions are drawn instead of rooms.
const each = outcomes.map((outcome) => measuresOf([outcome]));
writeFigures(
  values.figures,
  Object.fromEntries(Object.keys(measured).map((what) => [what, toFigure(each.flatMap((rates) => rates[what] ?? []))])),
);
for (const [kind, some] of Map.groupBy(outcomes, ({ question }) => question.kind)) {
  const parts = Object.entries(measuresOf(some)).filter(([, { of }]) => of > 0);
  printTable(
    kind,
    parts.map(([what, rate]) => ({ what, figure: formatRate(rate) })),
  );
}
if (missing.size > 0) console.log(`\nSkipped ${[...missing].join(", ")}: ${data} is not there (name it with --data).`);

if (isHeldOut) noteRun(rows);
process.exit(0);

/** `who`: the model's name, in the log of the models. */
function refuseMoreRuns(who: string): void {
  const lines = existsSync(LOG) ? readFileSync(LOG, "utf8").split("\n").filter(Boolean) : [];
  const runs = lines.filter((line) => line.includes(` ${who}`)).length;
  if (runs < MAX_HELD_OUT_RUNS) return;
  console.error(`The held-out questions have been asked ${runs} times already; more runs would be tuning to them.`);
  process.exit(1);
}

function noteRun(figures: readonly Row[]): void {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const line = figures.map(({ what, figure }) => `${what} ${figure}`).join("; ");
  appendFileSync(LOG, `${new Date().toISOString()} ${commit} ${line}\n`);
}

/** Returns the exit code. */
async function askModel(): Promise<number> {
  const [{ runModelEval }, { toModelRows }] = await Promise.all([
    import("./agent/run-model-eval.ts"),
    import("./agent/model-measures.ts"),
  ]);
  const flags = z.object({ limit: z.coerce.number().int().min(1), tier: z.enum(["small", "full"]).optional() });
  const { success, data: checked } = flags.safeParse(values);
  if (!success) {
    console.error("--limit must be a number from 1, and --tier small or full.");
    return 2;
  }
  const opened = await (values.copies ? openCopying() : openConfigured()).catch((error: Error) => error.message);
  if (typeof opened === "string") {
    console.error(opened);
    return 2;
  }
  const { model, name } = opened;
  if (isHeldOut) refuseMoreRuns(`${name} in the tier`);
  const tiers = checked.tier ? [checked.tier] : (["small", "full"] as const);
  const { only, show } = values;
  const request = { questions: all, now, data, tiers, only, limit: checked.limit, show };
  const outcomes = await runModelEval(request, { model, print: console.log });
  const noted = [...outcomes].flatMap(([tier, some]) => [
    { what: `${name} in the tier`, figure: tier },
    ...toModelRows(some),
  ]);
  if (isHeldOut) noteRun(noted);
  return 0;
}

async function openCopying() {
  const { COPYING_MODEL } = await import("./agent/copying-model.ts");
  return { model: COPYING_MODEL, name: "copies" };
}

/** Throws an error, or gives back a sentence, that says what is missing. */
async function openConfigured() {
  const [{ readConfig }, { openChatModel }] = await Promise.all([
    import("../src/config/config.ts"),
    import("../src/app/open-models.ts"),
  ]);
  const config = await readConfig(process.env, process.cwd());
  const model = await openChatModel(config);
  if (!model)
    return "No model is configured. Name one with EARSHOT_MODEL; its server with EARSHOT_MODEL_URL, unless it is Ollama on this machine; its key, if it needs one, with EARSHOT_MODEL_KEY.";
  const { name, baseUrl } = config.model;
  console.log(`Model ${name} at ${baseUrl}.`);
  return { model, name };
}
