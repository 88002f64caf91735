import fc from "fast-check";
import {
  BOT,
  copyWorld,
  type PlainGuild,
  type PlainMessage,
  type PlainPlace,
  type PlainWorld,
  placesOf,
  TYPE,
} from "./plain-world.ts";
import { buildOverwrite, canary, messageId, personId, WORDS } from "./random-community.ts";
import type { Visibility } from "./random-scene.ts";

const mask = fc.bigInt(0n, 3n).map((bits) => ((bits & 1n) << 10n) | ((bits >> 1n) << 16n));

/** More than Discord gives at once. */
const MANY = 130;

/** The kind of change by which a server cannot be reached any more. */
export const OUTAGE = 12;

/** One difference out of sight, in numbers. */
const change = fc.record({
  kind: fc.nat(15),
  where: fc.nat(63),
  what: fc.nat(63),
  amount: fc.nat(4),
  overwrite: fc.record({ who: fc.nat(63), allow: mask, deny: mask }),
  /** Before which step it happens, of however many there are. */
  at: fc.nat(24),
});

export type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

export const changes = fc.array(change, { minLength: 1, maxLength: 6 });

export interface Limits {
  readonly isVisible: Visibility;
  /** Where it was asked: that this is there, and who sees it, is known. */
  readonly origin: PlainPlace;
  readonly actor: string;
  /** What was asked with, if it was a message. */
  readonly messageId: string | null;
  readonly optedOut: string | null;
  readonly hasOutages?: boolean | undefined;
}

/** Another world, in which only what is out of sight may differ. Says how much does. */
export function disturb(
  world: PlainWorld,
  all: readonly Change[],
  limits: Limits,
): { world: PlainWorld; count: number } {
  const { isVisible, origin, actor, hasOutages = false } = limits;
  let current = copyWorld(world);
  let count = 0;
  if (limits.optedOut !== null) count += silence(current, limits, all);
  for (const one of all) {
    const next = copyWorld(current);
    const hidden = placesOf(next).filter((one) => !isOrigin(one, origin) && !isVisible(current, one.id));
    const place = hidden[one.where % Math.max(1, hidden.length)];
    const guilds = next.guilds.filter(({ id }) => id !== origin.guild?.id && !isVisible(world, id));
    const guild = guilds[one.where % Math.max(1, guilds.length)];
    if (one.kind === OUTAGE && !hasOutages) continue;
    const isOfGuild = one.kind >= 10 && one.kind < 14;
    const isLetters = one.kind === 14 && addLetters(next, one, actor);
    const isHistory = one.where % 4 === 0 && !isVisible(current, origin.id) && changeHistory(next, one, limits);
    if (
      isHistory ||
      isLetters ||
      (isOfGuild ? guild && changeGuild(next, guild, one) : changePlace(next, place, one))
    ) {
      if (!isSame(world, next, isVisible)) continue;
      current = next;
      count += 1;
    }
  }
  return { world: current, count };
}

export function isOrigin({ id }: PlainPlace, origin: PlainPlace): boolean {
  return id === origin.id || id === origin.channel?.id;
}

/** What those who hear may know of is the same, in the same places. */
export function isSame(before: PlainWorld, after: PlainWorld, isVisible: Visibility): boolean {
  const seen = (world: PlainWorld) => {
    const ids = [...placesOf(world).map(({ id }) => id), ...world.guilds.map(({ id }) => id)];
    return ids
      .filter((id) => isVisible(world, id))
      .sort()
      .join();
  };
  return seen(before) === seen(after);
}

