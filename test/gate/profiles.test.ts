import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ChannelId, GuildId, UserId } from "../../src/domain/ids.ts";
import { toProfileVersion } from "../../src/gate/memory/profile-reads.ts";
import { DiscordProfile } from "../../src/profiles/discord-profile.ts";
import type { ServiceField } from "../../src/profiles/http-profile.ts";
import { toProfileRef } from "../../src/sources/kinds/profile.ts";
import { describeChannel } from "../support/describe-world.ts";
import type { InProcessOptions } from "../support/in-process.ts";
import { openHttpProfile, openProfileServer, sendJson } from "../support/profile-server.ts";
import { ADA, BO, CEM, GUILD, PLACE, smallWorld } from "../support/small-world.ts";
import { openWithMemory, PRIVATELY } from "../support/with-memory.ts";

const OTHER = "1001";
const ELSEWHERE = "4100";
const LETTERS_OF_CEM = "6001";
const SCOPES = ["memory:read_self", "memory:read_project", "context:search", "discord:send"];
const FIELDS: readonly ServiceField[] = [
  { path: ["title"], key: "title", visibility: { server: GUILD as GuildId } },
  { path: ["berth"], key: "berth", visibility: { channel: PLACE.staff as ChannelId } },
  { path: ["salary"], key: "salary", visibility: "private" },
];
const OUTAGE = "The profile service could not be read just now; what it says is missing here.";
const ADA_SAYS = { title: "Harbour master", berth: "B12", salary: 4_000 };

interface Told {
  readonly facts: readonly { readonly key: string; readonly value: unknown }[];
  readonly profile: readonly {
    readonly key: string;
    readonly value: unknown;
    readonly origin: string;
    readonly facts_differ: boolean | null;
  }[];
  readonly note: string | null;
}

/** The small world with a second server in which Ada and Cem are too, and a profile service that knows Ada. */
async function open(
  people: Parameters<typeof openProfileServer>[0] = { [ADA]: ADA_SAYS },
  more: InProcessOptions = {},
) {
  const world = smallWorld();
  const [first] = world.guilds;
  if (!first) throw new Error("no server");
  const members = first.members.filter(({ id }) => id !== BO);
  const [general] = first.channels;
  world.dms.push({ id: LETTERS_OF_CEM, personId: CEM });
  if (general) world.guilds.push({ ...first, id: OTHER, name: "other", threads: [], members, ...otherPlaces(general) });
  const server = await openProfileServer(people);
  const { source, time } = openHttpProfile(server.url, FIELDS);
  const system = await openWithMemory({ profiles: [source], ...more }, world);
  onTestFinished(() => system.close());
  const read = async (actor: string, channelId: string, args: object = { user: ADA }, request: object = {}) => {
    const operation = await system.open(actor, channelId, { scopes: SCOPES } as never, request);
    const outcome = await system.call(operation, "memory_read.get_user_facts", args, true);
    if (!outcome.ok) throw new Error(outcome.message);
    const told = outcome.value as never as Told;
    return { operation, told, text: outcome.text ?? "", says: told.profile.map(({ key, value }) => `${key}=${value}`) };
  };
  return { ...system, ...server, source, time, read };
}

function otherPlaces(general: ReturnType<typeof smallWorld>["guilds"][number]["channels"][number]) {
  const role = { id: OTHER, name: "@everyone", permissions: smallWorld().guilds[0]?.roles[0]?.permissions ?? 0n };
  return { roles: [role], channels: [{ ...general, id: ELSEWHERE, name: "elsewhere", overwrites: [] }] };
}

