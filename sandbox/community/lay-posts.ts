import { ChannelType, MessageFlags, MessageType } from "discord-api-types/v10";
import { layMessage, newChannel, newThread } from "../actions/records.ts";
import type { ChannelRecord, MessageRecord, ThreadRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { idOf, type LaidCommunity, MAIN_BOT, type PostContext } from "./laid-community.ts";
import { toExtras } from "./lay-extras.ts";
import type { Community, PostPlan, ThreadPlan } from "./plan.ts";

const MINUTE_MS = 60_000;

/** A week: the longest auto-archive time on Discord. */
const AUTO_ARCHIVE_MINUTES = 10_080;

const NOTICES = {
  join: MessageType.UserJoin,
  boost: MessageType.GuildBoost,
  pin: MessageType.ChannelPinnedMessage,
} as const;

/** The data of a post that is known before its message is created. */
interface Occasion {
  readonly id: string;
  readonly authorId: string;
  readonly timestamp: number;
}

export function layPosts(world: World, community: Community, laid: LaidCommunity, now: number): void {
  const context: PostContext = { world, laid, now, named: new Map() };
  for (const post of community.posts) layPost(post, context);
  for (const channel of laid.guild.channels.values()) if (channel.thread) settleThread(channel, channel.thread, now);
}

function layPost(post: PostPlan, context: PostContext): void {
  const { world, laid } = context;
  const outer = findPlace(post.in, context);
  const timestamp = context.now - Math.round(post.minutesAgo * MINUTE_MS);
  const authorId = idOf(laid.people, post.by, "person");
  // A private thread has an id of its own, any other the id of the message that opened it.
  const threadId = post.thread?.private ? world.mintId(timestamp) : undefined;
  const occasion = { id: world.mintId(timestamp), authorId, timestamp };
  const thread = post.thread && openThread(post.thread, { outer, id: threadId ?? occasion.id, occasion }, context);
  const isSaidInside = thread !== undefined && (threadId !== undefined || isForum(outer));
  const place = isSaidInside ? thread : outer;
  const message = toMessage(post, { place, occasion }, context);
  if (thread && !isSaidInside) carryThread(message, thread, world);
  if (post.key !== undefined) {
    context.named.set(post.key, message);
    laid.messages.set(post.key, message.id);
  }
  join(place, occasion);
  if (!post.deleted) {
    layMessage(place, message);
    if (post.pinned) place.pins.set(message.id, timestamp);
  } else if (place.thread) place.thread.totalMessagesSent += 1;
}

function toMessage(
  post: PostPlan,
  { place, occasion }: { readonly place: ChannelRecord; readonly occasion: Occasion },
  context: PostContext,
): MessageRecord {
  const more = toExtras(post, { place, timestamp: occasion.timestamp }, context);
  const type = post.system
    ? NOTICES[post.system]
    : post.replyTo === undefined
      ? MessageType.Default
      : MessageType.Reply;
  return {
    id: occasion.id,
    channelId: place.id,
    authorId: occasion.authorId,
    type,
    content: withMentions(post.edit?.text ?? post.text ?? "", context.laid),
    timestamp: occasion.timestamp,
    editedAt: post.edit ? occasion.timestamp + Math.round(post.edit.minutesLater * MINUTE_MS) : null,
    flags:
      (post.panel ? MessageFlags.IsComponentsV2 : 0) | (post.forwardOf === undefined ? 0 : MessageFlags.HasSnapshot),
    more,
  };
}

/** `{@key}`, `{#key}` and `{&key}` become Discord's mention tokens. */
function withMentions(text: string, { people, channels, roles }: LaidCommunity): string {
  if (!text.includes("{")) return text;
  return text.replace(/\{([@#&])([^}\s]+)\}/g, (_, sigil: string, key: string) => {
    if (sigil === "@") return `<@${idOf(people, key, "person")}>`;
    return sigil === "#" ? `<#${idOf(channels, key, "channel")}>` : `<@&${idOf(roles, key, "role")}>`;
  });
}

function findPlace(key: string, context: PostContext): ChannelRecord {
  const { world, laid } = context;
  if (key.startsWith("dm:") && !laid.channels.has(key)) openDm(key, context);
  const place = world.channels.get(idOf(laid.channels, key, "channel"));
  if (!place) throw new Error(`The community's channel "${key}" is gone`);
  return place;
}

function openDm(key: string, { world, laid, now }: PostContext): void {
  const person = idOf(laid.people, key.slice("dm:".length), "person");
  const id = world.mintId(now);
  const recipients = [person, idOf(laid.people, MAIN_BOT, "person")];
  world.addChannel(newChannel({ id, guildId: null, type: ChannelType.DM, name: "", recipients }));
  laid.channels.set(key, id);
}

function openThread(
  plan: ThreadPlan,
  { outer, id, occasion }: { readonly outer: ChannelRecord; readonly id: string; readonly occasion: Occasion },
  { world, laid }: PostContext,
): ChannelRecord {
  const { authorId, timestamp } = occasion;
  const members = [authorId, ...(plan.members ?? []).map((key) => idOf(laid.people, key, "person"))];
  const thread = newThread({
    ownerId: authorId,
    createdAt: timestamp,
    autoArchiveMinutes: AUTO_ARCHIVE_MINUTES,
    archived: plan.archived ?? false,
    appliedTags: (plan.tags ?? []).flatMap((name) =>
      outer.tags.filter((tag) => tag.name === name).map((tag) => tag.id),
    ),
    members: new Map(members.map((userId) => [userId, timestamp])),
  });
  const openly =
    outer.type === ChannelType.GuildAnnouncement ? ChannelType.AnnouncementThread : ChannelType.PublicThread;
  const type = plan.private ? ChannelType.PrivateThread : openly;
  const channel = newChannel({ id, guildId: outer.guildId, type, name: plan.name, parentId: outer.id, thread });
  world.addChannel(channel);
  laid.channels.set(plan.key, id);
  return channel;
}

/** A thread on a message begins with a notice that points back to that message. */
function carryThread(message: MessageRecord, thread: ChannelRecord, world: World): void {
  message.flags |= MessageFlags.HasThread;
  const { channelId, id: messageId, authorId, timestamp } = message;
  thread.messages.add({
    id: world.mintId(timestamp),
    channelId: thread.id,
    authorId,
    type: MessageType.ThreadStarterMessage,
    content: "",
    timestamp,
    editedAt: null,
    flags: 0,
    more: { reference: { type: 0, messageId, channelId, guildId: thread.guildId } },
  });
}

/** The author of a message in a thread becomes a member. */
function join({ thread }: ChannelRecord, { authorId, timestamp }: Occasion): void {
  if (thread && !thread.members.has(authorId)) thread.members.set(authorId, timestamp);
}

/** Archives a thread without recent messages. */
function settleThread(channel: ChannelRecord, thread: ThreadRecord, now: number): void {
  const silentSince = channel.messages.newest?.timestamp ?? thread.createdAt;
  const closedAt = silentSince + thread.autoArchiveMinutes * MINUTE_MS;
  if (thread.archived) thread.archivedAt = Math.min(silentSince + MINUTE_MS, now);
  else if (closedAt <= now) Object.assign(thread, { archived: true, archivedAt: closedAt });
}

function isForum(channel: ChannelRecord): boolean {
  return channel.type === ChannelType.GuildForum || channel.type === ChannelType.GuildMedia;
}
