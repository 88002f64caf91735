import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { type InProcess, openInProcess } from "./in-process.ts";
import { fileOf, MASK, type PlainPlace, placeOf } from "./plain-world.ts";
import { ADA, BO, CEM, GUILD, PLACE, smallWorld } from "./small-world.ts";
import { type Choose, Turns } from "./turns.ts";
import * as twists from "./twists.ts";
import { WatchedOperations } from "./watched-operations.ts";

/** What may change while a request is under way. */
export const CHANGES: Readonly<Record<string, (test: InProcess) => void>> = {
  "the actor loses a role": (test) => twists.setRoles(test, guildOf(test), { id: ADA, roles: [] }),
  "another viewer loses a role": (test) => twists.setRoles(test, guildOf(test), { id: BO, roles: [] }),
  "the source is closed to the staff": (test) =>
    twists.setOverwrite(test, at(test, PLACE.staff), { id: "2001", type: 0, allow: 0n, deny: MASK.view }),
  "the source's history is closed": (test) =>
    twists.setOverwrite(test, at(test, PLACE.staff), { id: GUILD, type: 0, allow: 0n, deny: MASK.view | MASK.read }),
  "somebody is let in at the destination": (test) =>
    twists.setOverwrite(test, at(test, PLACE.lounge), { id: CEM, type: 1, allow: MASK.view, deny: 0n }),
  "everybody sees the staff's channels": (test) => {
    const everyone = { id: GUILD, permissions: MASK.view | MASK.read | MASK.administrator };
    twists.setRole(test, guildOf(test), everyone);
  },
  "the actor leaves": (test) => twists.removeMember(test, guildOf(test), ADA),
  "somebody joins": (test) => twists.addMember(test, guildOf(test), "3100"),
  "a source is deleted": (test) => {
    const newest = test.world.messages.get(PLACE.staff)?.at(-1);
    if (newest) twists.deleteMessage(test, PLACE.staff, newest.id);
  },
  "the source's channel is deleted": (test) => twists.deletePlace(test, PLACE.staff),
  "the source's channel is deleted unheard": (test) => twists.deleteUnheard(test, at(test, PLACE.staff)),
  "the source is hidden from the bot": (test) => twists.hide(test, at(test, PLACE.staff)),
  "the destination is hidden from the bot": (test) => twists.hide(test, at(test, PLACE.lounge)),
  "somebody is added to the private thread": (test) => {
    const everyone = { id: GUILD, type: 0 as const, allow: MASK.view, deny: 0n };
    twists.setOverwrite(test, at(test, PLACE.lounge), everyone);
    twists.joinThread(test, at(test, PLACE.aside), CEM);
  },
  "the source becomes age-restricted": (test) => twists.setAge(test, at(test, PLACE.staff), true),
  "the server becomes unreachable": (test) => {
    guildOf(test).isDown = true;
    test.tell("GUILD_DELETE", { id: GUILD, unavailable: true });
  },
  "events are missed, a deletion among them": (test) => {
    twists.deleteSilently(test.world, PLACE.staff, 1);
    const span = { from: new Date(test.clock.now()).toISOString(), to: new Date(test.clock.now()).toISOString() };
    test.announce({ type: "gap", ...span, reason: "events_lost", guildIds: [GUILD as never], shard: 0 });
  },
  "the server is out of reach for a while, and something is deleted meanwhile": (test) =>
    twists.loseSight(test, guildOf(test), () => twists.deleteSilently(test.world, PLACE.staff, 1)),
};

/** Ways to read the staff's channel. */
export const READS = {
  messages: { name: "discord.channel.messages", args: { channel_id: PLACE.staff }, wantsText: true },
  fresh: { name: "discord.channel.messages", args: { channel_id: PLACE.staff, cache: false }, wantsText: false },
  search: { name: "discord.search.window", args: { channel_id: PLACE.staff, query: "tide" }, wantsText: false },
  found: { name: "search_messages", args: { query: "tide", scan: 1 }, wantsText: true },
  missed: { name: "search_messages", args: { query: "anchorage", scan: 1 }, wantsText: true },
  summary: { name: "get_channel_summary", args: { channel: PLACE.staff, timeframe: "past week" }, wantsText: true },
  window: { name: "context.window", args: { channel: PLACE.staff }, wantsText: true },
  info: { name: "discord.channel.info", args: { channel_id: PLACE.staff }, wantsText: true },
  channels: { name: "discord.guild.channels", args: { guild_id: GUILD }, wantsText: false },
  file: { name: "discord.attachment.base64", args: { url: newestFile() }, wantsText: false },
} as const;

