import fc from "fast-check";
import type { GuildId } from "../../src/domain/ids.ts";
import {
  describeChannel,
  describeDispatch,
  describeGuild,
  describeMember,
  describeRole,
  describeThread,
} from "./describe-world.ts";
import type { InProcess } from "./in-process.ts";
import { sees } from "./plain-oracle.ts";
import {
  BOT,
  MASK,
  type PlainGuild,
  type PlainPlace,
  type PlainWorld,
  placeOf,
  placesOf,
  removePlace,
  TYPE,
} from "./plain-world.ts";
import { canary, messageId as toMessageId } from "./random-community.ts";

/** The kind of twist in which a server cannot be reached, and messages are deleted meanwhile. */
export const OUTAGE = 99;
const KINDS = 28;

/** Something that changes who may know what, or what is there to be known, in numbers. */
export const twists = fc.record({ kind: fc.nat(KINDS - 1), where: fc.nat(63), who: fc.nat(9), what: fc.nat(63) });

export type Twist = typeof twists extends fc.Arbitrary<infer Value> ? Value : never;

/** Whom a change concerns, more often than others. */
export interface Concerned {
  readonly actor: string;
  readonly channelId: string;
  /** What was read on their behalf. */
  readonly read: readonly { readonly channelId: string; readonly messageId: string }[];
  /** Where was looked for it, with or without a hit. */
  readonly searched?: readonly string[];
}

/** Lets it happen in the world, and Discord tell of it. */
export function twist(test: InProcess, { kind, where, who, what }: Twist, concerned?: Concerned): void {
  const places = placesOf(test.world).filter(({ guild }) => guild || (kind >= 20 && kind < 23));
  const origin = where % 3 === 0 ? places.find(({ id }) => id === concerned?.channelId) : undefined;
  const source = where % 2 === 0 ? concerned?.read[what % concerned.read.length] : undefined;
  const isOfMessage = [7, 8, 14, 15].includes(kind);
  const sourcePlace = isOfMessage ? places.find(({ id }) => id === source?.channelId) : undefined;
  const isDeletion = [9, 26, 27].includes(kind) && what % 4 > 0;
  const searchedId = isDeletion ? concerned?.searched?.[where % concerned.searched.length] : undefined;
  const searched = places.find(({ id }) => id === searchedId && id !== concerned?.channelId);
  const place = sourcePlace ?? searched ?? origin ?? places[where % Math.max(1, places.length)];
  const guild = place?.guild;
  const others = guild?.members.filter(({ id }) => id !== BOT) ?? [];
  const actor = who % 2 === 0 ? others.find(({ id }) => id === concerned?.actor) : undefined;
  const member = actor ?? others[who % Math.max(1, others.length)];
  // What was said last is what was read most often.
  const late = place && test.world.messages.get(place.id)?.at(-1 - (what % 5))?.id;
  const messageId = sourcePlace ? source?.messageId : late;
  if (place && !guild) say(test, place, { who, what });
  if (!place || !guild) return;
  switch (kind) {
    case 0:
    case 1:
      if (member) setRoles(test, guild, { id: member.id, roles: member.roles.slice(1) });
      return;
    case 2:
      if (member) removeMember(test, guild, member.id);
      return;
    case 3:
      addMember(test, guild, `31${who}`);
      return;
    case 4:
      setOverwrite(test, place, {
        id: guild.id,
        type: 0,
        allow: what % 2 ? MASK.view : 0n,
        deny: what % 2 ? 0n : MASK.view,
      });
      return;
    case 5:
      if (member) setOverwrite(test, place, { id: member.id, type: 1, allow: 0n, deny: MASK.view });
      return;
    case 6:
      if (member) setOverwrite(test, place, { id: member.id, type: 1, allow: MASK.view, deny: 0n });
      return;
    case 7:
    case 8:
      deleteMessage(test, place.id, messageId ?? "");
      return;
    case 9:
    case 26:
      deletePlace(test, place.id);
      return;
    case 10:
      hide(test, place);
      return;
    case 11:
      if (member) joinThread(test, place, member.id);
      return;
    case 12:
      setAge(test, place, what % 2 === 0);
      return;
    case 13:
    case 24:
    case 25:
      if (member) timeOut(test, guild, { id: member.id, minutes: what % 3 === 0 ? 0 : 10 });
      return;
    case 14:
    case 15:
      editMessage(test, place, { messageId, isTakenBack: what % 3 > 0 });
      return;
    case 16:
      leaveAndReturn(test, guild, () => changeMembers(place, what));
      return;
    case 17:
    case 18:
      hideForAWhile(test, place, () => changeMembers(place, what));
      return;
    case 19:
      if (member) {
        removeMember(test, guild, member.id);
        addMember(test, guild, member.id);
      }
      return;
    case 20:
    case 21:
    case 22:
      say(test, places[where % places.length] ?? place, { who, what });
      return;
    case 23:
      stir(test, guild, what);
      return;
    case 27:
      deleteUnheard(test, place);
      return;
    case OUTAGE:
      loseSight(test, guild, () =>
        what % 3 === 0 ? editSilently(test.world, place.id, what) : deleteSilently(test.world, place.id, what),
      );
  }
}

