import type { ChannelId, GuildId, UserId } from "../../src/domain/ids.ts";
import type { RememberRequest } from "../../src/domain/memory/remember-request.ts";
import type { Grant } from "../../src/policy/grant.ts";
import type { OpenRequest } from "../../src/policy/operations.ts";
import { openSystem } from "../attack/open-system.ts";
import { createTestConsent } from "./consent.ts";
import { describeMember } from "./describe-world.ts";
import type { InProcessOptions } from "./in-process.ts";
import { openMemoryForTest } from "./memory.ts";
import type { PlainWorld } from "./plain-world.ts";
import { ADA, GUILD, PLACE, smallWorld } from "./small-world.ts";

export const SHARED = { memory: { people: "shared" } };
export const PRIVATELY = { isPrivate: true };
const SCOPES: Partial<Grant> = {
  scopes: ["memory:read_self", "memory:read_project", "discord:send", "context:read_channel_recent"],
};

export interface Hearing extends Partial<OpenRequest> {
  readonly grant?: Partial<Grant>;
  readonly tool?: string;
}

/** The whole system on the small world, with a memory in real files, in a server where people may share facts unless the rules say otherwise. */
export async function openWithMemory(options: InProcessOptions = {}, world: PlainWorld = smallWorld()) {
  const consent = createTestConsent();
  const parts: { system: ReturnType<typeof openSystem> | null } = { system: null };
  const clock = { now: () => parts.system?.clock.now() ?? 0 };
  const { memory, openAgain, close: closeFiles } = await openMemoryForTest({ consent, clock });
  const system = openSystem({ rules: SHARED, ...options, memory, consent }, world);
  parts.system = system;
  const { open, call, tell } = system;
  const own = system.ownMemory as NonNullable<typeof system.ownMemory>;
  const hear = async (actor: string, channelId: string, args: object = {}, hearing: Hearing = {}) => {
    const { grant, tool = "memory_read.get_user_facts", ...more } = hearing;
    const operation = await open(actor, channelId, { ...SCOPES, ...grant }, more);
    const outcome = await call(operation, tool, args, true);
    const facts = outcome.ok ? (outcome.value as never as { facts: { key: string; value: unknown }[] }).facts : [];
    const values = outcome.ok ? facts.map(({ key, value }) => `${key}=${value}`) : outcome.message;
    return { operation, outcome, values };
  };
  const remember = (
    actor: string,
    [key, value]: readonly [key: string, value: unknown],
    visibility: "private" | "project" | "org" = "private",
    more: { channelId?: string; expiresAt?: number } = {},
  ) => {
    const channelId = (more.channelId ?? PLACE.general) as ChannelId;
    return own.remember(actor as UserId, { key, value, visibility, typedIn: "1", ...more, channelId });
  };
  /** What was decided and confirmed elsewhere: Ada's city, shared with the server, unless said. */
  const keep = (request: Partial<RememberRequest> = {}) =>
    memory.remember({
      scope: "user",
      scopeId: ADA,
      subjectId: ADA as UserId,
      guildId: GUILD as GuildId,
      visibility: "org",
      home: { kind: "guild", id: GUILD as GuildId },
      name: "city",
      value: "Berlin",
      basis: [{ type: "typed", ref: "1", isOwn: true, authorId: null, words: "" }],
      createdBy: ADA as UserId,
      verification: "user_confirmed",
      confidence: 1,
      expiresAt: null,
      ends: [],
      ...request,
    });
  const leave = (id: string) => {
    for (const guild of world.guilds) guild.members = guild.members.filter((member) => member.id !== id);
    tell("GUILD_MEMBER_REMOVE", { guild_id: GUILD, user: { id } });
  };
  /** Joins, or has other roles from now on. */
  const join = (id: string, roles: string[]) => {
    const { members = [] } = world.guilds[0] ?? {};
    const index = members.findIndex((member) => member.id === id);
    const member = { id, bot: false, nick: `nick${id}`, roles };
    if (index >= 0) members.splice(index, 1, member);
    else members.push(member);
    const type = index >= 0 ? "GUILD_MEMBER_UPDATE" : "GUILD_MEMBER_ADD";
    tell(type, { guild_id: GUILD, ...describeMember(member) });
  };
  /** The connection was lost for a moment, in which this happened unheard. */
  const missing = (happen: () => void) => {
    const { clock, announce } = system;
    clock.ahead += 1_000;
    happen();
    const [from, to] = [clock.now() - 500, clock.now()].map((time) => new Date(time).toISOString());
    announce({ type: "gap", shard: 0, from, to, reason: "resume_failed", guildIds: [GUILD] } as never);
  };
  const drop = (channelId: string, id: string) => {
    const left = (world.messages.get(channelId) ?? []).filter((one) => one.id !== id);
    world.messages.set(channelId, left);
  };
  const send = (operation: Awaited<ReturnType<typeof open>>, text: string, channelId: string = PLACE.general) =>
    call(operation, "discord.send", { channel_id: channelId, text });
  /** The program as it would be if it had just started: nothing has been looked up yet. */
  const startAgain = () =>
    openSystem({ rules: SHARED, ...options, memory: openAgain(), consent, before: system }, world);
  const close = async () => {
    await system.close();
    closeFiles();
  };
  return {
    ...system,
    startAgain,
    world,
    memory,
    consent,
    own,
    hear,
    remember,
    keep,
    leave,
    join,
    missing,
    drop,
    send,
    close,
  };
}

/** A message that a fact rests on. */
export function toBasis(
  { channelId, id }: { channelId: string; id: string },
  { words, authorId, isOwn = false }: { words: string; authorId: string; isOwn?: boolean },
): RememberRequest["basis"][number] {
  return { type: "discord_message", ref: `${channelId}/${id}`, isOwn, authorId: authorId as UserId, words };
}
