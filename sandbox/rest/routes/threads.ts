import { ChannelType, PermissionFlagsBits } from "discord-api-types/v10";
import { z } from "zod";
import { type Place, permissionsIn, readsHistory, requirePermission, requirePlace } from "../../actions/access.ts";
import { missingAccess, unknownMember, wrongChannelType } from "../../actions/errors.ts";
import { addThreadMember, joinThread, leaveThread, removeThreadMember } from "../../actions/thread-members.ts";
import { openForumPost, openThread, openThreadOnMessage } from "../../actions/threads.ts";
import { toApiChannel, toApiThreadMember } from "../../render/channels.ts";
import type { ChannelRecord, ThreadRecord } from "../../world/records.ts";
import { compareIds } from "../../world/snowflake.ts";
import { toDraft } from "../bodies/message.ts";
import { parse, parseQuery, queryBoolean, queryInteger, snowflake } from "../parse.ts";
import { type BotRequest, Reply, route } from "../route.ts";
import { showMessage } from "../show-message.ts";

export const threadRoutes = [
  route("POST", "/channels/{channel_id}/messages/{message_id}/threads", async ({ world, actor, param, body }) => {
    const request = toThreadRequest(parse(threadBody, (await body()).json));
    const address = { channelId: param("channel_id"), messageId: param("message_id") };
    return new Reply(201, toApiChannel(world, openThreadOnMessage(world, actor, { ...request, ...address }), actor));
  }),
  route("POST", "/channels/{channel_id}/threads", startThread),
  route("GET", "/channels/{channel_id}/threads/archived/public", (request) => listArchived(request, "public")),
  route("GET", "/channels/{channel_id}/threads/archived/private", (request) => listArchived(request, "private")),
  route("GET", "/channels/{channel_id}/users/@me/threads/archived/private", (request) =>
    listArchived(request, "joined"),
  ),
  route("GET", "/channels/{channel_id}/thread-members", listThreadMembers),
  route("PUT", "/channels/{channel_id}/thread-members/@me", ({ world, actor, param }) => {
    joinThread(world, actor, { channelId: param("channel_id") });
  }),
  route("DELETE", "/channels/{channel_id}/thread-members/@me", ({ world, actor, param }) => {
    leaveThread(world, actor, { channelId: param("channel_id") });
  }),
  route("GET", "/channels/{channel_id}/thread-members/{user_id}", ({ world, actor, param, query }) => {
    const { channel, thread } = requireThread(world, actor, param("channel_id"));
    const userId = param("user_id");
    if (!thread.members.has(userId)) throw unknownMember();
    const { with_member: withMember } = parseQuery(z.object({ with_member: queryBoolean.default(false) }), query);
    return toApiThreadMember(world, channel, { userId, withMember });
  }),
  route("PUT", "/channels/{channel_id}/thread-members/{user_id}", ({ world, actor, param }) => {
    addThreadMember(world, actor, { channelId: param("channel_id"), userId: param("user_id") });
  }),
  route("DELETE", "/channels/{channel_id}/thread-members/{user_id}", ({ world, actor, param }) => {
    removeThreadMember(world, actor, { channelId: param("channel_id"), userId: param("user_id") });
  }),
];

const threadBody = z.object({
  name: z.string().min(1).max(100),
  auto_archive_duration: z.literal([60, 1440, 4320, 10080]).nullish(),
  rate_limit_per_user: z.int().min(0).max(21_600).nullish(),
});

const standaloneBody = z.object({
  ...threadBody.shape,
  type: z.literal([ChannelType.AnnouncementThread, ChannelType.PublicThread, ChannelType.PrivateThread]).nullish(),
  invitable: z.boolean().nullish(),
});

const postBody = z.object({
  ...threadBody.shape,
  applied_tags: z.array(snowflake).nullish(),
  message: z.unknown(),
});

function toThreadRequest(body: z.output<typeof threadBody>) {
  return {
    name: body.name,
    ...(body.auto_archive_duration != null && { autoArchiveMinutes: body.auto_archive_duration }),
    ...(body.rate_limit_per_user != null && { slowmodeSeconds: body.rate_limit_per_user }),
  };
}

