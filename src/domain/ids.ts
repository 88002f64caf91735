/** Discord ids (snowflakes) exceed the safe integers, so they stay strings, branded with the kind of thing they name. */
export type UserId = string & { readonly brand: "UserId" };
export type GuildId = string & { readonly brand: "GuildId" };
export type ChannelId = string & { readonly brand: "ChannelId" };
export type MessageId = string & { readonly brand: "MessageId" };
export type RoleId = string & { readonly brand: "RoleId" };
export type AttachmentId = string & { readonly brand: "AttachmentId" };

type AnyId = UserId | GuildId | ChannelId | MessageId | RoleId | AttachmentId;

const EPOCH = 1_420_070_400_000;
const MAX_ID = "18446744073709551615";

/** The only way from `unknown` to an id: the value if it is a snowflake in plain decimal form, otherwise null. */
export function toId<Id extends AnyId>(value: unknown): Id | null {
  if (typeof value !== "string" || value.length === 0 || value.length > MAX_ID.length) return null;
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if (code < 48 || code > 57) return null;
  }
  if (value.length > 1 && value.startsWith("0")) return null;
  return value.length === MAX_ID.length && value > MAX_ID ? null : (value as Id);
}

/** The channel of an id or mention; null for anything else. */
export function toChannelId(text: string): ChannelId | null {
  return toId<ChannelId>(text) ?? toId<ChannelId>(text.trim().replace(/^<#(\d+)>$/, "$1"));
}

/** When the id was created, in milliseconds since 1970. */
export function idTime(id: AnyId | bigint): number {
  return Number(BigInt(id) >> 22n) + EPOCH;
}

/** The smallest id that can be created at a time given in milliseconds since 1970. */
export function toFirstId<Id extends AnyId>(time: number): Id {
  return String(BigInt(Math.max(0, Math.floor(time) - EPOCH)) << 22n) as Id;
}

/** Negative if `a` is older. Ids have no leading zeros, so the longer one is the larger. */
export function compareIds(a: AnyId, b: AnyId): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
