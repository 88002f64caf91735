import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import type { ChannelId, GuildId, UserId } from "../../src/domain/ids.ts";
import { assertUntil } from "../support/assert-until.ts";
import { openFacts } from "../support/fact-steps.ts";
import { FailingStores } from "../support/failing-stores.ts";
import { ADA, BO, CEM, GUILD, PLACE, smallWorld } from "../support/small-world.ts";
import { openWithMemory, PRIVATELY, toBasis } from "../support/with-memory.ts";

const MANAGER = "2002";
const OWNER = "3000" as UserId;
const guildId = GUILD as GuildId;
const admin = CEM as UserId;
const WORDS = ["heron", "gull", "tern"];

/** Cem manages the server and is not on the staff. */
function managedWorld() {
  const world = smallWorld();
  const [guild] = world.guilds;
  guild?.roles.push({ id: MANAGER, name: "manager", permissions: 1n << 5n });
  guild?.members.find(({ id }) => id === CEM)?.roles.push(MANAGER);
  return world;
}

/** Something that is remembered. `on staff`: for the server, and limited to the staff by what it rests on. `on letters`: limited to Ada. */
const fact = fc.record({
  owner: fc.constantFrom(ADA, BO, CEM),
  about: fc.constantFrom("user" as const, "org" as const),
  key: fc.constantFrom(...WORDS),
  value: fc.constantFrom("gull", `<@${CEM}>`, "nick3003 knows"),
  home: fc.constantFrom("alone", "staff", "general", "server", "on staff", "on letters"),
  isForgotten: fc.boolean(),
});
type PlannedFact = typeof fact extends fc.Arbitrary<infer One> ? One : never;
type System = Awaited<ReturnType<typeof openWithMemory>>;

async function keepPlanned(system: System, { owner, about, key, value, home }: PlannedFact) {
  const { world, keep } = system;
  const isPrivate = home === "alone";
  const isInChannel = home === "staff" || home === "general";
  const place = home === "on staff" ? PLACE.staff : home === "on letters" ? PLACE.letters : null;
  const [message] = place === null ? [] : (world.messages.get(place) ?? []);
  const scope = isPrivate ? "user" : about;
  return keep({
    scope,
    scopeId: scope === "user" ? owner : GUILD,
    subjectId: scope === "user" ? (owner as UserId) : null,
    guildId: isPrivate ? null : guildId,
    visibility: isPrivate ? "private" : isInChannel ? "project" : "org",
    home: isPrivate
      ? { kind: "person", id: owner as UserId }
      : isInChannel
        ? { kind: "channel", id: PLACE[home] as ChannelId }
        : { kind: "guild", id: guildId },
    ...{ name: key, value, createdBy: owner as UserId },
    ...(message &&
      place !== null && {
        basis: [toBasis({ channelId: place, id: message.id }, { words: message.content, authorId: message.authorId })],
      }),
  });
}

const problemOf = (work: Promise<unknown>) => work.catch(({ code, message }) => `${code} ${message}`);

