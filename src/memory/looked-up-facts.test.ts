import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createTestConsent } from "../../test/support/consent.ts";
import { failure, override } from "../../test/support/failing-stores.ts";
import { openMemoryIn } from "../../test/support/memory.ts";
import type { GuildId, UserId } from "../domain/ids.ts";
import type { RememberRequest } from "../domain/memory/remember-request.ts";
import type { FactStore, StoredFact } from "../ports/fact-store.ts";

const ADA = "3001" as UserId;

const request = (name: string, value: string): RememberRequest => ({
  ...{ scope: "user", scopeId: ADA, subjectId: ADA, guildId: null, visibility: "private" },
  ...{ home: { kind: "person", id: ADA }, name, value },
  basis: [{ type: "typed", ref: "1", isOwn: true, authorId: null, words: "" }],
  ...{ createdBy: ADA, verification: "user_confirmed", confidence: 1, expiresAt: null, ends: [] },
});

/** The next look-up of facts is answered when that resolves, with what there was before. */
const held: { next: Promise<void> | null } = { next: null };
/** Whether the store fails once it has forgotten who wrote facts. */
const forgetting = { fails: false };
/** How often the store was asked for facts. */
const asked = { times: 0 };

function wrap<Store extends object>(store: Store): Store {
  const facts = store as unknown as FactStore;
  if (typeof facts.forgetWriter !== "function") return store;
  const find: FactStore["find"] = async (...given) => {
    asked.times += 1;
    const found = await facts.find(...given);
    const { next } = held;
    held.next = null;
    await next;
    return found;
  };
  const forgetWriter: FactStore["forgetWriter"] = async (userId) => {
    await facts.forgetWriter(userId);
    if (forgetting.fails) throw failure();
  };
  return override(store, { find, forgetWriter } as unknown as Partial<Store>);
}

/** Queries about one person are not cached. */
const ALL = { scopeType: "user", scopeId: ADA } as const;

async function openWithFacts({ others = 0 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "earshot-memory-"));
  const clock = { time: 1_000, now: () => clock.time };
  const deps = { consent: createTestConsent(), clock };
  const { memory, close } = await openMemoryIn(folder, deps, wrap);
  onTestFinished(() => {
    close();
    rmSync(folder, { recursive: true });
  });
  for (let index = 0; index < others; index += 1) await memory.remember(request(`other ${index}`, "Tern"));
  const boat = await memory.remember(request("boat", "Heron"));
  const port = await memory.remember(request("port", "Kiel"));
  const open = async (list: readonly StoredFact[]) =>
    (await memory.open(list)).flatMap(({ value }) => (value === "Tern" ? [] : value)).sort();
  const look = async () => open(await memory.find(ALL));
  return { memory, boat, port, look, open, clock };
}

it("facts that were looked up are not opened any more once they are forgotten, from a list of before either", async () => {
  const { memory, boat, look, open } = await openWithFacts();
  expect(await look()).toEqual(["Heron", "Kiel"]);
  const before = await memory.find(ALL);
  expect(await memory.open(before)).toEqual(await memory.open(before));
  await memory.forget([boat]);
  expect(await open(before)).toEqual(["Kiel"]);
  expect(await look()).toEqual(["Kiel"]);
});

it("a list that was opened is not opened any more once something in it expires", async () => {
  const { memory, look, open, clock } = await openWithFacts();
  await memory.remember({ ...request("day", "Tuesday"), expiresAt: 1_500 });
  const list = await memory.find(ALL);
  expect(await open(list)).toEqual(["Heron", "Kiel", "Tuesday"]);
  clock.time = 1_500;
  expect(await open(list)).toEqual(["Heron", "Kiel"]);
  expect(await look()).toEqual(["Heron", "Kiel"]);
});

it("facts that are looked up while they are forgotten are not found afterwards", async () => {
  const { memory, boat, look } = await openWithFacts();
  const forgetting = memory.forget([boat]);
  await Promise.all(Array.from({ length: 20 }, () => look()));
  await forgetting;
  expect(await look()).toEqual(["Kiel"]);
});

it("facts that are stored or erased while others are looked up are seen at once", async () => {
  const { memory, look } = await openWithFacts();
  const looking = look();
  await memory.remember(request("day", "Tuesday"));
  await looking;
  expect(await look()).toEqual(["Heron", "Kiel", "Tuesday"]);
  const again = look();
  await memory.erase(ADA);
  await again;
  expect(await look()).toEqual([]);
});

it("what was looked up before a change and arrives after it is not kept", async () => {
  const { memory, look } = await openWithFacts();
  const { promise, resolve } = Promise.withResolvers<void>();
  held.next = promise;
  const looking = look();
  await expect.poll(() => held.next === null).toBe(true);
  await memory.remember(request("day", "Tuesday"));
  resolve();
  expect(await looking).toEqual(["Heron", "Kiel"]);
  expect(await look()).toEqual(["Heron", "Kiel", "Tuesday"]);
});

