import { API } from "@discordjs/core";
import {
  ChannelFlags,
  Client,
  Events,
  type Guild,
  type Interaction,
  type Message,
  type PartialMessage,
  Partials,
} from "discord.js";
import type { Sandbox } from "../../sandbox/index.ts";
import { ALL_INTENTS } from "./intents.ts";
import {
  type ConnectOptions,
  type HeldGuild,
  type JourneyClientKind,
  type SeenInteraction,
  SeenLog,
  type SeenMessage,
} from "./journey-client.ts";

/** The client most bots are written with. It is asked for partials, so that it reports what it had not cached. */
export const discordJsClient: JourneyClientKind = { name: "discord.js", connect };

const ALL_PARTIALS = Object.values(Partials).filter((partial): partial is Partials => typeof partial === "number");

async function connect(sandbox: Sandbox, { intents = ALL_INTENTS, token = sandbox.token }: ConnectOptions = {}) {
  const client = new Client({ intents, partials: ALL_PARTIALS, rest: { api: sandbox.api, version: "10" } });
  const seen = new SeenLog();
  listenToMessages(client, seen);
  listenToRooms(client, seen);
  listenToGuilds(client, seen);
  client.on(Events.ShardReady, () => seen.add({ kind: "ready" }));
  client.on(Events.ShardResume, () => seen.add({ kind: "resumed" }));
  client.on(Events.InteractionCreate, (interaction) => seen.add(toSeenInteraction(interaction)));
  const ready = Promise.withResolvers<void>();
  client.once(Events.ClientReady, () => ready.resolve());
  await client.login(token);
  await ready.promise;
  return {
    seen,
    api: new API(client.rest),
    guild: (id: string) => toHeld(client.guilds.cache.get(id)),
    close: () => client.destroy(),
  };
}

function listenToMessages(client: Client, seen: SeenLog): void {
  client.on(Events.MessageCreate, (message) => seen.add(toSeenMessage(message)));
  client.on(Events.MessageUpdate, (_, { id, content }) => seen.add({ kind: "edit", id, content: content ?? "" }));
  client.on(Events.MessageDelete, ({ id }: Message | PartialMessage) => seen.add({ kind: "delete", id }));
  client.on(Events.MessageBulkDelete, (messages) => seen.add({ kind: "bulk-delete", ids: [...messages.keys()] }));
  client.on(Events.MessageReactionAdd, ({ message, emoji }, user) =>
    seen.add({ kind: "react", id: message.id, userId: user.id, emoji: emoji.name }),
  );
  client.on(Events.MessageReactionRemove, ({ message, emoji }, user) =>
    seen.add({ kind: "unreact", id: message.id, userId: user.id, emoji: emoji.name }),
  );
  client.on(Events.MessagePollVoteAdd, (answer, userId) =>
    seen.add({ kind: "vote", id: answer.poll.messageId, userId, answerId: answer.id }),
  );
  client.on(Events.TypingStart, ({ channel, user }) =>
    seen.add({ kind: "typing", channelId: channel.id, userId: user.id }),
  );
  client.on(Events.ChannelPinsUpdate, ({ id }) => seen.add({ kind: "pins", channelId: id }));
}

function listenToRooms(client: Client, seen: SeenLog): void {
  const tell = (kind: "channel-create" | "channel-update" | "channel-delete", channel: object): void => {
    const { id, name, flags } = channel as { id: string; name?: string; flags?: { bitfield: number } };
    const isHidden = Boolean((flags?.bitfield ?? 0) & ChannelFlags.ChannelObfuscated);
    seen.add({ kind, id, name: name ?? "", isHidden });
  };
  client.on(Events.ChannelCreate, (channel) => tell("channel-create", channel));
  client.on(Events.ChannelUpdate, (_, channel) => tell("channel-update", channel));
  client.on(Events.ChannelDelete, (channel) => tell("channel-delete", channel));
  client.on(Events.ThreadCreate, ({ id, name, archived }) =>
    seen.add({ kind: "thread-create", id, name, isArchived: archived ?? false }),
  );
  client.on(Events.ThreadUpdate, (_, { id, name, archived }) =>
    seen.add({ kind: "thread-update", id, name, isArchived: archived ?? false }),
  );
  client.on(Events.ThreadDelete, ({ id }) => seen.add({ kind: "thread-delete", id }));
  client.on(Events.ThreadListSync, (threads) => seen.add({ kind: "thread-sync", ids: [...threads.keys()] }));
  client.on(Events.ThreadMembersUpdate, (added, removed, { id }) =>
    seen.add({ kind: "thread-members", id, added: [...added.keys()], removed: [...removed.keys()] }),
  );
}

