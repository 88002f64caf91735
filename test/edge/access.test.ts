import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PermissionName } from "../../sandbox/community/plan.ts";
import { DiscordError, type Sandbox } from "../../sandbox/index.ts";
import { canReadHistory, canView } from "../../sandbox/world/permissions.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { openTestEdge, type TestEdge, until } from "../support/edge.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const PEOPLE = ["olga", "sarah", "mark", "mei"];
const ROLES = ["staff", "helper", "crew"];
const CHANNELS = ["general", "news", "help", "pier", "staff-room"];
const READING: readonly PermissionName[] = ["ViewChannel", "ReadMessageHistory", "Connect", "ManageThreads"];

type Step =
  | { do: "overwrite"; channel: string; who: string; allow: PermissionName[]; deny: PermissionName[] }
  | { do: "unset"; channel: string; who: string }
  | { do: "role"; role: string; permissions: PermissionName[] }
  | { do: "roles"; person: string; roles: string[] }
  | { do: "owner" | "leave" | "join"; person: string }
  | { do: "thread"; channel: string; isPrivate: boolean }
  | { do: "remove" | "bring"; person: string }
  | { do: "delete"; channel: string }
  | { do: "cut" };

const permissions = fc.subarray<PermissionName>([...READING]);
const channel = fc.constantFrom(...CHANNELS);
const anyone = fc.constantFrom("everyone", ...ROLES, ...PEOPLE.map((key) => `person:${key}`), "person:earshot");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("overwrite" as const), channel, who: anyone, allow: permissions, deny: permissions }),
  fc.record({ do: fc.constant("unset" as const), channel, who: anyone }),
  fc.record({
    do: fc.constant("role" as const),
    role: fc.constantFrom(...ROLES),
    permissions: fc.subarray<PermissionName>([...READING, "Administrator"]),
  }),
  fc.record({
    do: fc.constant("roles" as const),
    person: fc.constantFrom(...PEOPLE, "earshot"),
    roles: fc.subarray(ROLES),
  }),
  fc.record({ do: fc.constantFrom("owner", "leave", "join"), person: fc.constantFrom("mark", "mei") }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("thread" as const),
      channel: fc.constantFrom("general", "news"),
      isPrivate: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("remove", "bring"),
      person: fc.constantFrom("sarah", "mark", "earshot"),
    }),
  },
  fc.record({ do: fc.constant("delete" as const), channel: fc.constantFrom("news", "pier") }),
  fc.record({ do: fc.constant("cut" as const) }),
);

/** Applies the step if possible: the channel may be deleted by now, or the person may have left. */
function apply(sandbox: Sandbox, one: Step): void {
  try {
    act(sandbox, one);
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
  }
}

function act(sandbox: Sandbox, one: Step): unknown {
  const { admin } = sandbox;
  const olga = sandbox.as("olga");
  const aside = [...sandbox.world.channels.values()].findLast(({ name }) => name === "aside")?.id ?? "";
  switch (one.do) {
    case "overwrite":
      return admin.setOverwrite(one.channel, one.who, one);
    case "unset":
      return admin.removeOverwrite(one.channel, one.who);
    case "role":
      return admin.updateRole(one.role, one);
    case "roles":
      return admin.setRoles(one.person, one.roles);
    case "owner":
      return admin.setOwner(one.person);
    case "leave":
      return admin.removeMember(one.person);
    case "join":
      return admin.addMember(one.person);
    case "thread": {
      const thread = olga.openThread({ in: one.channel, isPrivate: one.isPrivate }, "aside");
      for (const person of ["earshot", "sarah"]) olga.bringIntoThread(thread.id, person);
      return undefined;
    }
    case "remove":
      return admin.removeFromThread(aside, one.person);
    case "bring":
      return olga.bringIntoThread(aside, one.person);
    case "delete":
      return admin.deleteChannel(one.channel);
    case "cut":
      return sandbox.faults.cutSocket();
  }
}

/** Everything said before the marker has been taken in when the marker arrives. */
async function settle(sandbox: Sandbox, edge: TestEdge, marker: string): Promise<void> {
  sandbox.as("sarah").dm(marker);
  await edge.find("message", ({ message }) => message.content === marker);
}

/** The edge's permissions for every person and channel, beside those that the sandbox enforces. */
async function compare(
  sandbox: Sandbox,
  { discord: { directory, botId } }: TestEdge,
): Promise<{ ours: string[]; theirs: string[] }> {
  const guild = sandbox.world.guilds.get(sandbox.community.guild.id);
  if (!guild) throw new Error("the guild is gone");
  const ours: string[] = [];
  const theirs: string[] = [];
  for (const channel of guild.channels.values()) {
    if (!canView(guild, channel, botId)) {
      // What is hidden from the bot is closed to everyone but those who can do everything.
      theirs.push(`${channel.name}: the bot reads no`);
      ours.push(`${channel.name}: the bot reads ${directory.canRead(botId, channel.id as ChannelId) ? "yes" : "no"}`);
      continue;
    }
    for (const userId of [...PEOPLE.map((key) => sandbox.community.people.get(key) ?? ""), botId]) {
      await directory.learn(userId as UserId, channel.id as ChannelId);
      const line = (view: boolean, read: boolean) =>
        `${channel.name} ${channel.id} ${userId}: view ${view}, read ${read}`;
      const isBot = userId === botId;
      theirs.push(line(isBot || canView(guild, channel, userId), canReadHistory(guild, channel, userId)));
      ours.push(
        line(
          isBot || directory.canView(userId as UserId, channel.id as ChannelId),
          directory.canRead(userId as UserId, channel.id as ChannelId),
        ),
      );
    }
  }
  return { ours, theirs };
}

