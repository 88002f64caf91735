import { EarshotError } from "../../domain/errors.ts";
import type { Channel } from "../../domain/guild.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Discord } from "../../ports/discord.ts";
import type { ChannelView } from "../../tools/view.ts";
import type { ReadParts } from "../call/channel-reads.ts";
import type { ToolCall } from "../call/tool-call.ts";

interface OwnReads extends ReadParts {
  readonly call: Pick<ToolCall, "operation" | "signal">;
}

interface FindLastOwnDeps {
  readonly discord: Pick<Discord, "search">;
  isLeftOut(authorId: UserId): boolean;
}

/** The actor's last message in a channel before the request; null if unknown. */
export async function findLastOwn(
  channel: ChannelView,
  reads: OwnReads,
  deps: FindLastOwnDeps,
): Promise<Message | null> {
  const { actor, origin } = reads.call.operation;
  const isMine = ({ author, message_id }: Message) => author.id === actor && message_id !== origin.messageId;
  const { messages } = await channel.recent({ limit: 100 });
  return messages.find(isMine) ?? (await searchOwn(channel.channel, reads, deps)).find(isMine) ?? null;
}

/** By Discord's own search; nothing if that is unavailable. */
async function searchOwn(
  { id, guildId }: Channel,
  { call, access, record }: OwnReads,
  { discord, isLeftOut }: FindLastOwnDeps,
): Promise<readonly Message[]> {
  const { actor } = call.operation;
  if (guildId === null || isLeftOut(actor) || !access.mayReadBack(id)) return [];
  const request = { channelIds: [id], authorIds: [actor], limit: 2 };
  const answer = await discord.search(guildId, request, call.signal).catch((error: unknown) => {
    if (!(error instanceof EarshotError) || error.code === "cancelled") throw error;
    return null;
  });
  const messages = answer?.state === "ready" && access.mayReadBack(id) ? answer.messages : [];
  const { channel, decisionId } = access.mustRead(id);
  record.read(channel, messages, decisionId);
  return messages;
}
