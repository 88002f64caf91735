import { describe, expect, it } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { OPERATOR_GRANT, SCOPES } from "../../src/policy/grant.ts";
import type { OpenRequest } from "../../src/policy/operations.ts";
import { describeWhy } from "../../src/transports/kit/describe-why.ts";
import { toPlainWords } from "../../src/transports/kit/plain-words.ts";
import { openCoreOnDisk } from "../support/core-on-disk.ts";
import { ADA, BO, CEM, GUILD, PLACE, smallWorld } from "../support/small-world.ts";

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const [ada, bo, cem] = [ADA, BO, CEM] as [UserId, UserId, UserId];
const OWNER = "3000" as UserId;
const DOM = "3004" as UserId;

/** In #general: Ada, Bo, Cem, Dom and the owner. The staff: Ada, Bo and the owner. */
async function arrive({ auditDays = 90 } = {}) {
  const world = smallWorld();
  world.guilds[0]?.members.push({ id: DOM, bot: false, nick: "dom", roles: [] });
  const files = await openCoreOnDisk(world, { rules: { memory: { people: "shared" } }, auditDays });
  const { core, clock, audit, discord } = files;
  const own = core.ownMemory;
  if (!own) throw new Error("nothing is remembered");
  // To the beginning of a Monday.
  const dayOfWeek = (Math.floor(clock.now() / DAY_MS) + 3) % 7;
  clock.ahead += (7 - dayOfWeek) * DAY_MS - (clock.now() % DAY_MS);
  const ask = async (actor: UserId, more: Partial<OpenRequest> & { narrows?: boolean } = {}) => {
    const { narrows = false, ...request } = more;
    const operation = await core.operations.open(
      { name: "test", grant: { ...OPERATOR_GRANT, scopes: [...SCOPES] } },
      { actor, channelId: PLACE.general as ChannelId, ...request },
    );
    if (narrows) core.operations.narrow(operation);
    const answer = await core.gate.callTool({
      name: "memory_read.get_user_facts",
      args: { user: ADA },
      operation,
    });
    await audit.settled();
    return JSON.stringify(answer.value);
  };
  const remember = (visibility: "org" | "project" | "private", channelId: string = PLACE.general) =>
    own.remember(ada, { key: "boat", value: "Tern", visibility, channelId: channelId as ChannelId, typedIn: "1" });
  const goOn = (ms: number) => {
    clock.ahead += ms;
  };
  const explain = async (id: string) => {
    const explained = await own.explain(ada, id);
    const text = describeWhy(explained, toPlainWords(ada, discord.directory)).join("\n");
    const counts = explained.weekly?.places.map(({ channelId, weeks }) => [channelId, weeks.map(({ times }) => times)]);
    return { ...explained, text, counts };
  };
  return { ...files, own, ask, remember, goOn, explain };
}

