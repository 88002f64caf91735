import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Turn } from "../src/agent/turn.ts";
import { printTable } from "../test/support/table.ts";
import { citedIn } from "./agent/measures.ts";
import { writeFigures } from "./figures.ts";
import { type Asked, figureOf, MEASURES, share } from "./questions/measures.ts";
import { isAskedOnly, type RoomQuestion, readRoomQuestions, unrelatedTo } from "./questions/question-file.ts";
import { ASKER, openReplay, type Replay } from "./questions/replay.ts";
import { readRoomFile } from "./room-file.ts";

/**
 * Are questions answered that people might really type, over real Discord rooms? Everything is said again in the order of time, all rooms at once, and each
 * question is asked at its moment: in its room, in an unrelated one and from nowhere. `npm run eval -- questions [--data folder] [--show | --search]` asks about the rooms that
 * may be tuned on; `--asked` about the others, three times at most: each run is noted in `eval/questions/asked-runs.log`.
 */
const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/data" },
    asked: { type: "boolean", default: false },
    show: { type: "boolean", default: false },
    /** Leaves the agent out, which takes most of the time. */
    search: { type: "boolean", default: false },
    figures: { type: "string" },
  },
});
const LOG = new URL("questions/asked-runs.log", import.meta.url);
const MAX_RUNS = 3;
const LIMIT = 10;

const folder = [values.data, "../../shared/data"].find((each) => existsSync(`${each}/discord-questions.json`));
if (folder === undefined) {
  console.error(`Skipped: ${values.data}/discord-questions.json is not there (name its folder with --data).`);
  process.exit(0);
}
const runs = existsSync(LOG) ? readFileSync(LOG, "utf8").split("\n").filter(Boolean).length : 0;
if (values.asked && runs >= MAX_RUNS) {
  console.error(`These questions have been asked ${runs} times already; more runs would be tuning to them.`);
  process.exit(1);
}

const rooms = readRoomFile(`${folder}/discord-replies/rooms.jsonl`);
const all = readRoomQuestions(`${folder}/discord-questions.json`);
const chosen = all.filter(({ room }) => isAskedOnly(room) === values.asked);
const byId = new Map(all.map((question) => [question.id, question]));
const replay = await openReplay(rooms);
const names = rooms.map(({ room }) => room);
const outcomes: Asked[] = [];
const inOrder = chosen.toSorted((a, b) => (BigInt(a.asked_after) < BigInt(b.asked_after) ? -1 : 1));
for (const question of inOrder) {
  await replay.goTo(question.asked_after);
  outcomes.push(await ask(question, replay));
}
await replay.world.close();

if (values.show)
  for (const { question, text, voice, cited, gold } of outcomes)
    console.log(
      `\n${question.id} [${voice}, ${cited.some((id) => gold.includes(id)) ? "cited" : "not cited"}] ${question.question}\n${text}`,
    );
const percent = (part: number) => Math.round(part * 100);
const measures = Object.entries(MEASURES).filter(([what]) => !values.search || what.includes("gold in the first"));
const rows = measures.map(([what, measure]) => {
  const { right, of } = share(outcomes, measure);
  const { interval } = figureOf(outcomes, measure);
  return {
    what,
    figure: of === 0 ? "none" : `${percent(right / of)} % (${right} of ${of})`,
    note: interval ? `90 %: ${interval.map(Math.round).join("–")}` : "",
  };
});
writeFigures(
  values.figures,
  Object.fromEntries(measures.map(([what, measure]) => [what, figureOf(outcomes, measure)])),
);
printTable(
  `${outcomes.length} questions about ${values.asked ? "rooms that are only asked" : "rooms to tune on"}`,
  rows,
);
if (values.asked) {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  appendFileSync(
    LOG,
    `${new Date().toISOString()} ${commit} ${rows.map(({ what, figure }) => `${what} ${figure}`).join("; ")}\n`,
  );
}
process.exit(0);

async function ask(question: RoomQuestion, { world, idOf }: Replay): Promise<Asked> {
  const { room, question: text, after } = question;
  const first = after === undefined || values.search ? undefined : byId.get(after);
  const before = first ? turnOf(await world.ask({ text: first.question, as: ASKER, in: room })) : null;
  const search = async (where: string | null) =>
    (await world.search({ text, as: ASKER, in: where, limit: LIMIT })).map(({ message_id }) => message_id as string);
  const answer = values.search ? null : (await world.ask({ text, as: ASKER, in: room, before })).answer;
  return {
    question,
    found: {
      room: await search(room),
      elsewhere: await search(unrelatedTo(room, names)),
      nowhere: await search(null),
    },
    gold: question.gold.flatMap((id) => idOf(id) ?? []),
    distractor: question.distractor === undefined ? undefined : idOf(question.distractor),
    cited: answer ? citedIn(answer) : [],
    voice: (answer?.kind === "text" && answer.voice) || "none",
    text: answer?.kind === "text" ? answer.text : (answer?.emoji ?? ""),
  };
}

function turnOf({ answer }: Awaited<ReturnType<Replay["world"]["ask"]>>): Turn | null {
  return answer.kind === "text" ? answer.turn : null;
}
