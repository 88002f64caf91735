import { ChannelFlags, ChannelType, MessageFlags, MessageType, PermissionFlagsBits } from "discord-api-types/v10";
import type { ChannelRecord, MessageRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import {
  allows,
  OPERATOR,
  type Place,
  permissionsIn,
  requireMessage,
  requirePermission,
  requirePlace,
} from "./access.ts";
import { announceMessage } from "./announce.ts";
import { announceThread } from "./announce-thread.ts";
import { checkDraft } from "./check-draft.ts";
import { composeMessage } from "./compose-message.ts";
import { DiscordError, invalidForm, systemMessage, threadExists, wrongChannelType } from "./errors.ts";
import type { MessageDraft } from "./message-draft.ts";
import { postMessage } from "./messages.ts";
import { postNotice } from "./notices.ts";
import { layMessage, newChannel, newThread } from "./records.ts";
import { addToThread } from "./thread-members.ts";

export interface ThreadRequest {
  readonly channelId: string;
  readonly name: string;
  readonly autoArchiveMinutes?: number;
  readonly slowmodeSeconds?: number;
}

const RECENT_MS = 24 * 3_600_000;

/** A thread on a message takes the message's id. */
export function openThreadOnMessage(
  world: World,
  actor: string,
  request: ThreadRequest & { readonly messageId: string },
): ChannelRecord {
  const place = requirePlace(world, actor, request.channelId);
  const type = requireThreadHome(place, false);
  requirePermission(permissionsIn(world, place, actor), PermissionFlagsBits.CreatePublicThreads);
  const message = requireMessage(place, request.messageId);
  if (message.flags & MessageFlags.HasThread || world.channels.has(message.id)) throw threadExists();
  if (message.type === MessageType.ThreadCreated) throw systemMessage();
  const thread = layThread(world, actor, { ...request, place, type, id: message.id });
  message.flags |= MessageFlags.HasThread;
  layStarter(world, thread, message);
  announceThread(world, "THREAD_CREATE", thread, { newly_created: true });
  announceMessage(world, "MESSAGE_UPDATE", message);
  if (actor !== OPERATOR) addToThread(world, thread, actor);
  // A thread on an old message is also announced by a notice in the channel.
  if (world.clock.now() - message.timestamp > RECENT_MS) announceInParent(world, actor, place, thread);
  return thread;
}

/** A thread without a message: public (with a notice in the channel) or private. */
export function openThread(
  world: World,
  actor: string,
  request: ThreadRequest & { readonly isPrivate?: boolean; readonly invitable?: boolean },
): ChannelRecord {
  const place = requirePlace(world, actor, request.channelId);
  const type = requireThreadHome(place, request.isPrivate ?? false);
  const { CreatePrivateThreads, CreatePublicThreads } = PermissionFlagsBits;
  requirePermission(permissionsIn(world, place, actor), request.isPrivate ? CreatePrivateThreads : CreatePublicThreads);
  const thread = layThread(world, actor, { ...request, place, type, id: world.mintId() });
  if (actor !== OPERATOR) thread.thread?.members.set(actor, world.clock.now());
  announceThread(world, "THREAD_CREATE", thread, { newly_created: true });
  if (!request.isPrivate) announceInParent(world, actor, place, thread);
  return thread;
}

/** A post in a forum or media channel: thread and first message share one id. */
export function openForumPost(
  world: World,
  actor: string,
  request: ThreadRequest & { readonly draft: MessageDraft; readonly appliedTags?: readonly string[] },
): { thread: ChannelRecord; message: MessageRecord } {
  const place = requirePlace(world, actor, request.channelId);
  const { channel } = place;
  if (channel.type !== ChannelType.GuildForum && channel.type !== ChannelType.GuildMedia) throw wrongChannelType();
  const permissions = permissionsIn(world, place, actor);
  requirePermission(permissions, PermissionFlagsBits.SendMessages);
  if (request.draft.attachments?.length) requirePermission(permissions, PermissionFlagsBits.AttachFiles);
  const appliedTags = checkTags(channel, request.appliedTags ?? [], permissions);
  checkDraft(request.draft);
  const id = world.mintId();
  const thread = layThread(world, actor, { ...request, place, type: ChannelType.PublicThread, id });
  if (thread.thread) thread.thread.appliedTags = appliedTags;
  if (actor !== OPERATOR) thread.thread?.members.set(actor, world.clock.now());
  const inside: Place = { channel: thread, guild: place.guild };
  const message = composeMessage(world, { place: inside, authorId: actor, draft: request.draft, id });
  channel.lastMessageId = id;
  announceThread(world, "THREAD_CREATE", thread, { newly_created: true });
  postMessage(world, inside, message);
  return { thread, message };
}

/** Tags that exist here; moderated ones are for moderators. */
export function checkTags(channel: ChannelRecord, wanted: readonly string[], permissions: bigint): string[] {
  const moderates = allows(permissions, PermissionFlagsBits.ManageThreads);
  if (wanted.length > 5) {
    throw invalidForm([
      { path: ["applied_tags"], code: "BASE_TYPE_MAX_LENGTH", message: "Must be 5 or fewer in length." },
    ]);
  }
  for (const [index, id] of wanted.entries()) {
    const tag = channel.tags.find((one) => one.id === id);
    if (tag && (!tag.moderated || moderates)) continue;
    const message = tag ? "Only moderators can apply this tag" : `Value "${id}" is not a valid tag`;
    throw invalidForm([{ path: ["applied_tags", index], code: "INVALID_FORUM_TAG", message }]);
  }
  if (wanted.length === 0 && channel.flags & ChannelFlags.RequireTag && !moderates) {
    throw new DiscordError(400, 40067, "A tag is required to create a forum post in this channel");
  }
  return [...wanted];
}

/** The type of thread for this channel. Throws if it cannot have any. */
function requireThreadHome({ channel }: Place, isPrivate: boolean): ChannelType {
  if (channel.type === ChannelType.GuildText) return isPrivate ? ChannelType.PrivateThread : ChannelType.PublicThread;
  if (channel.type === ChannelType.GuildAnnouncement && !isPrivate) return ChannelType.AnnouncementThread;
  throw wrongChannelType();
}

function layThread(
  world: World,
  actor: string,
  request: ThreadRequest & { place: Place; type: ChannelType; id: string; invitable?: boolean },
): ChannelRecord {
  const { place, id, type, name } = request;
  if (name.length < 1 || name.length > 100) {
    const message = "Must be between 1 and 100 in length.";
    throw invalidForm([{ path: ["name"], code: "BASE_TYPE_BAD_LENGTH", message }]);
  }
  const ownerId = actor === OPERATOR ? (place.guild?.ownerId ?? actor) : actor;
  const { autoArchiveMinutes, invitable } = request;
  const thread = newChannel({
    id,
    guildId: place.channel.guildId,
    type,
    name,
    parentId: place.channel.id,
    slowmodeSeconds: request.slowmodeSeconds ?? 0,
    thread: newThread({
      ownerId,
      createdAt: world.clock.now(),
      ...(autoArchiveMinutes !== undefined && { autoArchiveMinutes }),
      ...(invitable !== undefined && { invitable }),
    }),
  });
  world.addChannel(thread);
  return thread;
}

/** The first entry of a thread on a message: nothing but a pointer to it. */
function layStarter(world: World, thread: ChannelRecord, original: MessageRecord): void {
  layMessage(thread, {
    id: world.mintId(),
    channelId: thread.id,
    authorId: original.authorId,
    type: MessageType.ThreadStarterMessage,
    content: "",
    timestamp: world.clock.now(),
    editedAt: null,
    flags: 0,
    more: {
      reference: { type: 0, messageId: original.id, channelId: original.channelId, guildId: thread.guildId },
      ...(original.more?.webhook && { webhook: original.more.webhook }),
    },
  });
  if (thread.thread) {
    thread.thread.messageCount = 0;
    thread.thread.totalMessagesSent = 0;
  }
}

function announceInParent(world: World, actor: string, place: Place, thread: ChannelRecord): void {
  postNotice(world, place, {
    type: MessageType.ThreadCreated,
    authorId: thread.thread?.ownerId ?? actor,
    content: thread.name,
    reference: { type: 0, messageId: null, channelId: thread.id, guildId: thread.guildId },
  });
}