/** All that an admin is told, with ids by the order in which they appear. */
async function told(facts: readonly PlannedFact[], leftOut: string | null, isThere: (one: PlannedFact) => boolean) {
  const system = await openWithMemory({}, managedWorld());
  const { clock, memory, consent, sharedMemory, mentions, hear } = system;
  if (!sharedMemory || !mentions) throw new Error("nothing is remembered");
  const kept: { one: PlannedFact; id: string }[] = [];
  for (const one of facts) {
    clock.ahead += 1_000;
    if (isThere(one)) kept.push({ one, id: (await keepPlanned(system, one)).id });
  }
  for (const { one, id } of kept) {
    // What somebody may not hear and forgets takes the older values with it that an admin heard: that is theirs to do.
    const isLimited = one.home.startsWith("on ");
    const forgotten = one.isForgotten && !isLimited ? await memory.openById(id) : null;
    if (forgotten) await memory.forget([forgotten]);
  }
  if (leftOut !== null) consent.set(leftOut, true);
  const outcomes: unknown[] = [];
  const list = await sharedMemory.list(admin, guildId, { offset: 0, limit: 100 });
  outcomes.push(list, await sharedMemory.list(admin, guildId, { offset: 2, limit: 2 }));
  for (const typed of ["", ...WORDS]) {
    const isWanted = (name: string) => name.includes(typed);
    outcomes.push(await sharedMemory.suggest(admin, guildId, { limit: 3, isWanted }));
  }
  for (const typed of [...WORDS, "  ", "nothing"])
    outcomes.push(await problemOf(sharedMemory.find(admin, guildId, typed)));
  const heard: string[] = [];
  for (const user of [ADA, BO, CEM]) {
    const { outcome } = await hear(admin, PLACE.general, { user }, PRIVATELY);
    heard.push(...factIdsOf(outcome));
  }
  const shared = { ...PRIVATELY, tool: "memory_read.get_project_facts" };
  heard.push(...factIdsOf((await hear(admin, PLACE.general, {}, shared)).outcome));
  const mentioning = await mentions.list(admin, guildId);
  expect(await mentions.list(admin, null)).toEqual(mentioning);
  outcomes.push(mentioning);
  for (const { fact, isExact } of mentioning.slice(0, 3)) {
    outcomes.push(await problemOf(mentions.remove(admin, { ...fact, id: `${fact.id}x` })));
    outcomes.push(await problemOf(isExact ? mentions.askRemoval(admin, fact) : mentions.remove(admin, fact)));
    outcomes.push(await (isExact ? mentions.remove(admin, fact) : mentions.askRemoval(admin, fact)));
  }
  outcomes.push(await mentions.list(admin, guildId));
  for (const { fact } of list.facts.slice(0, 2))
    outcomes.push(await problemOf(sharedMemory.forget(admin, guildId, fact.id)));
  outcomes.push(await problemOf(sharedMemory.forget(admin, guildId, "nothing")));
  outcomes.push(await sharedMemory.list(admin, guildId, { offset: 0, limit: 100 }));
  const hidden = kept.filter(({ id }) => !list.facts.some((one) => one.fact.id === id));
  for (const { id } of hidden) {
    expect(await problemOf(sharedMemory.forget(admin, guildId, id))).toBe(
      "not_found There is no such fact among those that you may hear in this server.",
    );
    for (const ask of ["remove", "askRemoval"] as const)
      expect(await problemOf(mentions[ask](admin, { id, guildId }))).toBe(
        "not_found There is no such fact any more, or it does not mention you.",
      );
  }
  await system.close();
  const ids = new Map<string, string>();
  const text = JSON.stringify(outcomes).replaceAll(/\b[0-9a-f]{36}\b/g, (id) => {
    if (!ids.has(id)) ids.set(id, `fact${ids.size}`);
    return ids.get(id) ?? id;
  });
  // The number of a version is for the audit alone: no face shows it to people who merely hear the fact.
  const shown = text.replaceAll(/"version":\d+,/g, "").replaceAll(/"(?:hash|authorMark|sealed)":"[^"]*"/g, '""');
  return { text: shown, list, heard, mentioning };
}

function factIdsOf(outcome: Awaited<ReturnType<System["hear"]>>["outcome"]): string[] {
  if (!outcome.ok) throw new Error(outcome.message);
  const { facts } = outcome.value as never as { facts: { fact_id: string; visibility: string }[] };
  return facts.filter(({ visibility }) => visibility !== "private").map(({ fact_id }) => fact_id);
}

it("an admin, or somebody who is mentioned, is told nothing that depends on facts that they may not hear", async () => {
  let [shown, hidden, silenced] = [0, 0, 0];
  const mentioned = new Set<boolean>();
  const leftOut = fc.constantFrom(null, ADA, BO);
  await assertUntil(
    fc.asyncProperty(fc.array(fact, { minLength: 3, maxLength: 12 }), leftOut, async (facts, person) => {
      const isShared = ({ home }: PlannedFact) => home === "general" || home === "server";
      // Project and server facts are nobody's own; what is about somebody who is left out is not there for others.
      const isTold = (one: PlannedFact) => isShared(one) && !(one.about === "user" && one.owner === person);
      const everything = await told(facts, person, () => true);
      expect(everything.text).toBe((await told(facts, person, isTold)).text);
      shown += everything.list.count;
      for (const { isExact } of everything.mentioning) mentioned.add(isExact);
      if (facts.some((one) => !isTold(one))) hidden += 1;
      if (facts.some((one) => isShared(one) && !isTold(one) && !one.isForgotten)) silenced += 1;
      // The gate, which shares none of this code, hands the same facts to the admin; of rivals only the current one.
      const listed = everything.list.facts.map((one) => one.fact);
      expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(everything.heard));
      const nameOf = (id: string) => listed.find((one) => one.id === id);
      const keyOf = (one = {} as (typeof listed)[number]) => `${one.scopeId} ${one.name}`;
      // What the admin keeps privately under the same key may stand for it.
      const own = facts.filter(({ owner, home }) => owner === admin && home === "alone");
      const ownKeys = new Set(own.map(({ key }) => `${admin} ${key}`));
      const heard = everything.heard.map((id) => keyOf(nameOf(id)));
      expect(new Set(listed.map(keyOf)).difference(ownKeys)).toEqual(new Set(heard).difference(ownKeys));
    }),
    () => {
      expect(shown).toBeGreaterThan(0);
      expect(hidden).toBeGreaterThan(0);
      expect(silenced).toBeGreaterThan(1);
      expect(mentioned.size).toBe(2);
    },
    { numRuns: Number(process.env["SOAK_RUNS"] ?? 9) },
  );
});