it("very many facts are opened between other work, and none that is forgotten meanwhile", async () => {
  const { memory, boat, open } = await openWithFacts({ others: 450 });
  const list = await memory.find(ALL);
  let isOpen = false;
  // So long that it takes longer than to forget one.
  const opening = open(Array.from({ length: 20 }, () => list).flat()).finally(() => {
    isOpen = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOpen).toBe(false);
  await memory.forget([boat]);
  expect(new Set(await opening)).toEqual(new Set(["Kiel"]));
  expect(await open(list)).toEqual(["Kiel"]);
});

it("what was looked up follows every change without being read again", async () => {
  const { memory, boat, port } = await openWithFacts();
  const find = async () => (await memory.find(ALL)).map(({ row }) => row.id);
  await find();
  const second = await memory.remember(request("boat", "Egret"));
  const before = asked.times;
  expect(await find()).toEqual([second.id, port.id, boat.id]);
  expect(asked.times).toBe(before);
  const bo = { ...request("boat", "Tern"), scopeId: "3002", subjectId: "3002" as UserId, createdBy: "3002" as UserId };
  await memory.remember({ ...bo, home: { kind: "person", id: "3002" as UserId } });
  expect(await find()).toHaveLength(3);
  await memory.forget([second]);
  expect(await find()).toEqual([port.id]);
  expect((await memory.open(await memory.find(ALL))).map(({ value }) => value)).toEqual(["Kiel"]);
});

it("what lapses leaves its trace in what was looked up, so that it goes on hiding what it replaced", async () => {
  const { memory, clock } = await openWithFacts();
  const guildId = "1" as GuildId;
  const shared = { guildId, visibility: "org", home: { kind: "guild", id: guildId } } as const;
  const limit = { type: "discord_channel", ref: "7", isOwn: false, authorId: null, words: "" } as const;
  const wide = await memory.remember({ ...request("berth", "12"), ...shared });
  const narrow = await memory.remember({ ...request("berth", "13"), ...shared, basis: [limit], expiresAt: 1_500 });
  const find = async () =>
    (await memory.find({ guildId })).map(({ row }) => [row.id, row.version, row.value_json !== ""]);
  expect(await find()).toEqual([
    [narrow.id, 2, true],
    [wide.id, 1, true],
  ]);
  clock.time = 1_500;
  const before = asked.times;
  await memory.sweep();
  const left = [
    [`${narrow.id}.ended`, 2, false],
    [wide.id, 1, true],
  ];
  expect(await find()).toEqual(left);
  expect(asked.times).toBe(before);
  await memory.forget([wide]);
  expect(await find()).toEqual([]);
});

it("what is shared stays known, however many people ask for the little that is known about them", async () => {
  const { memory, look } = await openWithFacts();
  const shared = { guildId: "1" as GuildId };
  await memory.remember({
    ...request("berth", "12"),
    ...shared,
    home: { kind: "guild", id: shared.guildId },
    visibility: "org",
  });
  const list = await memory.find(shared);
  const [fact] = await memory.open(list);
  for (let person = 0; person < 100; person += 1) await memory.find({ subjectId: String(4_000 + person) as UserId });
  const before = asked.times;
  expect(await memory.find(shared)).toBe(list);
  expect((await memory.open(list))[0]).toBe(fact);
  expect(asked.times).toBe(before);
  expect(await look()).toEqual(["12", "Heron", "Kiel"]);
  await memory.forget(fact ? [fact] : []);
  expect(await memory.open(list)).toEqual([]);
});

it("who wrote something is not told any more once the file has forgotten it, also where erasing everything about them failed", async () => {
  const { memory } = await openWithFacts();
  const guildId = "1" as GuildId;
  const home = { kind: "guild", id: guildId } as const;
  const about = { scope: "org", scopeId: guildId, subjectId: null, guildId, visibility: "org", home } as const;
  await memory.remember({ ...request("berth", "12"), ...about });
  const findWriters = async () => (await memory.open(await memory.find({ guildId }))).map(({ createdBy }) => createdBy);
  expect(await findWriters()).toEqual([ADA]);
  forgetting.fails = true;
  onTestFinished(() => {
    forgetting.fails = false;
  });
  await expect(memory.erase(ADA)).rejects.toThrow("failed on purpose");
  expect(await findWriters()).toEqual([null]);
});

it("a shared fact that was opened is not found with another person or server to which its row is moved later", async () => {
  const { memory } = await openWithFacts();
  const guildId = "1" as GuildId;
  await memory.remember({
    ...request("berth", "12"),
    guildId,
    home: { kind: "guild", id: guildId },
    visibility: "org",
  });
  const list = await memory.find({ guildId });
  const [stored] = list;
  if (!stored) throw new Error("A fact of this test is not found.");
  expect(await memory.open(list)).toHaveLength(1);
  const other = "3002" as UserId;
  for (const moved of [
    { subject_id: other },
    { scope_id: other },
    { scope_type: "org" as const },
    { guild_id: "2" as GuildId },
    { expires_at: 9_000 },
    { value_json: "" },
  ])
    expect([moved, await memory.open([{ ...stored, row: { ...stored.row, ...moved } }])]).toEqual([moved, []]);
  expect(await memory.open(list)).toHaveLength(1);
});
