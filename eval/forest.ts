import { parseArgs } from "node:util";
import { buildThreadForest } from "../src/domain/forest/build-thread-forest.ts";
import type { Message } from "../src/domain/message.ts";
import { runAtOnce, UNPACED } from "../src/domain/steps/pace.ts";
import { printTable } from "../test/support/table.ts";
import { FOREST_BASELINES, type Follow } from "./forest-baselines.ts";
import { type Measures, measure } from "./forest-measures.ts";
import { type Room, readRooms } from "./irc.ts";

/** As in the product: the forest of all that is known of the room. */
function followForest(messages: readonly Message[]): number[] {
  const places = new Map(messages.map(({ message_id }, index) => [message_id, index]));
  const links = new Map(runAtOnce(buildThreadForest(messages, UNPACED)).flatMap((thread) => [...thread.links]));
  return messages.map(({ message_id }, index) => {
    const link = links.get(message_id);
    return (link && places.get(link.to)) ?? index;
  });
}

function score(rooms: readonly Room[], follow: Follow): Measures {
  return measure(
    rooms.map(({ messages, answers }) => {
      const targets = follow(messages);
      const found = new Map([...answers.keys()].map((line) => [line, [targets[line] ?? line]]));
      return { truth: answers, found };
    }),
  );
}

function readData(): { rooms: Room[]; json: boolean } {
  const { values } = parseArgs({ options: { data: { type: "string" }, json: { type: "boolean", default: false } } });
  try {
    if (values.data === undefined) throw new Error("no folder was given");
    const rooms = readRooms(values.data);
    if (rooms.length === 0) throw new Error(`there is no *.ascii.txt in ${values.data}`);
    return { rooms, json: values.json };
  } catch (error) {
    console.error(
      `Say where annotated chat logs are: --data FOLDER (${error instanceof Error ? error.message : error}).`,
    );
    process.exit(1);
  }
}

const { rooms, json } = readData();
const earshot = score(rooms, followForest);
const baselines = Object.fromEntries(
  Object.entries(FOREST_BASELINES).map(([name, follow]) => [name, score(rooms, follow)]),
);
if (json) console.log(JSON.stringify({ earshot, baselines }, null, 2));
else
  printTable(
    `Who answers whom in ${rooms.length} busy rooms: links F / groups: information, one to one, exact F`,
    Object.entries({ earshot, ...baselines }).map(([what, { link_f, vi, one_to_one, exact_f }]) => ({
      what: what.replaceAll("_", " "),
      figure: [link_f, vi, one_to_one, exact_f].map((value) => value.toFixed(1)).join(" / "),
    })),
  );
