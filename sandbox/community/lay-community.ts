import { ChannelType, OverwriteType, PermissionFlagsBits } from "discord-api-types/v10";
import { createBot, createUser } from "../actions/applications.ts";
import { newChannel } from "../actions/records.ts";
import type { ChannelRecord, GuildRecord, OverwriteRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { idOf, type LaidCommunity, MAIN_BOT } from "./laid-community.ts";
import { layPosts } from "./lay-posts.ts";
import type {
  ChannelKind,
  ChannelPlan,
  Community,
  MemberPlan,
  NeighbourPlan,
  OverwritePlan,
  PermissionName,
  PersonPlan,
  ServerPlan,
} from "./plan.ts";

const DAY_MS = 86_400_000;
const FOUNDED_DAYS_AGO = 1_500;
/** A fixed time, for ids that are the same at every start: a bot's token contains its id, and people write it into their settings. */
const BOTS_CREATED_AT = Date.UTC(2017, 0, 1);
const USUALLY_JOINED_DAYS_AGO = 365;

interface LayOptions {
  readonly now: number;
  /** Gives the main bot a role of its own with these permissions, in every server, instead of its roles there. */
  readonly botPermissions?: bigint;
}

/** Builds a community directly in the world, without permission checks and events. The same plan at the same `now` gets the same ids. */
export function layCommunity(world: World, community: Community, { now, botPermissions }: LayOptions): LaidCommunity {
  let moment = now - FOUNDED_DAYS_AGO * DAY_MS;
  const mint = (): string => world.mintId(moment++);
  const people = layPeople(world, community.people, mint);
  const context = { people, now, mint };
  const members = community.people.filter(({ outsider }) => !outsider);
  const { guild, roles, channels } = layServer(world, { ...community, members }, context);
  for (const neighbour of community.neighbours ?? []) {
    for (const [key, id] of layServer(world, neighbour, context).channels) channels.set(key, id);
  }
  const botId = people.get(MAIN_BOT);
  if (botPermissions !== undefined && botId !== undefined) layBotRoles(world, { botId, botPermissions, mint });
  const laid: LaidCommunity = { guild, people, roles, channels, messages: new Map() };
  layPosts(world, community, laid, now);
  return laid;
}

interface ServerContext {
  readonly people: ReadonlyMap<string, string>;
  readonly now: number;
  mint(): string;
}

function layServer(
  world: World,
  server: NeighbourPlan,
  { people, now, mint }: ServerContext,
): Pick<LaidCommunity, "guild" | "roles" | "channels"> {
  const guild = layGuild(server, people, mint);
  world.guilds.set(guild.id, guild);
  const roles = layRoles(guild, server, mint);
  for (const plan of server.members) layMember(guild, plan, { people, roles, now });
  return { guild, roles, channels: layChannels(world, guild, { server, people, roles, mint }) };
}

export function toPermissions(names: readonly PermissionName[] = []): bigint {
  return names.reduce((all, name) => all | PermissionFlagsBits[name], 0n);
}

function layPeople(world: World, plans: readonly PersonPlan[], mint: () => string): Map<string, string> {
  const people = new Map<string, string>();
  const bots = plans
    .filter(({ bot }) => bot)
    .map(({ key }, index) => [key, world.mintId(BOTS_CREATED_AT + index)] as const);
  const botIds = new Map(bots);
  for (const { key, username, displayName, bot = false } of plans) {
    const id = botIds.get(key) ?? mint();
    people.set(key, id);
    const user = { id, username, ...(displayName !== undefined && { globalName: displayName }) };
    if (bot) createBot(world, { ...user, name: displayName ?? username });
    else createUser(world, user);
  }
  return people;
}

function layGuild({ guild }: ServerPlan, people: ReadonlyMap<string, string>, mint: () => string): GuildRecord {
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
    emojis: new Map(),
    bans: new Map(),
    unavailable: false,
    searchIndexReady: true,
  };
}

function layRoles(guild: GuildRecord, { roles: plans }: ServerPlan, mint: () => string): Map<string, string> {
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

/** As Discord does when a bot is invited. */
function layBotRoles(
  world: World,
  { botId, botPermissions, mint }: { botId: string; botPermissions: bigint; mint(): string },
): void {
  for (const guild of world.guilds.values()) {
    const member = guild.members.get(botId);
    if (!member) continue;
    const position = Math.max(...[...member.roles].map((id) => guild.roles.get(id)?.position ?? 0), 1);
    for (const role of guild.roles.values()) if (role.position >= position) role.position += 1;
    const role = {
      id: mint(),
      name: world.users.get(botId)?.globalName ?? MAIN_BOT,
      permissions: botPermissions,
      position,
      color: 0,
      hoist: false,
      mentionable: false,
      managed: true,
      botId,
    };
    guild.roles.set(role.id, role);
    member.roles.clear();
    member.roles.add(role.id);
  }
}

interface Names {
  readonly people: ReadonlyMap<string, string>;
  readonly roles: ReadonlyMap<string, string>;
}

function layMember(
  guild: GuildRecord,
  plan: MemberPlan,
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
  readonly server: ServerPlan;
  mint(): string;
}

function layChannels(world: World, guild: GuildRecord, context: ChannelContext): Map<string, string> {
  const { server, mint } = context;
  const channels = new Map(server.channels.map(({ key }) => [key, mint()]));
  for (const [position, plan] of server.channels.entries()) {
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
