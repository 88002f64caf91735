import { type APIEmbed, OverwriteType } from "discord-api-types/v10";
import { OPERATOR } from "../actions/access.ts";
import { addSticker, createBot, createUser } from "../actions/applications.ts";
import {
  type ChannelTraits,
  createChannel,
  deleteChannel,
  removeOverwrite,
  setOverwrite,
  updateChannel,
} from "../actions/channels.ts";
import { bulkDeleteMessages } from "../actions/delete-messages.ts";
import { createGuild, deleteGuild, type GuildPatch, setGuildAvailability, updateGuild } from "../actions/guilds.ts";
import { addMember, type MemberPatch, removeMember, updateMember } from "../actions/members.ts";
import type { MessageDraft } from "../actions/message-draft.ts";
import { previewLinks } from "../actions/messages.ts";
import { createRole, deleteRole, type RoleTraits, updateRole } from "../actions/roles.ts";
import { removeThreadMember } from "../actions/thread-members.ts";
import { type ThreadPatch, updateThread } from "../actions/update-thread.ts";
import { createWebhook, executeWebhook } from "../actions/webhooks.ts";
import { CHANNEL_TYPES, toPermissions } from "../community/lay-community.ts";
import type { ChannelKind, PermissionName } from "../community/plan.ts";
import type {
  ApplicationRecord,
  ChannelRecord,
  GuildRecord,
  MessageRecord,
  RoleRecord,
  WebhookRecord,
} from "../world/records.ts";
import type { World } from "../world/world.ts";
import type { MessageName, Names } from "./names.ts";

type RoleRequest = Partial<Omit<RoleTraits, "permissions">> & { readonly permissions?: readonly PermissionName[] };

interface Grant {
  readonly allow?: readonly PermissionName[];
  readonly deny?: readonly PermissionName[];
}

/** Sets up the sandbox from outside, without permission checks. The guild defaults to the community's. */
export interface Admin {
  createPerson(username: string, displayName?: string): string;
  /** Chooses the language of their client. */
  setLocale(person: string, locale: string): void;
  createBot(username: string): ApplicationRecord;
  setPrivileged(bot: string, privileged: Partial<ApplicationRecord["privileged"]>): void;
  /** Registers the addresses that a sign-in with an application may return to: these and no others. The main bot's application when absent. */
  setRedirects(uris: readonly string[], bot?: string): void;
  createGuild(name: string, owner: string): GuildRecord;
  updateGuild(patch: Omit<GuildPatch, "guildId" | "ownerId">, guild?: string): void;
  setOwner(person: string, guild?: string): void;
  deleteGuild(guild?: string): void;
  /** An outage begins or ends. */
  setGuildAvailable(isAvailable: boolean, guild?: string): void;
  setSearchIndexReady(isReady: boolean, guild?: string): void;
  addMember(person: string, guild?: string): void;
  removeMember(person: string, guild?: string): void;
  updateMember(person: string, patch: Omit<MemberPatch, "guildId" | "userId" | "roles">, guild?: string): void;
  setRoles(person: string, roles: readonly string[], guild?: string): void;
  timeout(person: string, minutes: number, guild?: string): void;
  /** `botId` as for a role that Discord makes when a bot is invited. */
  createRole(role: RoleRequest & { readonly botId?: string }, guild?: string): RoleRecord;
  updateRole(role: string, traits: RoleRequest, guild?: string): RoleRecord;
  deleteRole(role: string, guild?: string): void;
  createChannel(
    name: string,
    kind: ChannelKind,
    more?: Partial<ChannelTraits> & { readonly guild?: string },
  ): ChannelRecord;
  updateChannel(channel: string, traits: Partial<ChannelTraits>): ChannelRecord;
  deleteChannel(channel: string): void;
  /** `who` is a role, "everyone", or `person:<name>`. */
  setOverwrite(channel: string, who: string, grant: Grant): void;
  removeOverwrite(channel: string, who: string): void;
  updateThread(thread: string, patch: Omit<ThreadPatch, "channelId">): ChannelRecord;
  removeFromThread(thread: string, person: string): void;
  bulkDelete(messages: readonly MessageName[]): void;
  /** Adds a link preview to a message. */
  previewLinks(message: MessageName, embeds: readonly APIEmbed[]): void;
  createWebhook(channel: string, name: string): WebhookRecord;
  sayAsWebhook(webhook: WebhookRecord, draft: MessageDraft): MessageRecord;
  /** Adds a sticker and returns its id. */
  addSticker(name: string): string;
}

export function createAdmin(world: World, names: Names): Admin {
  return { ...administerPeople(world, names), ...administerGuilds(world, names), ...administerChannels(world, names) };
}

type PeopleAdmin = Pick<
  Admin,
  | "createPerson"
  | "setLocale"
  | "createBot"
  | "setPrivileged"
  | "setRedirects"
  | "addMember"
  | "removeMember"
  | "updateMember"
  | "setRoles"
  | "timeout"
>;

