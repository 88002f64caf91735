import fc from "fast-check";
import { expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { WAYS, type WayName } from "../../src/domain/memory/remember-request.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { ADA, BO, CEM, PLACE, STAFF } from "../support/small-world.ts";
import { openWithMemory } from "../support/with-memory.ts";

/** Without anything of the program's own: who can read what in the small world, and what each fact may be told to. */
const PEOPLE = [ADA, BO, CEM] as const;
const EVERYONE = ["3000", ...PEOPLE];
const PLACES = [PLACE.general, PLACE.staff, PLACE.lounge] as const;
const KEYS = ["boat", "port", "day"] as const;
const VISIBILITIES = ["private", "channel", "server"] as const;
const SCOPES = [
  ...["memory:read_self", "memory:read_project", "memory:write_self", "memory:write_project"],
  ...["context:read_channel_recent", "context:search", "discord:send"],
];

interface Told {
  readonly owner: string;
  readonly key: string;
  readonly value: string;
  /** Null: for its owner alone. A place, or "server": for those who can read it. */
  readonly home: string | null;
  /** Places and people that limit it further. */
  readonly limits: ReadonlySet<string>;
}

interface Open {
  readonly operation: Operation;
  readonly who: string;
  readonly where: string;
  readonly typed: string;
  readonly read: Set<string>;
}

interface Waiting extends Omit<Told, "home" | "limits"> {
  readonly id: string;
  readonly shared: string | null;
  readonly limits: ReadonlySet<string>;
}

const step = fc.record({
  kind: fc.constantFrom(
    ...([
      "open",
      "open",
      "read",
      "read",
      "readFacts",
      "propose",
      "propose",
      "propose",
      "press",
      "press",
      "press",
    ] as const),
    ...(["stranger", "spokenFor", "decline", "forget", "role", "hear", "hear"] as const),
  ),
  who: fc.nat(2),
  where: fc.nat(2),
  key: fc.nat(2),
  visibility: fc.nat(2),
  way: fc.nat(3),
  isPrivate: fc.boolean(),
  /** Whether the person types, word for word, what the model will propose. */
  isTyped: fc.boolean(),
});

async function play(steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]) {
  const system = await openWithMemory();
  const { gate, call } = system;
  const staff = new Set<string>([ADA, BO]);
  const stored: Told[] = [];
  const waiting: Waiting[] = [];
  let open: Open | null = null;
  let count = 0;
  let pressed = 0;

  const canRead = (person: string, limit: string): boolean => {
    if (limit === "server" || limit === PLACE.general) return true;
    if (limit === PLACE.staff || limit === PLACE.lounge) return staff.has(person) || person === "3000";
    return person === limit;
  };
  const readersOf = (where: string) => EVERYONE.filter((person) => canRead(person, where));
  const mayHear = (fact: Told, readers: readonly string[]) =>
    readers.every((person) => [fact.home ?? fact.owner, ...fact.limits].every((limit) => canRead(person, limit)));
  const limitsOf = ({ home, owner, limits }: Told) => [home ?? owner, ...limits];
  const listed = async () => {
    const all: string[] = [];
    for (const who of EVERYONE)
      for (const { fact } of await system.own.list(who as UserId)) all.push(`${who} ${fact.name} ${fact.value}`);
    return all.sort();
  };

  for (const { kind, who: person, where: place, key: named, visibility, way, isPrivate, isTyped } of steps) {
    const who = PEOPLE[person] ?? ADA;
    const where = PLACES[place] ?? PLACE.general;
    const key = KEYS[named] ?? "boat";
    system.clock.ahead += 1_000;
    if (kind === "open") {
      const typed = isTyped ? `remember that my ${key} is v${count + 1} please` : "please remember it";
      const message = canRead(who, where) ? system.say(where, who, typed) : null;
      const more = { ...(message && { messageId: message.id as never }), isPrivate };
      const operation = await system.open(who, where, { scopes: SCOPES } as never, more).catch(() => null);
      if (operation) open = { operation, who, where, typed, read: new Set() };
    } else if (kind === "read" && open) {
      const outcome = await call(open.operation, "discord.channel.messages", { channel_id: where });
      if (outcome.ok) open.read.add(where);
    } else if (kind === "readFacts" && open) {
      const outcome = await call(open.operation, "memory_read.get_user_facts", { user: who });
      const heard = outcome.ok ? (outcome.value["facts"] as { value: string }[]) : [];
      for (const { value } of heard)
        for (const limit of stored.filter((fact) => fact.value === value).flatMap(limitsOf)) open.read.add(limit);
    } else if (kind === "propose" && open) {
      count += 1;
      const value = `v${count}`;
      const shared = VISIBILITIES[visibility] ?? "private";
      const before = gate.confirmations.pending(open.who as UserId, { inPerson: true }).length;
      await call(open.operation, "memory_write.remember_fact", { key, value, visibility: shared });
      const now = gate.confirmations.pending(open.who as UserId, { inPerson: true });
      const isOwn = open.typed === `remember that my ${key} is ${value} please`;
      const home = shared === "private" ? null : shared === "server" ? "server" : open.where;
      const limits = isOwn ? new Set<string>() : new Set([...open.read, open.where]);
      const id = now.length > before ? now.at(-1)?.id : undefined;
      if (id) waiting.push({ id, owner: open.who, key, value, shared: home, limits });
    } else if (kind === "press" || kind === "stranger" || kind === "spokenFor" || kind === "decline") {
      const one = waiting[waiting.length - 1 - (way % Math.max(1, waiting.length))];
      if (!one) continue;
      const presser = kind === "stranger" ? (PEOPLE.find((each) => each !== one.owner) ?? CEM) : one.owner;
      const action = gate.confirmations.find(one.id, one.owner as UserId, { inPerson: true }).action;
      const offered = action.kind === "remember" ? action.ways.map(({ name }) => name) : [];
      // Now and then one that was not offered.
      const chosen = (isTyped ? WAYS[way] : offered[way % offered.length]) as WayName;
      if (kind === "decline") gate.confirmations.reject(one.id, one.owner as UserId, { inPerson: true });
      else {
        const how = { inPerson: kind !== "spokenFor", way: chosen };
        const isDone = await gate.confirm(one.id, presser as UserId, how).then(
          () => true,
          () => false,
        );
        expect(isDone && kind !== "press").toBe(false);
        if (isDone) {
          pressed += 1;
          const home = chosen.startsWith("only_for_me") ? null : one.shared;
          const { owner, key: name, value, limits } = one;
          const isSame = (fact: Told) => fact.owner === owner && fact.key === name;
          const isGone = (fact: Told) =>
            isSame(fact) && (fact.home === home || (chosen.endsWith("_end_old") && fact.home !== null));
          stored.splice(0, stored.length, ...stored.filter((fact) => !isGone(fact)));
          stored.push({ owner, key: name, value, home, limits });
        }
        const isOpen = gate.confirmations
          .pending(one.owner as UserId, { inPerson: true })
          .some(({ id }) => id === one.id);
        if (isOpen) continue;
      }
      waiting.splice(waiting.indexOf(one), 1);
    } else if (kind === "forget" && open) {
      const { who: asker, read } = open;
      const outcome = await call(open.operation, "memory_write.forget_fact", { key });
      const readers = open.operation.destination.kind === "actor" ? [asker] : readersOf(open.where);
      const isNamed = (fact: Told) => fact.owner === asker && fact.key === key && mayHear(fact, [...readers, asker]);
      const found = stored.findLast(isNamed);
      expect(outcome.ok).toBe(false);
      // To name it is to have read it.
      if (found) for (const limit of limitsOf(found)) read.add(limit);
      for (const { id, action } of gate.confirmations.pending(open.who as UserId, { inPerson: true }))
        if (action.kind === "forget") gate.confirmations.reject(id, open.who as UserId, { inPerson: true });
    } else if (kind === "role") {
      if (staff.has(who)) staff.delete(who);
      else staff.add(who);
      system.join(who, staff.has(who) ? [STAFF] : []);
    } else if (kind === "hear") {
      const about = PEOPLE[named] ?? ADA;
      const operation = await system.open(who, where, { scopes: SCOPES } as never, { isPrivate }).catch(() => null);
      if (!operation) continue;
      const outcome = await call(operation, "memory_read.get_user_facts", { user: about });
      const heard = outcome.ok ? (outcome.value["facts"] as { key: string; value: string }[]) : [];
      const readers = isPrivate ? [who] : readersOf(where);
      for (const { value } of heard) {
        const fact = stored.find((one) => one.value === value);
        expect(fact, `${value} was never confirmed, or is gone`).toBeDefined();
        if (fact) expect([value, mayHear(fact, [...readers, who])]).toEqual([value, true]);
      }
      // Everything that may be heard is heard, the newest of each name.
      for (const name of KEYS) {
        const current = stored.findLast(
          (fact) => fact.owner === about && fact.key === name && mayHear(fact, [...readers, who]),
        );
        if (outcome.ok) expect(heard.find((one) => one.key === name)?.value).toBe(current?.value);
      }
    }
    expect(await listed()).toEqual(stored.map(({ owner, key: name, value }) => `${owner} ${name} ${value}`).sort());
  }
  return pressed;
}

it("a model that proposes anything stores only what the person confirms, heard only by those who may know all it rests on", async () => {
  let pressed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 60 }), async (steps) => {
      pressed += await play(steps);
    }),
    { numRuns: Number(process.env["SOAK_RUNS"] ?? 20) },
  );
  // Enough of them got as far as a fact.
  expect(pressed).toBeGreaterThan(10);
});