export function setRoles(test: InProcess, guild: PlainGuild, { id, roles }: { id: string; roles: string[] }): void {
  const member = guild.members.find((one) => one.id === id);
  if (!member) return;
  member.roles = roles;
  test.tell("GUILD_MEMBER_UPDATE", { guild_id: guild.id, ...describeMember(member) });
}

export function removeMember(test: InProcess, guild: PlainGuild, id: string): void {
  guild.members = guild.members.filter((one) => one.id !== id);
  for (const thread of guild.threads) thread.members = thread.members.filter((one) => one !== id);
  test.tell("GUILD_MEMBER_REMOVE", { guild_id: guild.id, user: { id } });
}

export function addMember(test: InProcess, guild: PlainGuild, id: string): void {
  if (guild.members.some((one) => one.id === id)) return;
  const member = { id, bot: false, nick: `new${id}`, roles: [] };
  guild.members.push(member);
  test.tell("GUILD_MEMBER_ADD", { guild_id: guild.id, ...describeMember(member) });
}

export function setRole(
  test: InProcess,
  guild: PlainGuild,
  { id, permissions }: { id: string; permissions: bigint },
): void {
  const index = guild.roles.findIndex((one) => one.id === id);
  const role = guild.roles[index];
  if (!role) return;
  role.permissions = permissions;
  test.tell("GUILD_ROLE_UPDATE", { guild_id: guild.id, role: describeRole(role, index) });
  for (const channel of guild.channels) test.tell("CHANNEL_UPDATE", describeChannel(guild, channel));
}

type Overwrite = NonNullable<PlainPlace["channel"]>["overwrites"][number];

export function setOverwrite(test: InProcess, { guild, channel }: PlainPlace, overwrite: Overwrite): void {
  if (!guild || !channel) return;
  channel.overwrites = [...channel.overwrites.filter(({ id }) => id !== overwrite.id), overwrite];
  test.tell("CHANNEL_UPDATE", describeChannel(guild, channel));
}

/** The bot loses sight of a channel: Discord obfuscates it. */
export function hide(test: InProcess, place: PlainPlace): void {
  setOverwrite(test, place, { id: BOT, type: 1, allow: 0n, deny: MASK.view });
}

export function setAge(test: InProcess, { guild, channel }: PlainPlace, ageRestricted: boolean): void {
  if (!guild || !channel) return;
  channel.ageRestricted = ageRestricted;
  test.tell("CHANNEL_UPDATE", describeChannel(guild, channel));
}

export function joinThread(test: InProcess, { guild, thread }: PlainPlace, id: string): void {
  if (!guild || thread?.type !== TYPE.privateThread || thread.members.includes(id)) return;
  thread.members = [...thread.members, id];
  if (!describeThread(guild, thread)) return;
  test.tell("THREAD_MEMBERS_UPDATE", { guild_id: guild.id, id: thread.id, added_members: [{ user_id: id }] });
}

export function deleteMessage(test: InProcess, channelId: string, messageId: string): void {
  const there = test.world.messages.get(channelId) ?? [];
  if (!there.some(({ id }) => id === messageId)) return;
  test.world.messages.set(
    channelId,
    there.filter(({ id }) => id !== messageId),
  );
  test.tell("MESSAGE_DELETE", { id: messageId, channel_id: channelId });
}

