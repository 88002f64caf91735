import { API, Client } from "@discordjs/core";
import { REST } from "@discordjs/rest";
import { CompressionMethod, WebSocketManager } from "@discordjs/ws";
import {
  ChannelFlags,
  type GatewayDispatchPayload,
  type GatewayGuildCreateDispatchData,
  type GatewayInteractionCreateDispatchData,
  type GatewayMessageCreateDispatchData,
} from "discord-api-types/v10";
import type { Sandbox } from "../../sandbox/index.ts";
import { ALL_INTENTS } from "./intents.ts";
import {
  type HeldGuild,
  type JourneyClientKind,
  type Seen,
  type SeenInteraction,
  SeenLog,
  type SeenMessage,
} from "./journey-client.ts";

/** The client Earshot itself uses, plain or with zlib-stream. */
export const coreClient: JourneyClientKind = {
  name: "@discordjs/core",
  connect: (...given) => connect(null, ...given),
};

export const compressedCoreClient: JourneyClientKind = {
  name: "@discordjs/core with zlib-stream",
  connect: (...given) => connect(CompressionMethod.ZlibNative, ...given),
};

async function connect(
  compression: CompressionMethod | null,
  sandbox: Sandbox,
  { intents = ALL_INTENTS, token = sandbox.token }: { intents?: number; token?: string } = {},
) {
  const rest = new REST({ api: sandbox.api, version: "10" }).setToken(token);
  const gateway = new WebSocketManager({ token, intents, rest, compression });
  const client = new Client({ rest, gateway });
  const seen = new SeenLog();
  const guilds = new Map<string, GatewayGuildCreateDispatchData>();
  const greeted = Promise.withResolvers<void>();
  let expected: Set<string> | undefined;
  gateway.on("dispatch", (payload: GatewayDispatchPayload) => {
    if (payload.t === "READY") expected = new Set(payload.d.guilds.map(({ id }) => id));
    if (payload.t === "GUILD_CREATE") guilds.set(payload.d.id, payload.d);
    if (payload.t === "GUILD_CREATE" || payload.t === "GUILD_DELETE") expected?.delete(payload.d.id);
    const one = toSeen(payload, expected);
    if (one) seen.add(one);
    if (expected?.size === 0) greeted.resolve();
  });
  await gateway.connect();
  await greeted.promise;
  return {
    seen,
    api: new API(client.rest),
    guild: (id: string) => toHeld(guilds.get(id)),
    close: async () => {
      await gateway.destroy();
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
    },
  };
}

function toHeld(guild: GatewayGuildCreateDispatchData | undefined): HeldGuild | undefined {
  return (
    guild && {
      name: guild.name,
      ownerId: guild.owner_id,
      memberCount: guild.member_count,
      roles: guild.roles.map(({ name }) => name),
      channels: guild.channels.map(({ name, flags }) => ({ name, isHidden: isHidden(flags) })),
      threads: guild.threads.map(({ name }) => name),
    }
  );
}

function isHidden(flags: number | undefined): boolean {
  return Boolean((flags ?? 0) & ChannelFlags.ChannelObfuscated);
}

