import { expect, it, onTestFinished } from "vitest";
import { openSystem } from "../attack/open-system.ts";
import { openAgentInProcess, openReusedAnswers } from "../support/agent-in-process.ts";
import { BOT, TYPE } from "../support/plain-world.ts";
import { canary } from "../support/random-community.ts";
import { ADA, BO, CEM, PLACE, smallWorld } from "../support/small-world.ts";

/** Ada is in every second of 120 private threads in the channel for all; nobody has told the bot who is in them. */
function open() {
  const world = smallWorld();
  const [guild] = world.guilds;
  const ids = Array.from({ length: 120 }, (_, index) => String(5_100 + index));
  for (const [index, id] of ids.entries())
    guild?.threads.push({
      ...{ id, type: TYPE.privateThread, name: `aside-${id}`, parentId: PLACE.general, tellsMembers: true },
      members: index % 2 === 0 ? [ADA, BOT] : [BO, BOT],
    });
  const system = openSystem({ members: "asked" }, world);
  onTestFinished(() => system.close());
  const list = async (actor: string) => {
    const operation = await system.open(actor, PLACE.general, {}, { isPrivate: true });
    const outcome = await system.call(operation, "discord.guild.channels", {});
    if (!outcome.ok) throw new Error(outcome.message);
    const { channels } = outcome.value as never as { channels: readonly { readonly channel_id: string }[] };
    return channels.map(({ channel_id }) => channel_id).filter((id) => ids.includes(id));
  };
  return { list, ids };
}

it("a list of channels has every private thread that the person is in, however many there are", async () => {
  const { list, ids } = open();
  const sorted = (await list(ADA)).sort();
  expect(sorted).toEqual(ids.filter((_, index) => index % 2 === 0));
  expect(await list(CEM)).toEqual([]);
});

it("a search in public finds the same, whether or not somebody had asked privately who is in a private thread", async () => {
  const searchAfter = async (isAskedBefore: boolean) => {
    const system = openSystem({ members: "listed" }, smallWorld());
    onTestFinished(() => system.close());
    const search = async (actor: string, isPrivate: boolean) => {
      const operation = await system.open(actor, PLACE.lounge, {}, { isPrivate });
      const outcome = await system.call(operation, "search_messages", { query: "tide" });
      if (!outcome.ok) throw new Error(outcome.message);
      return outcome.value as never as { coverage: unknown; hits: readonly { message: { channel_id: string } }[] };
    };
    const before = isAskedBefore ? await search(BO, true) : null;
    const { coverage, hits } = await search(ADA, false);
    return { before, coverage, places: hits.map(({ message }) => message.channel_id) };
  };
  const [asked, unasked] = [await searchAfter(true), await searchAfter(false)];
  expect(asked.before?.hits.map(({ message }) => message.channel_id)).toContain(PLACE.aside);
  expect(asked).toEqual({ ...unasked, before: asked.before });
  expect(asked.places).toContain(PLACE.lounge);
});

it("a name means the same privately, whether or not somebody had asked who is in the private threads that are called that", async () => {
  const askAfter = async (isAskedBefore: boolean, actor: string) => {
    const world = smallWorld();
    const [guild] = world.guilds;
    const thread = { type: TYPE.privateThread, parentId: PLACE.general, tellsMembers: true, members: [ADA, BOT] };
    guild?.threads.push({ ...thread, id: "5101", name: "harbour plans" }, { ...thread, id: "5102", name: "harbour" });
    const system = openSystem({ members: "listed" }, world);
    onTestFinished(() => system.close());
    const call = async (who: string, tool: string, args: object) =>
      system.call(await system.open(who, PLACE.general, {}, { isPrivate: true }), tool, args);
    if (isAskedBefore) await call(BO, "discord.guild.channels", {});
    const told = [];
    for (const channel of ["harbour", "harbour pl", "harbur"])
      told.push(await call(actor, "get_recent_messages", { channel }));
    return told.map((outcome) => (outcome.ok ? JSON.stringify(outcome.value) : outcome.message));
  };
  for (const actor of [ADA, CEM]) expect(await askAfter(true, actor)).toEqual(await askAfter(false, actor));
  const [exact, begun, similar] = await askAfter(false, ADA);
  for (const told of [exact, similar]) expect(told).toContain("5102");
  expect(begun).toContain("5101");
  expect((await askAfter(false, CEM)).join()).not.toContain("510");
});

it("the first question in a private thread is answered from that thread", async () => {
  const answers = await openReusedAnswers();
  const place = openAgentInProcess(smallWorld(), { store: answers.store });
  onTestFinished(async () => {
    await place.closeAgent();
    answers.close();
  });
  await place.ask({ actor: ADA, channelId: PLACE.aside, text: `<@${BOT}> did anybody mention the tide?` });
  expect(JSON.stringify(place.visible)).toContain(canary.text(PLACE.aside));
});
