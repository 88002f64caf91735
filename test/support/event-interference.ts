import fc from "fast-check";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Client } from "../../src/policy/operation.ts";
import { describeDispatch } from "./describe-world.ts";
import { type Change, changes, disturb } from "./disturbance.ts";
import { type InProcess, openInProcess } from "./in-process.ts";
import { type Common, commonTo, happen, happenOpenly, type OpenChange, openChanges } from "./live-changes.ts";
import { BOT, copyWorld, type PlainPlace, type PlainWorld, placeOf, placesOf } from "./plain-world.ts";
import { pick } from "./random-calls.ts";
import { communities, messageId } from "./random-community.ts";
import type { Visibility } from "./random-scene.ts";
import { covers, type PlainRules, WatchedClients } from "./watched-clients.ts";

const clientSetting = fc.record({
  guilds: fc.nat(3),
  channels: fc.nat(2),
  directMessages: fc.boolean(),
  events: fc.constantFrom("all" as const, "all" as const, "addressed" as const),
  confined: fc.boolean(),
  pick: fc.nat(63),
});

export interface EventCase {
  readonly world: PlainWorld;
  readonly members: "listed" | "heard" | "asked";
  readonly clients: readonly (typeof clientSetting extends fc.Arbitrary<infer Value> ? Value : never)[];
  readonly rules: number;
  readonly pick: number;
  readonly changes: readonly Change[];
  readonly openChanges: readonly OpenChange[];
}

export const eventCases: fc.Arbitrary<EventCase> = fc.record({
  world: communities,
  members: fc.constantFrom("listed" as const, "heard" as const, "asked" as const),
  clients: fc.array(clientSetting, { minLength: 1, maxLength: 3 }),
  rules: fc.nat(6),
  pick: fc.nat(63),
  changes,
  openChanges: fc.array(openChanges, { minLength: 2, maxLength: 3 }).map((lists) => lists.flat()),
});

export interface EventTally {
  cases: number;
  /** Events that a client was told of. */
  told: number;
  /** Events that happened, in both worlds together. */
  events: number;
  changes: number;
}

export const emptyEventTally = (): EventTally => ({ cases: 0, told: 0, events: 0, changes: 0 });

const TURNS = 8;
const NOWHERE: PlainPlace = { id: "", guild: null, channel: null, thread: null, personId: null };

/**
 * Lets the same things happen in two worlds that differ only in places that no client's grant and the rules cover, and in what people say who
 * opted out. Null when each client is told the same, and of nothing that is not covered.
 */
export async function compareEvents(one: EventCase, tally: EventTally): Promise<string | null> {
  const rules = rulesOf(one);
  const clients = one.clients.map((setting, index) => clientOf(one.world, setting, index));
  const isCovered = (world: PlainWorld, id: string) => clients.some(({ grant }) => covers(grant, rules, { world, id }));
  // What happens to a channel happens to its threads.
  const isVisible: Visibility = (world, id) =>
    isCovered(world, id) || placesOf(world).some((place) => place.channel?.id === id && isCovered(world, place.id));
  const { world: other, count } = disturb(one.world, one.changes, {
    isVisible,
    origin: NOWHERE,
    actor: "",
    messageId: null,
    optedOut: null,
  });
  const common = commonTo([one.world, other], isVisible, { actor: "", optedOut: null });
  const play = { one, rules, clients, isVisible, common };
  const here = await listen(copyWorld(one.world), { ...play, isDisturbed: false }, tally);
  const there = await listen(other, { ...play, isDisturbed: true }, tally);
  tally.cases += 1;
  tally.changes += count;
  const problem = [...here.violations, ...there.violations][0];
  if (problem !== undefined) return problem;
  for (let index = 0; index < Math.max(here.lines.length, there.lines.length); index += 1)
    if (here.lines[index] !== there.lines[index])
      return `${here.lines[index]}\n  but in the other world\n${there.lines[index]}`;
  return null;
}

interface Play {
  readonly one: EventCase;
  readonly rules: PlainRules;
  readonly clients: readonly Client[];
  readonly isVisible: Visibility;
  readonly common: Common;
  readonly isDisturbed: boolean;
}

