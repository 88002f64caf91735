import type { Channel, GuildRules, Role } from "../domain/guild.ts";
import { type MembersPlaces, toMembersPlaces } from "../domain/guild-audience.ts";
import { type ChannelId, type GuildId, type RoleId, toId, type UserId } from "../domain/ids.ts";
import { lazy } from "../domain/lazy.ts";
import { type Locale, toLocale } from "../domain/time/date-order.ts";
import type { GuildInfo } from "../ports/directory.ts";
import { GuildMembersByRoles } from "./guild-members-by-roles.ts";
import { MemberTable } from "./member-table.ts";
import { count, isRecord, list, type Raw, record, text } from "./read.ts";
import { hasScreening, toChannel, toMemberFacts, toRole } from "./to-guild.ts";

/** The known state of one guild, since its last full description. */
export class GuildState implements GuildRules, GuildInfo {
  readonly id: GuildId;
  name = "";
  ownerId = "" as UserId;
  #preferredLocale = lazy((): Locale | null => null);
  /** It is described and trusted, so its state is current. */
  available = false;
  #isDescribed = false;
  #isTrusted = true;
  memberCount = 0;
  /** New members are pending until they have passed the membership screening. */
  hasScreening = true;
  membersComplete = false;
  readonly roles = new Map<RoleId, Role>();
  /** Channels and known threads. */
  readonly channels = new Map<ChannelId, Channel>();
  readonly members = new MemberTable();
  /** Incremented whenever roles or the owner change. */
  rulesVersion = 0;
  readonly membersByRoles = new GuildMembersByRoles(this.members, this);
  readonly #membersPlaces = new Map<RoleId | null, MembersPlaces>();
  /** Threads the bot itself is in. */
  readonly joinedThreads = new Set<ChannelId>();

  constructor(id: GuildId) {
    this.id = id;
  }

  /** Set when Discord has described it; cleared by an outage. */
  set described(isDescribed: boolean) {
    this.#isDescribed = isDescribed;
    this.available = isDescribed && this.#isTrusted;
  }

  /** Whether the connection for its events is up. */
  set trusted(isTrusted: boolean) {
    this.#isTrusted = isTrusted;
    this.available = isTrusted && this.#isDescribed;
  }

  /** From GUILD_CREATE. With unreadable roles, the guild stays unavailable. */
  static describe(id: GuildId, raw: Raw): GuildState {
    const state = new GuildState(id);
    state.memberCount = count(raw["member_count"]);
    for (const channel of [...list(raw["channels"]), ...list(raw["threads"])]) {
      state.setChannel(channel);
    }
    for (const member of list(raw["members"])) {
      const facts = toMemberFacts(member);
      if (facts) state.members.set(facts);
    }
    state.update(raw);
    return state;
  }

  get preferredLocale(): Locale | null {
    return this.#preferredLocale();
  }

  /** From GUILD_CREATE or GUILD_UPDATE: name, owner, locale, roles, features. */
  update(raw: Raw): void {
    const ownerId = toId<UserId>(raw["owner_id"]);
    const roles = Array.isArray(raw["roles"]) ? raw["roles"].map(toRole) : null;
    this.rulesVersion += 1;
    this.name = text(raw["name"]);
    this.ownerId = ownerId ?? ("" as UserId);
    // Parsed on first use: loading the list of locales takes a fortieth of the start.
    const locale = raw["preferred_locale"];
    this.#preferredLocale = lazy(() => toLocale(locale));
    this.hasScreening = hasScreening(raw["features"]);
    this.roles.clear();
    this.#membersPlaces.clear();
    for (const role of roles ?? []) if (role) this.roles.set(role.id, role);
    this.described = ownerId !== null && roles !== null && roles.length > 0 && !roles.includes(null);
  }

  setRole(raw: unknown): void {
    const role = toRole(raw);
    this.rulesVersion += 1;
    if (role) this.roles.set(role.id, role);
    else this.described = false;
  }

  /** A deleted role has no members, even without an update of each member by Discord. */
  removeRole(id: RoleId): void {
    this.rulesVersion += 1;
    this.roles.delete(id);
    this.#membersPlaces.delete(id);
    for (const channel of this.channels.values()) {
      if (!channel.overwrites.some((overwrite) => overwrite.id === id)) continue;
      const overwrites = channel.overwrites.filter((overwrite) => overwrite.id !== id);
      this.channels.set(channel.id, { ...channel, overwrites });
    }
  }

  /** Returns the same objects for a role, so that caches by channel stay valid. */
  membersPlaces(role: RoleId | null): MembersPlaces {
    const places = this.#membersPlaces.get(role) ?? toMembersPlaces(this, role);
    this.#membersPlaces.set(role, places);
    return places;
  }

  /** From CHANNEL_CREATE/UPDATE or THREAD_CREATE/UPDATE. Known members of a private thread are kept. */
  setChannel(raw: unknown): Channel | null {
    const channel = toChannel(raw, this.id);
    if (!channel) return null;
    if (channel.thread && isRecord(record(raw)["member"])) this.joinedThreads.add(channel.id);
    const members = this.channels.get(channel.id)?.thread?.members;
    const known = channel.thread && members ? { ...channel, thread: { ...channel.thread, members } } : channel;
    const parent = known.thread && known.parentId ? this.channels.get(known.parentId) : undefined;
    const tagged = parent ? withTagsOf(parent, known) : known;
    this.channels.set(tagged.id, tagged);
    // Tags may have been added, removed or renamed.
    for (const post of channel.tagIds ? [...this.channels.values()] : [])
      if (post.thread && post.parentId === channel.id) this.channels.set(post.id, withTagsOf(channel, post));
    return tagged;
  }

  /** The channel, if known, and its threads. */
  withThreads(id: ChannelId): ChannelId[] {
    return [...this.channels.values()]
      .filter((channel) => channel.id === id || (channel.thread && channel.parentId === id))
      .map((channel) => channel.id);
  }

  /** Removes the channel and its threads. */
  removeChannel(id: ChannelId): void {
    for (const gone of this.withThreads(id)) this.channels.delete(gone);
  }

  setThreadMembers(id: ChannelId, members: ReadonlySet<UserId> | null): void {
    const channel = this.channels.get(id);
    if (channel?.kind === "private_thread" && channel.thread) {
      this.channels.set(id, { ...channel, thread: { ...channel.thread, members } });
    }
  }

  /** From THREAD_MEMBERS_UPDATE. Without an initial list, changes of other members are useless. */
  changeThreadMembers(id: ChannelId, raw: Raw, botId: UserId): void {
    const added = list(raw["added_members"]).flatMap((member) => toId<UserId>(record(member)["user_id"]) ?? []);
    const removed = list(raw["removed_member_ids"]).flatMap((userId) => toId<UserId>(userId) ?? []);
    if (added.includes(botId)) this.joinedThreads.add(id);
    if (removed.includes(botId)) this.joinedThreads.delete(id);
    const known = this.channels.get(id)?.thread?.members;
    if (known) this.setThreadMembers(id, new Set([...known, ...added]).difference(new Set(removed)));
  }
}

/** Adds the names of a post's tags, from its forum. */
function withTagsOf({ tags, tagIds = [] }: Channel, post: Channel): Channel {
  const applied = post.thread?.tagIds ?? [];
  if (applied.length + post.tags.length === 0) return post;
  return { ...post, tags: tags.filter((_, index) => applied.includes(tagIds[index] ?? "")) };
}