/** In a forum the request carries the first message; elsewhere the thread starts empty, private unless said otherwise. */
async function startThread({ world, application, actor, param, body }: BotRequest): Promise<Reply> {
  const channelId = param("channel_id");
  const { channel } = requirePlace(world, actor, channelId);
  const { json, files } = await body();
  if (channel.type === ChannelType.GuildForum || channel.type === ChannelType.GuildMedia) {
    const given = parse(postBody, json);
    const draft = toDraft({ json: given.message ?? {}, files });
    const request = { ...toThreadRequest(given), channelId, draft, appliedTags: given.applied_tags ?? [] };
    const { thread, message } = openForumPost(world, actor, request);
    return new Reply(201, { ...toApiChannel(world, thread, actor), message: showMessage(world, application, message) });
  }
  const given = parse(standaloneBody, json);
  const isPrivate = (given.type ?? ChannelType.PrivateThread) === ChannelType.PrivateThread;
  const thread = openThread(world, actor, {
    ...toThreadRequest(given),
    channelId,
    isPrivate,
    ...(given.invitable != null && { invitable: given.invitable }),
  });
  return new Reply(201, toApiChannel(world, thread, actor));
}

type ArchivedKind = "public" | "private" | "joined";
type Thread = ChannelRecord & { thread: ThreadRecord };

/** The first two are paged by the time of archiving, the caller's own private threads by id. */
function listArchived({ world, actor, param, query }: BotRequest, kind: ArchivedKind) {
  const place = requirePlace(world, actor, param("channel_id"));
  const { limit = 50, before } = parseQuery(
    z.object({ limit: queryInteger(2, 100).optional(), before: z.string().optional() }),
    query,
  );
  if (!readsHistory(world, place, actor)) throw missingAccess();
  if (kind === "private") requirePermission(permissionsIn(world, place, actor), PermissionFlagsBits.ManageThreads);
  const isEarlier = toEarlier(kind, before);
  const threads = threadsOf(place).filter((one) => one.thread.archived && isOfKind(one, kind, actor) && isEarlier(one));
  threads.sort((a, b) => (kind === "joined" ? compareIds(b.id, a.id) : b.thread.archivedAt - a.thread.archivedAt));
  const page = threads.slice(0, limit);
  const joined = page.filter(({ thread }) => thread.members.has(actor));
  return {
    threads: page.map((thread) => toApiChannel(world, thread, actor)),
    members: joined.map((thread) => toApiThreadMember(world, thread, { userId: actor })),
    has_more: threads.length > limit,
  };
}

function toEarlier(kind: ArchivedKind, before: string | undefined): (thread: Thread) => boolean {
  if (before === undefined) return () => true;
  if (kind === "joined") {
    const id = parse(snowflake, before);
    return (one) => compareIds(one.id, id) < 0;
  }
  const time = Date.parse(parse(z.iso.datetime({ offset: true }), before));
  return (one) => one.thread.archivedAt < time;
}

function threadsOf({ channel, guild }: Place): Thread[] {
  return [...(guild?.channels.values() ?? [])].filter(
    (one): one is Thread => one.thread !== null && one.parentId === channel.id,
  );
}

function isOfKind(one: Thread, kind: ArchivedKind, actor: string): boolean {
  if (kind === "public") return one.type !== ChannelType.PrivateThread;
  return one.type === ChannelType.PrivateThread && (kind === "private" || one.thread.members.has(actor));
}

const membersQuery = z.object({
  with_member: queryBoolean.default(false),
  limit: queryInteger(1, 100).default(100),
  after: snowflake.optional(),
});

/** With members it is paged; without, everybody is listed at once. Needs the privileged intent. */
function listThreadMembers({ world, application, actor, param, query }: BotRequest) {
  const { with_member: withMember, limit, after } = parseQuery(membersQuery, query);
  const { channel, thread } = requireThread(world, actor, param("channel_id"));
  if (!application.privileged.members) throw missingAccess();
  const ids = [...thread.members.keys()].sort(compareIds);
  const page = withMember ? ids.filter((id) => after === undefined || compareIds(id, after) > 0).slice(0, limit) : ids;
  return page.map((userId) => toApiThreadMember(world, channel, { userId, withMember }));
}

function requireThread(world: BotRequest["world"], actor: string, channelId: string) {
  const { channel } = requirePlace(world, actor, channelId);
  if (!channel.thread) throw wrongChannelType();
  return { channel, thread: channel.thread };
}