export function deletePlace(test: Pick<InProcess, "world" | "tell">, id: string): void {
  const place = placeOf(test.world, id);
  if (!place?.guild) return;
  removePlace(test.world, id);
  test.tell(place.thread ? "THREAD_DELETE" : "CHANNEL_DELETE", { guild_id: place.guild.id, id });
}

/** A channel is closed to everybody and deleted while the server cannot be reached. Of a thread nobody could tell that from the archive. */
export function deleteUnheard(test: InProcess, { id, guild, channel, thread }: PlainPlace): void {
  if (!guild || !channel || thread) return;
  loseSight(test, guild, () => {
    channel.overwrites = [{ id: guild.id, type: 0, allow: 0n, deny: MASK.view }];
    removePlace(test.world, id);
  });
}

/** Discord cannot reach the server for a while. What happens meanwhile is never told; then all is described anew. */
export function loseSight(test: InProcess, guild: PlainGuild, meanwhile: () => void): void {
  const wasComplete = test.directory.guild(guild.id as GuildId)?.membersComplete ?? false;
  test.tell("GUILD_DELETE", { id: guild.id, unavailable: true });
  meanwhile();
  guild.isDown = false;
  test.tell("GUILD_CREATE", describeGuild(guild, test.members));
  const state = test.directory.guild(guild.id as GuildId);
  if (state) state.membersComplete = wasComplete;
}

export function deleteSilently(world: PlainWorld, placeId: string, index: number): void {
  const there = world.messages.get(placeId) ?? [];
  world.messages.set(
    placeId,
    there.filter((_, each) => each !== index % Math.max(1, there.length)),
  );
}

function editSilently(world: PlainWorld, placeId: string, index: number): void {
  const there = world.messages.get(placeId) ?? [];
  const message = there[index % Math.max(1, there.length)];
  if (message) Object.assign(message, { content: "taken back", edited: true });
}

function timeOut(test: InProcess, guild: PlainGuild, { id, minutes }: { id: string; minutes: number }): void {
  const member = guild.members.find((one) => one.id === id);
  if (!member) return;
  member.timedOutUntil = test.clock.now() + minutes * 60_000;
  test.tell("GUILD_MEMBER_UPDATE", { guild_id: guild.id, ...describeMember(member) });
}

/** What somebody said is replaced, or only added to. */
export function editMessage(
  test: InProcess,
  { id, guild }: PlainPlace,
  { messageId: edited, isTakenBack }: { messageId: string | undefined; isTakenBack: boolean },
): void {
  const message = test.world.messages.get(id)?.find((one) => one.id === edited);
  if (!message || message.authorId === BOT) return;
  message.content = isTakenBack ? `${canary.text(id)} other` : `${message.content} more`;
  message.edited = true;
  test.tell("MESSAGE_UPDATE", describeDispatch(test.world, { channelId: id, guild, message }));
}

/** The bot is removed from a server and invited again. What happens meanwhile it never hears of. */
export function leaveAndReturn(test: InProcess, guild: PlainGuild, meanwhile: () => void): void {
  const wasComplete = test.directory.guild(guild.id as GuildId)?.membersComplete ?? false;
  test.tell("GUILD_DELETE", { id: guild.id });
  meanwhile();
  test.tell("GUILD_CREATE", describeGuild(guild, test.members));
  const state = test.directory.guild(guild.id as GuildId);
  if (state) state.membersComplete = wasComplete;
}

/** The bot loses sight of a channel and regains it. */
export function hideForAWhile(test: InProcess, place: PlainPlace, meanwhile: () => void): void {
  const { guild, channel } = place;
  if (!guild || !channel) return;
  const { overwrites } = channel;
  hide(test, place);
  meanwhile();
  channel.overwrites = overwrites;
  test.tell("CHANNEL_UPDATE", describeChannel(guild, channel));
  const seen = guild.threads.filter(
    (thread) => thread.parentId === channel.id && !thread.isArchived && describeThread(guild, thread),
  );
  test.tell("THREAD_LIST_SYNC", {
    guild_id: guild.id,
    channel_ids: [channel.id],
    threads: seen.map((thread) => describeThread(guild, thread)),
    members: seen.filter(({ members }) => members.includes(BOT)).map(({ id }) => ({ id, user_id: BOT })),
  });
}

