import type { Channel, ChannelKind, Overwrite, Role, Thread } from "../domain/guild.ts";
import { type ChannelId, type GuildId, type MessageId, type RoleId, toId, type UserId } from "../domain/ids.ts";
import { toPermissionSet } from "../domain/permission-set.ts";
import type { MemberFacts } from "./member-table.ts";
import { isoTime, isRecord, list, name, type Raw, record, text, textOrNull } from "./read.ts";

/** Discord hides the name and the overwrites of a channel that the bot cannot view, and marks it with this flag. The name proves
 * nothing. */
const OBFUSCATED = 1 << 17;

const KINDS: readonly (ChannelKind | undefined)[] = [
  "text",
  "dm",
  "voice",
  "group_dm",
  "category",
  "announcement",
  undefined,
  undefined,
  undefined,
  undefined,
  "announcement_thread",
  "public_thread",
  "private_thread",
  "stage",
  undefined,
  "forum",
  "media",
];

/** Null without an id, because the object cannot be identified. A channel with unreadable overwrites counts as hidden. */
export function toChannel(raw: unknown, guildId: GuildId | null): Channel | null {
  if (!isRecord(raw)) return null;
  const id = toId<ChannelId>(raw["id"]);
  if (!id) return null;
  const kind = toKind(raw["type"]);
  const isThread = kind.endsWith("_thread");
  const overwrites = isThread || guildId === null ? [] : toOverwrites(raw);
  const lastMessageId = toId<MessageId>(raw["last_message_id"]);
  const tags = list(raw["available_tags"]).map(record);
  const moderated = tags.filter((tag) => tag["moderated"] === true);
  return {
    id,
    guildId,
    kind,
    name: name(raw["name"]) ?? "",
    topic: textOrNull(raw["topic"]),
    position: typeof raw["position"] === "number" ? raw["position"] : 0,
    parentId: toId<ChannelId>(raw["parent_id"]),
    ageRestricted: raw["nsfw"] === true,
    hidden: overwrites === null || isObfuscated(raw),
    ...(overwrites === null && !isObfuscated(raw) && { hasUnknownRules: true as const }),
    ...(isRecord(raw["linked_lobby"]) && { linkedToLobby: true }),
    overwrites: overwrites ?? [],
    tags: tags.map((tag) => text(tag["name"])),
    ...(tags.length > 0 && { tagIds: tags.map((tag) => text(tag["id"])) }),
    ...(moderated.length > 0 && { moderatedTagIds: moderated.map((tag) => text(tag["id"])) }),
    thread: isThread ? toThread(raw, kind) : null,
    recipients: list(raw["recipients"]).flatMap((user) => toId<UserId>(record(user)["id"]) ?? []),
    ...(lastMessageId && { lastMessageId }),
  };
}

function isObfuscated({ flags }: Raw): boolean {
  return typeof flags === "number" && (flags & OBFUSCATED) !== 0;
}

function toKind(type: unknown): ChannelKind {
  return (typeof type === "number" ? KINDS[type] : undefined) ?? "other";
}

/** Null if they are missing or any is unreadable: an overlooked denial would grant access. */
function toOverwrites(channel: Raw): Overwrite[] | null {
  const value = channel["permission_overwrites"];
  if (!Array.isArray(value)) return null;
  const overwrites: Overwrite[] = [];
  for (const entry of value) {
    const raw = record(entry);
    const id = toId<RoleId>(raw["id"]);
    const target = raw["type"] === 0 ? "role" : raw["type"] === 1 ? "member" : null;
    if (!id || !target || !isMask(raw["allow"]) || !isMask(raw["deny"])) return null;
    overwrites.push({ id, target, allow: toPermissionSet(raw["allow"]), deny: toPermissionSet(raw["deny"]) });
  }
  return overwrites;
}

function toThread(raw: Raw, kind: ChannelKind): Thread {
  const metadata = record(raw["thread_metadata"]);
  const tagIds = list(raw["applied_tags"]).map((id) => text(id));
  return {
    ownerId: toId<UserId>(raw["owner_id"]),
    archived: metadata["archived"] === true,
    ...(metadata["locked"] === true && { locked: true as const }),
    ...(tagIds.length > 0 && { tagIds }),
    members: kind === "private_thread" ? null : new Set(),
  };
}

/** Null if it is unreadable. */
export function toRole(value: unknown): Role | null {
  const raw = record(value);
  const id = toId<RoleId>(raw["id"]);
  if (!id || !isMask(raw["permissions"])) return null;
  const position = typeof raw["position"] === "number" ? raw["position"] : 0;
  const botId = toId<UserId>(record(raw["tags"])["bot_id"]);
  const permissions = toPermissionSet(raw["permissions"]);
  return { id, name: name(raw["name"]) ?? "", position, permissions, ...(botId && { botId }) };
}

/** From a member object, or a partial one with a separate user. Null without a user or roles. */
export function toMemberFacts(value: unknown, user: unknown = record(value)["user"]): MemberFacts | null {
  const raw = record(value);
  const person = record(user);
  const id = toId<UserId>(person["id"]);
  if (!id || !Array.isArray(raw["roles"])) return null;
  const timedOut = isoTime(raw["communication_disabled_until"]);
  const joined = isoTime(raw["joined_at"]);
  return {
    id,
    ...(joined && { joinedAt: Date.parse(joined) }),
    ...(timedOut && { timedOutUntil: Date.parse(timedOut) }),
    username: name(person["username"]) ?? "",
    globalName: name(person["global_name"]),
    nick: name(raw["nick"]),
    bot: person["bot"] === true,
    ...(raw["pending"] !== undefined && { pending: raw["pending"] !== false }),
    roles: raw["roles"].flatMap((role) => toId<RoleId>(role) ?? []),
  };
}

/** Whether members can be pending, because the server screens new members. True if its features are unreadable. */
export function hasScreening(features: unknown): boolean {
  if (!Array.isArray(features) || features.some((feature) => typeof feature !== "string")) return true;
  return features.includes("MEMBER_VERIFICATION_GATE_ENABLED");
}

function isMask(value: unknown): value is string {
  return typeof value === "string" && /^\d{1,30}$/.test(value);
}