function listenToGuilds(client: Client, seen: SeenLog): void {
  client.on(Events.GuildRoleCreate, ({ id, name }) => seen.add({ kind: "role-create", id, name }));
  client.on(Events.GuildRoleUpdate, (_, { id, name }) => seen.add({ kind: "role-update", id, name }));
  client.on(Events.GuildRoleDelete, ({ id }) => seen.add({ kind: "role-delete", id }));
  client.on(Events.GuildMemberAdd, ({ id }) => seen.add({ kind: "member-add", userId: id }));
  client.on(Events.GuildMemberRemove, ({ id }) => seen.add({ kind: "member-remove", userId: id }));
  client.on(Events.GuildMemberUpdate, (_, { id, roles, nickname, guild }) => {
    const own = [...roles.cache.keys()].filter((roleId) => roleId !== guild.id);
    seen.add({ kind: "member-update", userId: id, roles: own, nick: nickname });
  });
  client.on(Events.GuildUpdate, (_, { id, name }) => seen.add({ kind: "guild-update", id, name }));
  client.on(Events.GuildAvailable, ({ id }) => seen.add({ kind: "guild-available", id }));
  client.on(Events.GuildCreate, ({ id }) => seen.add({ kind: "guild-available", id }));
  client.on(Events.GuildUnavailable, ({ id }) => seen.add({ kind: "guild-unavailable", id }));
  client.on(Events.GuildDelete, ({ id }) => seen.add({ kind: "guild-left", id }));
}

function toHeld(guild: Guild | undefined): HeldGuild | undefined {
  if (!guild) return undefined;
  const channels = [...guild.channels.cache.values()];
  return {
    name: guild.name,
    ownerId: guild.ownerId,
    memberCount: guild.memberCount,
    roles: guild.roles.cache.map(({ name }) => name),
    channels: channels
      .filter((channel) => !channel.isThread())
      .map(({ name, flags }) => ({ name, isHidden: Boolean(flags.bitfield & ChannelFlags.ChannelObfuscated) })),
    threads: channels.filter((channel) => channel.isThread()).map(({ name }) => name),
  };
}

function toSeenMessage(message: Message): SeenMessage {
  return {
    kind: "message",
    id: message.id,
    channelId: message.channelId,
    guildId: message.guildId,
    authorId: message.author.id,
    type: message.type,
    content: message.content,
    flags: message.flags.bitfield,
    replyTo: message.reference?.messageId ?? null,
    embedTitles: message.embeds.map(({ title }) => title),
    filenames: message.attachments.map(({ name }) => name),
    stickers: message.stickers.map(({ name }) => name),
    pollQuestion: message.poll?.question.text ?? null,
    snapshotTexts: message.messageSnapshots.map(({ content }) => content ?? ""),
    components: message.components.map(({ type }) => type),
    webhookId: message.webhookId,
  };
}

function toSeenInteraction(interaction: Interaction): SeenInteraction {
  const { id, token, type, user } = interaction;
  const base = { kind: "interaction", id, token, type, userId: user.id, values: {}, target: null } as const;
  if (interaction.isChatInputCommand()) {
    const values = Object.fromEntries(interaction.options.data.map(({ name, value }) => [name, value]));
    return { ...base, name: interaction.commandName, values };
  }
  if (interaction.isMessageContextMenuCommand()) {
    return { ...base, name: interaction.commandName, target: interaction.targetMessage.content };
  }
  if (interaction.isModalSubmit()) {
    const values = Object.fromEntries(
      interaction.fields.fields.map((field) => [field.customId, "value" in field ? field.value : null]),
    );
    return { ...base, name: interaction.customId, values };
  }
  return { ...base, name: interaction.isMessageComponent() ? interaction.customId : "" };
}