/** Whoever has opted out says something else, or nothing, or more, and titles threads otherwise. What was answered stays, or the answer would tell. */
function silence(world: PlainWorld, { optedOut }: Limits, all: readonly Change[]): number {
  let count = 0;
  for (const { threads, ownerId } of world.guilds)
    for (const thread of threads) {
      if ((thread.ownerId ?? ownerId) !== optedOut) continue;
      thread.name = `${WORDS[(all[0]?.what ?? 0) % WORDS.length]} title`;
      count += 1;
    }
  for (const { id, guild } of placesOf(world)) {
    const there = world.messages.get(id) ?? [];
    const answered = new Set(there.map(({ replyTo }) => replyTo));
    const isTheirs = ({ authorId }: PlainMessage) => authorId === optedOut;
    for (const [index, message] of there.entries()) {
      if (!isTheirs(message)) continue;
      count += 1;
      message.content = `${canary.text(id)} ${WORDS[(all[index % all.length]?.what ?? 0) % WORDS.length]}`;
    }
    const [first] = all;
    if (!first || !guild) continue;
    const left = there.filter((one, index) => !isTheirs(one) || answered.has(one.id) || (first.what + index) % 2 === 0);
    const more = newMessages({ ...first, where: 50 }, id).map((one) => ({ ...one, authorId: optedOut ?? BOT }));
    world.messages.set(
      id,
      [...left, ...more].sort((x, y) => (BigInt(x.id) < BigInt(y.id) ? -1 : 1)),
    );
  }
  return count;
}

/** What was said where it was asked, long before: not everybody there can read it back. What the request shows of it stays. */
function changeHistory(world: PlainWorld, one: Change, { origin, messageId }: Limits): boolean {
  const there = world.messages.get(origin.id) ?? [];
  const request = there.find(({ id }) => id === messageId);
  const isShown = ({ id }: PlainMessage) => id === messageId || id === request?.replyTo;
  if (one.kind > 2 || !origin.guild) return false;
  if (one.kind === 0) for (const message of there) if (!isShown(message)) message.content = `past ${one.what}`;
  if (one.kind === 1) world.messages.set(origin.id, there.filter(isShown));
  if (one.kind === 2) {
    const added = [...there, ...newMessages(one.amount === 4 ? { ...one, amount: MANY } : one, origin.id)];
    world.messages.set(
      origin.id,
      added.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)),
    );
  }
  return one.kind === 2 ? one.amount > 0 : there.length > 0;
}

function changePlace(world: PlainWorld, place: PlainPlace | undefined, one: Change): boolean {
  if (one.kind === 8) return addThread(world, one);
  if (!place || one.kind === 14) return false;
  const { id, guild, channel, thread } = place;
  const there = world.messages.get(id) ?? [];
  switch (one.kind) {
    case 0:
      for (const message of there) message.content = `other ${WORDS[one.what % WORDS.length]}`;
      return there.length > 0;
    case 1:
      world.messages.set(id, there.slice(one.amount));
      return there.length > 0 && one.amount > 0;
    case 2:
      world.messages.set(
        id,
        [...there, ...newMessages(one.amount === 4 ? { ...one, amount: MANY } : one, id)].sort((a, b) =>
          BigInt(a.id) < BigInt(b.id) ? -1 : 1,
        ),
      );
      return one.amount > 0;
    case 3:
      for (const message of there) message.edited = !message.edited;
      return there.length > 0;
    case 4: {
      const named = thread ?? channel;
      if (named) named.name = `renamed${one.what}`;
      if (channel && !thread) Object.assign(channel, { topic: `topic${one.what}`, position: one.what % 7 });
      return named !== null;
    }
    case 5:
      return remove(world, place);
    case 6: {
      if (!guild || !channel) return false;
      const copy = {
        ...structuredClone(channel),
        id: String(Number(channel.id) + 1 + (one.what % 2)),
        name: `extra${one.what}`,
      };
      if (guild.channels.some((each) => each.id === copy.id)) return false;
      guild.channels.push(copy);
      world.messages.set(copy.id, newMessages(one, copy.id));
      return true;
    }
    case 7: {
      if (!channel || !guild || thread) return false;
      const overwrite = buildOverwrite(one.overwrite, world.guilds.indexOf(guild), guild.roles.length - 2);
      channel.overwrites = [...channel.overwrites.filter((each) => each.id !== overwrite.id), overwrite];
      return true;
    }
    case 15:
      if (!thread) return addArchive(world, place, one);
      thread.isArchived = !thread.isArchived;
      return true;
    default:
      if (!thread) return false;
      thread.members = [personId(one.what), ...(one.amount % 2 ? [BOT] : [])];
      return true;
  }
}