async function listen(world: PlainWorld, play: Play, tally: EventTally) {
  const { one, rules, clients, isVisible, common, isDisturbed } = play;
  const test = openInProcess(world, { rules, members: one.members });
  const watched = new WatchedClients(world, rules);
  const lines: string[] = [];
  const violations: string[] = [];
  const stop = test.discord.listen((event) => {
    tally.events += 1;
    for (const client of clients) {
      const told = test.clientEvents.toClientEvent(event, client);
      violations.push(...watched.judge(event, client, told));
      if (told) lines.push(`${client.name}: ${JSON.stringify(told)}`);
    }
  });
  for (let turn = 0; turn < TURNS; turn += 1) {
    const isNow = ({ at }: { readonly at: number }) => at % TURNS === turn;
    for (const change of one.openChanges.filter(isNow)) happenOpenly(test, change, common);
    for (const change of isDisturbed ? one.changes.filter(isNow) : []) {
      happen(test, change, { isVisible, origin: NOWHERE, hasMembers: one.members === "listed" });
      whisper(test, change, { rules, common });
    }
  }
  stop();
  await test.close();
  tally.told += lines.length;
  return { lines, violations };
}

/** Somebody who opted out says something to others, changes it, is reacted to, and takes it back. */
function whisper(test: InProcess, one: Change, { rules, common }: { rules: PlainRules; common: Common }): void {
  const [authorId] = rules.optOut?.people ?? [];
  const place = placeOf(test.world, pick(common.places, one.where));
  if (authorId === undefined || !place) return;
  const { id: channelId, guild } = place;
  const said = { authorId, edited: false, replyTo: null, file: false };
  const message = { ...said, id: messageId(700 + one.what, 1), content: "a word aside" };
  const where = { channelId, guild, message };
  if (!guild) return;
  test.tell("MESSAGE_CREATE", describeDispatch(test.world, where));
  if (one.amount > 0)
    test.tell("MESSAGE_UPDATE", describeDispatch(test.world, { ...where, message: { ...message, edited: true } }));
  const reaction = { channel_id: channelId, message_id: message.id, user_id: BOT, emoji: { name: "👍" } };
  if (one.amount > 1) test.tell("MESSAGE_REACTION_ADD", reaction);
  if (one.amount > 2) test.tell("MESSAGE_DELETE", { id: message.id, channel_id: channelId, guild_id: guild.id });
}

function clientOf(world: PlainWorld, setting: EventCase["clients"][number], index: number): Client {
  const { guilds, channels, directMessages, confined } = setting;
  const [first, second] = world.guilds.map(({ id }) => id as never);
  const ids = placesOf(world).flatMap(({ id, guild }) => (guild ? [id as never] : []));
  const some = ids.filter((_, each) => (setting.pick + each) % 3 === 0);
  const isConfined = confined && setting.events === "addressed";
  return {
    name: `client ${index}`,
    grant: {
      ...OPERATOR_GRANT,
      directMessages,
      events: setting.events,
      confined: isConfined,
      guilds: guilds === 0 ? "all" : ([[], [first], [second]][guilds - 1]?.filter((id) => id !== undefined) ?? []),
      channels: channels === 0 ? "all" : some.slice(0, channels * 2),
    },
  };
}

function rulesOf({ world, rules, pick: chosen }: EventCase): PlainRules {
  const ids = placesOf(world).flatMap(({ id, guild }) => (guild ? [id] : []));
  const people = world.guilds.flatMap(({ members }) => members.map(({ id }) => id)).filter((id) => id !== BOT);
  return {
    ...(rules === 1 && { channels: { deny: [pick(ids, chosen)] } }),
    ...(rules === 2 && { guilds: { deny: world.guilds.slice(1).map(({ id }) => id) } }),
    ...(rules === 3 && { directMessages: false }),
    ...((rules === 4 || rules === 5) && { optOut: { people: [pick(people, chosen)] } }),
    ...(rules === 6 && { optOut: { channels: [pick(ids, chosen)] } }),
  };
}
