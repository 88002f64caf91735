import fc from "fast-check";
import { expect, it } from "vitest";
import type { ChannelId, GuildId, UserId } from "../../src/domain/ids.ts";
import type { RememberRequest } from "../../src/domain/memory/remember-request.ts";
import { assertUntil } from "../support/assert-until.ts";
import { ADA, BO, CEM, GUILD, PLACE, STAFF } from "../support/small-world.ts";
import { openWithMemory, toBasis } from "../support/with-memory.ts";

const WORDS = ["heron", "gull", "tern", "boat", "tide"];
const SCOPES = ["memory:read_self", "memory:read_project", "memory:write_self", "context:search", "discord:send"];
/** From so many on, what is known of a list of facts is kept. */
const MANY = 105;

/** Something that is shared, and what it rests on. */
const plannedFact = fc.record({
  scope: fc.constantFrom("user" as const, "user" as const, "project" as const, "org" as const),
  owner: fc.constantFrom(ADA, BO, CEM),
  key: fc.constantFrom(...WORDS),
  value: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((words) => words.join(" ")),
  home: fc.constantFrom("staff" as const, "general" as const, "server" as const),
  under: fc.constantFrom("typed", "typed", "message", "staff message", "staff", "role", "person", "fact"),
  author: fc.constantFrom(ADA, BO),
});

type PlannedFact = typeof plannedFact extends fc.Arbitrary<infer One> ? One : never;

const plan = fc.record({
  facts: fc.array(plannedFact, { minLength: 3, maxLength: 12 }),
  /** Others, and the same person, have asked before. */
  isWarm: fc.boolean(),
  isLong: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
  /** After that. */
  event: fc.constantFrom("nothing", "edit", "delete", "leave", "opt out", "opt out", "role lost", "forget"),
});

type Plan = typeof plan extends fc.Arbitrary<infer One> ? One : never;
type System = Awaited<ReturnType<typeof openWithMemory>>;

/** Cem can read neither. */
const isHidden = ({ home, under }: PlannedFact) =>
  home === "staff" || ["staff message", "staff", "role", "person"].includes(under);
const concernsBo = ({ scope, owner, under, author }: PlannedFact) =>
  (scope === "user" && owner === BO) || (author === BO && under.endsWith("message"));

/** Everybody says something in both channels. */
function sayNotes({ say }: System) {
  const note = (place: "general" | "staff", author: string) =>
    say(PLACE[place], author, `a note of ${author} in ${place}`);
  const notes = (place: "general" | "staff") => new Map([ADA, BO].map((author) => [author, note(place, author)]));
  return { general: notes("general"), staff: notes("staff") };
}

type Notes = ReturnType<typeof sayNotes>;

/** Null for a fact that would rest on another one where there is none. */
function toPlannedBasis(
  { under, author }: PlannedFact,
  notes: Notes,
  earlier: readonly Awaited<ReturnType<System["keep"]>>[],
): RememberRequest["basis"] | null {
  const plain = { isOwn: false, authorId: null, words: "" };
  if (under.endsWith("message")) {
    const place = under === "message" ? "general" : "staff";
    const { id, content = "" } = notes[place].get(author) ?? {};
    return id ? [toBasis({ channelId: PLACE[place], id }, { words: content, authorId: author })] : null;
  }
  if (under === "staff") return [{ type: "discord_channel", ref: PLACE.staff, ...plain }];
  if (under === "role") return [{ type: "discord_role", ref: `${GUILD}/${STAFF}`, ...plain }];
  if (under === "person") return [{ type: "person", ref: ADA, ...plain }];
  if (under === "typed") return [{ type: "typed", ref: "1", ...plain, isOwn: true }];
  const other = earlier.findLast(({ home, subjectId, basis }) => {
    return home.kind === "guild" && subjectId !== BO && basis.every(({ type }) => type === "typed");
  });
  return other ? [{ type: "memory_fact", ref: `${other.id}@${other.version}`, ...plain }] : null;
}

async function keepAll({ facts, isLong }: Plan, isThere: (one: PlannedFact) => boolean, system: System) {
  const notes = sayNotes(system);
  const kept: Awaited<ReturnType<System["keep"]>>[] = [];
  if (isLong)
    for (let at = 0; at < MANY; at += 1) await system.keep({ name: `ballast ${at}`, value: `stone ${at % 7}` });
  for (const one of facts) {
    const { scope, owner, key, value, home } = one;
    system.clock.ahead += 1_000;
    const basis = isThere(one) ? toPlannedBasis(one, notes, kept) : null;
    if (!basis) continue;
    const request: Partial<RememberRequest> = {
      ...{ scope, basis, name: key, value, createdBy: owner as UserId },
      scopeId: scope === "user" ? owner : scope === "org" ? GUILD : PLACE.general,
      subjectId: scope === "user" ? (owner as UserId) : null,
      visibility: home === "server" ? "org" : "project",
      home:
        home === "server" ? { kind: "guild", id: GUILD as GuildId } : { kind: "channel", id: PLACE[home] as ChannelId },
    };
    kept.push(await system.keep(request));
  }
  return { notes, kept };
}

