import fc from "fast-check";
import { describeDispatch } from "./describe-world.ts";
import { type Change, isOrigin, isSame, newMessages } from "./disturbance.ts";
import type { InProcess } from "./in-process.ts";
import { copyWorld, type PlainMessage, type PlainPlace, type PlainWorld, placeOf, placesOf } from "./plain-world.ts";
import { WORDS } from "./random-community.ts";
import type { Visibility } from "./random-scene.ts";
import * as twists from "./twists.ts";

export interface LiveLimits {
  readonly isVisible: Visibility;
  readonly origin: PlainPlace;
  /** The author's roles and nickname are sent along with what is said out of sight. */
  readonly hasMembers: boolean;
}

/** Something happens out of their sight while they ask. */
export function happen(test: InProcess, one: Change, { isVisible, origin, hasMembers }: LiveLimits): void {
  const { world } = test;
  const hidden = placesOf(world).filter((each) => !isOrigin(each, origin) && !isVisible(world, each.id));
  const place = hidden[one.where % Math.max(1, hidden.length)];
  const guilds = world.guilds.filter(({ id }) => id !== origin.guild?.id && !isVisible(world, id));
  const guild = guilds[one.where % Math.max(1, guilds.length)];
  if (one.kind === 10) {
    const [first] = world.guilds;
    if (first) twists.stir(test, first, one.what & ~1);
  } else if (one.kind === 12 && guild) twists.leaveAndReturn(test, guild, () => {});
  else if (one.kind === 13 && guild) {
    const member = guild.members.find(({ id }) => id !== guild.ownerId);
    if (member) twists.setRoles(test, guild, { id: member.id, roles: member.roles });
  } else if (place && one.kind === 11) {
    const isWhole =
      hidden.some(({ id }) => id === place.channel?.id) &&
      !isThreadSeen(world, place, (id) => isVisible(world, id) || id === origin.id);
    if (isWhole) hideOutOfSight(test, place, { one, isVisible });
  } else if (place) speakOutOfSight(test, place, { one, hasMembers });
}

/** Whether a thread beside it, or in it, may be known. */
function isThreadSeen({ guilds }: PlainWorld, { channel }: PlainPlace, isSeen: (id: string) => boolean): boolean {
  return guilds.some(({ threads }) => threads.some(({ id, parentId }) => parentId === channel?.id && isSeen(id)));
}

/** The bot loses sight of it for a while, and who is in its private threads changes unheard: only if that lets nobody in who asks. */
function hideOutOfSight(
  test: InProcess,
  place: PlainPlace,
  { one, isVisible }: { one: Change; isVisible: Visibility },
): void {
  const after = copyWorld(test.world);
  const there = placeOf(after, place.id);
  if (there) twists.changeMembers(there, one.what);
  const isHarmless = isSame(test.world, after, isVisible);
  twists.hideForAWhile(test, place, () => isHarmless && twists.changeMembers(place, one.what));
}

function speakOutOfSight(
  test: InProcess,
  place: PlainPlace,
  { one, hasMembers }: { one: Change; hasMembers: boolean },
): void {
  const { world } = test;
  const { id, guild } = place;
  const there = world.messages.get(id) ?? [];
  const how = { hasMember: hasMembers, isAddressed: one.amount % 2 === 0 };
  const known = there[one.what % Math.max(1, there.length)];
  if (one.kind === 9 && known) {
    react(test, id, known);
  } else if (one.kind % 3 === 0 || !known) {
    const [message] = newMessages({ ...one, amount: 1, where: 63 }, id);
    if (!message || there.some((each) => each.id === message.id)) return;
    twists.unarchive(test, place);
    world.messages.set(id, [...there, message]);
    test.tell("MESSAGE_CREATE", describeDispatch(world, { channelId: id, guild, message }, how));
  } else if (one.kind % 3 === 1) {
    known.content = `edited ${WORDS[one.what % WORDS.length]}`;
    known.edited = true;
    test.tell("MESSAGE_UPDATE", describeDispatch(world, { channelId: id, guild, message: known }, how));
  } else twists.deleteMessage(test, id, known.id);
}

function react(test: InProcess, channel_id: string, { id, authorId }: PlainMessage): void {
  const emoji = { name: "👍" };
  test.tell("MESSAGE_REACTION_ADD", { channel_id, message_id: id, user_id: authorId, emoji });
}

/** Something that everybody concerned may know of, in numbers: it happens in both worlds. */
const openChange = fc.record({ kind: fc.nat(9), where: fc.nat(63), who: fc.nat(9), what: fc.nat(63), at: fc.nat(24) });

export type OpenChange = typeof openChange extends fc.Arbitrary<infer Value> ? Value : never;

export const openChanges = fc.array(openChange, { maxLength: 4 });

/** What may be changed in either world alike, by ids. */
export interface Common {
  /** Places that may be known. */
  readonly places: readonly string[];
  /** People who are in no private thread: they are the same when they come back. */
  readonly people: readonly string[];
  /** Messages that are nobody's business: they may differ. */
  readonly silent: ReadonlySet<string>;
}

export function commonTo(
  worlds: readonly PlainWorld[],
  isVisible: Visibility,
  { actor, optedOut }: { readonly actor: string; readonly optedOut: string | null },
): Common {
  const [first] = worlds;
  const places = first ? placesOf(first).map(({ id }) => id) : [];
  const busy = new Set(
    worlds.flatMap(({ guilds }) =>
      guilds.flatMap(({ threads, ownerId }) => [ownerId, ...threads.flatMap(({ members }) => members)]),
    ),
  );
  const people = first?.guilds.flatMap(({ members }) => members.map(({ id }) => id)) ?? [];
  return {
    places: places.filter((id) => worlds.every((world) => isVisible(world, id))).sort(),
    people: [...new Set(people)].filter((id) => !busy.has(id) && id !== actor).sort(),
    silent: messagesOf(optedOut, worlds),
  };
}

function messagesOf(author: string | null, worlds: readonly PlainWorld[]): Set<string> {
  const all = worlds.flatMap(({ messages }) => [...messages.values()].flat());
  return new Set(all.filter(({ authorId }) => authorId === author).map(({ id }) => id));
}

/** Lets it happen, in the same way in each world. */
export function happenOpenly(test: InProcess, one: OpenChange, { places, people, silent }: Common): void {
  const place = placeOf(test.world, places[one.where % Math.max(1, places.length)] ?? "");
  if (!place) return;
  const { id, guild } = place;
  const message = test.world.messages
    .get(id)
    ?.filter((each) => !silent.has(each.id))
    .at(-1 - (one.what % 5));
  switch (one.kind) {
    case 0:
    case 1:
      twists.say(test, place, { who: one.who, what: one.what });
      return;
    case 2:
      twists.editMessage(test, place, { messageId: message?.id, isTakenBack: one.what % 2 === 0 });
      return;
    case 3:
      twists.deleteMessage(test, id, message?.id ?? "");
      return;
    case 4:
      if (guild) twists.leaveAndReturn(test, guild, () => {});
      return;
    case 5:
      twists.hideForAWhile(test, place, () => {});
      return;
    case 6: {
      const person = people[one.who % Math.max(1, people.length)];
      const member = guild?.members.find((each) => each.id === person);
      if (guild && member) twists.goAndComeBack(test, guild, member);
      return;
    }
    case 7:
      if (message) react(test, id, message);
      return;
    case 8:
      twists.missEvents(test);
      return;
    default:
      if (guild) twists.loseSight(test, guild, () => {});
  }
}
