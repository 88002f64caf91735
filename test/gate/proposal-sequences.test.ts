import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import type { GuildId, UserId } from "../../src/domain/ids.ts";
import { WAYS, type WayName } from "../../src/domain/memory/remember-request.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { assertUntil } from "../support/assert-until.ts";
import { describeGuild, describeMember, describeMessage } from "../support/describe-world.ts";
import { EVERYONE, limitsOf, type NaiveFact, NaiveFacts } from "../support/naive-facts.ts";
import type { PlainGuild, PlainMessage } from "../support/plain-world.ts";
import { ADA, BO, CEM, GUILD, PLACE, STAFF } from "../support/small-world.ts";
import { openWithMemory } from "../support/with-memory.ts";

const PEOPLE = [ADA, BO, CEM] as const;
const PLACES = [PLACE.general, PLACE.staff, PLACE.lounge] as const;
const KEYS = ["boat", "port", "day"] as const;
const VISIBILITIES = ["private", "channel", "server"] as const;
const SCOPES = [
  ...["memory:read_self", "memory:read_project", "memory:write_self", "memory:write_project"],
  ...["context:read_channel_recent", "context:search", "discord:send"],
];
const IN_PERSON = { inPerson: true };
const SHARD = [0, 1] as const;

/** What somebody has asked, and all that was read for it. */
interface Asked {
  readonly operation: Operation;
  readonly who: string;
  readonly where: string;
  readonly request: string;
  readonly limits: Set<string>;
  readonly messages: Set<string>;
  readonly under: Set<string>;
  /** Names of what was forgotten for it. */
  readonly forgotten: Set<string>;
}

interface Waiting extends Omit<NaiveFact, "home"> {
  readonly id: string;
  readonly shared: string | null;
}

/** Something that happens in the server, whether Earshot hears of it or not. */
const change = fc.record({
  kind: fc.constantFrom("edit", "edit", "delete", "role", "member"),
  who: fc.nat(2),
  /** Which message, the latest first. */
  message: fc.nat(5),
  words: fc.constantFrom("other", "more", "original"),
});

const step = fc.record({
  kind: fc.constantFrom(
    ...(["open", "open", "read", "read", "readFacts", "propose", "propose", "propose"] as const),
    ...(["press", "press", "press", "stranger", "spokenFor", "decline", "forget"] as const),
    ...(["change", "change", "gap", "silence", "hear", "hear"] as const),
  ),
  who: fc.nat(2),
  where: fc.nat(2),
  key: fc.nat(2),
  visibility: fc.nat(2),
  way: fc.nat(3),
  isPrivate: fc.boolean(),
  /** Whether the person types, word for word, what the model will propose. */
  isTyped: fc.boolean(),
  /** What happens. In a gap, while the connection is lost. */
  changes: fc.array(change, { minLength: 1, maxLength: 3 }),
  /** Whether Discord tells what was missed once the connection is back. Otherwise it is never heard of. */
  isResumed: fc.boolean(),
});

type Sets = [Set<string>, Set<string>, Set<string>, Set<string>];
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never;
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

