import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSandbox, type Sandbox, sampleCommunity } from "../../sandbox/index.ts";
import type { SeenMessage } from "../../src/transports/console/sandbox-community.ts";
import type { CommunityLine } from "../../src/transports/console/stream-community.ts";
import { toSandboxCommunity } from "../../src/transports/console/to-sandbox-community.ts";
import { openTestConsole, signIn } from "../support/console.ts";
import { applyDoors, randomDoors } from "../support/random-doors.ts";
import { readLines } from "../support/read-lines.ts";
import { smallCommunity } from "../support/small-community.ts";

async function open(community = smallCommunity()) {
  const sandbox = await openSandbox({ community });
  onTestFinished(() => sandbox.close());
  const test = await openTestConsole({ community: toSandboxCommunity(sandbox) });
  const operator = await signIn(test);
  return { ...test, sandbox, become: (name: string) => operator.become(sandbox.as(name).id) };
}

/** What a person reads, by Discord's documentation: https://docs.discord.com/developers/topics/permissions */
function reckonReadable({ world }: Sandbox, userId: string): { seen: string[]; read: string[] } {
  const [VIEW, HISTORY, CONNECT, ADMINISTRATOR, MANAGE_THREADS] = [10n, 16n, 20n, 3n, 34n].map((bit) => 1n << bit);
  const [seen, read]: [string[], string[]] = [[], []];
  for (const channel of world.channels.values()) {
    const guild = world.guilds.get(channel.guildId ?? "");
    const member = guild?.members.get(userId);
    const home = channel.thread ? world.channels.get(channel.parentId ?? "") : channel;
    if (!guild) {
      if (channel.recipients.includes(userId)) seen.push(channel.id) && read.push(channel.id);
      continue;
    }
    if (!member || !home) continue;
    const roles = [guild.id, ...member.roles];
    const base = roles.reduce((all, id) => all | (guild.roles.get(id)?.permissions ?? 0n), 0n);
    const isOwner = guild.ownerId === userId || Boolean(base & (ADMINISTRATOR ?? 0n));
    const layers = [[guild.id], [...member.roles], [userId]].map((ids) =>
      ids.flatMap((id) => home.overwrites.get(id) ?? []),
    );
    const allowed = layers.reduce((sum, layer) => {
      const kept = layer.reduce((left, { deny }) => left & ~deny, sum);
      return layer.reduce((all, { allow }) => all | allow, kept);
    }, base);
    const has = (bit = 0n) => isOwner || Boolean(allowed & bit);
    const isInvited = channel.type !== 12 || has(MANAGE_THREADS) || channel.thread?.members.has(userId);
    if (!has(VIEW) || !isInvited) continue;
    seen.push(channel.id);
    if (has(HISTORY) && (![2, 13].includes(channel.type) || has(CONNECT))) read.push(channel.id);
  }
  return { seen: seen.sort(), read: read.sort() };
}

type Become = Awaited<ReturnType<typeof open>>["become"];

/** Asks every route as every person, and returns how many channels each of them sees. */
async function compareWithRules(sandbox: Sandbox, become: Become): Promise<ReadonlySet<number>> {
  const people = [...sandbox.world.users.values()].filter(({ bot }) => !bot);
  const sizes = new Set<number>();
  /** Of all who see and read a channel alike, one asks for its messages. */
  const asked = new Set<string>();
  for (const { id } of people) {
    const { ask } = await become(id);
    const controller = new AbortController();
    const line = await readLines<CommunityLine>(await ask("/console/community/live", {}, controller.signal))();
    controller.abort();
    if (line?.kind !== "community") throw new Error("the community comes first");
    const { seen, read } = reckonReadable(sandbox, id);
    expect(line.community.channels.map((channel) => channel.id).sort()).toEqual(seen);
    sizes.add(seen.length);
    for (const channel of sandbox.world.channels.values()) {
      const kind = `${channel.id} ${seen.includes(channel.id)} ${read.includes(channel.id)}`;
      if (asked.has(kind)) continue;
      asked.add(kind);
      const [isSeen, isRead] = [seen.includes(channel.id), read.includes(channel.id)];
      const statusOf = async (path: string, body: object) => (await ask(`/console/community/${path}`, body)).status;
      expect([channel.name, await statusOf("commands", { channelId: channel.id })]).toEqual([
        channel.name,
        isSeen ? 200 : 404,
      ]);
      const answer = await ask("/console/community/messages", { channelId: channel.id });
      expect([channel.name, answer.status]).toEqual([channel.name, isSeen ? 200 : 404]);
      const message = [...channel.messages].find(({ more }) => more?.attachments?.length);
      const [fileId] = message?.more?.attachments?.map((file) => file.id) ?? [];
      const address = { channelId: channel.id, messageId: message?.id, fileId };
      if (message) expect(await statusOf("file", address)).toBe(isRead ? 200 : 404);
      const reaction = { kind: "react", ...address, emoji: "🦭", isRemoved: false };
      if (message && !isSeen) expect(await statusOf("act", reaction)).toBe(404);
      if (answer.status !== 200) continue;
      const { messages } = (await answer.json()) as { messages: SeenMessage[] };
      expect(messages.every(({ channelId }) => channelId === channel.id)).toBe(true);
      expect(messages.length).toBe(isRead ? Math.min(100, channel.messages.size) : 0);
    }
  }
  return sizes;
}

