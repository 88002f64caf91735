/**
 * The permissions that matter to Earshot, packed into one small integer. Discord's own masks have 64 bits, which JavaScript can only handle
 * as slow bigints; audiences are computed millions of times.
 */
export type PermissionSet = number & { readonly brand: "PermissionSet" };

/** The bit of each permission in Discord's mask. Its index here is the bit in a `PermissionSet`. */
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

export const NO_PERMISSIONS = 0 as PermissionSet;
export const ALL_PERMISSIONS = ((1 << NAMES.length) - 1) as PermissionSet;

export const PERMISSION = Object.fromEntries(NAMES.map((name, index) => [name, 1 << index])) as Readonly<
  Record<PermissionName, PermissionSet>
>;

/** A DM has no roles: both participants can read and send. */
export const DM_PERMISSIONS = (ALL_PERMISSIONS &
  ~(PERMISSION.administrator | PERMISSION.manageGuild | PERMISSION.manageMessages)) as PermissionSet;

/** From Discord's decimal string. Anything else grants nothing. */
export function toPermissionSet(mask: unknown): PermissionSet {
  if (typeof mask !== "string" || !/^\d{1,30}$/.test(mask)) return NO_PERMISSIONS;
  const wide = BigInt(mask);
  let set = 0;
  for (const [index, name] of NAMES.entries()) if ((wide >> DISCORD_BITS[name]) & 1n) set |= 1 << index;
  return set as PermissionSet;
}

/** To Discord's decimal string, for an invite link. */
export function toPermissionMask(names: readonly PermissionName[]): string {
  return names.reduce((mask, name) => mask | (1n << DISCORD_BITS[name]), 0n).toString();
}