it("an older value that the admin may hear stands for one that follows it and may not be heard, and is ended without that one", async () => {
  const system = await openWithMemory({}, managedWorld());
  const { sharedMemory, memory, clock } = system;
  const planned = { owner: ADA, about: "user", key: "heron", isForgotten: false } as const;
  const old = await keepPlanned(system, { ...planned, value: "gull", home: "server" });
  clock.ahead += 1_000;
  const hidden = await keepPlanned(system, { ...planned, value: "nick3003 knows", home: "on staff" });
  const list = await sharedMemory?.list(admin, guildId, { offset: 0, limit: 10 });
  expect(list?.facts.map((one) => one.fact.id)).toEqual([old.id]);
  await sharedMemory?.forget(admin, guildId, old.id);
  expect(await memory.openById(old.id)).toBeNull();
  expect(await memory.openById(hidden.id)).not.toBeNull();
});

it("an admin ends a fact with its history or not at all, whichever write fails, and what is reported as ended is", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-shared-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const before = join(folder, "before");
  mkdirSync(before);
  const first = await openFacts(before, 1_000);
  const remember = (value: string) =>
    first.own.remember(ADA as UserId, {
      ...{ key: "heron", value, visibility: "org", typedIn: "1" },
      channelId: PLACE.general as ChannelId,
    });
  await remember("gull");
  first.clock.ahead += 1_000;
  const { id } = await remember("tern");
  await first.close();
  let [failed, ended] = [0, 0];
  for (const isKilled of [false, true])
    for (const moment of ["before", "after"] as const)
      for (let call = 1; ; call += 1) {
        const copy = join(folder, `${isKilled}-${moment}-${call}`);
        cpSync(before, copy, { recursive: true });
        const stores = new FailingStores(call, { isKilled, moment });
        const opened = await openFacts(copy, 3_000, stores.wrap.bind(stores)).catch(() => null);
        const outcome = await opened?.sharedMemory?.forget(OWNER, guildId, id).catch(() => null);
        await opened?.close();
        const again = await openFacts(copy, 3_000);
        const left = (await again.own.export(ADA as UserId)).map(({ fact }) => fact.value);
        await again.close();
        if (outcome) expect(left).toEqual([]);
        else expect([[], ["tern", "gull"]]).toContainEqual(left);
        if (!outcome) failed += 1;
        if (left.length === 0) ended += 1;
        if (!stores.hasFailed) break;
      }
  expect(failed).toBeGreaterThan(5);
  expect(ended).toBeGreaterThan(5);
});

it("an admin ends nothing while the audit cannot be written", async () => {
  const isFull = { now: false };
  const pause = async (what: string) => {
    if (isFull.now && what === "audit") throw new EarshotError("unavailable", "The disk is full.");
  };
  const { keep, sharedMemory, memory } = await openWithMemory({ pause }, managedWorld());
  const kept = await keep();
  isFull.now = true;
  expect(await problemOf(sharedMemory?.forget(admin, guildId, kept.id) ?? Promise.resolve())).toContain("unavailable");
  expect(await memory.openById(kept.id)).not.toBeNull();
});

it("a request for removal is not kept when everything about its person is erased while it is being noted", async () => {
  const [reached, noting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const state = { isSlow: false };
  const pause = async (what: string) => {
    if (!state.isSlow || what !== "audit") return;
    reached.resolve();
    await noting.promise;
  };
  const { keep, mentions, memory, own } = await openWithMemory({ pause }, managedWorld());
  const kept = await keep({ value: "nick3003 knows" });
  expect(await mentions?.list(admin, guildId)).toMatchObject([{ isExact: false }]);
  state.isSlow = true;
  const asking = problemOf(mentions?.askRemoval(admin, kept) ?? Promise.resolve());
  await reached.promise;
  await own.erase(admin);
  noting.resolve();
  expect(await asking).toContain("cancelled");
  expect(await memory.removalRequests([kept])).toEqual(new Map());
  await mentions?.askRemoval(admin, kept);
  expect(await memory.removalRequests([kept])).toEqual(new Map([[kept.id, [admin]]]));
});

it("who may read only their own facts is told that those of the server were not looked at, and not that there are none", async () => {
  const { open, call } = await openWithMemory();
  const operation = await open(ADA, PLACE.letters, { scopes: ["memory:read_self"] } as never, PRIVATELY);
  const text =
    "What is shared in a server was not looked at: the grant of this client lacks the scope memory:read_project.";
  expect(await call(operation, "memory_read.get_user_facts", {}, true)).toMatchObject({ ok: true, text });
});
