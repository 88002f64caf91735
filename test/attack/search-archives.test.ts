import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { GuildDirectory } from "../../src/discord/directory.ts";
import type { Raw } from "../../src/discord/read.ts";
import { DiscordRest } from "../../src/discord/rest.ts";
import type { ChannelId } from "../../src/domain/ids.ts";
import { PERMISSION } from "../../src/domain/permission-set.ts";
import { openTestGate } from "../support/gate.ts";
import { rawMember, rawThread } from "../support/raw-guild.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { openScriptedRest } from "../support/scripted-rest.ts";
import { BOT, GENERAL, GUILD, MARK, openDirectory, PRIVATE_THREAD, STAFF, smallGuild } from "../support/small-guild.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };

describe("a page of a channel's archive", () => {
  it.each([{}, { has_more: null }, { has_more: "yes" }, { has_more: 1 }])(
    "is no proof that nothing is missing where it says %j about more",
    async (more) => {
      const { api } = await openScriptedRest({ status: 200, body: { threads: [], members: [], ...more } });
      const rest = new DiscordRest({ api, token: "t" }, { clock: { now: Date.now }, log });
      await expect(rest.archivedThreads(GENERAL, "public", null)).rejects.toMatchObject({ code: "unavailable" });
    },
  );

  it.each([
    ["a channel that Mark may not see", STAFF],
    ["a private thread", PRIVATE_THREAD],
  ])("does not make a public thread of %s", async (_, id) => {
    const members = [rawMember({ id: BOT }, { roles: ["2"] }), rawMember({ id: MARK })];
    const directory = openDirectory(smallGuild({ members }), {});
    expect(directory.canRead(MARK, id)).toBe(false);
    const thread = rawThread({ id, guildId: GUILD, type: 11, name: "open", parentId: GENERAL, ownerId: MARK });
    directory.noteArchive(GENERAL, [thread as unknown as Raw], "public");
    expect(directory.canRead(MARK, id)).toBe(false);
    expect(directory.channel(id as ChannelId)?.name).not.toBe("open");
  });

  it("may end among threads that were archived in the same moment, and none is missed", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const open = (name: string) => sandbox.as("mark").openThread({ in: "general" }, name).id;
    const ids = Array.from({ length: 104 }, (_, index) => open(`t${index}`));
    for (const [index, id] of ids.entries()) {
      // Two moments, of which the page ends in the earlier.
      if (index === 60) await sleep(5);
      sandbox.admin.updateThread(id, { archived: true });
    }
    const { edge, timelines } = await openTestGate(sandbox);
    const general = sandbox.community.channels.get("general") as ChannelId;
    expect(await timelines.listArchives([general])).toEqual(new Set([general]));
    expect(ids.filter((id) => !edge.discord.directory.channel(id as ChannelId))).toEqual([]);
  });
});

it("a thread whose deletion was missed does not keep searches from being complete for ever", async () => {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const { call, edge, timelines } = await openTestGate(sandbox);
  const general = sandbox.community.channels.get("general") as ChannelId;
  const search = () => call("search_messages", { query: "halyard" }, { as: "sarah", in: "general" });
  expect(await search()).toMatchObject({ coverage: { complete: true } });
  await timelines.listArchives([general]);
  const directory = edge.discord.directory as GuildDirectory;
  const id = "1028309452899489999" as ChannelId;
  const guildId = directory.channel(general)?.guildId ?? "";
  const thread = rawThread({ id, guildId, type: 11, name: "gone", parentId: general, ownerId: MARK });
  directory.noteArchive(general, [{ ...thread, thread_metadata: { archived: true } } as unknown as Raw], "public");
  expect(directory.channel(id)?.thread?.archived).toBe(true);
  await search();
  expect(await search()).toMatchObject({ coverage: { complete: true }, unreachable: false });
  expect(directory.channel(id)).toBeUndefined();
});

it.each([true, false])(
  "an archive is listed to its end although it changes between two pages whether the bot manages threads (at first: %s)",
  async (isManager) => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const mark = sandbox.as("mark");
    const ids = Array.from({ length: 101 }, (_, index) => {
      const { id } = mark.openThread({ in: "general", isPrivate: true }, `t${index}`);
      mark.bringIntoThread(id, "earshot");
      sandbox.admin.updateThread(id, { archived: true });
      return id as ChannelId;
    });
    const setManager = (is: boolean) =>
      sandbox.admin.setOverwrite("general", "person:earshot", { [is ? "allow" : "deny"]: ["ManageThreads"] });
    setManager(isManager);
    const { edge } = await openTestGate(sandbox);
    const { directory, botId } = edge.discord;
    const general = sandbox.community.channels.get("general") as ChannelId;
    const manages = () => Boolean(directory.permissions(botId, general) & PERMISSION.manageThreads);
    expect(manages()).toBe(isManager);
    const first = await edge.discord.archive(general, null);
    expect(first?.isLast).toBe(false);
    setManager(!isManager);
    await expect.poll(manages).toBe(!isManager);
    let page = first;
    while (page && !page.isLast) page = await edge.discord.archive(general, page.next);
    expect(ids.filter((id) => !directory.channel(id))).toEqual([]);
  },
);

describe("private threads that were archived before the start", () => {
  async function openArchived(isManager: boolean) {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const mark = sandbox.as("mark");
    const thread = mark.openThread({ in: "general", isPrivate: true }, "A present");
    mark.bringIntoThread(thread.id, "earshot");
    mark.say(thread.id, "The xylophone is hidden in the boathouse.");
    sandbox.admin.updateThread(thread.id, { archived: true });
    sandbox.admin.setOverwrite("general", "person:earshot", { [isManager ? "allow" : "deny"]: ["ManageThreads"] });
    const { open, gate } = await openTestGate(sandbox);
    const search = async (person: string) => {
      const operation = await open(person, "general", {}, { isPrivate: true });
      const { value } = await gate.callTool({ name: "search_messages", args: { query: "xylophone" }, operation });
      return value as { hits: { message: { content: string } }[] };
    };
    return { search };
  }

  it.each([false, true])(
    "are found by those who are in them, and by nobody else (the bot manages threads: %s)",
    async (is) => {
      const { search } = await openArchived(is);
      const found = await search("mark");
      expect(found.hits.map(({ message }) => message.content)).toEqual(["The xylophone is hidden in the boathouse."]);
      expect((await search("sarah")).hits).toEqual([]);
    },
  );
});