describe("a profile", () => {
  it("is told where it may be heard, each key by itself", async () => {
    const { read, requests } = await open();
    expect((await read(CEM, PLACE.general)).says).toEqual(["title=Harbour master"]);
    expect((await read(BO, PLACE.staff)).says).toEqual(["title=Harbour master", "berth=B12"]);
    expect((await read(CEM, PLACE.general, { user: ADA }, PRIVATELY)).says).toEqual(["title=Harbour master"]);
    expect((await read(ADA, PLACE.general, {}, PRIVATELY)).says).toEqual([
      "title=Harbour master",
      "berth=B12",
      "salary=4000",
    ]);
    expect((await read(ADA, PLACE.letters, {})).says).toHaveLength(3);
    expect((await read(ADA, PLACE.general, {})).says).toEqual(["title=Harbour master"]);
    expect(requests).toHaveLength(1);
  });

  it("does not exist in another server, and causes no request there", async () => {
    const { read, requests } = await open();
    expect((await read(CEM, ELSEWHERE)).told).toMatchObject({ profile: [] });
    expect((await read(CEM, ELSEWHERE, { user: ADA }, PRIVATELY)).told.profile).toEqual([]);
    expect(requests).toEqual([]);
  });

  it("causes no request where none of its keys may be heard, or none that was asked for", async () => {
    const { read, requests } = await open();
    await read(CEM, PLACE.general, { user: ADA, key: "salary" });
    await read(CEM, PLACE.general, { user: ADA, key: "berth" });
    await read(BO, PLACE.staff, { user: ADA, key: "salary" });
    await read(CEM, PLACE.general, { user: ADA, key: "anything" });
    expect(requests).toEqual([]);
    expect((await read(BO, PLACE.staff, { user: ADA, key: "Berth" })).says).toEqual(["berth=B12"]);
    expect(requests).toHaveLength(1);
  });

  it("of somebody who left the server is not told there any more", async () => {
    const { read, leave, requests } = await open();
    leave(ADA);
    expect((await read(ADA, PLACE.letters, { key: "title" })).says).toEqual([]);
    expect(requests).toEqual([]);
    expect((await read(ADA, PLACE.letters, {})).says).toEqual(["salary=4000"]);
  });

  it("of somebody who left the server is not told by those who know them from another one", async () => {
    const { read, world, tell, requests, source } = await open();
    expect((await read(CEM, LETTERS_OF_CEM)).says).toEqual(["title=Harbour master"]);
    source.forget(ADA as UserId);
    const [first] = world.guilds;
    if (first) first.members = first.members.filter(({ id }) => id !== ADA);
    tell("GUILD_MEMBER_REMOVE", { guild_id: GUILD, user: { id: ADA } });
    expect((await read(CEM, LETTERS_OF_CEM)).says).toEqual([]);
    expect(requests).toHaveLength(1);
  });

  it("needs the scopes that facts need", async () => {
    const { open: openOperation, call, requests } = await open();
    const operation = await openOperation(CEM, PLACE.general, { scopes: ["context:search"] } as never);
    await call(operation, "memory_read.search_context", { query: "title" });
    expect(requests).toEqual([]);
  });

  it("is quoted with where it comes from, and noted in the audit as a source of type crm", async () => {
    const { read, audit } = await open();
    const { text } = await read(CEM, PLACE.general);
    expect(text).toContain("title (org, authoritative, from the profile service): Harbour master");
    const sources = audit.filter(({ kind }) => kind === "source").map(({ row }) => row as { source_type: string });
    expect(sources.filter(({ source_type }) => source_type === "crm")).toEqual([
      expect.objectContaining({
        scope_type: "guild",
        scope_id: GUILD,
        source_ref: expect.stringMatching(/^service\//),
      }),
    ]);
    expect(JSON.stringify(audit)).not.toMatch(/Harbour|master|title/i);
  });

  it("is found by a search of the person asking, before facts that fit equally well", async () => {
    const { open: openOperation, call, remember } = await open();
    await remember(ADA, ["old title", "Harbour master"], "org");
    const operation = await openOperation(ADA, PLACE.general, { scopes: SCOPES } as never);
    const outcome = await call(operation, "memory_read.search_context", { query: "harbour master" }, true);
    if (!outcome.ok) throw new Error(outcome.message);
    const items = outcome.value["items"] as { source: string; profile?: { key: string } }[];
    expect(items.map(({ source }) => source).slice(0, 2)).toEqual(["crm", "memory_fact"]);
    expect(outcome.text).toContain("profile: title (org, authoritative, from the profile service): Harbour master");
  });
});

describe("a profile and a remembered fact of the same key", () => {
  it("are told as the profile, which says whether the fact says otherwise", async () => {
    const { read, remember } = await open();
    await remember(ADA, ["Title", "Sailor"], "org");
    const { told, text } = await read(CEM, PLACE.general);
    expect(told.facts).toEqual([]);
    expect(told.profile).toMatchObject([{ key: "title", value: "Harbour master", facts_differ: true }]);
    expect(text).toContain("; a remembered fact says otherwise): Harbour master");
    expect(text).not.toContain("Sailor");
  });

  it("say so where they agree", async () => {
    const { read, remember } = await open();
    await remember(ADA, ["title", "harbour  MASTER"], "org");
    const { told, text } = await read(CEM, PLACE.general);
    expect(told.profile).toMatchObject([{ facts_differ: false }]);
    expect(text).not.toContain("otherwise");
  });

  it("are apart where the profile may not be heard", async () => {
    const { read, remember } = await open();
    await remember(ADA, ["berth", "C3"], "org");
    const { told } = await read(CEM, PLACE.general, { user: ADA, key: "berth" });
    expect(told).toMatchObject({ profile: [], facts: [{ value: "C3" }] });
  });

  it("are apart where the fact may not be heard", async () => {
    const { read, remember } = await open();
    await remember(ADA, ["title", "Sailor"]);
    expect((await read(CEM, PLACE.general)).told).toMatchObject({ facts: [], profile: [{ facts_differ: null }] });
    expect((await read(ADA, PLACE.letters, {})).told.profile[0]).toMatchObject({ facts_differ: true });
  });

  it("limit what is said to those who may hear both", async () => {
    const { read, remember, send } = await open();
    await remember(ADA, ["title", "Sailor"], "project", { channelId: PLACE.staff });
    const { operation, told } = await read(BO, PLACE.staff, { user: ADA, key: "title" });
    expect(told.profile).toMatchObject([{ facts_differ: true }]);
    expect(await send(operation, "Ada: master", PLACE.general)).toMatchObject({ ok: false });
  });

  it("are both given while the service is out, which is said", async () => {
    const { read, remember } = await open({ [ADA]: (response) => response.writeHead(503).end() });
    await remember(ADA, ["title", "Sailor"], "org");
    const { told, text } = await read(CEM, PLACE.general);
    expect(told).toMatchObject({ profile: [], facts: [{ value: "Sailor" }] });
    expect(told.note).toContain(OUTAGE);
    expect(text).toContain(OUTAGE);
    const own = await read(ADA, PLACE.letters, {});
    expect(own.told.note).toBe(OUTAGE);
    expect((await read(CEM, PLACE.general, { user: ADA, key: "berth" })).told.note).not.toContain(OUTAGE);
  });
});

it("that the service is out is said before that nothing is remembered", async () => {
  const { read } = await open({ [ADA]: (response) => response.writeHead(503).end() });
  const { text } = await read(ADA, PLACE.letters, {});
  expect(text).toBe(`${OUTAGE}\nNothing is remembered there.`);
});

describe("what was read of a profile", () => {
  it("is said only to those who may hear it when it is sent", async () => {
    const { read, send, departures } = await open();
    const { operation } = await read(BO, PLACE.staff);
    expect(await send(operation, "B12", PLACE.general)).toMatchObject({ ok: false });
    expect(await send(operation, "B12", PLACE.staff)).toMatchObject({ ok: true });
    expect(departures).toHaveLength(1);
  });

  it("is not said once readers have come who may not hear it", async () => {
    const { read, send, world, tell, departures } = await open();
    const { operation, says } = await read(BO, PLACE.lounge);
    expect(says).toContain("berth=B12");
    const [guild] = world.guilds;
    const lounge = guild?.channels.find(({ id }) => id === PLACE.lounge);
    if (!guild || !lounge) throw new Error("no lounge");
    lounge.overwrites.length = 0;
    tell("CHANNEL_UPDATE", { ...describeChannel(guild, lounge), guild_id: GUILD });
    expect(await send(operation, "B12", PLACE.lounge)).toMatchObject({ ok: false });
    expect((await read(BO, PLACE.lounge)).says).toEqual(["title=Harbour master"]);
    expect(departures).toEqual([]);
  });

  it("is not said where it is private", async () => {
    const { read, send, departures } = await open();
    const { operation } = await read(ADA, PLACE.letters, {});
    expect(await send(operation, "4000", PLACE.general)).toMatchObject({ ok: false });
    expect(departures).toEqual([]);
  });

  it("limits what is said also where the profile holds nothing", async () => {
    const { read, send } = await open({});
    const { operation, told } = await read(BO, PLACE.staff, { user: ADA, key: "berth" });
    expect(told.profile).toEqual([]);
    expect(await send(operation, "no berth", PLACE.general)).toMatchObject({ ok: false });
  });

  it("is not said once the person is left out, or has everything erased", async () => {
    for (const end of ["left out", "erased"]) {
      const system = await open();
      const { operation } = await system.read(CEM, PLACE.general);
      system.clock.ahead += 1;
      if (end === "erased") await system.erasePerson(ADA as UserId);
      else await system.consent.leaveOut(ADA as UserId);
      expect(await system.send(operation, "Harbour master"), end).toMatchObject({ ok: false });
      expect(system.source.stats().cached).toBe(0);
    }
  });

  it("is not said once the service is known to say something else", async () => {
    const { read, send, people, time } = await open();
    const { operation } = await read(CEM, PLACE.general);
    people[ADA] = { title: "Sailor" };
    time.now += 5 * 60_000;
    await read(CEM, PLACE.general);
    expect(await send(operation, "Harbour master")).toMatchObject({ ok: false });
  });

  it("is still said after the cache has expired", async () => {
    const { read, send, time } = await open();
    const { operation } = await read(CEM, PLACE.general);
    time.now += 5 * 60_000;
    expect(await send(operation, "Harbour master")).toMatchObject({ ok: true });
  });
});

describe("a fact that rests on a profile", () => {
  async function arrive() {
    const system = await open();
    const query = { person: ADA as UserId, guildId: null };
    const ref = toProfileRef(system.source, query, "title");
    const basis = [
      { type: "discord_guild", ref: GUILD, isOwn: false, authorId: null, words: "" },
      { type: "crm", ref, isOwn: false, authorId: ADA as UserId, words: toProfileVersion("Harbour master") },
    ] as const;
    await system.keep({
      scope: "user",
      scopeId: BO,
      subjectId: BO as UserId,
      name: "boss",
      value: "the master",
      basis,
    });
    const hear = async () => (await system.read(CEM, PLACE.general, { user: BO })).told.facts.map(({ value }) => value);
    return { ...system, hear };
  }

  it("is heard while the profile says the same, and by its owner alone once it says something else", async () => {
    const { hear, read, people, time } = await arrive();
    expect(await hear()).toEqual(["the master"]);
    people[ADA] = { title: "Sailor" };
    time.now += 5 * 60_000;
    expect(await hear()).toEqual([]);
    const own = await read(BO, PLACE.general, {}, PRIVATELY);
    expect(own.told.facts.map(({ value }) => value)).toEqual(["the master"]);
  });

  it("is not heard while the service is out, or once the person of the profile is left out", async () => {
    const { hear, people, time, consent, requests } = await arrive();
    people[ADA] = (response) => response.writeHead(500).end();
    expect(await hear()).toEqual([]);
    people[ADA] = ADA_SAYS;
    expect(await hear()).toEqual(["the master"]);
    time.now += 5 * 60_000;
    await consent.leaveOut(ADA as UserId);
    const before = requests.length;
    expect(await hear()).toEqual([]);
    expect(requests.slice(before).filter(({ path }) => path.endsWith(ADA))).toEqual([]);
  });
});

describe("somebody who is left out", () => {
  it("has no profile, not for themselves either, and nobody is asked about them", async () => {
    const { read, consent, requests } = await open();
    await consent.leaveOut(ADA as UserId);
    expect((await read(CEM, PLACE.general)).told).toMatchObject({ profile: [], facts: [] });
    expect((await read(ADA, PLACE.letters, {})).told.profile).toEqual([]);
    expect(requests).toEqual([]);
  });

  it("is not asked about while it is looked up in which servers they are, and nothing of it is cached", async () => {
    let isReached = true;
    for (let last = 1; isReached; last += 1) {
      const { read, consent, requests, source, directory } = await open();
      let looked = 0;
      const learnMember = directory.learnMember.bind(directory);
      directory.learnMember = async (...given) => {
        looked += 1;
        if (looked === last) await consent.leaveOut(ADA as UserId);
        return learnMember(...given);
      };
      const { told } = await read(CEM, PLACE.general);
      isReached = looked >= last;
      expect(told.profile).toHaveLength(isReached ? 0 : 1);
      expect([requests.length, source.stats().cached]).toEqual(isReached ? [0, 0] : [1, 1]);
    }
  });

  it("has none in an answer either that was under way", async () => {
    const waiting: ServerResponse[] = [];
    const { read, consent, source } = await open({ [ADA]: (response) => void waiting.push(response) });
    const reading = read(CEM, PLACE.general);
    await expect.poll(() => waiting.length).toBe(1);
    await consent.leaveOut(ADA as UserId);
    for (const response of waiting) sendJson(response, JSON.stringify(ADA_SAYS));
    const { told } = await reading;
    expect(told.profile).toEqual([]);
    expect(told.note).not.toContain(OUTAGE);
    expect(source.stats().cached).toBe(0);
  });
});

it("an erasure drops an answer that is under way: the service is asked again", async () => {
  const waiting: ServerResponse[] = [];
  const system = await open({ [ADA]: (response) => void waiting.push(response) });
  const reading = system.read(CEM, PLACE.general);
  await expect.poll(() => waiting.length).toBe(1);
  system.people[ADA] = { title: "Sailor" };
  const erasing = system.erasePerson(ADA as UserId);
  system.clock.ahead += 1;
  for (const response of waiting) sendJson(response, JSON.stringify(ADA_SAYS));
  await erasing;
  expect((await reading).says).toEqual(["title=Sailor"]);
  expect(Object.fromEntries(system.source.peek({ person: ADA as UserId, guildId: null }) ?? [])).toEqual({
    title: "Sailor",
  });
});

it("Discord's own profile is told in its server, and only to those who may hear it", async () => {
  const system = await openWithMemory({}, smallWorld());
  const { directory } = system;
  await system.close();
  const { read, remember } = await open({}, { profiles: [new DiscordProfile(directory)] });
  await remember(BO, ["roles", "admiral"], "org");
  const { told, text } = await read(CEM, PLACE.general, { user: BO });
  expect(told.profile.map(({ key, value, origin }) => [key, value, origin]).slice(0, 2)).toEqual([
    ["display name", `nick${BO}`, "discord"],
    ["roles", "staff", "discord"],
  ]);
  expect(text).toContain("roles (org, authoritative, from Discord; a remembered fact says otherwise): staff");
  expect((await read(ADA, PLACE.letters, {})).told.profile).toEqual([]);
});

it("the ref of a profile names its person, and for Discord's own the server, by which a label is restored", () => {
  const query = { person: BO as UserId, guildId: GUILD as GuildId };
  const ref = toProfileRef({ origin: "discord" } as never, query, "roles");
  expect(ref).toMatch(new RegExp(`^discord/${GUILD}/${BO}/[0-9a-f]{12}$`));
  expect(toProfileRef({ origin: "service" } as never, query, "roles")).toMatch(new RegExp(`^service/-/${BO}/`));
});

it("is told by nobody else's fact either once the person left the server", async () => {
  const { keep, hear, leave, source } = await open();
  const ref = toProfileRef(source, { person: ADA as UserId, guildId: null }, "title");
  const basis = [
    { type: "crm", ref, isOwn: false, authorId: ADA as UserId, words: toProfileVersion(ADA_SAYS.title) } as const,
    { type: "discord_guild", ref: GUILD, isOwn: false, authorId: null, words: "" } as const,
  ];
  await keep({ scopeId: BO, subjectId: BO as UserId, name: "boss", value: "the harbour master", basis });
  const values = async () => (await hear(CEM, PLACE.general, { user: BO })).values;
  expect(await values()).toEqual(["boss=the harbour master"]);
  leave(ADA);
  expect(await values()).toEqual([]);
});
