import fc from "fast-check";
import type { GuildId } from "../../src/domain/ids.ts";
import { describeChannel, describeGuild, describeMember, describeRole, describeThread } from "./describe-world.ts";
import type { InProcess } from "./in-process.ts";
import {
  BOT,
  MASK,
  type PlainGuild,
  type PlainPlace,
  type PlainWorld,
  placeOf,
  placesOf,
  TYPE,
} from "./plain-world.ts";

/** The kind of twist in which a server cannot be reached, and messages are deleted meanwhile. */
export const OUTAGE = 13;

/** Something that changes who may know what, or what is there to be known, in numbers. */
export const twists = fc.record({ kind: fc.nat(OUTAGE - 1), where: fc.nat(63), who: fc.nat(9), what: fc.nat(63) });

export type Twist = typeof twists extends fc.Arbitrary<infer Value> ? Value : never;

/** Lets it happen in the world, and Discord tell of it. */
export function twist(test: InProcess, { kind, where, who, what }: Twist): void {
  const places = placesOf(test.world).filter(({ guild }) => guild);
  const place = places[where % Math.max(1, places.length)];
  const guild = place?.guild;
  const member = guild?.members.filter(({ id }) => id !== BOT)[who % Math.max(1, guild.members.length - 1)];
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
      deleteMessage(test, place.id, test.world.messages.get(place.id)?.[what % 5]?.id ?? "");
      return;
    case 9:
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
    case OUTAGE:
      loseSight(test, guild, () => deleteSilently(test.world, place.id, what));
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

export function deletePlace(test: InProcess, id: string): void {
  const place = placeOf(test.world, id);
  if (!place?.guild) return;
  const { guild, thread } = place;
  for (const each of guild.threads) if (each.id === id || each.parentId === id) test.world.messages.delete(each.id);
  guild.threads = guild.threads.filter((each) => each.id !== id && each.parentId !== id);
  guild.channels = guild.channels.filter((each) => each.id !== id);
  test.world.messages.delete(id);
  test.tell(thread ? "THREAD_DELETE" : "CHANNEL_DELETE", { guild_id: guild.id, id });
}

/** Discord cannot reach the server for a while. What happens meanwhile is never told; then all is described anew. */
export function loseSight(test: InProcess, guild: PlainGuild, meanwhile: () => void): void {
  const wasComplete = test.directory.guild(guild.id as GuildId)?.membersComplete ?? false;
  test.tell("GUILD_DELETE", { id: guild.id, unavailable: true });
  meanwhile();
  guild.isDown = false;
  test.tell("GUILD_CREATE", describeGuild(guild));
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