function administerPeople(world: World, names: Names): PeopleAdmin {
  const member = (person: string, guild?: string) => ({
    guildId: names.guild(guild).id,
    userId: names.person(person),
  });
  return {
    createPerson: (username, globalName) =>
      createUser(world, { username, ...(globalName !== undefined && { globalName }) }).id,
    setLocale(person, locale) {
      const user = world.users.get(names.person(person));
      if (user) user.locale = locale;
    },
    createBot: (username) => createBot(world, { username }),
    setPrivileged(bot, privileged) {
      Object.assign(names.bot(bot).privileged, privileged);
    },
    setRedirects(uris, bot) {
      names.bot(bot).redirectUris = [...uris];
    },
    addMember(person, guild) {
      addMember(world, OPERATOR, member(person, guild));
    },
    removeMember: (person, guild) => removeMember(world, OPERATOR, member(person, guild)),
    updateMember(person, patch, guild) {
      updateMember(world, OPERATOR, { ...patch, ...member(person, guild) });
    },
    setRoles(person, roles, guild) {
      const ids = roles.map((role) => names.role(role, guild));
      updateMember(world, OPERATOR, { ...member(person, guild), roles: ids });
    },
    timeout(person, minutes, guild) {
      const timedOutUntil = world.clock.now() + minutes * 60_000;
      updateMember(world, OPERATOR, { ...member(person, guild), timedOutUntil });
    },
  };
}

type GuildAdmin = Pick<
  Admin,
  | "createGuild"
  | "updateGuild"
  | "setOwner"
  | "deleteGuild"
  | "setGuildAvailable"
  | "setSearchIndexReady"
  | "createRole"
  | "updateRole"
  | "deleteRole"
  | "addSticker"
>;

function administerGuilds(world: World, names: Names): GuildAdmin {
  const toTraits = ({ permissions, ...traits }: RoleRequest) => ({
    ...traits,
    ...(permissions && { permissions: toPermissions(permissions) }),
  });
  return {
    createGuild: (name, owner) => createGuild(world, OPERATOR, { name, ownerId: names.person(owner) }),
    updateGuild(patch, guild) {
      updateGuild(world, OPERATOR, { ...patch, guildId: names.guild(guild).id });
    },
    setOwner(person, guild) {
      updateGuild(world, OPERATOR, { guildId: names.guild(guild).id, ownerId: names.person(person) });
    },
    deleteGuild: (guild) => deleteGuild(world, OPERATOR, { guildId: names.guild(guild).id }),
    setGuildAvailable: (isAvailable, guild) =>
      setGuildAvailability(world, OPERATOR, { guildId: names.guild(guild).id, unavailable: !isAvailable }),
    setSearchIndexReady(isReady, guild) {
      names.guild(guild).searchIndexReady = isReady;
    },
    createRole: ({ botId, ...role }, guild) =>
      createRole(world, OPERATOR, {
        ...toTraits(role),
        guildId: names.guild(guild).id,
        ...(botId !== undefined && { botId }),
      }),
    updateRole: (role, traits, guild) =>
      updateRole(world, OPERATOR, {
        ...toTraits(traits),
        guildId: names.guild(guild).id,
        roleId: names.role(role, guild),
      }),
    deleteRole: (role, guild) =>
      deleteRole(world, OPERATOR, { guildId: names.guild(guild).id, roleId: names.role(role, guild) }),
    addSticker: (name) => addSticker(world, names.guild().id, name),
  };
}

type ChannelAdmin = Omit<Admin, keyof PeopleAdmin | keyof GuildAdmin>;

function administerChannels(world: World, names: Names): ChannelAdmin {
  const channelId = (name: string): string => names.channel(name).id;
  const whom = (who: string): { id: string; type: OverwriteType } =>
    who.startsWith("person:")
      ? { id: names.person(who.slice("person:".length)), type: OverwriteType.Member }
      : { id: names.role(who), type: OverwriteType.Role };
  return {
    createChannel: (name, kind, { guild, ...traits } = {}) =>
      createChannel(world, OPERATOR, { ...traits, name, type: CHANNEL_TYPES[kind], guildId: names.guild(guild).id }),
    updateChannel: (channel, traits) => updateChannel(world, OPERATOR, { ...traits, channelId: channelId(channel) }),
    deleteChannel(channel) {
      deleteChannel(world, OPERATOR, { channelId: channelId(channel) });
    },
    setOverwrite: (channel, who, { allow, deny }) =>
      setOverwrite(world, OPERATOR, {
        channelId: channelId(channel),
        ...whom(who),
        allow: toPermissions(allow),
        deny: toPermissions(deny),
      }),
    removeOverwrite: (channel, who) =>
      removeOverwrite(world, OPERATOR, { channelId: channelId(channel), id: whom(who).id }),
    updateThread: (thread, patch) => updateThread(world, OPERATOR, { ...patch, channelId: channelId(thread) }),
    removeFromThread: (thread, person) =>
      removeThreadMember(world, OPERATOR, { channelId: channelId(thread), userId: names.person(person) }),
    bulkDelete(messages) {
      const found = messages.map((message) => names.message(message));
      const place = found[0]?.channelId;
      if (place === undefined) return;
      bulkDeleteMessages(world, OPERATOR, { channelId: place, messageIds: found.map(({ id }) => id) });
    },
    previewLinks(message, embeds) {
      const { id: messageId, channelId: place } = names.message(message);
      previewLinks(world, OPERATOR, { channelId: place, messageId, embeds });
    },
    createWebhook: (channel, name) => createWebhook(world, OPERATOR, { channelId: channelId(channel), name }),
    sayAsWebhook: ({ id, token }, draft) => executeWebhook(world, { webhookId: id, token, draft }),
  };
}
