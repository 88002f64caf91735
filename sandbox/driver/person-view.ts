import { PermissionFlagsBits } from "discord-api-types/v10";
import { allows, permissionsIn, readsHistory, requirePlace } from "../actions/access.ts";
import { listCommands, type UsableCommand } from "../actions/interactions/run-command.ts";
import { findEphemeral } from "../actions/interactions/use-component.ts";
import { canView } from "../world/permissions.ts";
import type { ChannelRecord, MessageRecord } from "../world/records.ts";
import type { World, WorldEvent } from "../world/world.ts";

export type SeenEvent =
  /** A new message, or one that has changed. */
  | { readonly kind: "message"; readonly message: MessageRecord }
  | { readonly kind: "deleted"; readonly channelId: string; readonly messageIds: readonly string[] }
  | { readonly kind: "typing"; readonly channelId: string; readonly userId: string }
  /** Names, permissions or channels have changed, perhaps not any that they see. */
  | { readonly kind: "channels" };

/** The view of a person in their client. Throws a `DiscordError` for a channel that they cannot view. */
export interface PersonView {
  /** Channels, threads, archived ones too, and DMs. */
  channels(): ChannelRecord[];
  channel(id: string): ChannelRecord;
  /** The newest first. None where they cannot read the history. */
  messages(channelId: string, page: { readonly limit: number; readonly before?: string }): MessageRecord[];
  /** Undefined where there is none, or they cannot read the history. Ephemeral ones too. */
  message(channelId: string, messageId: string): MessageRecord | undefined;
  commands(channelId: string): UsableCommand[];
  maySpeak(channelId: string): boolean;
  /** Returns a function that stops listening. */
  listen(listener: (event: SeenEvent) => void): () => void;
}

export function toPersonView(world: World, id: string): PersonView {
  const sees = (channel: ChannelRecord) => {
    const guild = world.guildOf(channel);
    return guild ? !guild.unavailable && canView(guild, channel, id) : channel.recipients.includes(id);
  };
  return {
    channels: () => [...world.channels.values()].filter(sees),
    channel: (channelId) => requirePlace(world, id, channelId).channel,
    messages(channelId, page) {
      const place = requirePlace(world, id, channelId);
      return readsHistory(world, place, id) ? place.channel.messages.page(page) : [];
    },
    message(channelId, messageId) {
      const place = requirePlace(world, id, channelId);
      const kept = readsHistory(world, place, id) ? place.channel.messages.get(messageId) : undefined;
      return kept ?? findEphemeral(world, id, messageId);
    },
    maySpeak(channelId) {
      const place = requirePlace(world, id, channelId);
      const { SendMessages, SendMessagesInThreads } = PermissionFlagsBits;
      return allows(permissionsIn(world, place, id), place.channel.thread ? SendMessagesInThreads : SendMessages);
    },
    commands: (channelId) => listCommands(world, id, channelId),
    listen: (listener) =>
      world.listen((event) => {
        if (MAY_CHANGE_CHANNELS.test(event.type)) listener({ kind: "channels" });
        const isAddressed = event.onlyFor?.includes(id) ?? true;
        if (!event.channel || !isAddressed || !sees(event.channel)) return;
        const seen = toSeenEvent(world, id, event);
        if (seen) listener(seen);
      }),
  };
}

const MAY_CHANGE_CHANNELS = /^(CHANNEL|THREAD|GUILD_ROLE|GUILD_MEMBER)_|^GUILD_(CREATE|UPDATE|DELETE)$/;

function toSeenEvent(world: World, viewerId: string, { type, channel, data }: WorldEvent): SeenEvent | null {
  if (!channel || !/^(MESSAGE|TYPING)_/.test(type)) return null;
  const payload = (typeof data === "function" ? data(viewerId) : data) as {
    readonly [Key in "id" | "message_id" | "user_id"]?: string;
  } & { readonly ids?: readonly string[] };
  const messageId = payload.message_id ?? payload.id ?? "";
  switch (type) {
    case "TYPING_START":
      return { kind: "typing", channelId: channel.id, userId: payload.user_id ?? "" };
    case "MESSAGE_DELETE":
    case "MESSAGE_DELETE_BULK":
      return { kind: "deleted", channelId: channel.id, messageIds: payload.ids ?? [messageId] };
  }
  const message = channel.messages.get(messageId) ?? findEphemeral(world, viewerId, messageId);
  return message ? { kind: "message", message } : null;
}