export function newMessages({ what, amount, where }: Change, placeId: string): PlainMessage[] {
  return Array.from({ length: amount }, (_, index) => ({
    id: messageId(((what + index * 7) % 60) - Math.floor(index / 60) * 60, 3 + (Number(placeId) % 10_000) * 64 + where),
    authorId: index % 5 === 4 ? "8800" : personId(what + index),
    ...(index % 5 === 4 && { webhook: "hook" }),
    content: `new ${WORDS[(what + index) % WORDS.length]}`,
    edited: false,
    replyTo: null,
    file: index % 2 === 0,
  }));
}

/** A private thread, be it in a channel that all can read. */
function addThread(world: PlainWorld, one: Change): boolean {
  const guild = world.guilds[one.where % world.guilds.length];
  const parent = guild?.channels[one.what % Math.max(1, guild.channels.length)];
  if (!guild || !parent) return false;
  const id = String(5_002 + world.guilds.indexOf(guild) * 100 + (one.what % 9) * 4);
  if (guild.threads.some((thread) => thread.id === id)) return false;
  guild.threads.push({
    id,
    type: TYPE.privateThread,
    name: `extra${one.what}`,
    parentId: parent.id,
    members: [personId(one.amount), ...(one.amount % 2 ? [BOT] : [])],
    tellsMembers: one.amount !== 2,
    isArchived: one.amount > 2,
  });
  world.messages.set(id, newMessages(one, id));
  return true;
}

/** Threads in the archive of a channel that is hidden itself. */
function addArchive(world: PlainWorld, { id: parentId, guild, channel }: PlainPlace, one: Change): boolean {
  if (!guild || !channel) return false;
  const added = Array.from({ length: 1 + one.amount }, (_, index) => String(5_060 + Number(parentId) * 10 + index));
  for (const id of added) {
    if (guild.threads.some((thread) => thread.id === id)) continue;
    const thread = { id, type: TYPE.publicThread, name: `archived${one.what}`, parentId };
    guild.threads.push({ ...thread, members: [], tellsMembers: true, isArchived: true });
    world.messages.set(id, newMessages({ ...one, amount: one.amount === 4 ? MANY : one.amount }, id));
  }
  return true;
}

/** The bot's letters with somebody else: of their own the actor knows. */
function addLetters(world: PlainWorld, one: Change, actor: string): boolean {
  const id = String(6_101 + (one.what % 9) * 2);
  const person = personId(one.where);
  if (person === actor || world.dms.some((dm) => dm.id === id || dm.personId === person)) return false;
  world.dms.push({ id, personId: person });
  world.messages.set(id, newMessages(one, id));
  return true;
}

function remove(world: PlainWorld, { id, guild, channel, thread }: PlainPlace): boolean {
  if (!guild) return false;
  if (thread) guild.threads = guild.threads.filter((one) => one.id !== id);
  else {
    guild.threads = guild.threads.filter(({ parentId }) => parentId !== id);
    guild.channels = guild.channels.filter((one) => one !== channel);
  }
  world.messages.delete(id);
  return true;
}

function changeGuild(world: PlainWorld, guild: PlainGuild, one: Change): boolean {
  switch (one.kind) {
    case 10:
      guild.name = `renamed${one.what}`;
      return true;
    case 11:
      for (const member of guild.members) member.nick = `nick${one.what}`;
      return true;
    case OUTAGE:
      guild.isDown = true;
      return true;
    default:
      for (const place of placesOf(world)) if (place.guild === guild) world.messages.delete(place.id);
      world.guilds = world.guilds.filter((each) => each !== guild);
      return true;
  }
}
