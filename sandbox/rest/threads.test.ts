import { ChannelType, MessageFlags, MessageType } from "discord-api-types/v10";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openRestServer, type RestServer, refusalOf } from "../../test/support/rest-server.ts";
import { createMessage } from "../actions/messages.ts";
import { openForumPost, openThread, openThreadOnMessage } from "../actions/threads.ts";

let server: RestServer;

beforeEach(async () => {
  server = await openRestServer();
});

afterEach(() => server.close());

it("the sandbox opens a thread on a message under the message's id, with a starter message inside", async () => {
  const { channels } = server.client();
  const { general } = server.channels;
  const said = await channels.createMessage(general.id, { content: "Shall we sail?" });
  const thread = await channels.createThread(general.id, { name: "Sailing" }, said.id);
  expect(thread).toMatchObject({ id: said.id, parent_id: general.id, type: ChannelType.PublicThread });
  const starter = await channels.getMessage(general.id, said.id);
  expect(Number(starter.flags) & MessageFlags.HasThread).toBeTruthy();
  expect(starter.thread).toMatchObject({ id: thread.id });
  const [first] = await channels.getMessages(thread.id, { limit: 1 });
  expect(first).toMatchObject({
    type: MessageType.ThreadStarterMessage,
    content: "",
    referenced_message: { content: "Shall we sail?" },
  });
  expect(server.heard("THREAD_CREATE")).toMatchObject([{ id: thread.id, newly_created: true }]);
  const again = channels.createThread(general.id, { name: "Again" }, said.id);
  expect(await refusalOf(again)).toMatchObject({ status: 400, code: 160004 });
});

it("the sandbox announces a standalone thread in its channel and counts its messages", async () => {
  const { channels } = server.client();
  const { general } = server.channels;
  const thread = await channels.createThread(general.id, { name: "Charts", type: ChannelType.PublicThread });
  const [notice] = await channels.getMessages(general.id, { limit: 1 });
  expect(notice).toMatchObject({ type: MessageType.ThreadCreated, content: "Charts" });
  await channels.createMessage(thread.id, { content: "one" });
  createMessage(server.world, server.people.sam.id, { channelId: thread.id, draft: { content: "two" } });
  expect(await channels.get(thread.id)).toMatchObject({ message_count: 2, member_count: 2, member: {} });
});

it("the sandbox opens forum posts with tags and a first message of the same id", async () => {
  const { channels } = server.client();
  const { ideas } = server.channels;
  const [boats, done] = ideas.tags;
  const post = await channels.createForumThread(ideas.id, {
    name: "Name the boat",
    message: { content: "Turtle?" },
    applied_tags: [boats?.id ?? ""],
  });
  expect(post).toMatchObject({ parent_id: ideas.id, applied_tags: [boats?.id] });
  expect(await channels.getMessage(post.id, post.id)).toMatchObject({ content: "Turtle?" });
  const moderated = channels.createForumThread(ideas.id, {
    name: "x",
    message: { content: "x" },
    applied_tags: [done?.id ?? ""],
  });
  expect(await refusalOf(moderated)).toMatchObject({ code: 50035 });
  expect(await refusalOf(channels.createMessage(ideas.id, { content: "x" }))).toMatchObject({ code: 40058 });
});

it("the sandbox reopens an archived thread when somebody writes in it, but not a locked one", async () => {
  const { channels } = server.client();
  const { sam } = server.people;
  const thread = openThread(server.world, sam.id, { channelId: server.channels.general.id, name: "Old" });
  if (thread.thread) thread.thread.archived = true;
  expect(await refusalOf(server.client().threads.join(thread.id))).toMatchObject({ status: 400, code: 50083 });
  await channels.createMessage(thread.id, { content: "anyone?" });
  expect(thread.thread).toMatchObject({ archived: false });
  if (thread.thread) thread.thread.locked = true;
  expect(await refusalOf(channels.createMessage(thread.id, { content: "x" }))).toMatchObject({ code: 160005 });
});

