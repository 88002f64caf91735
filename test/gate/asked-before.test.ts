import fc from "fast-check";
import { expect, it } from "vitest";
import type { ChannelId, GuildId, MessageId, UserId } from "../../src/domain/ids.ts";
import type { RememberRequest } from "../../src/domain/memory/remember-request.ts";
import type { openSystem } from "../attack/open-system.ts";
import { ADA, BO, CEM, GUILD, PLACE, STAFF } from "../support/small-world.ts";
import { openWithMemory, toBasis } from "../support/with-memory.ts";

const OWNER = "3000" as UserId;
const SCOPES = ["memory:read_self", "memory:read_project", "context:search"];
/** Lists of this many facts are kept, and what was made of them, too. */
const LONG = 100;

type System = ReturnType<typeof openSystem>;
type Facts = Awaited<ReturnType<typeof openWithMemory>>;

const who = fc.constantFrom(ADA, BO);
const room = fc.constantFrom(PLACE.general, PLACE.staff);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("remember" as const), who, isPrivate: fc.boolean() }) },
  fc.record({ kind: fc.constantFrom("rememberForChannel" as const, "rememberMessage" as const), who, room }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("forget" as const), who, which: fc.nat(200) }) },
  fc.record({ kind: fc.constantFrom("forgetThree" as const, "leave" as const, "join" as const), who }),
  fc.record({ kind: fc.constantFrom("leaveOut" as const, "include" as const, "erase" as const), who }),
  fc.record({ kind: fc.constantFrom("wait" as const, "sweep" as const, "delete" as const, "endByAdmin" as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

it("an agent that has asked before every change is told the same as one that asks for the first time", async () => {
  let changes = 0;
  const isRight = async (others: number, arePrivate: boolean, steps: readonly (readonly [Step, boolean])[]) => {
    const facts = await openWithMemory();
    for (let index = 0; index < others; index += 1)
      await facts.keep({ name: `other ${index}`, value: "tern", ...(arePrivate && index % 2 === 0 && PRIVATE) });
    let before = JSON.stringify(await askAll(facts));
    for (const [index, [one, isUnderWay]] of steps.entries()) {
      // Nobody can be asked about without end.
      facts.clock.ahead += 61_000;
      const asking = isUnderWay ? askAll(facts) : null;
      await take(facts, one, `heron ${index}`).catch(() => {});
      await asking;
      facts.clock.ahead += 61_000;
      const told = await askAll(facts);
      const again = facts.startAgain();
      expect({ step: one, told }).toEqual({ step: one, told: await askAll(again) });
      await again.close();
      if (JSON.stringify(told) !== before) changes += 1;
      before = JSON.stringify(told);
    }
    await facts.close();
  };
  const steps = fc.array(fc.tuple(step, fc.boolean()), { minLength: 8, maxLength: 8 });
  const property = fc.asyncProperty(fc.integer({ min: LONG - 3, max: LONG + 2 }), fc.boolean(), steps, isRight);
  await fc.assert(property, { numRuns: Number(process.env["SOAK_RUNS"] ?? 4) });
  expect(changes).toBeGreaterThan(0);
});

const PRIVATE = {
  guildId: null,
  visibility: "private",
  home: { kind: "person", id: ADA as UserId },
} as const satisfies Partial<RememberRequest>;

async function take(facts: Facts, one: Step, value: string): Promise<unknown> {
  const { own, memory, clock, keep, say, world, remove } = facts;
  const person = ("who" in one ? one.who : ADA) as UserId;
  const about = { scopeId: person, subjectId: person, createdBy: person, name: "boat", value };
  switch (one.kind) {
    case "remember": {
      const expiresAt = clock.now() + 200_000;
      return keep({ ...about, ...(one.isPrivate && { ...PRIVATE, home: { kind: "person", id: person } }), expiresAt });
    }
    case "rememberForChannel": {
      const home = { kind: "channel", id: one.room as ChannelId } as const;
      return keep({ ...about, scope: "project", scopeId: one.room, subjectId: null, visibility: "project", home });
    }
    case "rememberMessage": {
      const { id, content } = say(one.room, BO, `the boat is ${value}`);
      return keep({ ...about, basis: [toBasis({ channelId: one.room, id }, { words: content, authorId: BO })] });
    }
    case "forget": {
      const list = await own.list(person);
      const chosen = list[one.which % Math.max(1, list.length)];
      return chosen && own.forget(person, chosen.fact.id);
    }
    case "forgetThree":
      return Promise.all((await own.list(person)).slice(0, 3).map(({ fact }) => own.forget(person, fact.id)));
    case "leave":
      return facts.leave(person);
    case "join":
      return facts.join(person, [STAFF]);
    case "leaveOut":
    case "include":
      return facts.consent.set(person, one.kind === "leaveOut");
    case "erase":
      return own.erase(person);
    case "wait":
      clock.ahead += 200_000;
      return;
    case "sweep":
      return memory.sweep();
    case "delete": {
      const id = world.messages.get(PLACE.general)?.at(-1)?.id ?? "1";
      remove(PLACE.general, id);
      const gone = { channelId: PLACE.general as ChannelId, messageIds: [id as MessageId] };
      await memory.onEvent({ type: "message_delete", ...gone }, async () => false);
      // Once everything before it is done.
      return memory.forget([]);
    }
    case "endByAdmin": {
      const shared = await facts.sharedMemory?.list(OWNER, GUILD as GuildId, { offset: 0, limit: 9 });
      const last = shared?.facts.at(-1);
      return last && facts.sharedMemory?.forget(OWNER, GUILD as GuildId, last.fact.id);
    }
  }
}

/** Everything that somebody is told about Ada, Bo and their server. */
async function askAll(system: System): Promise<readonly unknown[]> {
  const ask = async (actor: string, { where = PLACE.general as string, isPrivate = false, user = "" }) => {
    const operation = await system.open(actor, where, { scopes: SCOPES } as never, { isPrivate }).catch(() => null);
    if (!operation) return null;
    const tool = user === "" ? "memory_read.get_project_facts" : "memory_read.get_user_facts";
    const outcome = await system.call(operation, tool, user === "" ? {} : { user });
    return outcome.ok ? [outcome.value["facts"], outcome.value["note"]] : outcome.code;
  };
  const search = async (actor: string) => {
    const operation = await system.open(actor, PLACE.general, { scopes: SCOPES } as never).catch(() => null);
    if (!operation) return null;
    const outcome = await system.call(operation, "memory_read.search_context", { query: "heron or tern", limit: 50 });
    return outcome.ok
      ? (outcome.value["items"] as { fact?: unknown }[]).flatMap(({ fact }) => fact ?? [])
      : outcome.code;
  };
  const { ownMemory, sharedMemory } = system;
  const exported = await ownMemory?.export(ADA as UserId);
  const shared = await sharedMemory?.list(OWNER, GUILD as GuildId, { offset: 0, limit: 500 });
  return [
    await ask(CEM, { user: ADA }),
    await ask(BO, { user: ADA, isPrivate: true }),
    await ask(ADA, { user: ADA, isPrivate: true }),
    await ask(BO, { user: BO, where: PLACE.staff }),
    await ask(CEM, {}),
    await ask(BO, { where: PLACE.staff }),
    await search(CEM),
    exported?.map(({ fact, dormant, isReadable }) => [fact, dormant, isReadable]),
    shared?.facts,
  ];
}