describe("how often a fact was used per week", () => {
  it("is told for each channel that its person can read, and for all private uses together", async () => {
    const { ask, remember, goOn, explain, clock } = await arrive();
    const monday = clock.now();
    const { id } = await remember("org");
    await ask(bo);
    await ask(cem, { isPrivate: true });
    await ask(bo, { narrows: true });
    goOn(WEEK_MS);
    await ask(bo);
    await ask(cem);
    goOn(WEEK_MS);
    const { weekly, counts, text } = await explain(id);
    expect(counts).toEqual([
      [PLACE.general, [2, 1]],
      [null, [2]],
    ]);
    expect(weekly).toMatchObject({ weeks: 8, isMinimum: false, isPrivateTold: true });
    expect(weekly?.places[0]?.weeks.map(({ startsAt }) => startsAt)).toEqual([monday + WEEK_MS, monday]);
    expect(text).toMatch(
      /\n- #.*: 2 times in the week from \d+ \w+, once in the week from \d+ \w+\n- privately: 2 times in/,
    );
    for (const asker of [BO, CEM]) expect(text).not.toContain(asker);
  });

  it("does not change within a week: that would tell when somebody asked", async () => {
    const { ask, remember, goOn, explain } = await arrive();
    const { id } = await remember("org");
    for (let day = 0; day < 7; day += 1) {
      await ask(bo);
      expect((await explain(id)).counts).toEqual([]);
      goOn(DAY_MS);
    }
    expect((await explain(id)).counts).toEqual([[PLACE.general, [7]]]);
    await ask(bo);
    expect((await explain(id)).counts).toEqual([[PLACE.general, [7]]]);
  });

  it("counts uses in a channel that few others read as private ones", async () => {
    const { ask, remember, goOn, explain } = await arrive();
    const { id } = await remember("org");
    await ask(bo, { channelId: PLACE.staff as ChannelId });
    await ask(ada, { channelId: PLACE.letters as ChannelId });
    goOn(WEEK_MS);
    expect((await explain(id)).counts).toEqual([[null, [2]]]);
  });

  it("tells no number of private uses where so few others hear the fact that it could tell who asked", async () => {
    const { own, ask, remember, goOn, explain } = await arrive();
    const { id } = await remember("project", PLACE.staff);
    expect(await ask(bo, { isPrivate: true, channelId: PLACE.staff as ChannelId })).toContain("Tern");
    goOn(WEEK_MS);
    const { counts, text, use } = await explain(id);
    expect([counts, use]).toEqual([[], null]);
    expect(text).toContain("How often others asked privately is not said");
    expect((await own.list(ada)).map((one) => one.use)).toEqual([null]);
  });

  it("takes nobody for one who hears a fact that is for the server and has not passed its screening", async () => {
    const { own, ask, remember, goOn, explain, discord } = await arrive();
    for (const id of [CEM, DOM])
      discord.tell("GUILD_MEMBER_UPDATE", { guild_id: GUILD, user: { id, username: "new" }, roles: [], pending: true });
    const { id } = await remember("org");
    expect(await ask(bo, { isPrivate: true })).toContain("Tern");
    goOn(WEEK_MS);
    const { counts, use } = await explain(id);
    expect([counts, use]).toEqual([[], null]);
    expect((await own.list(ada)).map((one) => one.use)).toEqual([null]);
  });

  it("does not tell later, when many hear a fact, how often it was used while few did", async () => {
    const { own, ask, remember, goOn, explain, discord } = await arrive();
    const { id } = await remember("project", PLACE.staff);
    expect(await ask(bo, { isPrivate: true, channelId: PLACE.staff as ChannelId })).toContain("Tern");
    expect(await ask(ada, { isPrivate: true, channelId: PLACE.staff as ChannelId })).toContain("Tern");
    goOn(WEEK_MS);
    const canRead = discord.directory.canRead.bind(discord.directory);
    discord.directory.canRead = (person, channel) => channel === PLACE.staff || canRead(person, channel);
    const { counts, use } = await explain(id);
    // Ada's own.
    expect([counts, use?.times]).toEqual([[[null, [1]]], 1]);
    expect((await own.list(ada)).map((one) => one.use?.times)).toEqual([1]);
  });

  it("tells people how often their private facts were used, which only they can have been", async () => {
    const { ask, remember, goOn, explain } = await arrive();
    const { id } = await remember("private");
    await ask(ada, { isPrivate: true });
    await ask(OWNER, { isPrivate: true });
    goOn(WEEK_MS);
    const { counts, text } = await explain(id);
    expect(counts).toEqual([[null, [1]]]);
    expect(text).toContain("Who can hear it: only you.");
  });

  it("leaves out channels that the person can no longer read", async () => {
    const { ask, remember, goOn, explain, discord } = await arrive();
    const { id } = await remember("org");
    await ask(bo);
    goOn(WEEK_MS);
    expect((await explain(id)).counts).toEqual([[PLACE.general, [1]]]);
    const canRead = discord.directory.canRead.bind(discord.directory);
    discord.directory.canRead = (person, channel) => person !== ada && canRead(person, channel);
    expect((await explain(id)).counts).toEqual([]);
  });

  it("is unknown where the audit is not kept for a whole week that is over, and covers no more weeks than that", async () => {
    for (const [auditDays, weeks] of [
      [7, undefined],
      [8, 1],
      [15.5, 2],
      [365, 8],
    ] as const) {
      const { remember, explain, goOn } = await arrive({ auditDays });
      const { id } = await remember("org");
      expect((await explain(id)).weekly?.weeks).toBe(weeks);
      goOn(6 * DAY_MS);
      // The week under way takes up days of the retention, too.
      if (auditDays === 8) expect((await explain(id)).weekly).toBeNull();
    }
  });

  it("is said to be a minimum once records of reads were erased to save space", async () => {
    const { ask, remember, goOn, explain, audit } = await arrive();
    const { id } = await remember("org");
    await ask(bo);
    goOn(WEEK_MS);
    await audit.thin({ maxBytes: 1, confined: { clients: [], keptMs: 0 } });
    const { weekly, text } = await explain(id);
    expect(weekly).toMatchObject({ places: [], isMinimum: true });
    expect(text).toContain("No use is known in the 8 weeks before this one.");
  });

  it("is nobody else's to know", async () => {
    const { own, remember } = await arrive();
    const { id } = await remember("org");
    const refusals = [own.explain(bo, id), own.explain(ada, "nothing")];
    for (const refusal of refusals)
      await expect(refusal).rejects.toMatchObject({ code: "not_found", message: "You have no such fact." });
  });
});
