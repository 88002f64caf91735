import fc from "fast-check";
import { AGENT } from "../../src/agent/agent-grant.ts";
import { EarshotError } from "../../src/domain/errors.ts";
import { grantSchema, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Client, Operation } from "../../src/policy/operation.ts";
import { type InProcess, openInProcess } from "./in-process.ts";
import { openDocumentsIn } from "./plain-documents.ts";
import { reads, sees } from "./plain-oracle.ts";
import { copyWorld, fileOf, type PlainWorld, placesOf } from "./plain-world.ts";
import { type Call, type Given, type Names, type Step, steps, toDeed } from "./random-calls.ts";
import { communities, notableMessages, personId } from "./random-community.ts";
import { type Quota, quotas } from "./random-quota.ts";
import { OUTAGE, twist, twists } from "./twists.ts";
import { type Counts, WatchedOperations } from "./watched-operations.ts";

const opening = fc.record({
  actor: fc.nat(5),
  origin: fc.nat(63),
  isPrivate: fc.boolean(),
  hasMessage: fc.boolean(),
  /** Which client opens it. What the second reads in one operation limits what it says in the next; one may not send, and one is the agent. */
  client: fc.constantFrom(0, 0, 0, 1, 1, 1, 4, 5),
  /** The same is asked once more, in private if this is not, in the open otherwise. */
  isTwice: fc.boolean(),
});

/** A step, by one of the operations or by whoever stands by. */
const move = fc.record({
  operation: fc.nat(3),
  step: steps(1).map(([step]) => step as Step),
  /** 0: the call as it is meant. Otherwise something in it is odd. */
  oddity: fc.nat(120),
  /** Does not wait for the answer. */
  isHasty: fc.nat(3).map((value) => value === 0),
  twist: fc.option(twists, { freq: 4 }),
  confirmer: fc.nat(7),
});

export interface Trace {
  readonly world: PlainWorld;
  readonly members: "listed" | "heard" | "asked";
  readonly quota: Quota;
  /** Hardly does anything but have effects where it was asked. */
  readonly isEager: boolean;
  readonly openings: readonly (typeof opening extends fc.Arbitrary<infer Value> ? Value : never)[];
  readonly moves: readonly Move[];
}

type Move = typeof move extends fc.Arbitrary<infer Value> ? Value : never;

export const traces: fc.Arbitrary<Trace> = fc.record({
  world: communities,
  members: fc.constantFrom("listed" as const, "listed" as const, "heard" as const, "asked" as const),
  quota: quotas,
  isEager: fc.nat(2).map((value) => value === 0),
  openings: fc.array(opening, { minLength: 1, maxLength: 3 }),
  moves: fc.array(move, { minLength: 6, maxLength: 20, size: "max" }),
});

export interface TraceOptions {
  /** What changes on the way, if anything does: who may know what, or servers that cannot be reached for a while. */
  readonly twists: "none" | "rights" | "outages";
}

/** Plays a trace. Gives back what it did and everything that should not have happened. */
export async function attack(
  trace: Trace,
  { twists: wanted }: TraceOptions,
): Promise<{ violations: string[]; counts: Counts }> {
  const world = copyWorld(trace.world);
  const stops: (() => void)[] = [];
  const watched = new WatchedOperations(world, () => test.clock.now());
  const folders = await openDocumentsIn(world);
  const test: InProcess = openInProcess(world, {
    documents: folders.documents,
    members: trace.members,
    quota: trace.quota,
    onDeparture: (departure) => watched.onDeparture(departure),
    asksPeople: true,
  });
  const clients = clientsIn(world);
  try {
    const operations = await openAll(test, trace, { watched, clients });
    const names = new Map<Operation, Names>();
    // Each event is told to every client, and some of them open operations by it.
    const stop = test.discord.listen((event) => {
      for (const client of clients) {
        const operation = watched.tell(test, event, client);
        if (operation) operations.push(operation);
      }
    });
    stops.push(stop);
    const given: Given = { cursors: [], sent: [] };
    let underWay: Promise<void>[] = [];
    for (const one of operations.length > 0 ? trace.moves : []) {
      const operation = operations[one.operation % operations.length];
      const concerned = operation && {
        actor: operation.actor,
        channelId: operation.origin.channelId,
        read: [...operation.label.of("message").values()],
        searched: [...operation.label.channels],
      };
      if (wanted !== "none" && one.twist)
        twist(test, wanted === "rights" ? one.twist : { ...one.twist, kind: OUTAGE }, concerned);
      if (!operation) continue;
      const { isEager } = trace;
      const named = names.get(operation) ?? namesOf(world, operation, isEager);
      names.set(operation, named);
      underWay.push(make(test, { move: one, operation, names: named, given, watched, isEager }));
      if (one.isHasty) continue;
      await Promise.all(underWay);
      underWay = [];
    }
    await Promise.all(underWay);
    return { violations: watched.violations, counts: watched.counts };
  } finally {
    for (const stop of stops) stop();
    await test.close();
    await folders.close();
  }
}

/** One that may do everything, one that is confined and hears what addresses it, two that are granted only a part, one that may not send, and the agent. */
function clientsIn(world: PlainWorld): Client[] {
  const channels = placesOf(world).flatMap(({ id, guild }, index) => (guild && index % 2 ? [id as never] : []));
  const [guild] = world.guilds;
  const grants: Partial<Client["grant"]>[] = [
    {},
    { confined: true, events: "addressed" },
    { channels, directMessages: false },
    { guilds: guild ? [guild.id as never] : [], events: "addressed" },
    {
      scopes: OPERATOR_GRANT.scopes.filter((scope) => scope !== "discord:send"),
      confined: true,
      events: "addressed",
    },
  ];
  const clients = grants.map((grant, index) => ({
    name: `client ${index}`,
    // Only what a configuration may say.
    grant: grantSchema.parse({ ...OPERATOR_GRANT, ...grant }),
  }));
  return [...clients, AGENT];
}

