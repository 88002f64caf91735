import { existsSync } from "node:fs";
import { type Community, type PostPlan, sampleCommunity } from "../../sandbox/index.ts";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import { type AnswerWorld, openAnswerWorld } from "../../test/support/answer-world.ts";
import { type RoomRecord, readRoomFile } from "../room-file.ts";
import type { EvalQuestion, Reference } from "./question-set.ts";

export interface EvalWorld {
  readonly world: AnswerWorld;
  /** The key of a person by name, username or key. */
  person(name: string): string;
  /** The key of a channel or thread by name or key. */
  channel(name: string): string;
  /** The id of a message. Throws for what is not there. */
  message(reference: Reference): string;
}

const MINUTE_MS = 60_000;
const EPOCH = 1_420_070_400_000;
const ROOM = "room";

async function openSampleWorld(now: number | undefined): Promise<EvalWorld> {
  return toEvalWorld(await openAnswerWorld(createBuiltinAnswerer(), sampleCommunity(), now), sampleCommunity());
}

/** A room of real talk as a server with one channel; null when the data is not there. */
async function openRoomWorld(file: string, name: string, askers: readonly string[]): Promise<EvalWorld | null> {
  if (!existsSync(file)) return null;
  const room = readRoomFile(file).find((each) => each.room === name);
  if (!room) throw new Error(`There is no room ${name} in ${file}.`);
  const last = room.messages.at(-1);
  const now = (last ? timeOf(last.id) : EPOCH) + 60 * MINUTE_MS;
  const community = toCommunity(room, now, askers);
  const world = await openAnswerWorld(createBuiltinAnswerer(), community, now);
  const said = room.messages.filter(({ text }) => text.trim() !== "");
  const ids = [...(world.sandbox.world.channels.get(idOf(world, ROOM))?.messages ?? [])].map(({ id }) => id);
  if (ids.length !== said.length)
    throw new Error(`${name} has ${said.length} messages, but ${ids.length} were laid out.`);
  const byNumber = new Map(said.map((message, index) => [room.messages.indexOf(message), ids[index] ?? ""]));
  return {
    ...toEvalWorld(world, community),
    channel: () => ROOM,
    message(reference) {
      const id = typeof reference === "number" ? byNumber.get(reference) : undefined;
      if (id === undefined) throw new Error(`${name} has no message ${JSON.stringify(reference)}.`);
      return id;
    },
  };
}

function timeOf(id: string): number {
  return Number(BigInt(id) >> 22n) + EPOCH;
}

function toCommunity({ room, messages }: RoomRecord, now: number, askers: readonly string[]): Community {
  const keys = new Map<string, string>();
  for (const { author_id } of messages) if (!keys.has(author_id)) keys.set(author_id, `p${keys.size}`);
  const names = new Map(messages.map(({ author_id, author }) => [keys.get(author_id) ?? "", author]));
  const posts = messages
    .filter(({ text }) => text.trim() !== "")
    .map(
      (message): PostPlan => ({
        key: message.id,
        minutesAgo: (now - timeOf(message.id)) / MINUTE_MS,
        in: ROOM,
        by: keys.get(message.author_id) ?? "",
        text: message.text.replaceAll(/[{}]/g, "").slice(0, 2_000),
        ...(messages.some(({ id, text }) => id === message.reply_to && text.trim() !== "") &&
          message.reply_to && { replyTo: message.reply_to }),
      }),
    );
  return {
    guild: { name: room, owner: "earshot", everyone: ["ViewChannel", "ReadMessageHistory", "SendMessages"] },
    people: [
      { key: "earshot", username: "earshot", displayName: "Earshot", bot: true },
      ...askers.map((name) => ({ key: name, username: name.toLowerCase(), displayName: name })),
      ...[...names].map(([key, name]) => ({ key, username: `user_${key}`, displayName: name.slice(0, 32) })),
    ],
    roles: [],
    channels: [{ key: ROOM, name: ROOM, kind: "text" }],
    posts,
  };
}

function idOf(world: AnswerWorld, key: string): string {
  return world.sandbox.community.channels.get(key) ?? key;
}

function toEvalWorld(world: AnswerWorld, { people }: Community): EvalWorld {
  const {
    community,
    world: { channels },
  } = world.sandbox;
  const fold = (name: string) => name.toLowerCase().replace(/^#/, "");
  const channel = (name: string) => {
    if (name === "dm" || community.channels.has(name)) return name;
    const found = [...community.channels].find(([, id]) => fold(String(channels.get(id)?.name ?? "")) === fold(name));
    if (!found) throw new Error(`There is no channel ${name}.`);
    return found[0];
  };
  return {
    world,
    channel,
    person(name) {
      const found = people.find(({ key, username, displayName, nick }) =>
        [key, username, displayName, nick].some((each) => each !== undefined && fold(each) === fold(name)),
      );
      if (!found) throw new Error(`There is nobody called ${name}.`);
      return found.key;
    },
    message(reference) {
      if (typeof reference === "number") throw new Error("In the sample community messages have no numbers.");
      const all = [...(channels.get(idOf(world, channel(reference.channel)))?.messages ?? [])];
      const found = all.find(({ content }) => plain(content).startsWith(plain(reference.starts)));
      if (!found) throw new Error(`#${reference.channel} has no message that begins with “${reference.starts}”.`);
      return found.id;
    },
  };
}

/** Mentions and marks differ by how a message is written down. */
function plain(text: string): string {
  return text
    .replaceAll(/<[@#&!]+\d+>|\{[@#&][^}]*\}/g, "")
    .replaceAll(/[*_~`\s]+/g, " ")
    .trim()
    .toLowerCase();
}

/** The worlds that the questions are about, by name; `missing` are those whose data is not there. Throws for a reference that is not found. */
export async function openWorlds(
  questions: readonly EvalQuestion[],
  { now, data }: { readonly now: number | undefined; readonly data: string },
): Promise<{ readonly worlds: Map<string, EvalWorld>; readonly missing: Set<string> }> {
  const worlds = new Map<string, EvalWorld>();
  const missing = new Set<string>();
  if (questions.some(({ world }) => world === "sample")) worlds.set("sample", await openSampleWorld(now));
  for (const [room, askers] of roomsOf(questions)) {
    const world = await openRoomWorld(data, room, askers);
    if (world) worlds.set(`replies:${room}`, world);
    else missing.add(`replies:${room}`);
  }
  // Before anything is asked.
  for (const { world, gold, outdated, as, in: place } of questions) {
    const at = worlds.get(world);
    if (!at) continue;
    at.person(as);
    at.channel(place);
    for (const reference of [...gold, ...outdated]) at.message(reference);
  }
  return { worlds, missing };
}

/** The rooms that a set of questions needs, with who asks there. */
function roomsOf(questions: readonly EvalQuestion[]): Map<string, string[]> {
  const rooms = new Map<string, string[]>();
  for (const { world, as } of questions) {
    const [, room] = world.split("replies:");
    if (room !== undefined) rooms.set(room, [...new Set([...(rooms.get(room) ?? []), as])]);
  }
  return rooms;
}
