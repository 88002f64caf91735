import { describe, expect, it, onTestFinished } from "vitest";
import { openAgentInProcess, openReusedAnswers } from "../support/agent-in-process.ts";
import { describeThread } from "../support/describe-world.ts";
import { BOT, type PlainWorld, TYPE } from "../support/plain-world.ts";
import { messageId } from "../support/random-community.ts";
import { ADA, BO, CEM, PLACE, smallWorld } from "../support/small-world.ts";
import { openSystem } from "./open-system.ts";

const THREAD = "5100";
const TITLE = "vault-4711";

/** A forum post, by Bo unless said otherwise, in which Ada has spoken, and a message of Ada's that mentions it. */
function worldWith(title: string, ownerId = BO): PlainWorld {
  const world = smallWorld();
  const [guild] = world.guilds;
  const forum = guild?.channels.find(({ id }) => id === PLACE.general);
  if (!guild || !forum) throw new Error("there is no channel for all");
  guild.channels.push({ ...forum, id: "4100", type: TYPE.forum, name: "ideas" });
  const thread = { id: THREAD, type: TYPE.publicThread, name: title, ownerId, parentId: "4100" };
  guild.threads.push({ ...thread, members: [BO, BOT], tellsMembers: true });
  const said = { edited: false, replyTo: null, file: false };
  world.messages.set(THREAD, [{ ...said, id: messageId(150), authorId: ADA, content: "the lighthouse opens at ten" }]);
  const general = world.messages.get(PLACE.general) ?? [];
  world.messages.set(PLACE.general, [
    ...general,
    { ...said, id: messageId(151), authorId: ADA, content: `look at <#${THREAD}> about the lighthouse` },
  ]);
  return world;
}

const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["discord.guild.channels", {}],
  ["get_recent_messages", { channel: TITLE }],
  ["get_recent_messages", { channel: THREAD }],
  ["get_recent_messages", { channel: PLACE.general }],
  ["search_messages", { query: TITLE }],
  ["search_messages", { query: "lighthouse" }],
  ["search_messages", { query: `lighthouse in:${TITLE}` }],
  ["get_channel_summary", { channel: THREAD, timeframe: "past week" }],
  ["discord.channel.info", { channel: THREAD }],
];

async function tellAll(world: PlainWorld, isLate: boolean): Promise<string> {
  const { open, call, consent, close } = openSystem({}, world);
  onTestFinished(() => close());
  if (!isLate) consent.set(BO, true);
  const told: unknown[] = [];
  for (const isAfter of isLate ? [false, true] : [true])
    for (const [name, args] of CALLS) {
      if (isAfter && isLate) consent.set(BO, true);
      const outcome = await call(await open(CEM, PLACE.general), name, args, true);
      if (isAfter) told.push(outcome);
    }
  return JSON.stringify(told).replaceAll(/untrusted \S+ ·|end \S+⟧/g, "");
}

describe("the title of a thread whose author is left out", () => {
  it("is told nowhere: everything is as if it had always had a neutral one", async () => {
    const titled = await tellAll(worldWith(TITLE), false);
    // What was asked for is repeated, as any name is.
    expect(titled.replaceAll(`'${TITLE}'`, "")).not.toContain(TITLE);
    expect(titled).toContain("untitled");
    expect(titled).toBe(await tellAll(worldWith("untitled"), false));
  });

  it("is told nowhere any more when its author asks to be left out later", async () => {
    expect(await tellAll(worldWith(TITLE), true)).toBe(await tellAll(worldWith("untitled"), false));
  });

  it("is theirs only until somebody else gives the thread another one", async () => {
    const world = worldWith(TITLE);
    const { open, call, consent, say, tell, close } = openSystem({}, world);
    onTestFinished(() => close());
    consent.set(BO, true);
    const nameOf = async () => {
      const outcome = await call(await open(CEM, PLACE.general), "discord.channel.info", { channel: THREAD });
      return outcome.ok ? outcome.value["name"] : outcome.message;
    };
    expect(await nameOf()).toBe("untitled");
    const rename = (title: string, by: string) => {
      const [guild] = world.guilds;
      const thread = guild?.threads.find(({ id }) => id === THREAD);
      if (!guild || !thread) throw new Error("there is no such thread");
      thread.name = title;
      tell("THREAD_UPDATE", describeThread(guild, thread));
      say(THREAD, by, title, { type: 4 });
    };
    rename("harbour", ADA);
    expect(await nameOf()).toBe("harbour");
    rename("secret again", BO);
    expect(await nameOf()).toBe("untitled");
    consent.set(BO, false);
    expect(await nameOf()).toBe("secret again");
  });

  it("is theirs however long it is, also in a thread that somebody else opened", async () => {
    const world = worldWith("harbour", ADA);
    const [guild] = world.guilds;
    const thread = guild?.threads.find(({ id }) => id === THREAD);
    if (!guild || !thread) throw new Error("there is no such thread");
    const { open, call, consent, say, tell, close } = openSystem({}, world);
    onTestFinished(() => close());
    consent.set(BO, true);
    // As long as Discord allows, which does not count in UTF-16.
    thread.name = TITLE + "\u{1f512}".repeat(90);
    tell("THREAD_UPDATE", describeThread(guild, thread));
    say(THREAD, BO, thread.name, { type: 4 });
    const outcome = await call(await open(CEM, PLACE.general), "discord.channel.info", { channel: THREAD });
    expect(outcome).toMatchObject({ ok: true, value: { name: "untitled" } });
  });

  it("goes with the answers that named the thread, and with answers to their own questions where others read them", async () => {
    const answers = await openReusedAnswers();
    const world = worldWith(TITLE);
    const place = openAgentInProcess(world, { store: answers.store });
    onTestFinished(async () => {
      await place.closeAgent();
      answers.close();
    });
    const ask = (actor: string, text: string) =>
      place.ask({ actor, channelId: PLACE.general, text: `<@${BOT}> ${text}` });
    const said = () => (world.messages.get(PLACE.general) ?? []).filter(({ authorId }) => authorId === BOT);
    await ask(CEM, "when does the lighthouse open?");
    await ask(BO, "who has seen the zeppelin?");
    await ask(CEM, "hello");
    expect(said().map(({ content }) => content)).toEqual([
      expect.stringContaining(TITLE),
      expect.stringContaining("zeppelin"),
      expect.anything(),
    ]);
    place.consent.set(BO, true);
    await expect.poll(() => said().length).toBe(1);
  });
});
