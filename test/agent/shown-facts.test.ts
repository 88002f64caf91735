import { expect, it, onTestFinished } from "vitest";
import type { OpenDocuments } from "../../src/documents/open-documents.ts";
import type { AudienceRef } from "../../src/domain/audience.ts";
import type { GuildId, UserId } from "../../src/domain/ids.ts";
import type { Memory } from "../../src/memory/memory.ts";
import { openAgentInProcess, openReusedAnswers } from "../support/agent-in-process.ts";
import { createTestConsent } from "../support/consent.ts";
import { describeChannel, describeGuild } from "../support/describe-world.ts";
import { openMemoryForTest } from "../support/memory.ts";
import { NOW } from "../support/plain-discord.ts";
import { openFolders } from "../support/plain-documents.ts";
import { BOT, MASK } from "../support/plain-world.ts";
import { messageId } from "../support/random-community.ts";
import { ADA, BO, CEM, GUILD, PLACE, smallWorld } from "../support/small-world.ts";
import { SHARED, toBasis } from "../support/with-memory.ts";

const ada = ADA as UserId;
const OF_BO = "she moved to Lisbon";

interface Shared {
  readonly visibility: "org" | "project";
  readonly home: string;
  readonly place: string;
  readonly asker: string;
}

/** Ada has shared her city with the server, or a channel, and somebody was told it. */
async function arrive({ visibility = "org", place = PLACE.general, home = place, asker = CEM }: Partial<Shared> = {}) {
  const answers = await openReusedAnswers();
  const consent = createTestConsent();
  const { memory, close } = await openMemoryForTest({ consent, clock: { now: () => NOW } });
  const world = smallWorld();
  const test = openAgentInProcess(world, { memory, consent, rules: SHARED, store: answers.store });
  onTestFinished(async () => {
    await test.closeAgent();
    close();
    answers.close();
  });
  const own = test.ownMemory;
  if (!own) throw new Error("nothing is remembered");
  const request = { key: "city", value: "Lisbon", visibility, typedIn: "1", channelId: home as never } as const;
  const { id } = await own.remember(ada, request);
  await test.ask({ actor: asker, channelId: place, text: `<@${BOT}> what is nick3001's city?` });
  const said = () => (world.messages.get(place) ?? []).filter(({ authorId }) => authorId === BOT);
  expect(said().map(({ content }) => content)).toEqual([expect.stringContaining("Lisbon")]);
  return { ...test, own, id, said, consent };
}

it("an answer that shows a fact goes when its person has it forgotten", async () => {
  const { own, id, said, checkSources } = await arrive();
  await checkSources();
  expect(said()).toHaveLength(1);
  await own.forget(ada, id);
  await checkSources();
  expect(said()).toEqual([]);
});

it("an answer that shows a fact goes when its person is left out, or erased", async () => {
  const { consent, said, checkSources } = await arrive();
  consent.set(ADA, true);
  await checkSources();
  expect(said()).toEqual([]);
  const other = await arrive();
  await other.agent.eraser.erase(ada);
  expect(other.said()).toEqual([]);
});

it("an answer that shows a fact goes when the person whom it is about leaves the server, and not before that is known", async () => {
  const { said, checkSources, ...test } = await arrive();
  const [guild] = test.world.guilds;
  test.tell("GUILD_DELETE", { id: GUILD, unavailable: true });
  await checkSources();
  expect(said()).toHaveLength(1);
  if (guild) test.tell("GUILD_CREATE", describeGuild(guild));
  await checkSources();
  expect(said()).toHaveLength(1);
  const state = test.directory.guild(GUILD as GuildId);
  if (state) state.membersComplete = true;
  await checkSources();
  expect(said()).toHaveLength(1);
  test.tell("GUILD_MEMBER_REMOVE", { guild_id: GUILD, user: { id: ADA } });
  await checkSources();
  expect(said()).toEqual([]);
});

it("an answer that shows a fact of a channel goes when people come to see the answer who cannot read that channel", async () => {
  const staff = { visibility: "project", place: PLACE.staff, asker: BO } as const;
  const { said, checkSources, ...test } = await arrive(staff);
  await checkSources();
  expect(said()).toHaveLength(1);
  const [guild] = test.world.guilds;
  const channel = guild?.channels.find(({ id }) => id === PLACE.staff);
  if (!guild || !channel) throw new Error("there is no such channel");
  channel.overwrites = [
    { id: BOT, type: 1, allow: MASK.view, deny: 0n },
    { id: CEM, type: 1, allow: 0n, deny: MASK.read },
  ];
  test.tell("CHANNEL_UPDATE", describeChannel(guild, channel));
  await checkSources();
  expect(said()).toEqual([]);
});