it("the sandbox lets members join, leave, be added and be removed", async () => {
  const { threads, channels } = server.client();
  const { sam, rita } = server.people;
  const thread = openThread(server.world, sam.id, { channelId: server.channels.general.id, name: "Crew" });
  await threads.join(thread.id);
  await threads.addMember(thread.id, rita.id);
  const members = await threads.getAllMembers(thread.id);
  expect(members.map(({ user_id }) => user_id)).toEqual([sam.id, rita.id, server.bot.botId]);
  const withMember = await server.fetch(`/channels/${thread.id}/thread-members/${rita.id}?with_member=true`);
  expect(await withMember.json()).toMatchObject({ user_id: rita.id, member: { user: { username: "rita" } } });
  expect(await refusalOf(threads.removeMember(thread.id, rita.id))).toMatchObject({ code: 50013 });
  await threads.leave(thread.id);
  expect(await channels.get(thread.id)).not.toHaveProperty("member");
});

it("the sandbox lets the owner of a thread archive it, but not lock it", async () => {
  const { channels } = server.client();
  const thread = await channels.createThread(server.channels.general.id, {
    name: "Mine",
    type: ChannelType.PublicThread,
  });
  expect(await refusalOf(channels.edit(thread.id, { locked: true }))).toMatchObject({ code: 50013 });
  const closed = await channels.edit(thread.id, { archived: true });
  expect(closed).toMatchObject({ thread_metadata: { archived: true } });
  expect(await refusalOf(channels.edit(thread.id, { name: "Renamed" }))).toMatchObject({ code: 50083 });
  expect(await channels.edit(thread.id, { archived: false, name: "Renamed" })).toMatchObject({ name: "Renamed" });
});

it("the sandbox lists active and archived threads, private ones only to moderators", async () => {
  const api = server.client();
  const { general } = server.channels;
  const { sam } = server.people;
  const open = openThread(server.world, sam.id, { channelId: general.id, name: "open" });
  const closed = ["a", "b", "c"].map((name) => {
    server.clock.advance(60_000);
    const thread = openThread(server.world, sam.id, { channelId: general.id, name, isPrivate: name === "c" });
    if (thread.thread) Object.assign(thread.thread, { archived: true, archivedAt: server.clock.now() });
    return thread;
  });
  const active = await api.guilds.getActiveThreads(server.guild.id);
  expect(active.threads.map(({ id }) => id)).toEqual([open.id]);
  const newest = await api.channels.getArchivedThreads(general.id, "public", { limit: 2 });
  expect(newest.threads.map(({ name }) => name)).toEqual(["b", "a"]);
  const before = new Date(closed[1]?.thread?.archivedAt ?? 0).toISOString();
  const earlier = await api.channels.getArchivedThreads(general.id, "public", { before });
  expect(earlier.threads.map(({ name }) => name)).toEqual(["a"]);
  expect(await refusalOf(api.channels.getArchivedThreads(general.id, "private", {}))).toMatchObject({ code: 50013 });
  closed[2]?.thread?.members.set(server.bot.botId, 0);
  const joined = await api.channels.getJoinedPrivateArchivedThreads(general.id);
  expect(joined.threads.map(({ name }) => name)).toEqual(["c"]);
  server.guild.ownerId = server.bot.botId;
  const hidden = await api.channels.getArchivedThreads(general.id, "private", {});
  expect(hidden.threads.map(({ name }) => name)).toEqual(["c"]);
});

it("the sandbox treats threads on messages and posts that people open like those of bots", async () => {
  const { sam } = server.people;
  const said = createMessage(server.world, sam.id, { channelId: server.channels.news.id, draft: { content: "News" } });
  const thread = openThreadOnMessage(server.world, sam.id, {
    channelId: server.channels.news.id,
    messageId: said.id,
    name: "talk",
  });
  expect(thread.type).toBe(ChannelType.AnnouncementThread);
  const draft = { content: "Picture" };
  const post = openForumPost(server.world, sam.id, { channelId: server.channels.gallery.id, name: "Sea", draft });
  expect(await server.client().channels.get(post.thread.id)).toMatchObject({ owner_id: sam.id, message_count: 0 });
});