describe("the guild directory over a live connection", () => {
  it("always agrees with the permissions that the sandbox enforces, whatever changes", async () => {
    let marker = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, fc.boolean()), { minLength: 3, maxLength: 20 }), async (steps) => {
        const sandbox = await openTestSandbox({ rateLimits: false });
        const edge = await openTestEdge(sandbox);
        for (const [index, [one, looksNow]] of steps.entries()) {
          apply(sandbox, one);
          if (!looksNow && index < steps.length - 1) continue;
          marker += 1;
          await settle(sandbox, edge, `settled ${marker}`);
          const { ours, theirs } = await compare(sandbox, edge);
          expect(ours).toEqual(theirs);
        }
        await edge.discord.close();
        await sandbox.close();
      }),
      { numRuns: 30 },
    );
  });

  it("reports lost access when an overwrite denies the bot a channel, and restores access when the overwrite is removed", async () => {
    const sandbox = await openTestSandbox();
    const edge = await openTestEdge(sandbox);
    const general = sandbox.community.channels.get("general") as ChannelId;
    const { directory, botId } = edge.discord;
    sandbox.admin.setOverwrite("general", "person:earshot", { deny: ["ViewChannel"] });
    expect(await edge.find("access_lost")).toMatchObject({ channelId: general });
    expect(edge.of("channel_deleted")).toEqual([]);
    expect(directory.channel(general)?.hidden).toBe(true);
    sandbox.admin.removeOverwrite("general", "person:earshot");
    await until(() => directory.canRead(botId, general), "access did not come back");
    sandbox.admin.deleteChannel("general");
    expect(await edge.find("channel_deleted")).toMatchObject({ channelId: general });
  });

  it("follows guilds that become unavailable, return and remove the bot", async () => {
    const sandbox = await openTestSandbox();
    const edge = await openTestEdge(sandbox);
    const { directory } = edge.discord;
    sandbox.admin.setGuildAvailable(false);
    await until(() => directory.guilds().every(({ available }) => !available), "still available");
    sandbox.admin.setGuildAvailable(true);
    await until(() => directory.guilds().every(({ available }) => available), "not available again");
    sandbox.admin.removeMember("earshot");
    expect(await edge.find("guild_removed")).toMatchObject({ guildId: sandbox.community.guild.id });
    expect(directory.guilds()).toEqual([]);
  });

  it("knows every member of a large guild", async () => {
    const sandbox = await openTestSandbox();
    const ids = Array.from({ length: 2_500 }, (_, index) => sandbox.admin.createPerson(`extra.${index}`) as UserId);
    for (const id of ids) sandbox.admin.addMember(id);
    const edge = await openTestEdge(sandbox);
    const { directory } = edge.discord;
    const [guild] = directory.guilds();
    if (!guild) throw new Error("the guild was not described");
    expect(guild).toMatchObject({ membersComplete: true, memberCount: 2_506 });
    expect(ids.filter((id) => !directory.member(guild.id, id))).toEqual([]);
    const [first] = ids as [UserId];
    sandbox.admin.removeMember(first);
    await until(() => directory.member(guild.id, first) === undefined, "still a member");
  });
});

describe("a bot without privileged intents", () => {
  it("connects with the intents it was granted and reports which features are limited", async () => {
    const sandbox = await openTestSandbox();
    sandbox.admin.setPrivileged("earshot", { members: false, messageContent: false });
    const edge = await openTestEdge(sandbox);
    expect(edge.discord.limits).toHaveLength(2);
    expect(edge.discord.limits.join()).toContain("developer portal");
    sandbox.as("sarah").say("general", "not for the bot");
    sandbox.as("sarah").say("general", `<@${edge.discord.botId}> for the bot`);
    await edge.find("message", ({ message }) => message.content.endsWith("for the bot"));
    expect(edge.said()).toEqual(["", `<@${edge.discord.botId}> for the bot`]);
  });

  it("fetches a member when a permission check needs them", async () => {
    const sandbox = await openTestSandbox();
    sandbox.admin.setPrivileged("earshot", { members: false });
    const edge = await openTestEdge(sandbox);
    const { directory } = edge.discord;
    const [general, staffRoom] = ["general", "staff-room"].map(
      (key) => sandbox.community.channels.get(key) as ChannelId,
    );
    const mark = sandbox.community.people.get("mark") as UserId;
    if (!general || !staffRoom) throw new Error("the small community has both");
    expect(directory.canRead(mark, general)).toBe(false);
    await directory.learn(mark, general);
    expect(directory.canRead(mark, general)).toBe(true);
    expect(directory.canRead(mark, staffRoom)).toBe(false);
    await directory.learn("12345" as UserId, general);
    expect(directory.canRead("12345" as UserId, general)).toBe(false);
  });

  it("subscribes to fewer events when direct messages and members are turned off in the configuration", async () => {
    const sandbox = await openTestSandbox();
    const edge = await openTestEdge(sandbox, { features: { directMessages: false, members: false } });
    expect(edge.discord.limits.join()).toContain("configuration");
    sandbox.as("sarah").dm("psst");
    sandbox.as("sarah").say("general", "aloud");
    await edge.find("message");
    expect(edge.said()).toEqual(["aloud"]);
  });
});
