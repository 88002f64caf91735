import { ChannelType, OverwriteType, PermissionFlagsBits } from "discord-api-types/v10";
import { createBot, createUser } from "../actions/applications.ts";
import { newChannel } from "../actions/records.ts";
import type { ChannelRecord, GuildRecord, OverwriteRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { idOf, type LaidCommunity } from "./laid-community.ts";
import { layPosts } from "./lay-posts.ts";
import type { ChannelKind, ChannelPlan, Community, OverwritePlan, PermissionName, PersonPlan } from "./plan.ts";

const DAY_MS = 86_400_000;
const FOUNDED_DAYS_AGO = 1_500;
const USUALLY_JOINED_DAYS_AGO = 365;

/**
 * Builds a community directly in the world, without permission checks and events.
 * The same plan at the same `now` gets the same ids.
 */
export function layCommunity(world: World, community: Community, { now }: { readonly now: number }): LaidCommunity {
  let moment = now - FOUNDED_DAYS_AGO * DAY_MS;
  const mint = (): string => world.mintId(moment++);
  const people = layPeople(world, community.people, mint);
  const guild = layGuild(community, people, mint);
  world.guilds.set(guild.id, guild);
  const roles = layRoles(guild, community, mint);
  for (const plan of community.people) if (!plan.outsider) layMember(guild, plan, { people, roles, now });
  const channels = layChannels(world, guild, { community, people, roles, mint });
  const laid: LaidCommunity = { guild, people, roles, channels, messages: new Map() };
  layPosts(world, community, laid, now);
  return laid;
}

export function toPermissions(names: readonly PermissionName[] = []): bigint {
  return names.reduce((all, name) => all | PermissionFlagsBits[name], 0n);
}

function layPeople(world: World, plans: readonly PersonPlan[], mint: () => string): Map<string, string> {
  const people = new Map<string, string>();
  for (const { key, username, displayName, bot = false } of plans) {
    const id = mint();
    people.set(key, id);
    const user = { id, username, ...(displayName !== undefined && { globalName: displayName }) };
    if (bot) createBot(world, { ...user, name: displayName ?? username, token: deriveToken(world, key) });
    else createUser(world, user);
  }
  return people;
}

/** In the form of Discord's tokens, so that tools which recognise those recognise these. */
function deriveToken(world: World, key: string): string {
  const secret = world.deriveSecret(`token:${key}`);
  return `M${secret.slice(0, 25)}.${secret.slice(25, 31)}.${world.deriveSecret(`token:${key}:signature`).slice(0, 38)}`;
}

function layGuild({ guild }: Community, people: ReadonlyMap<string, string>, mint: () => string): GuildRecord {
  const id = mint();
  const everyone = {
    id,
    name: "@everyone",
    permissions: toPermissions(guild.everyone),
    position: 0,
    color: 0,
    hoist: false,
    mentionable: false,
    managed: false,
  };
  return {
    id,
    name: guild.name,
    description: guild.description ?? null,
    ownerId: idOf(people, guild.owner, "person"),
    features: ["COMMUNITY", "NEWS"],
    systemChannelId: null,
    roles: new Map([[id, everyone]]),
    members: new Map(),
    channels: new Map(),
    unavailable: false,
    searchIndexReady: true,
  };
}

function layRoles(guild: GuildRecord, { roles: plans }: Community, mint: () => string): Map<string, string> {
  const roles = new Map([["everyone", guild.id]]);
  for (const [index, plan] of plans.entries()) {
    const id = mint();
    roles.set(plan.key, id);
    guild.roles.set(id, {
      id,
      name: plan.name,
      permissions: toPermissions(plan.permissions),
      // The first role of a plan is the highest.
      position: plans.length - index,
      color: plan.color ?? 0,
      hoist: plan.hoist ?? false,
      mentionable: plan.mentionable ?? false,
      managed: false,
    });
  }
  return roles;
}

interface Names {
  readonly people: ReadonlyMap<string, string>;
  readonly roles: ReadonlyMap<string, string>;
}

function layMember(
  guild: GuildRecord,
  plan: PersonPlan,
  { people, roles, now }: Names & { readonly now: number },
): void {
  const userId = idOf(people, plan.key, "person");
  guild.members.set(userId, {
    userId,
    nick: plan.nick ?? null,
    roles: new Set((plan.roles ?? []).map((key) => idOf(roles, key, "role"))),
    joinedAt: now - (plan.joinedDaysAgo ?? USUALLY_JOINED_DAYS_AGO) * DAY_MS,
    pending: false,
    timedOutUntil: null,
  });
}

export const CHANNEL_TYPES: Readonly<Record<ChannelKind, ChannelType>> = {
  category: ChannelType.GuildCategory,
  text: ChannelType.GuildText,
  announcement: ChannelType.GuildAnnouncement,
  voice: ChannelType.GuildVoice,
  stage: ChannelType.GuildStageVoice,
  forum: ChannelType.GuildForum,
  media: ChannelType.GuildMedia,
};

interface ChannelContext extends Names {
  readonly community: Community;
  mint(): string;
}

function layChannels(world: World, guild: GuildRecord, context: ChannelContext): Map<string, string> {
  const { community, mint } = context;
  const channels = new Map(community.channels.map(({ key }) => [key, mint()]));
  for (const [position, plan] of community.channels.entries()) {
    const parentId = plan.category === undefined ? null : idOf(channels, plan.category, "category");
    world.addChannel(
      toChannel(plan, { id: idOf(channels, plan.key, "channel"), guildId: guild.id, position, parentId }, context),
    );
    if (plan.kind === "text") guild.systemChannelId ??= idOf(channels, plan.key, "channel");
  }
  return channels;
}

function toChannel(
  plan: ChannelPlan,
  place: Pick<ChannelRecord, "id" | "guildId" | "position" | "parentId">,
  { people, roles, mint }: ChannelContext,
): ChannelRecord {
  return newChannel({
    ...place,
    type: CHANNEL_TYPES[plan.kind],
    name: plan.name,
    topic: plan.topic ?? null,
    nsfw: plan.nsfw ?? false,
    overwrites: new Map((plan.overwrites ?? []).map((overwrite) => toOverwrite(overwrite, { people, roles }))),
    tags: (plan.tags ?? []).map((name) => ({ id: mint(), name, moderated: false })),
  });
}

function toOverwrite({ who, allow, deny }: OverwritePlan, { people, roles }: Names): [string, OverwriteRecord] {
  const isPerson = who.startsWith("person:");
  const id = isPerson ? idOf(people, who.slice("person:".length), "person") : idOf(roles, who, "role");
  const type = isPerson ? OverwriteType.Member : OverwriteType.Role;
  return [id, { id, type, allow: toPermissions(allow), deny: toPermissions(deny) }];
}
