import { beforeEach, expect, it } from "vitest";
import type { ChannelRecord, GuildRecord, UserRecord } from "../world/records.ts";
import { World, type WorldEvent } from "../world/world.ts";
import { OPERATOR } from "./access.ts";
import { createUser } from "./applications.ts";
import { createChannel } from "./channels.ts";
import { createGuild } from "./guilds.ts";
import { addMember } from "./members.ts";
import { createMessage } from "./messages.ts";
import { addThreadMember, removeThreadMember } from "./thread-members.ts";
import { openThread } from "./threads.ts";

let world: World;
let guild: GuildRecord;
let sam: UserRecord;
let rita: UserRecord;
let general: ChannelRecord;
let events: WorldEvent[];

beforeEach(() => {
  world = new World({ now: () => Date.UTC(2026, 10, 15) });
  sam = createUser(world, { username: "sam" });
  rita = createUser(world, { username: "rita" });
  guild = createGuild(world, sam.id, { name: "Harbour", ownerId: createUser(world, { username: "olga" }).id });
  for (const user of [sam, rita]) addMember(world, OPERATOR, { guildId: guild.id, userId: user.id });
  general = createChannel(world, OPERATOR, { guildId: guild.id, name: "general", type: 0 });
  events = [];
  world.listen((event) => events.push(event));
});

it("the sandbox shows a private thread to a member who is added, and reports their removal", () => {
  const thread = openThread(world, sam.id, { channelId: general.id, name: "quiet", isPrivate: true });
  events.length = 0;
  addThreadMember(world, sam.id, { channelId: thread.id, userId: rita.id });
  expect(events).toMatchObject([
    { type: "THREAD_CREATE", onlyFor: [rita.id], data: { id: thread.id, member: { user_id: rita.id } } },
    { type: "THREAD_MEMBERS_UPDATE", data: { member_count: 2, added_members: [{ user_id: rita.id }] } },
  ]);
  removeThreadMember(world, sam.id, { channelId: thread.id, userId: rita.id });
  expect(events.at(-1)).toMatchObject({ type: "THREAD_MEMBERS_UPDATE", data: { removed_member_ids: [rita.id] } });
});

it("the sandbox makes a person who writes in a thread a member of it", () => {
  const thread = openThread(world, sam.id, { channelId: general.id, name: "open" });
  createMessage(world, rita.id, { channelId: thread.id, draft: { content: "hi" } });
  expect([...(thread.thread?.members.keys() ?? [])]).toEqual([sam.id, rita.id]);
});

it("the sandbox keeps people out of a thread whose channel they may not view", () => {
  const thread = openThread(world, sam.id, { channelId: general.id, name: "quiet", isPrivate: true });
  general.overwrites.set(rita.id, { id: rita.id, type: 1, allow: 0n, deny: 1024n });
  expect(() => addThreadMember(world, sam.id, { channelId: thread.id, userId: rita.id })).toThrow("Missing Access");
});