function toSeen({ t, d }: GatewayDispatchPayload, greeting: Set<string> | undefined): Seen | undefined {
  switch (t) {
    case "READY":
      return { kind: "ready" };
    case "RESUMED":
      return { kind: "resumed" };
    case "MESSAGE_CREATE":
      return toSeenMessage(d);
    case "MESSAGE_UPDATE":
      return { kind: "edit", id: d.id, content: d.content };
    case "MESSAGE_DELETE":
      return { kind: "delete", id: d.id };
    case "MESSAGE_DELETE_BULK":
      return { kind: "bulk-delete", ids: d.ids };
    case "MESSAGE_REACTION_ADD":
      return { kind: "react", id: d.message_id, userId: d.user_id, emoji: d.emoji.name };
    case "MESSAGE_REACTION_REMOVE":
      return { kind: "unreact", id: d.message_id, userId: d.user_id, emoji: d.emoji.name };
    case "MESSAGE_POLL_VOTE_ADD":
      return { kind: "vote", id: d.message_id, userId: d.user_id, answerId: d.answer_id };
    case "TYPING_START":
      return { kind: "typing", channelId: d.channel_id, userId: d.user_id };
    case "CHANNEL_PINS_UPDATE":
      return { kind: "pins", channelId: d.channel_id };
    case "CHANNEL_CREATE":
    case "CHANNEL_UPDATE":
    case "CHANNEL_DELETE":
      return { kind: `channel-${actionOf(t)}`, id: d.id, name: d.name ?? "", isHidden: isHidden(d.flags) };
    case "THREAD_CREATE":
    case "THREAD_UPDATE":
      return {
        kind: `thread-${actionOf(t)}`,
        id: d.id,
        name: d.name,
        isArchived: d.thread_metadata?.archived ?? false,
      };
    case "THREAD_DELETE":
      return { kind: "thread-delete", id: d.id };
    case "THREAD_LIST_SYNC":
      return { kind: "thread-sync", ids: d.threads.map(({ id }) => id) };
    case "THREAD_MEMBERS_UPDATE": {
      const added = (d.added_members ?? []).map((member) => member.user_id ?? "");
      return { kind: "thread-members", id: d.id, added, removed: d.removed_member_ids ?? [] };
    }
    case "GUILD_ROLE_CREATE":
    case "GUILD_ROLE_UPDATE":
      return { kind: `role-${actionOf(t)}`, id: d.role.id, name: d.role.name };
    case "GUILD_ROLE_DELETE":
      return { kind: "role-delete", id: d.role_id };
    case "GUILD_MEMBER_ADD":
      return { kind: "member-add", userId: d.user.id };
    case "GUILD_MEMBER_REMOVE":
      return { kind: "member-remove", userId: d.user.id };
    case "GUILD_MEMBER_UPDATE":
      return { kind: "member-update", userId: d.user.id, roles: d.roles, nick: d.nick ?? null };
    case "GUILD_UPDATE":
      return { kind: "guild-update", id: d.id, name: d.name };
    case "GUILD_DELETE":
      return { kind: d.unavailable ? "guild-unavailable" : "guild-left", id: d.id };
    case "GUILD_CREATE":
      return greeting?.size === 0 ? { kind: "guild-available", id: d.id } : undefined;
    case "INTERACTION_CREATE":
      return toSeenInteraction(d);
    default:
      return undefined;
  }
}

function actionOf<T extends string>(type: T): "create" | "update" | "delete" {
  if (type.endsWith("_CREATE")) return "create";
  return type.endsWith("_UPDATE") ? "update" : "delete";
}

function toSeenMessage(message: GatewayMessageCreateDispatchData): SeenMessage {
  return {
    kind: "message",
    id: message.id,
    channelId: message.channel_id,
    guildId: message.guild_id ?? null,
    authorId: message.author.id,
    type: message.type,
    content: message.content,
    flags: message.flags ?? 0,
    replyTo: message.message_reference?.message_id ?? null,
    embedTitles: message.embeds.map(({ title }) => title ?? null),
    filenames: message.attachments.map(({ filename }) => filename),
    stickers: (message.sticker_items ?? []).map(({ name }) => name),
    pollQuestion: message.poll?.question.text ?? null,
    snapshotTexts: (message.message_snapshots ?? []).map((snapshot) => snapshot.message.content),
    components: (message.components ?? []).map(({ type }) => type),
    webhookId: message.webhook_id ?? null,
  };
}

/** Reads the parts by their form: the types of the several interactions have little in common. */
function toSeenInteraction(interaction: GatewayInteractionCreateDispatchData): SeenInteraction {
  const data = (interaction.data ?? {}) as {
    readonly name?: string;
    readonly custom_id?: string;
    readonly target_id?: string;
    readonly resolved?: { readonly messages?: Readonly<Record<string, { readonly content: string }>> };
  };
  return {
    kind: "interaction",
    id: interaction.id,
    token: interaction.token,
    type: interaction.type,
    userId: interaction.member?.user.id ?? interaction.user?.id ?? "",
    name: data.name ?? data.custom_id ?? "",
    values: Object.fromEntries(valuesIn(data)),
    target: data.resolved?.messages?.[data.target_id ?? ""]?.content ?? null,
  };
}

function valuesIn(node: unknown): [string, unknown][] {
  if (typeof node !== "object" || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(valuesIn);
  const { name, custom_id: customId, value, options, components, component } = node as Record<string, unknown>;
  const key = name ?? customId;
  const own: [string, unknown][] = typeof key === "string" && value !== undefined ? [[key, value]] : [];
  return [...own, ...valuesIn(options), ...valuesIn(components), ...valuesIn(component)];
}
