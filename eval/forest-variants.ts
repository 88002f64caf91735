import type { MessageId, UserId } from "../src/domain/ids.ts";
import type { Message } from "../src/domain/message.ts";
import { toGroups } from "./forest-measures.ts";
import type { Room } from "./irc.ts";

/** A number from 0 to below 1, the same ones in every run. */
export type Chance = () => number;

const MINUTE = 60_000;
const MAX_GAP_MS = 20 * MINUTE;
/** So many times as slow as it was. */
const MAX_SLOWNESS = 100;

/** Mulberry32. */
export function chanceFrom(seed: number): Chance {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Evenly over the minute, where the log knows only the minute. */
export function spreadTimes(room: Room): Room {
  const inMinute = new Map<string, number>();
  for (const { ts } of room.messages) inMinute.set(ts, (inMinute.get(ts) ?? 0) + 1);
  const seen = new Map<string, number>();
  return change(room, (message) => {
    const place = seen.get(message.ts) ?? 0;
    seen.set(message.ts, place + 1);
    return at(message, Date.parse(message.ts) + ((place + 0.5) * MINUTE) / (inMinute.get(message.ts) ?? 1));
  });
}

/** Everything takes so many times as long. */
export function stretchTimes(room: Room, factor: number): Room {
  const start = Date.parse(room.messages[0]?.ts ?? "1970-01-01T00:00:00Z");
  return change(room, (message) => at(message, start + factor * (Date.parse(message.ts) - start)));
}

/** Part of those who begin with a name do not. */
export function dropNames(room: Room, part: number, chance: Chance): Room {
  const names = new Set(room.messages.map(({ author }) => author.name.toLowerCase()));
  return change(room, (message) => {
    const [, name = "", rest = ""] = /^@?([^\s:,]{3,})[:,]?\s+(\S.*)$/s.exec(message.content) ?? [];
    return names.has(name.toLowerCase()) && chance() < part ? { ...message, content: rest } : message;
  });
}

/** Part of the messages have no text, as if they were pictures. */
export function dropTexts(room: Room, part: number, chance: Chance): Room {
  return change(room, (message) => (chance() < part ? { ...message, content: "" } : message));
}

/** Those whose names look so are bots. */
export function markBots(room: Room, pattern: RegExp): Room {
  return change(room, (message) => ({
    ...message,
    author: { ...message.author, bot: pattern.test(message.author.name) },
  }));
}

/** Only part of the conversations take place. */
export function thinOut(room: Room, part: number, chance: Chance): Room {
  const lines = conversationsOf(room).filter(() => chance() < part);
  return pick(
    room,
    lines.flat().sort((a, b) => a - b),
  );
}

/** One conversation after the other, in a room that is slower or faster than it was; by this many people in all, if the number is given. */
export function calmDown(room: Room, chance: Chance, people: number | null = null): Room {
  const speed = between(0.3, MAX_SLOWNESS, chance);
  const lines: number[] = [];
  const times: number[] = [];
  const authors: (Message["author"] | undefined)[] = [];
  let time = Date.parse(room.messages[0]?.ts ?? "1970-01-01T00:00:00Z");
  for (const group of conversationsOf(room)) {
    if (group.length < 2 && chance() < 0.7) continue;
    time += MINUTE * Math.max(speed, 1) * between(4, 240, chance);
    let before = timeOf(room, group[0]);
    const recast = people === null ? null : createCast(people, chance);
    for (const line of group) {
      const gap = Math.min(MAX_GAP_MS, timeOf(room, line) - before);
      before = timeOf(room, line);
      time += speed * (0.7 * gap + 1_000 + 20_000 * chance());
      lines.push(line);
      times.push(time);
      authors.push(recast?.(room.messages[line]?.author.id ?? ""));
    }
  }
  const picked = pick(room, lines);
  const messages = picked.messages.map((message, index) =>
    at({ ...message, author: authors[index] ?? message.author }, times[index] ?? time),
  );
  return { ...picked, messages };
}

/** Has the people of one conversation played by the same few people, in an order of its own. */
function createCast(people: number, chance: Chance): (id: string) => Message["author"] {
  const first = Math.floor(people * chance());
  const roles = new Map<string, number>();
  return (id) => {
    const role = roles.get(id) ?? roles.size;
    roles.set(id, role);
    const person = (first + role) % people;
    return { id: String(1 + person) as UserId, name: `Person${person}`, bot: false };
  };
}

/** Pieces of so many messages. What answers something before its piece begins a conversation there. */
export function cutUp(room: Room, size: number): Room[] {
  const rooms: Room[] = [];
  for (let start = Math.min(...room.answers.keys()); start + size <= room.messages.length; start += size)
    rooms.push(
      pick(
        room,
        Array.from({ length: size }, (_, index) => start + index),
      ),
    );
  return rooms;
}

/** Somewhere between, as often near one as near the other in proportion. */
export function between(least: number, most: number, chance: Chance): number {
  return least * (most / least) ** chance();
}

/** Lines before the first annotated one connect none, because they will not be there. */
function conversationsOf({ messages, answers }: Room): number[][] {
  const known = [...answers].map(([line, targets]) => [line, targets.filter((target) => answers.has(target))] as const);
  return toGroups(new Map(known))
    .map((lines) => lines.filter((line) => messages[line]?.kind !== "system"))
    .filter(({ length }) => length > 0)
    .sort(([a = 0], [b = 0]) => a - b);
}

function pick({ name, messages, answers }: Room, lines: readonly number[]): Room {
  const places = new Map(lines.map((line, place) => [line, place]));
  const kept = new Map<number, number[]>();
  for (const [place, line] of lines.entries()) {
    const targets = answers.get(line)?.flatMap((target) => places.get(target) ?? []);
    if (targets) kept.set(place, targets.length > 0 ? targets : [place]);
  }
  return { name, messages: lines.flatMap((line) => messages[line] ?? []), answers: kept };
}

function change(room: Room, alter: (message: Message) => Message): Room {
  return { ...room, messages: room.messages.map(alter) };
}

function at(message: Message, time: number): Message {
  return { ...message, ts: new Date(time).toISOString() };
}

function timeOf({ messages }: Room, line: number | undefined): number {
  return Date.parse(messages[line ?? 0]?.ts ?? "1970-01-01T00:00:00Z");
}

/**
 * The pieces of a room between silences, in another order, each with the silence that was before it. The first message of a piece answers nothing
 * there; what the others answer is left open, and that of pieces that begin with a reply. Replies are hidden, or kept: to the same piece, or to nothing.
 */
export function shufflePieces(room: Room, silenceMs: number, chance: Chance, keepsReplies = false): Room {
  const times = room.messages.map((_, line) => timeOf(room, line));
  const gaps = times.map((time, line) => (line === 0 ? silenceMs : time - (times[line - 1] ?? time)));
  const starts = gaps.flatMap((gap, line) => (line === 0 || gap >= silenceMs ? [line] : []));
  const pieces = starts.map((start, piece) => ({ start, end: starts[piece + 1] ?? gaps.length }));
  shuffle(pieces, chance);
  const messages: Message[] = [];
  const answers = new Map<number, number[]>();
  let now = times[0] ?? 0;
  let before = 0;
  for (const { start, end } of pieces) {
    if (start !== before && room.messages[start]?.reply_to === null) answers.set(messages.length, [messages.length]);
    before = end;
    const ids = new Set(room.messages.slice(start, end).map(({ message_id }) => message_id));
    for (let line = start; line < end; line += 1) {
      now += gaps[line] ?? 0;
      const message = room.messages[line];
      if (message) messages.push(at({ ...message, reply_to: keepsReplies ? toPiece(message, ids) : null }, now));
    }
  }
  return { name: room.name, messages, answers };
}

function toPiece({ reply_to }: Message, ids: ReadonlySet<MessageId>): Message["reply_to"] {
  return reply_to && !ids.has(reply_to.message_id) ? { ...reply_to, message_id: "0" as MessageId } : reply_to;
}

export function shuffle<Item>(items: Item[], chance: Chance): void {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(chance() * (last + 1));
    const [a, b] = [items[last], items[other]];
    if (a === undefined || b === undefined) continue;
    items[last] = b;
    items[other] = a;
  }
}
