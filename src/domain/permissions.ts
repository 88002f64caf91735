import type { Channel, GuildRules, Member } from "./guild.ts";
import type { RoleId, UserId } from "./ids.ts";

/**
 * The permissions Earshot reasons about, packed into one small integer. Discord's own masks are 64 bits wide, which JavaScript
 * can only handle as slow big integers; audiences are computed millions of times.
 */
export type PermissionSet = number & { readonly brand: "PermissionSet" };

/** Name to bit in Discord's mask. The position in this list is the bit in ours. */
const DISCORD_BITS = {
  administrator: 3n,
  manageGuild: 5n,
  addReactions: 6n,
  viewChannel: 10n,
  sendMessages: 11n,
  manageMessages: 13n,
  embedLinks: 14n,
  attachFiles: 15n,
  readMessageHistory: 16n,
  mentionEveryone: 17n,
  connect: 20n,
  manageThreads: 34n,
  createPublicThreads: 35n,
  createPrivateThreads: 36n,
  sendMessagesInThreads: 38n,
} as const;

export type PermissionName = keyof typeof DISCORD_BITS;

const NAMES = Object.keys(DISCORD_BITS) as PermissionName[];

export const NONE = 0 as PermissionSet;
export const EVERYTHING = ((1 << NAMES.length) - 1) as PermissionSet;

export const PERMISSION = Object.fromEntries(NAMES.map((name, index) => [name, 1 << index])) as Readonly<
  Record<PermissionName, PermissionSet>
>;

/** A DM has no roles: both of its ends may read and speak. */
export const IN_A_DM = (EVERYTHING &
  ~(PERMISSION.administrator | PERMISSION.manageGuild | PERMISSION.manageMessages)) as PermissionSet;

/** From Discord's decimal string. What is not a number grants nothing. */
export function toPermissionSet(mask: unknown): PermissionSet {
  if (typeof mask !== "string" || !/^\d{1,30}$/.test(mask)) return NONE;
  const wide = BigInt(mask);
  let set = 0;
  for (const [index, name] of NAMES.entries()) if ((wide >> DISCORD_BITS[name]) & 1n) set |= 1 << index;
  return set as PermissionSet;
}

/** To Discord's decimal string, as an invite link wants it. */
export function toPermissionMask(names: readonly PermissionName[]): string {
  return names.reduce((mask, name) => mask | (1n << DISCORD_BITS[name]), 0n).toString();
}

export function permissionNames(set: PermissionSet): PermissionName[] {
  return NAMES.filter((_, index) => set & (1 << index));
}

/** In the guild as a whole. Owner and administrators may do everything. */
export function guildPermissions(guild: GuildRules, member: Member): PermissionSet {
  if (member.id === guild.ownerId) return EVERYTHING;
  let set: number = guild.roles.get(guild.id as string as RoleId)?.permissions ?? NONE;
  for (const id of member.roles) set |= guild.roles.get(id)?.permissions ?? NONE;
  return set & PERMISSION.administrator ? EVERYTHING : (set as PermissionSet);
}

/**
 * In a channel with its own overwrites. Categories are not inherited (Discord copies their overwrites on syncing), and a thread has
 * none of its own: ask for its parent.
 */
export function channelPermissions(guild: GuildRules, channel: Channel, member: Member): PermissionSet {
  const base = guildPermissions(guild, member);
  if (base & PERMISSION.administrator) return EVERYTHING;
  if (channel.hidden) return NONE;
  const everyone = guild.id as string;
  let set: number = base;
  let allow = 0;
  let deny = 0;
  let ownAllow = 0;
  let ownDeny = 0;
  for (const overwrite of channel.overwrites) {
    if (overwrite.target === "member") {
      if (overwrite.id === member.id) {
        ownAllow = overwrite.allow;
        ownDeny = overwrite.deny;
      }
    } else if (overwrite.id === everyone) {
      set = (set & ~overwrite.deny) | overwrite.allow;
    } else if (member.roles.has(overwrite.id as RoleId)) {
      allow |= overwrite.allow;
      deny |= overwrite.deny;
    }
  }
  set = (set & ~deny) | allow;
  return ((set & ~ownDeny) | ownAllow) as PermissionSet;
}

/** A place to read: the channel whose overwrites count, and the thread within it, if any. */
export interface Place {
  readonly guild: GuildRules;
  /** The channel itself, or the thread's parent. */
  readonly channel: Channel;
  readonly thread: Channel | null;
}

/** Sees it live: VIEW_CHANNEL, and for a private thread membership or MANAGE_THREADS. */
export function canView(place: Place, member: Member): boolean {
  return holds(place, member, PERMISSION.viewChannel);
}

/** Reads its history: VIEW_CHANNEL and READ_MESSAGE_HISTORY, in a voice channel's text also CONNECT. */
export function canRead(place: Place, member: Member): boolean {
  const { kind } = place.channel;
  const isVoice = kind === "voice" || kind === "stage";
  return holds(
    place,
    member,
    PERMISSION.viewChannel | PERMISSION.readMessageHistory | (isVoice ? PERMISSION.connect : NONE),
  );
}

function holds(place: Place, member: Member, needed: number): boolean {
  const set = channelPermissions(place.guild, place.channel, member);
  if ((set & needed) !== needed) return false;
  return (
    place.thread?.kind !== "private_thread" || Boolean(set & PERMISSION.manageThreads) || isIn(place.thread, member.id)
  );
}

function isIn(thread: Channel, userId: UserId): boolean {
  return thread.thread?.members?.has(userId) ?? false;
}