it("an answer that shows a fact of another channel goes at once when that channel is deleted", async () => {
  const { said, settled, ...test } = await arrive({
    ...{ visibility: "project", home: PLACE.lounge, place: PLACE.staff, asker: BO },
  });
  const [guild] = test.world.guilds;
  const channel = guild?.channels.find(({ id }) => id === PLACE.lounge);
  if (!guild || !channel) throw new Error("there is no such channel");
  test.tell("CHANNEL_DELETE", describeChannel(guild, channel));
  await settled();
  await expect.poll(said).toEqual([]);
});

/** A fact about Ada's city that rests on something else than her word, shared with the server, and told in the channel for all. */
async function arriveWith(
  toBasisOf: (documents: OpenDocuments) => Promise<Parameters<Memory["remember"]>[0]["basis"]>,
) {
  const answers = await openReusedAnswers();
  const consent = createTestConsent();
  const { memory, close } = await openMemoryForTest({ consent, clock: { now: () => NOW } });
  const all = { kind: "guild", id: GUILD as GuildId } as const;
  const folders = await openFolders(
    [{ name: "register", audience: all, files: { "cities.md": "# Cities\n\nLisbon." } }],
    20,
  );
  const narrowed: { audience: AudienceRef | null } = { audience: null };
  const { documents: read } = folders;
  const documents = { ...read, audienceOf: (ref: string) => narrowed.audience ?? read.audienceOf(ref) };
  const world = smallWorld();
  const plain = { edited: false, replyTo: null, file: false };
  world.messages.get(PLACE.general)?.push({ ...plain, id: messageId(160), authorId: BO, content: OF_BO });
  const test = openAgentInProcess(world, { memory, consent, rules: SHARED, store: answers.store, documents });
  onTestFinished(async () => {
    await test.closeAgent();
    await folders.close();
    close();
    answers.close();
  });
  await memory.remember({
    ...{ scope: "user", scopeId: ADA, subjectId: ada, guildId: GUILD as GuildId, visibility: "org", home: all },
    ...{ name: "city", value: "Lisbon", createdBy: ada, verification: "user_confirmed", confidence: 1 },
    ...{ expiresAt: null, ends: [], basis: await toBasisOf(documents) },
  });
  await test.ask({ actor: CEM, channelId: PLACE.general, text: `<@${BOT}> what is nick3001's city?` });
  const said = () => (world.messages.get(PLACE.general) ?? []).filter(({ authorId }) => authorId === BOT);
  expect(said().map(({ content }) => content)).toEqual([expect.stringContaining("Lisbon")]);
  await test.checkSources();
  expect(said()).toHaveLength(1);
  return { ...test, consent, said, narrowed, put: folders.put };
}

it("an answer that shows a fact goes when somebody who wrote what the fact rests on is left out", async () => {
  const id = messageId(160);
  const basis = [toBasis({ channelId: PLACE.general, id }, { words: OF_BO, authorId: BO })];
  const { consent, said, checkSources } = await arriveWith(async () => basis);
  consent.set(BO, true);
  await checkSources();
  expect(said()).toEqual([]);
});

it("an answer that shows a fact goes when fewer people may hear the document under the fact, or the passage is gone", async () => {
  const fromRegister = async (documents: OpenDocuments) => {
    const [folder] = documents.folders();
    const [passage] = await documents.search("cities", [folder?.ref ?? ""], 1);
    const ref = passage?.ref ?? "";
    return [
      { type: "docs", ref, isOwn: false, authorId: null, words: (await documents.versionOf(ref)) ?? "" },
      { type: "discord_guild", ref: GUILD, isOwn: false, authorId: null, words: "" },
    ] as const;
  };
  const { narrowed, said, checkSources } = await arriveWith(fromRegister);
  narrowed.audience = { kind: "channel", id: PLACE.staff as never };
  await checkSources();
  expect(said()).toEqual([]);
  const other = await arriveWith(fromRegister);
  other.put("register", "cities.md", "# Closed\n\nNothing.");
  await expect.poll(() => other.checkSources().then(other.said)).toEqual([]);
});