/** Somebody joins the private threads of a channel, or all who are in them but the bot leave, and nobody tells. */
export function changeMembers({ guild, channel }: PlainPlace, what: number): void {
  const someone = guild?.members[what % guild.members.length]?.id;
  for (const thread of guild?.threads ?? []) {
    if (thread.parentId !== channel?.id || thread.type !== TYPE.privateThread || someone === undefined) continue;
    if (what % 2) thread.members = [...new Set([...thread.members, someone])];
    else thread.members = thread.members.filter((id) => id === BOT);
  }
}

/** Discord opens an archived thread before somebody speaks in it. */
export function unarchive(test: InProcess, { guild, thread }: PlainPlace): void {
  if (!guild || !thread?.isArchived) return;
  thread.isArchived = false;
  const described = describeThread(guild, thread);
  if (described) test.tell("THREAD_UPDATE", described);
}

/** Somebody says something: a member, with or without their roles sent along, a webhook, or somebody whom nobody knows. */
export function say(test: InProcess, place: PlainPlace, { who, what }: { who: number; what: number }): void {
  if (!sees(place, BOT)) return;
  unarchive(test, place);
  const { id, guild, personId } = place;
  const people = guild?.members.filter((one) => one.id !== BOT) ?? [];
  const kind = guild ? what % 6 : 0;
  const authorId = kind === 4 ? "8800" : kind === 5 ? "3900" : (people[who % Math.max(1, people.length)]?.id ?? "3900");
  const message = {
    id: test.mintMessageId(),
    authorId: personId ?? authorId,
    content: `${canary.text(id)} tide`,
    edited: false,
    replyTo: null,
    file: false,
    ...(kind === 4 && { webhook: "hook" }),
  };
  test.world.messages.set(id, [...(test.world.messages.get(id) ?? []), message]);
  const how = { hasMember: what % 2 === 0, isAddressed: what % 4 < 2 };
  test.tell("MESSAGE_CREATE", describeDispatch(test.world, { channelId: id, guild, message }, how));
}

/** A channel that the bot has never been told of. */
const UNKNOWN = "5999";

/** The connection broke: events of every server may have been missed. */
export function missEvents(test: InProcess): void {
  const now = new Date(test.clock.now()).toISOString();
  const guildIds = test.world.guilds.map(({ id }) => id as GuildId);
  test.announce({ type: "gap", from: now, to: now, reason: "events_lost", guildIds, shard: 0 });
}

/** Somebody leaves a server, and comes back with the roles that they had. */
export function goAndComeBack(test: InProcess, guild: PlainGuild, member: PlainGuild["members"][number]): void {
  const { members } = guild;
  removeMember(test, guild, member.id);
  guild.members = members;
  test.tell("GUILD_MEMBER_ADD", { guild_id: guild.id, ...describeMember(member) });
}

/** Something happens in a channel that the bot does not know: in one of which nobody ever told, or in an archived thread. */
export function stir(test: InProcess, guild: PlainGuild, what: number): void {
  const archived = guild.threads.find(({ isArchived }) => isArchived)?.id;
  const id = what % 2 && archived ? archived : UNKNOWN;
  const [known] = test.world.messages.get(id) ?? [];
  const content = `${canary.text(id)} <@${BOT}>`;
  const strange = { id: toMessageId(900 + what), authorId: "3001", content, edited: true, replyTo: null, file: false };
  const dispatch = describeDispatch(
    test.world,
    { channelId: id, guild, message: known ?? strange },
    { isAddressed: true },
  );
  const message_id = dispatch.id;
  if (what % 8 < 2 && id === UNKNOWN) test.tell("MESSAGE_CREATE", dispatch);
  else if (what % 8 < 4) test.tell("MESSAGE_UPDATE", dispatch);
  else if (what % 8 < 6)
    test.tell("MESSAGE_REACTION_ADD", {
      channel_id: id,
      message_id,
      guild_id: guild.id,
      user_id: "3001",
      emoji: { name: "👍" },
    });
  else if (id === UNKNOWN) test.tell("MESSAGE_DELETE", { channel_id: id, id: message_id, guild_id: guild.id });
}