async function happen(event: string, { notes, kept }: Awaited<ReturnType<typeof keepAll>>, system: System) {
  const { world, tell2, remove, leave, join, consent, memory } = system;
  if (event === "edit")
    for (const place of ["general", "staff"] as const) {
      const note = notes[place].get(ADA);
      const all = world.messages.get(PLACE[place]) ?? [];
      const edited = { ...note, content: "something else", edited: true } as (typeof all)[number];
      world.messages.set(
        PLACE[place],
        all.map((one) => (one.id === edited.id ? edited : one)),
      );
      tell2("MESSAGE_UPDATE", PLACE[place], edited);
    }
  if (event === "delete")
    for (const place of ["general", "staff"] as const) remove(PLACE[place], notes[place].get(BO)?.id ?? "");
  if (event === "leave") leave(BO);
  if (event === "opt out") consent.set(BO, true);
  if (event === "role lost") join(BO, []);
  if (event === "forget") await memory.forget(kept.filter(({ name }) => name === "heron"));
}

async function ask({ open, call }: System, actor: string, place: string): Promise<string> {
  const operation = await open(actor, place, { scopes: SCOPES } as never);
  const outcomes: unknown[] = [];
  for (const user of [ADA, BO]) outcomes.push(await call(operation, "memory_read.get_user_facts", { user }, true));
  outcomes.push(await call(operation, "memory_read.get_project_facts", {}, true));
  for (const query of ["heron", "boat tide"])
    outcomes.push(await call(operation, "memory_read.search_context", { query, limit: 4 }, true));
  outcomes.push(await call(operation, "memory_write.forget_fact", { key: "heron" }));
  outcomes.push(await call(operation, "memory_write.remember_fact", { key: "herons", value: "seen" }));
  const { ok } = await call(operation, "discord.send", { channel_id: place, text: "done" });
  return JSON.stringify([...outcomes, ok]);
}

/** All that Cem is told in #general, with ids by the order in which they appear. */
async function told(planned: Plan, isThere: (one: PlannedFact) => boolean): Promise<string> {
  const system = await openWithMemory();
  const kept = await keepAll(planned, isThere, system);
  if (planned.isWarm) {
    for (const actor of [ADA, BO]) await ask(system, actor, PLACE.staff);
    await ask(system, CEM, PLACE.general);
  }
  system.clock.ahead += 1_000;
  await happen(planned.event, kept, system);
  system.clock.ahead += 1_000;
  const text = await ask(system, CEM, PLACE.general);
  await system.close();
  const ids = new Map<string, string>();
  return text
    .replaceAll(/⟦(untrusted|end) \d+/g, "nonce")
    .replaceAll(/146\d{16}/g, "message")
    .replaceAll(/\b[0-9a-f]{36}\b/g, (id) => {
      if (!ids.has(id)) ids.set(id, `fact${ids.size}`);
      return ids.get(id) ?? id;
    });
}

it("facts that rest on what somebody cannot read, or on somebody who is left out, change nothing that they are told", async () => {
  let shown = 0;
  await assertUntil(
    fc.asyncProperty(plan, async (planned) => {
      const isGone = planned.event === "opt out" ? concernsBo : isHidden;
      const everything = await told(planned, () => true);
      expect(everything).toBe(await told(planned, (one) => !isGone(one)));
      if (everything.includes("fact0")) shown += 1;
    }),
    () => expect(shown).toBeGreaterThan(0),
    { numRuns: Number(process.env["SOAK_RUNS"] ?? 6) },
  );
});

it("a value that rests on words of somebody who is left out replaces none that another fact rests on", async () => {
  const system = await openWithMemory();
  const { keep, hear, clock, consent } = system;
  const { general } = sayNotes(system);
  const city = (author: string, value: string) => {
    clock.ahead += 1_000;
    const { id = "", content = "" } = general.get(author) ?? {};
    const basis = [toBasis({ channelId: PLACE.general, id }, { words: content, authorId: author })];
    return keep({ value, basis });
  };
  const { id, version } = await city(ADA, "Berlin");
  const basis = [
    { type: "memory_fact", ref: `${id}@${version}`, isOwn: false, authorId: ADA as UserId, words: "" } as const,
  ];
  await keep({
    ...{ scopeId: CEM, subjectId: CEM as UserId, createdBy: CEM as UserId, name: "trip", value: "to Ada", basis },
  });
  const hearAll = async () => [
    ...(await hear(CEM, PLACE.general, { user: ADA })).values,
    ...(await hear(ADA, PLACE.general, { user: CEM })).values,
  ];
  const before = await hearAll();
  await city(BO, "Hamburg");
  expect(await hearAll()).toEqual(["city=Hamburg"]);
  consent.set(BO, true);
  expect([before, await hearAll()]).toEqual([
    ["city=Berlin", "trip=to Ada"],
    ["city=Berlin", "trip=to Ada"],
  ]);
});