async function play(steps: readonly Step[]): Promise<number> {
  /** Discord answers no question about messages. */
  let isSilent = false;
  const pause = async (what: string) => {
    if (isSilent && (what === "message" || what.startsWith("history")))
      throw new EarshotError("unavailable", "Discord does not answer.");
  };
  const system = await openWithMemory({ pause });
  const { gate, call, own, clock, world, directory } = system;
  const guild = world.guilds[0] as PlainGuild;
  const naive = new NaiveFacts();
  const originals = new Map<string, string>();
  for (const place of PLACES)
    for (const { id, content } of world.messages.get(place) ?? []) naive.messages.set(`${place}/${id}`, content);
  for (const [ref, words] of naive.messages) originals.set(ref, words);
  const waiting: Waiting[] = [];
  let open: Asked | null = null;
  let count = 0;
  let pressed = 0;

  const waitingFor = (who: string) => gate.confirmations.pending(who as UserId, IN_PERSON);
  const noteFact = (asked: Asked, fact: NaiveFact) => {
    for (const limit of limitsOf(fact)) asked.limits.add(limit);
    for (const ref of fact.messages.keys()) asked.messages.add(ref);
    for (const value of [fact.value, ...fact.under]) asked.under.add(value);
    // Then its owner alone has heard it.
    if (naive.stateOf(fact) === "edited") asked.limits.add(fact.owner);
  };
  const valuesOf = async (who: string, read: "list" | "export") =>
    (await own[read](who as UserId)).map(({ fact }) => `${who} ${fact.name} ${fact.value}`);
  const stored = async (read: "list" | "export") => {
    const all: string[] = [];
    for (const who of EVERYONE) all.push(...(await valuesOf(who, read)));
    return all.sort();
  };
  const toLines = (facts: readonly NaiveFact[]) =>
    facts.map(({ owner, key, value }) => `${owner} ${key} ${value}`).sort();

  /** Happens in the world; what the gateway would tell of it. */
  const happen = ({ kind, who: person, message: index, words }: Change): [type: string, data: object] | null => {
    const who = PEOPLE[person] ?? ADA;
    if (kind === "role" || kind === "member") {
      const isThere = naive.members.has(who);
      guild.members = guild.members.filter(({ id }) => id !== who);
      if (kind === "member" && isThere) {
        naive.members.delete(who);
        naive.staff.delete(who);
        return ["GUILD_MEMBER_REMOVE", { guild_id: GUILD, user: { id: who } }];
      }
      naive.members.add(who);
      if (kind === "role" && !naive.staff.delete(who)) naive.staff.add(who);
      const member = { id: who, bot: false, nick: `nick${who}`, roles: naive.staff.has(who) ? [STAFF] : [] };
      guild.members.push(member);
      const type = isThere ? "GUILD_MEMBER_UPDATE" : "GUILD_MEMBER_ADD";
      return [type, { guild_id: GUILD, ...describeMember(member) }];
    }
    const ref = [...naive.messages.keys()].at(-1 - index);
    if (ref === undefined) return null;
    const [channelId, id] = ref.split("/") as [string, string];
    const there = world.messages.get(channelId) ?? [];
    if (kind === "delete") {
      naive.messages.delete(ref);
      world.messages.set(
        channelId,
        there.filter((one) => one.id !== id),
      );
      return ["MESSAGE_DELETE", { id, channel_id: channelId, guild_id: GUILD }];
    }
    const original = originals.get(ref) ?? "";
    const content = words === "original" ? original : words === "more" ? `${original} indeed` : `other words ${count}`;
    naive.messages.set(ref, content);
    const position = there.findIndex((one) => one.id === id);
    const raw = { edited_timestamp: new Date(clock.now()).toISOString() };
    const message = { ...(there[position] as PlainMessage), content, raw };
    there.splice(position, 1, message);
    return ["MESSAGE_UPDATE", { ...describeMessage(world, channelId, message), guild_id: GUILD }];
  };
  /** A fact ends with the last message that it rests on, if Earshot hears of it. */
  const hearOf = async (event: [type: string, data: object] | null) => {
    if (!event) return;
    const [type, data] = event;
    system.tell(type, data);
    const { id, channel_id } = data as { id: string; channel_id: string };
    if (type !== "MESSAGE_DELETE") return;
    const restsOnNothing = ({ messages }: NaiveFact) => [...messages.keys()].every((ref) => !naive.messages.has(ref));
    const ending = naive.all.filter((fact) => fact.messages.has(`${channel_id}/${id}`) && restsOnNothing(fact));
    const isThere = async ({ owner, key, value }: NaiveFact) =>
      (await valuesOf(owner, "export")).includes(`${owner} ${key} ${value}`);
    for (const fact of ending) {
      for (let turn = 0; turn < 50 && (await isThere(fact)); turn += 1) await setImmediate();
      // Where Discord does not say whether another message is there, the fact stays, unheard.
      if (!isSilent || fact.messages.size === 1 || !(await isThere(fact))) naive.lapse(fact);
    }
  };

  for (const one of steps) {
    const { kind, key: named, visibility, way, isPrivate, isTyped, changes, isResumed } = one;
    const who = PEOPLE[one.who] ?? ADA;
    const where = PLACES[one.where] ?? PLACE.general;
    const key = KEYS[named] ?? "boat";
    clock.ahead += 1_000;
    if (kind === "open") {
      const typed = isTyped ? `remember that my ${key} is v${count + 1} please` : "please remember it";
      if (!naive.canRead(who, where)) continue;
      // Later than all others, as on Discord: a timeline knows by the id that nothing newer is missing.
      const id = system.mintMessageId();
      const message = { id, authorId: who, content: typed, edited: false, replyTo: null, file: false };
      world.messages.get(where)?.push(message);
      system.tell2("MESSAGE_CREATE", where, message);
      const request = `${where}/${id}`;
      naive.messages.set(request, typed);
      originals.set(request, typed);
      const more = { messageId: id as never, isPrivate };
      const operation = await system.open(who, where, { scopes: SCOPES } as never, more).catch(() => null);
      const [limits, messages, under, forgotten] = [1, 2, 3, 4].map(() => new Set<string>()) as Sets;
      if (operation) open = { operation, who, where, request, limits, messages, under, forgotten };
    } else if (kind === "read" && open) {
      const outcome = await call(open.operation, "discord.channel.messages", { channel_id: where });
      if (!outcome.ok) continue;
      open.limits.add(where);
      for (const { message_id } of outcome.value["messages"] as { message_id: string }[])
        open.messages.add(`${where}/${message_id}`);
    } else if (kind === "readFacts" && open) {
      const outcome = await call(open.operation, "memory_read.get_user_facts", { user: who });
      const heard = outcome.ok ? (outcome.value["facts"] as { value: string }[]) : [];
      for (const { value } of heard) noteFact(open, naive.find(value) as NaiveFact);
    } else if (kind === "propose" && open) {
      count += 1;
      const value = `v${count}`;
      const shared = VISIBILITIES[visibility] ?? "private";
      const before = waitingFor(open.who).length;
      await call(open.operation, "memory_write.remember_fact", { key, value, visibility: shared });
      const now = waitingFor(open.who);
      const isOwn = naive.messages.get(open.request)?.includes(`my ${key} is ${value} please`);
      const home = shared === "private" ? null : shared === "server" ? "server" : open.where;
      const refs = isOwn ? [open.request] : [open.request, ...open.messages];
      const messages = new Map(refs.flatMap((ref) => toEntry(ref, naive.messages.get(ref))));
      const limits = isOwn ? [] : [...open.limits, ...refs.map((ref) => ref.split("/")[0] ?? ""), open.where];
      const id = now.length > before ? now.at(-1)?.id : undefined;
      const rest = { limits: new Set(limits), messages, under: isOwn ? new Set<string>() : new Set(open.under) };
      if (id) waiting.push({ id, owner: open.who, key, value, shared: home, ...rest });
    } else if (kind === "press" || kind === "stranger" || kind === "spokenFor" || kind === "decline") {
      const chosenOne = waiting[waiting.length - 1 - (way % Math.max(1, waiting.length))];
      if (!chosenOne) continue;
      const { id, shared, ...proposed } = chosenOne;
      const { owner, messages } = proposed;
      const presser = kind === "stranger" ? (PEOPLE.find((each) => each !== owner) ?? CEM) : owner;
      const { action } = gate.confirmations.find(id, owner as UserId, IN_PERSON);
      const offered = action.kind === "remember" ? action.ways.map(({ name }) => name) : [];
      // Now and then one that was not offered.
      const chosen = (isTyped ? WAYS[way] : offered[way % offered.length]) as WayName;
      if (kind === "decline") gate.confirmations.reject(id, owner as UserId, IN_PERSON);
      else {
        const isDone = await gate.confirm(id, presser as UserId, { inPerson: kind !== "spokenFor", way: chosen }).then(
          () => true,
          () => false,
        );
        const isAsRead = [...messages].every(([ref, words]) => naive.messages.get(ref) === words);
        const isRight = kind === "press" && isAsRead && naive.members.has(owner);
        if (isDone)
          expect({ kind, isAsRead, isMember: naive.members.has(owner), isRight }).toMatchObject({ isRight: true });
        if (isDone) {
          pressed += 1;
          const home = chosen.startsWith("only_for_me") ? null : shared;
          const sameName = naive.latest.filter((fact) => fact.owner === owner && fact.key === proposed.key);
          // A correction does not fall with what it corrects.
          const corrected = sameName.filter((fact) => fact.home === home || fact.home !== null);
          const under = proposed.under.difference(new Set(corrected.map(({ value }) => value)));
          if (chosen.endsWith("_end_old")) for (const fact of corrected) if (fact.home !== home) naive.end(fact);
          naive.add({ ...proposed, under, home });
        }
        if (waitingFor(owner).some((each) => each.id === id)) continue;
      }
      waiting.splice(waiting.indexOf(chosenOne), 1);
    } else if (kind === "forget" && open) {
      const { who: asker, operation } = open;
      const outcome = await call(operation, "memory_write.forget_fact", { key });
      expect(outcome.ok).toBe(open.forgotten.has(key));
      const readers = { actor: asker, where: operation.destination.kind === "actor" ? null : open.where };
      const isFound = !outcome.ok && outcome.code === "confirmation_needed";
      const found = isFound ? naive.find(naive.hear(asker, key, readers) ?? "") : undefined;
      expect(found !== undefined).toBe(isFound);
      // To name it is to have read it.
      if (found) noteFact(open, found);
      for (const { id, action } of waitingFor(asker))
        if (action.kind === "forget") {
          // In its turn, it is forgotten.
          const isDone = isTyped && (await gate.confirm(id, asker as UserId, IN_PERSON).then(...toBoolean));
          if (isDone && found) {
            naive.end(found);
            open.forgotten.add(key);
          } else if (!isTyped) gate.confirmations.reject(id, asker as UserId, IN_PERSON);
        }
    } else if (kind === "change") {
      for (const each of changes) await hearOf(happen(each));
    } else if (kind === "gap") {
      const from = new Date(clock.now()).toISOString();
      directory.setTrusted(SHARD, false);
      const missed = changes.map(happen);
      clock.ahead += 1_000;
      const lost = await system.open(who, where, { scopes: SCOPES } as never, { isPrivate }).catch(() => null);
      expect(lost, "nobody is served in a server whose events are not heard").toBeNull();
      directory.setTrusted(SHARD, true);
      if (isResumed) for (const event of missed) await hearOf(event);
      else {
        const to = new Date(clock.now()).toISOString();
        system.announce({ type: "gap", shard: 0, from, to, reason: "resume_refused", guildIds: [GUILD as GuildId] });
        system.tell("GUILD_CREATE", describeGuild(guild, "listed"));
        const state = directory.guild(GUILD as GuildId);
        if (state) state.membersComplete = true;
      }
      clock.ahead += 1_000;
    } else if (kind === "silence") isSilent = !isSilent && isTyped;
    else if (kind === "hear") {
      const about = PEOPLE[named] ?? ADA;
      const operation = await system.open(who, where, { scopes: SCOPES } as never, { isPrivate }).catch(() => null);
      if (!operation) continue;
      const outcome = await call(operation, "memory_read.get_user_facts", { user: about });
      const heard = outcome.ok ? (outcome.value["facts"] as { key: string; value: string }[]) : [];
      const readers = { actor: who, where: isPrivate ? null : where };
      for (const name of KEYS) {
        const expected = outcome.ok ? naive.hear(about, name, readers) : undefined;
        const value = heard.find((fact) => fact.key === name)?.value;
        // What cannot be looked up again is not heard.
        if (!isSilent || value !== undefined) expect([name, value]).toEqual([name, expected]);
      }
    }
    if (!isSilent) expect(await stored("list")).toEqual(toLines(naive.latest));
  }
  expect(await stored("export")).toEqual(toLines(naive.all));
  await system.close();
  return pressed;
}

const toBoolean = [() => true, () => false] as const;

function toEntry(ref: string, words: string | undefined): [ref: string, words: string][] {
  return words === undefined ? [] : [[ref, words]];
}

it("a model that proposes anything stores only what the person confirms, heard only by those who may know all it rests on, through edits, deletions and gaps", async () => {
  let pressed = 0;
  const holds = fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 60 }), async (steps) => {
    pressed += await play(steps);
  });
  // Enough of them got as far as a fact.
  const expectEnough = () => expect(pressed).toBeGreaterThan(10);
  await assertUntil(holds, expectEnough, { numRuns: Number(process.env["SOAK_RUNS"] ?? 14) });
});