describe("the community as one of its people sees it", () => {
  it("has exactly the channels and messages that Discord's rules give each person of the sample", async () => {
    const { sandbox, become } = await open(sampleCommunity());
    expect((await compareWithRules(sandbox, become)).size).toBeGreaterThan(3);
  });

  it("has exactly those in random communities, too, and no route tells of another channel", async () => {
    const property = fc.asyncProperty(randomDoors, async (doors) => {
      const { sandbox, become, close } = await open();
      for (const [key, text] of [
        ["general", "in general"],
        ["staff-room", "in the staff's room"],
      ] as const)
        sandbox.as("olga").say(key, {
          content: text,
          attachments: [{ filename: "note.txt", contentType: "text/plain", bytes: Buffer.from(text) }],
        });
      applyDoors(sandbox, doors);
      await compareWithRules(sandbox, become);
      await close();
    });
    await fc.assert(property, { numRuns: 20 });
  });

  it("pages back to the start", async () => {
    const { sandbox, become } = await open();
    const said = Array.from({ length: 130 }, (_, index) => sandbox.as("mark").say("general", `${index}`).id);
    const { ask } = await become("sarah");
    const channelId = sandbox.community.channels.get("general");
    type Page = { messages: SeenMessage[]; isStart: boolean };
    const page = async (before?: string) =>
      (await (await ask("/console/community/messages", { channelId, before })).json()) as Page;
    const latest = await page();
    expect([latest.messages.length, latest.isStart]).toEqual([100, false]);
    const first = await page(latest.messages[0]?.id);
    expect(first.isStart).toBe(true);
    const ids = [...first.messages, ...latest.messages].map(({ id }) => id);
    expect(ids.slice(-130)).toEqual(said);
  });

  it("does what a person does, tells others live, and refuses what Discord refuses", async () => {
    const { sandbox, become } = await open();
    const [sarah, mark] = [await become("sarah"), await become("mark")];
    const channelId = sandbox.community.channels.get("general") ?? "";
    const next = readLines<CommunityLine>(await mark.ask("/console/community/live"));
    expect(await next()).toMatchObject({ kind: "community" });
    const act = async (who: typeof sarah, action: object) => (await who.ask("/console/community/act", action)).status;
    expect(await act(sarah, { kind: "say", channelId, text: "hello" })).toBe(200);
    const line = await next();
    if (line?.kind !== "message") throw new Error("the message comes next");
    expect(line.message).toMatchObject({ author: "Skipper", text: "hello", channelId });
    const messageId = line.message.id;
    expect(await act(sarah, { kind: "edit", channelId, messageId, text: "hello there" })).toBe(200);
    expect(await next()).toMatchObject({ message: { text: "hello there", isEdited: true } });
    expect(await act(mark, { kind: "react", channelId, messageId, emoji: "🦭", isRemoved: false })).toBe(200);
    expect(await next()).toMatchObject({ message: { reactions: [{ emoji: "🦭", count: 1, isMine: true }] } });
    expect(await act(mark, { kind: "edit", channelId, messageId, text: "mine" })).toBe(403);
    expect(await act(mark, { kind: "say", channelId, text: "x".repeat(3_000) })).toBe(400);
    expect(await act(mark, { kind: "say", channelId: "1", text: "x" })).toBe(404);
    expect(await act(mark, { kind: "say", channelId: "general", text: "x" })).toBe(400);
    expect(await act(sarah, { kind: "delete", channelId, messageId })).toBe(200);
    expect(await next()).toEqual({ kind: "deleted", channelId, messageIds: [messageId] });
  });

  it("says nothing of a staff channel to others, and forgets a channel when its permission goes", async () => {
    const { sandbox, become } = await open();
    const [mei, mark] = [await become("mei"), await become("mark")];
    const { seen } = reckonReadable(sandbox, sandbox.as("mark").id);
    const staff = reckonReadable(sandbox, sandbox.as("mei").id).seen.find((id) => !seen.includes(id)) ?? "";
    const next = readLines<CommunityLine>(await mark.ask("/console/community/live"));
    await next();
    await mei.ask("/console/community/act", { kind: "say", channelId: staff, text: "the staff's words" });
    const general = sandbox.community.channels.get("general") ?? "";
    sandbox.admin.setOverwrite("general", "person:mark", { deny: ["ViewChannel"] });
    const line = await next();
    if (line?.kind !== "community") throw new Error("the next line is about the channels");
    expect(line.community.channels.map(({ id }) => id)).toEqual(seen.filter((id) => id !== general));
    sandbox.as("sarah").say("general", "not for mark");
    sandbox.admin.removeOverwrite("general", "person:mark");
    expect(await next()).toMatchObject({ kind: "community" });
  });

  it("ends its stream with the session", async () => {
    const { become } = await open();
    const { ask } = await become("sarah");
    const next = readLines<CommunityLine>(await ask("/console/community/live"));
    await next();
    await ask("/console/session/end");
    expect(await next()).toBeNull();
  });
});
