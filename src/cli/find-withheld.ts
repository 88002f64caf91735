import { barrier, flows, listViewers, type Viewers } from "../domain/audience.ts";
import type { Channel, Member } from "../domain/guild.ts";
import type { GuildAudience } from "../domain/guild-audience.ts";
import type { GuildId, RoleId, UserId } from "../domain/ids.ts";
import { PERMISSION } from "../domain/permission-set.ts";
import { canRead, canView } from "../domain/permissions.ts";
import type { Witness } from "../domain/role-algebra.ts";
import type { Directory } from "../ports/directory.ts";

/** The bot's servers, channels and members. */
export interface Onlooker {
  readonly botId: UserId;
  readonly directory: Directory;
}

/** Channels that answers in others cannot use, all for one cause. */
interface Withheld {
  readonly destinations: readonly Channel[];
  readonly sources: readonly Channel[];
  readonly cause: Cause;
}

export type Cause =
  | { readonly kind: "announcement" | "age_restricted" }
  /** Most who see the source cannot read it back themselves. */
  | { readonly kind: "fleeting" }
  /** A few people see the destination and cannot read the source. */
  | { readonly kind: "few"; readonly people: number; readonly witness: Witness }
  /** A member may; the member list is unknown. */
  | { readonly kind: "perhaps"; readonly witness: Witness }
  /** Many members, as expected: it surprises no admin that members hear nothing of the staff's channel. */
  | { readonly kind: "many" };

export interface WithheldChannels {
  /** How many pairs of channels there are, and how many of them may flow. */
  readonly pairs: number;
  readonly flowing: number;
  readonly withheld: readonly Withheld[];
  /** Channels whose own history their answers cannot use, because a member cannot read it back. */
  readonly liveOnly: readonly Channel[];
}

/** A channel that the bot reads. */
interface ChannelFacts {
  readonly channel: Channel;
  readonly audience: GuildAudience;
  /** The bot may speak there. */
  readonly isOpen: boolean;
  /** Most who see it cannot read it back. */
  readonly isFleeting: boolean;
  /** How many roles, each by itself, see it and read it. */
  readonly roles: { readonly seeing: number; readonly reading: number };
}

/** More people than these are no oversight, and neither is more than one in ten. */
const FEW = 50;
const ONE_IN = 10;
/** To compare a few with all, no more need be counted. */
const ENOUGH = FEW * ONE_IN;

/** Over 500 channels these are a quarter of a million pairs, each a matter of microseconds. */
export function findWithheld(guildId: GuildId, discord: Onlooker): WithheldChannels {
  const rooms = roomsOf(guildId, discord);
  const open = rooms.filter(({ isOpen }) => isOpen);
  const withheld = join(open.flatMap((room) => withheldIn(room, rooms)));
  const pairs = open.length * Math.max(0, rooms.length - 1);
  const silent = withheld.reduce((sum, withheld) => sum + pairsOf(withheld), 0);
  const liveOnly = open.filter(({ audience }) => !flows(audience, audience)).map(({ channel }) => channel);
  return { pairs, flowing: pairs - silent, withheld: withheld.sort((a, b) => pairsOf(b) - pairsOf(a)), liveOnly };
}

function roomsOf(guildId: GuildId, { directory, botId }: Onlooker): ChannelFacts[] {
  const channels = directory.channels(guildId).filter(({ kind, thread }) => kind !== "category" && !thread);
  const holders = [[], ...directory.roles(guildId).map(({ id }) => [id])].map(asMember);
  const speaking = PERMISSION.sendMessages | PERMISSION.sendMessagesInThreads;
  return channels.flatMap((channel) => {
    const audience = directory.audience(channel.id);
    if (audience.kind !== "guild" || !directory.canRead(botId, channel.id)) return [];
    const seeing = holders.filter((member) => canView(audience.place, member)).length;
    const reading = holders.filter((member) => canRead(audience.place, member)).length;
    const isOpen = (directory.permissions(botId, channel.id) & speaking) !== 0;
    const lost = audience.membersByRoles ? take(listViewers(audience, audience), ENOUGH).people : seeing - reading;
    const isFleeting = lost * 2 > (audience.membersByRoles ? take(listViewers(audience, null), ENOUGH).people : seeing);
    return [{ channel, audience, isOpen, isFleeting, roles: { seeing, reading } }];
  });
}

interface Found {
  /** The same for what belongs together. */
  readonly key: string;
  readonly cause: Cause;
}

/** Channels that cannot be quoted in this one, by cause. */
function withheldIn(destination: ChannelFacts, rooms: readonly ChannelFacts[]): (Withheld & Found)[] {
  const byKey = new Map<string, Withheld & Found & { readonly sources: Channel[] }>();
  const viewers = take(listViewers(destination.audience, null), ENOUGH).people;
  for (const source of rooms) {
    const found = source === destination ? null : causeOf(source, destination, viewers);
    if (!found) continue;
    const withheld = byKey.get(found.key) ?? { ...found, destinations: [destination.channel], sources: [] };
    withheld.sources.push(source.channel);
    byKey.set(found.key, withheld);
  }
  return [...byKey.values()];
}

function causeOf(source: ChannelFacts, destination: ChannelFacts, viewers: number): Found | null {
  const found = barrier(source.audience, destination.audience);
  if (!found) return null;
  if (found.kind === "announcement" || found.kind === "age_restricted")
    return { key: found.kind, cause: { kind: found.kind } };
  const kind = source.isFleeting ? "fleeting" : "many";
  const many: Found = { key: kind, cause: { kind } };
  if (found.kind !== "somebody") return many;
  if (!destination.audience.membersByRoles) {
    // Fewer roles read the source than see the destination: it is the more private place.
    if (source.roles.reading < destination.roles.seeing) return many;
    return { key: keyOf([found]), cause: { kind: "perhaps", witness: found } };
  }
  const { people, groups } = take(listViewers(destination.audience, source.audience), FEW + 1);
  const isFew = people === 1 ? viewers > 2 : people <= FEW && people * ONE_IN <= viewers;
  return isFew ? { key: keyOf(groups), cause: { kind: "few", people, witness: found } } : many;
}

/** This many people, or all there are. */
function take(viewers: Iterable<Viewers>, enough: number): { readonly people: number; readonly groups: Viewers[] } {
  const groups: Viewers[] = [];
  let people = 0;
  for (const group of viewers) {
    groups.push(group);
    people += group.people;
    if (people >= enough) break;
  }
  return { people, groups };
}

function keyOf(witnesses: readonly Witness[]): string {
  return witnesses
    .map(({ member, roles }) => member ?? [...roles].sort().join("+"))
    .sort()
    .join();
}

/** Channels in which the same cannot be used for the same cause belong together. */
function join(withheld: readonly (Withheld & Found)[]): Withheld[] {
  const alike = Map.groupBy(withheld, ({ key, sources }) => `${key} ${sources.map(({ id }) => id).join()}`);
  return [...alike.values()].flatMap((some) => {
    const destinations = some.flatMap((withheld) => withheld.destinations);
    return some.slice(0, 1).map(({ sources, cause }) => ({ destinations, sources, cause }));
  });
}

function pairsOf({ destinations, sources }: Withheld): number {
  return destinations.length * sources.length;
}

function asMember(roles: readonly RoleId[]): Member {
  return { id: "" as UserId, name: "", bot: false, roles: new Set(roles) };
}
