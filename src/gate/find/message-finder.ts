import { EarshotError } from "../../domain/errors.ts";
import type { Channel } from "../../domain/guild.ts";
import { type ChannelId, type MessageId, toId, type UserId } from "../../domain/ids.ts";
import type { MessageRef } from "../../domain/message.ts";
import type { Discord } from "../../ports/discord.ts";
import type { Timelines } from "../../ports/timelines.ts";
import type { View } from "../../tools/view.ts";
import type { OperationIds } from "../call/audit-rows.ts";
import type { ReadParts } from "../call/channel-reads.ts";
import type { Finder } from "./finder.ts";

interface MessageFinderCall {
  readonly view: Pick<View, "channel" | "channelIdOf">;
  readonly signal: AbortSignal | undefined;
}

interface MessageFinderParts extends ReadParts {
  ids(): OperationIds;
  finder(): Finder;
}

interface MessageFinderDeps {
  readonly discord: Pick<Discord, "search">;
  readonly timelines: Pick<Timelines, "holds">;
  isLeftOut(authorId: UserId): boolean;
}

/** Finds the channel of a message by its id, a handle from an earlier answer, or a link. */
export class MessageFinder {
  readonly #call: MessageFinderCall;
  readonly #parts: MessageFinderParts;
  readonly #deps: MessageFinderDeps;

  constructor(call: MessageFinderCall, parts: MessageFinderParts, deps: MessageFinderDeps) {
    this.#call = call;
    this.#parts = parts;
    this.#deps = deps;
  }

  async addressOf(reference: string, place?: string): Promise<MessageRef> {
    const link = toAddress(reference);
    const messageId = link?.messageId ?? this.#parts.ids().messageOf(reference) ?? toId<MessageId>(reference);
    if (!messageId) throw this.#parts.access.absent("Message not found");
    if (place !== undefined) return { messageId, channelId: await this.#call.view.channelIdOf(place) };
    return link ?? { messageId, channelId: await this.#placeOf(messageId) };
  }

  async locate(reference: string): ReturnType<View["locate"]> {
    const { messageId, channelId } = await this.addressOf(reference);
    try {
      return { messageId, channel: await this.#call.view.channel(channelId) };
    } catch (error) {
      const isAbsent = error instanceof EarshotError && error.code === "not_found";
      throw isAbsent ? this.#parts.access.absent("Message not found") : error;
    }
  }

  /** The channel of a message known only by id; the channel of the request if it is not found. */
  async #placeOf(messageId: MessageId): Promise<ChannelId> {
    const { access, record } = this.#parts;
    const { timelines } = this.#deps;
    const { view, signal } = this.#call;
    const here = access.here.channelId;
    const known = this.#parts.ids().channelOf(messageId) ?? (timelines.holds(here, messageId) ? here : undefined);
    if (known !== undefined) return known;
    const channels = await this.#parts.finder().listToSearch();
    record.searched(channels.map(({ id }) => id));
    const found = await findMessagePlace(messageId, channels, { ...this.#deps, signal });
    if (found === undefined && !(await (await view.channel(here)).message(messageId)))
      throw new EarshotError(
        "unavailable",
        "The message is not among those that are held, and Discord's search does not answer; give a link to it, or try again later.",
      );
    return found ?? here;
  }
}

/** …/channels/{server}/{channel}/{message}, anywhere in the text. */
function toAddress(link: string): MessageRef | null {
  const [, channel, message] = /\/channels\/(?:@me|\d+)\/(\d+)\/(\d+)/.exec(link) ?? [];
  const [channelId, messageId] = [toId<ChannelId>(channel), toId<MessageId>(message)];
  return channelId && messageId ? { channelId, messageId } : null;
}

interface MessagePlaceDeps {
  readonly discord: Pick<Discord, "search">;
  readonly timelines: Pick<Timelines, "holds">;
  isLeftOut(authorId: UserId): boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Discord's limit. */
const MAX_CHANNELS = 500;
/** Per server. */
const MAX_REQUESTS = 4;

/**
 * Finds the channel of a message among these: in the cache, else by Discord's search, with one request for all channels of a server. Null
 * if it is in none of them, or its author is left out; undefined if the search does not answer.
 */
async function findMessagePlace(
  messageId: MessageId,
  channels: readonly Channel[],
  { discord, timelines, isLeftOut, signal }: MessagePlaceDeps,
): Promise<ChannelId | null | undefined> {
  const held = channels.find(({ id }) => timelines.holds(id, messageId));
  if (held) return held.id;
  const id = BigInt(messageId);
  if (id === 0n) return null;
  const bounds = { minId: String(id - 1n) as MessageId, maxId: String(id + 1n) as MessageId, limit: 1 };
  let isAnswered = true;
  for (const [guildId, there] of Map.groupBy(channels, (channel) => channel.guildId)) {
    if (guildId === null) continue;
    const channelIds = there.map((channel) => channel.id);
    for (let start = 0; start < Math.min(channelIds.length, MAX_REQUESTS * MAX_CHANNELS); start += MAX_CHANNELS) {
      const request = { ...bounds, channelIds: channelIds.slice(start, start + MAX_CHANNELS) };
      const answer = await discord.search(guildId, request, signal).catch((error: unknown) => {
        if (!(error instanceof EarshotError) || error.code === "cancelled") throw error;
        return null;
      });
      const found = answer?.state === "ready" ? answer.messages.find((one) => one.message_id === messageId) : undefined;
      if (found) return isLeftOut(found.author.id) ? null : found.channel_id;
      isAnswered &&= answer?.state === "ready";
    }
  }
  return isAnswered ? null : undefined;
}
