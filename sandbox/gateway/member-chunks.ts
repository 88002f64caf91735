import { GatewayIntentBits, GatewayOpcodes } from "discord-api-types/v10";
import { toApiMember } from "../render/members.ts";
import type { GuildRecord, MemberRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import type { GatewayDeps } from "./deps.ts";
import { hasIntent } from "./intents.ts";
import type { RequestMembers } from "./protocol.ts";
import type { Session } from "./session.ts";

const CHUNK_SIZE = 1000;
const MAX_SEARCHED = 100;
const MAX_NONCE_BYTES = 32;
/** The minimum interval between requests for the whole list of a guild. */
const WHOLE_LIST_PAUSE_MS = 30_000;

/** Answers REQUEST_GUILD_MEMBERS with GUILD_MEMBERS_CHUNK dispatches. Requests that are not allowed stay unanswered, as on Discord. */
export function sendMembers(request: RequestMembers, session: Session, deps: GatewayDeps): void {
  const { world } = deps;
  const [guildId, ...others] = request.guild_id;
  const guild = guildId !== undefined && session.shown.has(guildId) ? world.guilds.get(guildId) : undefined;
  if (!guild || others.length > 0) return;
  const nonce = toNonce(request);
  const extras = { ...nonce, ...(request.presences && { presences: [] }) };
  if (request.user_ids) {
    const { found, notFound } = findMembers(guild, request.user_ids);
    sendChunks(session, world, { guild, members: found, extras: { ...extras, not_found: notFound } });
  } else if (request.query || request.limit > 0) {
    sendChunks(session, world, { guild, members: searchMembers(world, guild, request), extras });
  } else if (hasIntent(session.intents, GatewayIntentBits.GuildMembers)) {
    const waitMs = deps.pauses.begin(`members:${session.botId}:${guild.id}`, WHOLE_LIST_PAUSE_MS);
    if (waitMs === 0) sendChunks(session, world, { guild, members: [...guild.members.values()], extras });
    else session.dispatch("RATE_LIMITED", JSON.stringify(toRefusal(waitMs, { guild_id: guild.id, ...nonce })));
  }
}

function toNonce({ nonce }: RequestMembers): { nonce?: string } {
  return nonce !== undefined && Buffer.byteLength(nonce) <= MAX_NONCE_BYTES ? { nonce } : {};
}

function toRefusal(waitMs: number, meta: object): object {
  return { opcode: GatewayOpcodes.RequestGuildMembers, retry_after: waitMs / 1000, meta };
}

interface Chunks {
  readonly guild: GuildRecord;
  readonly members: readonly MemberRecord[];
  readonly extras: object;
}

function sendChunks(session: Session, world: World, { guild, members, extras }: Chunks): void {
  const chunk_count = Math.max(1, Math.ceil(members.length / CHUNK_SIZE));
  for (let chunk_index = 0; chunk_index < chunk_count; chunk_index += 1) {
    const part = members.slice(chunk_index * CHUNK_SIZE, (chunk_index + 1) * CHUNK_SIZE);
    const data = {
      guild_id: guild.id,
      members: part.map((member) => toApiMember(world, member)),
      chunk_index,
      chunk_count,
      ...extras,
    };
    session.dispatch("GUILD_MEMBERS_CHUNK", JSON.stringify(data));
  }
}

function findMembers(guild: GuildRecord, userIds: readonly string[]) {
  const found: MemberRecord[] = [];
  const notFound: string[] = [];
  for (const id of new Set(userIds.slice(0, MAX_SEARCHED))) {
    const member = guild.members.get(id);
    if (member) found.push(member);
    else notFound.push(id);
  }
  return { found, notFound };
}

/** Members whose username, display name or nickname begins with the query. */
function searchMembers(world: World, guild: GuildRecord, { query = "", limit }: RequestMembers): MemberRecord[] {
  const wanted = query.toLowerCase();
  const most = limit === 0 ? MAX_SEARCHED : Math.min(limit, MAX_SEARCHED);
  const found: MemberRecord[] = [];
  for (const member of guild.members.values()) {
    if (found.length >= most) break;
    const user = world.users.get(member.userId);
    const names = [user?.username, user?.globalName, member.nick];
    if (names.some((name) => name?.toLowerCase().startsWith(wanted))) found.push(member);
  }
  return found;
}
