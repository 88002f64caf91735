import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Turn } from "../src/agent/turn.ts";
import { printTable } from "../test/support/table.ts";
import { formatRate, judge, measuresOf, type Outcome } from "./agent/measures.ts";
import { readQuestions } from "./agent/question-set.ts";
import { type EvalWorld, openRoomWorld, openSampleWorld, roomsOf } from "./agent/worlds.ts";

/**
 * How well does the built-in answerer answer? `npm run eval -- agent [--data rooms.jsonl] [--show] [--half 1|2] [--only kind or beginning of id]` asks the questions of
 * `eval/agent/dev.json`; `--held-out` asks those that nobody tuned to, three times at most: each run is noted in `eval/agent/held-out-runs.log`.
 */
const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/data/discord-replies/rooms.jsonl" },
    "held-out": { type: "boolean", default: false },
    show: { type: "boolean", default: false },
    half: { type: "string" },
    only: { type: "string" },
  },
});
const MAX_HELD_OUT_RUNS = 3;
const LOG = new URL("agent/held-out-runs.log", import.meta.url);
const isHeldOut = values["held-out"];
const data =
  [values.data, "../../shared/data/discord-replies/rooms.jsonl"].find((file) => existsSync(file)) ?? values.data;

const runs = existsSync(LOG) ? readFileSync(LOG, "utf8").split("\n").filter(Boolean).length : 0;
if (isHeldOut && runs >= MAX_HELD_OUT_RUNS) {
  console.error(`The held-out questions have been asked ${runs} times already; more runs would be tuning to them.`);
  process.exit(1);
}
const { questions: all, now } = readQuestions(new URL(`agent/${isHeldOut ? "held-out" : "dev"}.json`, import.meta.url));

const worlds = new Map<string, EvalWorld>();
const missing = new Set<string>();
if (all.some(({ world }) => world === "sample")) worlds.set("sample", await openSampleWorld(now));
for (const [room, askers] of roomsOf(all)) {
  const world = await openRoomWorld(data, room, askers);
  if (world) worlds.set(`replies:${room}`, world);
  else missing.add(`replies:${room}`);
}

// What a reference does not find is found before anything is asked.
for (const { world, gold, outdated, as, in: place } of all) {
  const at = worlds.get(world);
  if (!at) continue;
  at.person(as);
  at.channel(place);
  for (const reference of [...gold, ...outdated]) at.message(reference);
}

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
  if (values.only !== undefined && question.kind !== values.only && !question.id.startsWith(`${values.only}-`))
    continue;
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
for (const [kind, some] of Map.groupBy(outcomes, ({ question }) => question.kind)) {
  const parts = Object.entries(measuresOf(some)).filter(([, { of }]) => of > 0);
  printTable(
    kind,
    parts.map(([what, rate]) => ({ what, figure: formatRate(rate) })),
  );
}
if (missing.size > 0) console.log(`\nSkipped ${[...missing].join(", ")}: ${data} is not there (name it with --data).`);

if (isHeldOut) {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const figures = rows.map(({ what, figure }) => `${what} ${figure}`).join("; ");
  appendFileSync(LOG, `${new Date().toISOString()} ${commit} ${figures}\n`);
}
process.exit(0);