async function openAll(
  test: InProcess,
  { openings }: Trace,
  { watched, clients }: { watched: WatchedOperations; clients: readonly Client[] },
): Promise<Operation[]> {
  const opened: Operation[] = [];
  const all = openings.flatMap((one) => (one.isTwice ? [one, { ...one, isPrivate: !one.isPrivate }] : [one]));
  for (const { actor: index, origin, isPrivate, hasMessage, client: which } of all) {
    const actor = personId(index);
    const places = placesOf(test.world);
    const seen = places.filter((place) => sees(place, actor) && (origin % 4 === 0 || reads(place, actor)));
    const channelId = seen[origin % Math.max(1, seen.length)]?.id;
    const own = test.world.messages.get(channelId ?? "")?.find(({ authorId }) => authorId === actor)?.id;
    const client = clients[which];
    const other = clients[which === 0 ? 1 : 0];
    if (channelId === undefined || !client || !other) continue;
    const request = { actor, channelId, isPrivate, ...(hasMessage && own && { messageId: own }) };
    try {
      const operation = await test.operations.open(client, request as never);
      opened.push(operation);
      mustNotFind(test, { operation, other }, watched);
    } catch (error) {
      if (!(error instanceof EarshotError)) throw error;
    }
  }
  return opened;
}

/** An operation's id is of no use to another client. */
function mustNotFind(
  test: InProcess,
  { operation, other }: { operation: Operation; other: Client },
  watched: WatchedOperations,
): void {
  try {
    test.operations.find(operation.id, other);
    watched.violations.push(`${other.name} may use ${operation.id}`);
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
  }
}

interface Making {
  readonly move: Move;
  readonly operation: Operation;
  readonly names: Names;
  readonly given: Given;
  readonly watched: WatchedOperations;
  readonly isEager: boolean;
}

async function make(test: InProcess, { move: one, operation, names, given, watched, isEager }: Making): Promise<void> {
  // Some moves are effects, wherever they may be tried.
  const isEffect = one.oddity > (isEager ? 30 : 100);
  const deed = toDeed(isEffect ? { ...one.step, kind: 15 + (one.oddity % 3) } : one.step, names, given);
  if (deed === "wait") test.clock.ahead += one.confirmer === 0 ? 11 * 60_000 : 30_000;
  else if (deed === "narrow") test.operations.narrow(operation);
  else if (deed === "confirm") {
    const all = test.asked;
    const asked = all[one.confirmer % Math.max(1, all.length)];
    if (!asked) return;
    const actor = one.confirmer < 6 ? asked.operation.actor : personId(one.confirmer);
    await watched.confirm(test, asked.id, actor);
    if (one.confirmer === 5) await watched.confirm(test, asked.id, actor);
  } else {
    const answer = await watched.call(test, operation, spoil(deed, one.oddity));
    const cursor = /"cursor":"([^"]+)"/.exec(answer)?.[1];
    if (cursor) given.cursors.push(cursor);
    const message_id = /"message_ids":\["(\d+)"/.exec(answer)?.[1];
    if (message_id) given.sent.push({ channel: String(deed.args["channel"]), message_id });
    const asked = test.asked.find(({ id }) => answer.startsWith("confirmation_needed") && answer.includes(id));
    if (asked && one.confirmer < 5)
      await watched.confirm(test, asked.id, one.confirmer ? operation.actor : personId(one.step.who));
  }
}

const ODDITIES: readonly unknown[] = [
  null,
  0,
  -1,
  1e21,
  "",
  "m1",
  "m99999999",
  "0123",
  "18446744073709551616",
  "x".repeat(30_000),
  [],
  ["4000"],
  {},
  { toString: "4000" },
  true,
  "4000 OR 1=1",
  "../4000",
  "\u0000",
  "\ud800",
  "4000\n",
];

/** The same call with one argument replaced by something that does not belong there. */
function spoil(call: Call, oddity: number): Call {
  const fields = Object.keys(call.args);
  if (oddity === 0 || oddity > ODDITIES.length) return call;
  const field = fields[oddity % Math.max(1, fields.length)] ?? "constructor";
  const args = { ...call.args, [field]: ODDITIES[oddity - 1] };
  return oddity === 7 ? { ...call, args: ODDITIES as never } : { ...call, args };
}

/** Everything there is, seen or not; what the actor can read, where the request was made, and the actor's own direct messages more often. */
function namesOf(world: PlainWorld, { actor, origin }: Operation, isEager: boolean): Names {
  const places = placesOf(world);
  const own = places.filter((place) => reads(place, actor));
  const ids = [...places, ...own, ...own].map(({ id }) => id);
  const said = notableMessages(world);
  const dm = world.dms.find(({ personId }) => personId === actor)?.id ?? origin.channelId;
  const targets = ids.flatMap((id, index) => [
    id,
    ...(index % 3 === 0 ? [origin.channelId] : index % 3 === 1 ? [dm] : []),
  ]);
  return {
    channels: ids,
    targets: isEager ? [origin.channelId, origin.channelId, origin.channelId, dm, ...own.map(({ id }) => id)] : targets,
    messages: said.map(({ one }) => one.id),
    people: [0, 1, 2, 3, 4, 5].map(personId),
    guilds: world.guilds.map(({ id }) => id),
    said: new Map([...world.messages].map(([id, list]) => [id, list.slice(-5).map((one) => one.id)])),
    asking: origin.messageId,
    files: said.filter(({ one }) => one.file).map(({ id, one }) => fileOf(id, one).url),
  };
}