/** Where the answer goes: a channel of the same people, a private thread there, the actor's letters; or elsewhere, when confirmed. */
export const DESTINATIONS = ["lounge", "aside", "letters", "elsewhere"] as const;

export interface Race {
  readonly read: keyof typeof READS;
  readonly destination: (typeof DESTINATIONS)[number];
  readonly changes: readonly string[];
  /** A second request of the same operation runs beside the first. */
  readonly isDoubled?: boolean;
}

export interface Outcome {
  readonly violations: readonly string[];
  readonly departures: number;
  /** Of those, how many left after a place had been deleted that was searched for them. */
  readonly departuresAfterDeletion: number;
  /** Reports of progress that were told. */
  readonly progress: number;
  readonly log: readonly string[];
}

/** Reads, and says something of it, while things change, in an order that is chosen step by step. */
export async function race(one: Race, choose: Choose): Promise<Outcome> {
  const world = smallWorld();
  const turns = new Turns(choose);
  const watched = new WatchedOperations(world, () => test.clock.now());
  let isRacing = false;
  const test: InProcess = openInProcess(world, {
    async pause(what) {
      if (!isRacing) return;
      await turns.pause(what);
      // No two things happen in the same moment.
      test.clock.ahead += 1;
    },
    onDeparture: (departure) => watched.onDeparture(departure),
    asksPeople: true,
  });
  try {
    const operation = await begin(test, one);
    isRacing = true;
    const request = () => ask(test, { one, operation, watched });
    const changes = Object.fromEntries(one.changes.map((name) => [name, async () => CHANGES[name]?.(test)]));
    await turns.run({ request, ...(one.isDoubled && { again: request }), ...changes });
    const { departures, departuresAfterDeletion, progress } = watched.counts;
    return { violations: watched.violations, departures, departuresAfterDeletion, progress, log: turns.log };
  } finally {
    await test.close();
  }
}

async function begin(test: InProcess, { destination }: Race): Promise<Operation> {
  const channelId = destination === "elsewhere" ? PLACE.staff : PLACE[destination];
  // Who is in the thread is known before.
  await test.directory.learn(ADA as never, PLACE.aside as never);
  const request = { actor: ADA, channelId } as never;
  return test.operations.open({ name: "test", grant: OPERATOR_GRANT }, request);
}

interface Asking {
  readonly one: Race;
  readonly operation: Operation;
  readonly watched: WatchedOperations;
}

async function ask(test: InProcess, { one, operation, watched }: Asking): Promise<void> {
  await watched.call(test, operation, READS[one.read]);
  const channel_id = one.destination === "elsewhere" ? PLACE.lounge : PLACE[one.destination];
  const said = await watched.call(test, operation, {
    name: "discord.send",
    args: { channel_id, text: "what was read" },
    wantsText: false,
  });
  if (!said.startsWith("confirmation_needed")) return;
  const [waiting] = test.gate.confirmations.pending();
  if (waiting) await watched.confirm(test, waiting.id, ADA);
}

function guildOf(test: InProcess) {
  const [guild] = test.world.guilds;
  if (!guild) throw new Error("there is one server");
  return guild;
}

/** Somewhere, even if it is gone: then nothing more happens to it. */
function at(test: InProcess, id: string): PlainPlace {
  return placeOf(test.world, id) ?? { id, guild: null, channel: null, thread: null, personId: null };
}

function newestFile(): string {
  const newest = smallWorld().messages.get(PLACE.staff)?.at(-1);
  return newest ? fileOf(PLACE.staff, newest).url : "";
}
