import { expect, it } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import type { Grant } from "../../src/policy/grant.ts";
import { ADA, BO, CEM, GUILD, PLACE, STAFF, smallWorld } from "../support/small-world.ts";
import { openWithMemory, toBasis } from "../support/with-memory.ts";

const SCOPES = {
  scopes: ["memory:read_self", "memory:read_project", "context:search", "discord:send"],
} satisfies Partial<Grant>;

/** Everything that is known of a list of facts is kept from one search to the next: what changes must be noticed at once all the same. */
async function openWithSearch() {
  const world = smallWorld();
  const said = world.messages.get(PLACE.general)?.find(({ authorId }) => authorId === BO);
  if (!said) throw new Error("Bo said nothing in the general channel");
  Object.assign(said, { file: false });
  const system = await openWithMemory({}, world);
  const { open, call } = system;
  const search = async (actor: string = CEM, channelId: string = PLACE.general) => {
    const operation = await open(actor, channelId, SCOPES);
    const outcome = await call(operation, "memory_read.search_context", { query: "heron" }, true);
    if (!outcome.ok) throw new Error(outcome.message);
    const { items } = outcome.value as never as { items: { source: string; fact?: { value: unknown } }[] };
    return items.flatMap(({ fact }) => fact?.value ?? []).sort();
  };
  const basis = [toBasis({ channelId: PLACE.general, id: said.id }, { words: said.content, authorId: said.authorId })];
  const server = { scope: "org", scopeId: GUILD, subjectId: null, createdBy: BO as UserId } as const;
  const staff = { home: { kind: "channel", id: PLACE.staff as ChannelId }, visibility: "project" } as const;
  const kept = {
    adas: await system.keep({ name: "one", value: "heron of Ada" }),
    servers: await system.keep({ ...server, name: "two", value: "heron of all" }),
    onMessage: await system.keep({ ...server, name: "three", value: "heron as said", basis }),
    staffs: await system.keep({ ...server, ...staff, name: "four", value: "heron of the staff" }),
  };
  // Only long lists are kept opened.
  for (let index = 0; index < 100; index += 1) await system.keep({ ...server, name: `other ${index}`, value: "tern" });
  const ALL = ["heron as said", "heron of Ada", "heron of all"];
  expect([await search(), await search()]).toEqual([ALL, ALL]);
  const without = (value: string) => ALL.filter((each) => each !== value);
  return { ...system, search, said, kept, ALL, without };
}

it("a search that is repeated no longer finds what was forgotten or erased, and finds what was remembered since", async () => {
  const { memory, search, kept, without, keep } = await openWithSearch();
  await memory.forget([kept.servers]);
  expect(await search()).toEqual(without("heron of all"));
  await memory.erase(ADA as UserId);
  expect(await search()).toEqual(["heron as said"]);
  await keep({ scopeId: BO, subjectId: BO as UserId, name: "five", value: "heron of Bo" });
  expect(await search()).toEqual(["heron as said", "heron of Bo"]);
});

it("a search that is repeated finds nothing about, or by, somebody who is left out, until they come back", async () => {
  const { consent, search, ALL, without } = await openWithSearch();
  consent.set(ADA, true);
  expect([await search(), await search()]).toEqual([without("heron of Ada"), without("heron of Ada")]);
  consent.set(ADA, false);
  expect(await search()).toEqual(ALL);
  consent.set(BO, true);
  expect(await search()).toEqual(without("heron as said"));
});

it("a search that is repeated follows what people may read", async () => {
  const { search, join, leave, ALL } = await openWithSearch();
  const staffs = [...ALL, "heron of the staff"].sort();
  expect([await search(BO, PLACE.staff), await search()]).toEqual([staffs, ALL]);
  // Now everybody who is in the general channel is on the staff.
  join(CEM, [STAFF]);
  expect([await search(CEM, PLACE.staff), await search()]).toEqual([staffs, staffs]);
  join(CEM, []);
  expect(await search()).toEqual(ALL);
  leave(ADA);
  const left = staffs.filter((value) => value !== "heron of Ada");
  expect(await search(BO, PLACE.staff)).toEqual(left);
});

it("a search that is repeated no longer finds what rests on a message that was edited or deleted", async () => {
  const { search, tell, said, without, world } = await openWithSearch();
  const messages = world.messages.get(PLACE.general) ?? [];
  world.messages.set(
    PLACE.general,
    messages.filter(({ id }) => id !== said.id),
  );
  tell("MESSAGE_DELETE", { id: said.id, channel_id: PLACE.general, guild_id: GUILD });
  expect([await search(), await search()]).toEqual([without("heron as said"), without("heron as said")]);
});

it("a search that is repeated no longer finds what has expired meanwhile", async () => {
  const { search, keep, clock, ALL } = await openWithSearch();
  await keep({ name: "soon", value: "heron for now", expiresAt: clock.now() + 60_000 });
  const all = [...ALL, "heron for now"].sort();
  expect([await search(), await search()]).toEqual([all, all]);
  clock.ahead += 61_000;
  expect(await search()).toEqual(ALL);
});

it("nothing is said any more that follows from a fact that was only compared and has ended since", async () => {
  const { open, call, send, keep, memory } = await openWithMemory();
  const fact = await keep({ name: "boat", value: "tern" });
  const operation = await open(CEM, PLACE.general, SCOPES);
  expect(await call(operation, "memory_read.search_context", { query: "heron" })).toMatchObject({ ok: true });
  expect(await send(operation, "There is nothing about herons.")).toMatchObject({ ok: true });
  await memory.forget([fact]);
  expect(await send(operation, "There is nothing about herons.")).toMatchObject({ ok: false });
});
