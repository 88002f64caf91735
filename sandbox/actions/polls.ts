import { EmbedType, MessageType } from "discord-api-types/v10";
import type { MessageRecord, PollRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { OPERATOR, type Place, requireMessage, requirePlace } from "./access.ts";
import { announceIn, announceMessage } from "./announce.ts";
import { DiscordError, notYourMessage } from "./errors.ts";
import type { MessageAddress } from "./message-address.ts";
import { postNotice } from "./notices.ts";

export interface VoteAddress extends MessageAddress {
  readonly answerId: number;
}

/** Bots cannot vote. */
export function votePoll(world: World, actor: string, vote: VoteAddress): void {
  const { place, message, poll } = requirePoll(world, actor, vote);
  if (isOver(world, poll)) throw new DiscordError(403, 520001, "Poll expired");
  if (world.users.get(actor)?.bot || !poll.answers.some(({ id }) => id === vote.answerId)) {
    throw new DiscordError(403, 520000, "Poll voting blocked");
  }
  const voters = poll.votes.get(vote.answerId) ?? new Set();
  if (voters.has(actor)) return;
  if (!poll.multiselect) {
    for (const [answerId, others] of poll.votes)
      if (others.delete(actor)) tellVote(world, place, { message, actor, answerId, added: false });
  }
  poll.votes.set(vote.answerId, voters.add(actor));
  tellVote(world, place, { message, actor, answerId: vote.answerId, added: true });
}

export function unvotePoll(world: World, actor: string, vote: VoteAddress): void {
  const { place, message, poll } = requirePoll(world, actor, vote);
  if (isOver(world, poll)) throw new DiscordError(403, 520001, "Poll expired");
  if (!poll.votes.get(vote.answerId)?.delete(actor)) return;
  tellVote(world, place, { message, actor, answerId: vote.answerId, added: false });
}

/** Ends a poll early, which only its author may do. The result is announced in the channel. */
export function endPoll(world: World, actor: string, address: MessageAddress): MessageRecord {
  const { place, message, poll } = requirePoll(world, actor, address);
  if (message.authorId !== actor && actor !== OPERATOR) throw notYourMessage();
  if (poll.finalized) throw new DiscordError(403, 520001, "Poll expired");
  poll.finalized = true;
  announceMessage(world, "MESSAGE_UPDATE", message);
  postNotice(world, place, {
    type: MessageType.PollResult,
    authorId: message.authorId,
    reference: { type: 0, messageId: message.id, channelId: place.channel.id, guildId: place.channel.guildId },
    embeds: [{ type: EmbedType.PollResult, fields: resultFields(poll) }],
  });
  return message;
}

function resultFields(poll: PollRecord): { name: string; value: string; inline: boolean }[] {
  const counts = poll.answers.map((answer) => ({ answer, count: poll.votes.get(answer.id)?.size ?? 0 }));
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const most = Math.max(...counts.map(({ count }) => count));
  const winners = counts.filter(({ count }) => count === most && count > 0);
  const winner = winners.length === 1 ? winners[0] : undefined;
  const facts: Record<string, string | number | undefined> = {
    poll_question_text: poll.question,
    victor_answer_votes: most,
    total_votes: total,
    victor_answer_id: winner?.answer.id,
    victor_answer_text: winner?.answer.text,
    victor_answer_emoji_name: winner?.answer.emoji,
  };
  return Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : { name, value: String(value), inline: false },
  );
}

function requirePoll(world: World, actor: string, { channelId, messageId }: MessageAddress) {
  const place = requirePlace(world, actor, channelId);
  const message = requireMessage(place, messageId);
  const poll = message.more?.poll;
  if (!poll) throw new DiscordError(400, 520006, "Cannot expire a non-poll message");
  return { place, message, poll };
}

function isOver(world: World, poll: PollRecord): boolean {
  return poll.finalized || poll.expiresAt <= world.clock.now();
}

function tellVote(
  world: World,
  { channel }: Place,
  { message, actor, answerId, added }: { message: MessageRecord; actor: string; answerId: number; added: boolean },
): void {
  announceIn(world, channel, added ? "MESSAGE_POLL_VOTE_ADD" : "MESSAGE_POLL_VOTE_REMOVE", {
    user_id: actor,
    channel_id: channel.id,
    message_id: message.id,
    ...(channel.guildId !== null && { guild_id: channel.guildId }),
    answer_id: answerId,
  });
}
