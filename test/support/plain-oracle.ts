import type { Departure } from "./plain-discord.ts";
import { BOT, MASK, type PlainGuild, type PlainPlace, type PlainWorld, placeOf, TYPE } from "./plain-world.ts";

const EVERYTHING = Object.values(MASK).reduce((all, bit) => all | bit, 0n);

/** Discord's documented algorithm on its own masks, person by person. It shares no code with what it judges. */
function permissionsOf({ guild, channel }: PlainPlace, userId: string): bigint {
  const member = guild?.members.find(({ id }) => id === userId);
  if (!guild || !channel || !member) return 0n;
  if (guild.ownerId === userId) return EVERYTHING;
  const held = [guild.id, ...member.roles];
  let bits = 0n;
  for (const role of guild.roles) if (held.includes(role.id)) bits |= role.permissions;
  if (bits & MASK.administrator) return EVERYTHING;
  const own = (id: string, type: number) => channel.overwrites.filter((one) => one.id === id && one.type === type);
  const ranks = [own(guild.id, 0), member.roles.flatMap((id) => own(id, 0)), own(userId, 1)];
  for (const overwrites of ranks) {
    for (const { deny } of overwrites) bits &= ~deny;
    for (const { allow } of overwrites) bits |= allow;
  }
  return bits;
}

/** Sees what is said there from now on. */
export function sees(place: PlainPlace, userId: string): boolean {
  if (!place.guild) return userId === BOT || userId === place.personId;
  const bits = permissionsOf(place, userId);
  if (!(bits & MASK.view)) return false;
  if (place.thread?.type !== TYPE.privateThread) return true;
  return place.thread.members.includes(userId) || (bits & MASK.manageThreads) !== 0n;
}

/** Can read back what was said there. */
export function reads(place: PlainPlace, userId: string): boolean {
  if (!sees(place, userId)) return false;
  if (!place.guild) return true;
  const needed = MASK.read | (place.channel?.type === TYPE.voice ? MASK.connect : 0n);
  return (permissionsOf(place, userId) & needed) === needed;
}

/** Where an answer is read: a place, or by one person alone. */
export type Hearers =
  | { readonly place: PlainPlace }
  /** `shownIn`: the place in which they are shown it, where that is one. */
  | { readonly personId: string; readonly shownIn?: string };

/** As long ago something counts as being said now. */
const LIVE_MS = 10 * 60_000;
const EPOCH = 1_420_070_400_000n;

/** Is the message said now, as somebody sees it who asks at that time? What they ask with is. */
export function isSaidNow(
  id: string,
  { openedAt, messageId }: { openedAt: number; messageId: string | null },
): boolean {
  return id === messageId || Number((BigInt(id) >> 22n) + EPOCH) >= openedAt - LIVE_MS;
}

/**
 * May those who hear know what was said at the source? Bots are no audience. A server that cannot be reached tells nobody anything. `isNow`: it is being said
 * now, so that everybody who sees the source knows it.
 */
export function mayFlow(source: PlainPlace, hearers: Hearers, isNow = false): boolean {
  if (source.guild?.isDown) return false;
  if ("personId" in hearers) return reads(source, hearers.personId);
  const { place: to } = hearers;
  if (to.guild?.isDown) return false;
  if (!to.guild) return to.personId !== null && (source.guild ? reads(source, to.personId) : source.id === to.id);
  if (source.guild !== to.guild) return false;
  if (source.id === to.id) return isNow || viewersOf(to, to.guild).every((id) => reads(source, id));
  if (to.channel?.type === TYPE.announcement && source.id !== to.channel.id) return false;
  if (source.channel?.ageRestricted && !to.channel?.ageRestricted) return false;
  return viewersOf(to, to.guild).every((id) => reads(source, id));
}

function viewersOf(place: PlainPlace, { members }: PlainGuild): string[] {
  return members.filter(({ id, bot }) => !bot && sees(place, id)).map(({ id }) => id);
}

/** Is what is said at a place for this person, for the bot, and for all who hear the answer? */
export function isFor(
  world: PlainWorld,
  id: string,
  who: { actor: string; hearers: Hearers; isNow?: boolean },
): boolean {
  const place = placeOf(world, id);
  if (!place || !reads(place, who.actor) || !reads(place, BOT)) return false;
  // A direct conversation is told nowhere else, not even to the same person.
  const { hearers } = who;
  if (!place.guild && ("place" in hearers ? hearers.place.id : hearers.shownIn) !== id) return false;
  return mayFlow(place, who.hearers, who.isNow);
}

/** Whether somebody could do the same there themselves; whoever may look may have their own words taken back. */
export function mayDo(kind: Departure["kind"], to: PlainPlace, actor: string): boolean {
  if (!to.guild || kind === "delete") return true;
  const held = permissionsOf(to, actor);
  const inThreads = MASK.createThreads | MASK.sendInThreads;
  if (kind === "thread" && to.channel?.type !== TYPE.forum) return (held & inThreads) === inThreads;
  const needed = kind === "react" ? MASK.react : to.thread ? MASK.sendInThreads : MASK.send;
  return (held & needed) !== 0n;
}

/** A moderator has silenced them there. */
export function isTimedOut({ guild, channel }: PlainPlace, userId: string, now: number): boolean {
  const until = guild?.members.find(({ id }) => id === userId)?.timedOutUntil ?? 0;
  if (!guild || until <= now) return false;
  const place = { id: "", guild, channel, thread: null, personId: null };
  return (permissionsOf(place, userId) & MASK.administrator) === 0n;
}

/** A mark that stands in documents: for a server, for those who can read a channel, or for the holders of a role. */
export const DOCUMENT_MARK = /dg(\d+)x|dc(\d+)x|dr(\d+)y(\d+)x/g;

/** May those who hear know what the operator has written down for that audience? */
export function mayKnowDocument(world: PlainWorld, mark: string, hearers: Hearers): boolean {
  const [, ofGuild, ofChannel, guildOfRole, role] = new RegExp(DOCUMENT_MARK.source).exec(mark) ?? [];
  if (ofChannel !== undefined) {
    const place = placeOf(world, ofChannel);
    return place !== undefined && reads(place, BOT) && mayFlow(place, hearers);
  }
  const guild = world.guilds.find(({ id }) => id === (ofGuild ?? guildOfRole));
  if (!guild || guild.isDown || (role !== undefined && !guild.roles.some(({ id }) => id === role))) return false;
  const isAmong = (userId: string) => {
    const member = guild.members.find(({ id }) => id === userId);
    if (!member) return false;
    const held = guild.roles.filter(({ id }) => id === guild.id || member.roles.includes(id));
    const isAdmin = guild.ownerId === userId || held.some(({ permissions }) => permissions & MASK.administrator);
    return isAdmin || role === undefined || member.roles.includes(role);
  };
  if ("personId" in hearers) return isAmong(hearers.personId);
  const { place: to } = hearers;
  if (!to.guild) return to.personId !== null && isAmong(to.personId);
  if (to.guild !== guild || to.channel?.type === TYPE.announcement) return false;
  return viewersOf(to, guild).every(isAmong);
}
