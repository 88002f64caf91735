import fc from "fast-check";
import { EarshotError } from "../../src/domain/errors.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { type Change, changes, disturb, OUTAGE } from "./disturbance.ts";
import { type InProcess, openInProcess } from "./in-process.ts";
import { type Common, commonTo, happen, happenOpenly, type OpenChange, openChanges } from "./live-changes.ts";
import { copyWorld, type PlainWorld, TYPE } from "./plain-world.ts";
import { type Deed, type Given, type Names, type Step, steps, toDeed } from "./random-calls.ts";
import { communities, personId } from "./random-community.ts";
import {
  namesIn,
  type Scene,
  type SceneOptions,
  sceneOf,
  settings,
  type Visibility,
  visibilityOf,
} from "./random-scene.ts";

export interface Case {
  readonly world: PlainWorld;
  readonly setting: typeof settings extends fc.Arbitrary<infer Value> ? Value : never;
  readonly steps: readonly Step[];
  readonly changes: readonly Change[];
  readonly openChanges: readonly OpenChange[];
  readonly others: readonly OtherStep[];
}

/** What somebody else asks for meanwhile, through another client: what they are told is theirs. */
const otherStep = fc.record({ actor: fc.nat(5), step: steps(1), at: fc.nat(24), isDeep: fc.boolean() });

type OtherStep = typeof otherStep extends fc.Arbitrary<infer Value> ? Value : never;

export const cases: fc.Arbitrary<Case> = fc.record({
  world: communities,
  setting: settings,
  steps: fc.oneof({ weight: 9, arbitrary: steps(8) }, { weight: 1, arbitrary: steps(25) }),
  changes,
  openChanges,
  others: fc.array(otherStep, { maxLength: 4 }),
});

/** So that a property that compares nothing can be told from one that holds. */
export interface Tally {
  cases: number;
  calls: number;
  /** Answers that were no refusals. */
  answers: number;
  /** Messages handed out. */
  messages: number;
  departures: number;
  /** Differences between the two worlds. */
  changes: number;
}

export const emptyTally = (): Tally => ({ cases: 0, calls: 0, answers: 0, messages: 0, departures: 0, changes: 0 });

/** Plays the same steps in two worlds that differ only in what those who hear may not know. Null when all they hear is the same. */
export async function compare(one: Case, tally: Tally, options: SceneOptions = {}): Promise<string | null> {
  const scene = sceneOf(one, options);
  if (!scene) return null;
  const isVisible = visibilityOf(scene, one.steps);
  const outages = options.hasOutages ? one.changes.map((change) => ({ ...change, kind: OUTAGE })) : [];
  const { world: other, count } = disturb(one.world, [...one.changes, ...outages], { isVisible, ...scene, ...options });
  const names = namesIn([one.world, other], { scene, isVisible, options });
  const common = commonTo([one.world, other], isVisible, scene);
  const hasSameQuotas = countsOf(one.world).join() === countsOf(other).join();
  const quota = hasSameQuotas ? scene.quota : scene.quota && { ...scene.quota, totalBytes: PLENTY };
  const play = { one, scene: { ...scene, quota }, names, isVisible, options, common };
  const here = await tell(copyWorld(one.world), { ...play, live: [] }, tally);
  const there = await tell(other, { ...play, live: one.changes }, tally);
  tally.cases += 1;
  tally.changes += count;
  for (let index = 0; index < Math.max(here.length, there.length); index += 1)
    if (here[index] !== there[index]) return `${here[index]}\n  but in the other world\n${there[index]}`;
  return null;
}

/** How little is held shows how many channels there are, rounded up to a power of two: in worlds that differ in that, there is room for all. */
const PLENTY = 100_000_000;

function countsOf({ guilds }: PlainWorld): number[] {
  const rounded = (some: PlainWorld["guilds"]) => {
    // Those of an announcement channel's threads count as well.
    const room = ({ type }: { readonly type: number }) => (type === TYPE.announcement ? 2 : 1);
    const channels = some.flatMap((guild) => guild.channels).reduce((sum, one) => sum + room(one), 0);
    return 2 ** Math.ceil(Math.log2(Math.max(1, channels)));
  };
  return [rounded(guilds), rounded(guilds.filter(({ isDown }) => !isDown))];
}

interface Play {
  readonly one: Case;
  readonly scene: Scene;
  readonly names: Names;
  readonly isVisible: Visibility;
  readonly options: SceneOptions;
  readonly common: Common;
  /** What happens meanwhile out of their sight. */
  readonly live: readonly Change[];
}

/** Everything that whoever drives the calls gets to know, line by line. */
async function tell(world: PlainWorld, play: Play, tally: Tally) {
  const { one, scene, names, live, isVisible, options, common } = play;
  const { rules, members } = scene;
  const place = openInProcess(world, { rules, members, quota: scene.quota, asksPeople: true, ...options });
  const isNow = (index: number) => (change: { readonly at: number }) => change.at % one.steps.length === index;
  const hasMembers = members === "listed" || options.hasUnlistedAuthors === true;
  const lines: string[] = [];
  try {
    if (options.optsOut === "late" && scene.optedOut !== null) {
      for (const other of one.others) await askElsewhere(place, other, { scene, names });
      if (options.readsAhead) await place.readAhead();
      place.consent.set(scene.optedOut, true);
    }
    const operation = await open(place, { scene, options }, lines);
    const given: Given = { cursors: [], sent: [] };
    for (const [index, step] of operation ? one.steps.entries() : []) {
      for (const change of one.openChanges.filter(isNow(index))) happenOpenly(place, change, common);
      for (const change of live.filter(isNow(index)))
        happen(place, change, { isVisible, origin: scene.origin, hasMembers });
      // One after the other: what is at hand while two read at the same moment is a matter of time, not of what is hidden.
      for (const other of hasMembers ? one.others.filter(isNow(index)) : [])
        await askElsewhere(place, other, { scene, names });
      if (options.readsAhead) await place.readAhead();
      const isEffect = options.actsAnywhere === true && step.bound < 3;
      const deed = toDeed(isEffect ? { ...step, kind: 15 + (step.what % 3) } : step, names, given);
      if (operation && !isReaction(deed, common.silent))
        lines.push(`${JSON.stringify(deed)}: ${await perform(place, { deed, operation, given }, tally)}`);
    }
    lines.push(...place.departures.map((departure) => `left: ${JSON.stringify(departure)}`));
    tally.departures += place.departures.length;
    return lines;
  } finally {
    await place.close();
  }
}

/** Reads as somebody else, by letter, wherever they may. What they would have said or done is left out: all could see it. */
async function askElsewhere(place: InProcess, other: OtherStep, { scene, names }: Pick<Play, "scene" | "names">) {
  const { actor: index, step, isDeep } = other;
  const actor = personId(index);
  // What a large scan brings beyond what is held for everybody is free for nobody else.
  const deed = toDeed({ ...(step[0] as Step), ...(isDeep && { scan: 5_000 }) }, names, { cursors: [], sent: [] });
  if (actor === scene.actor || typeof deed === "string" || /\.(send|react|edit|delete|typing|create)$/.test(deed.name))
    return;
  try {
    const request = { actor, isPrivate: true } as never;
    const operation = await place.operations.open({ name: "other", grant: OPERATOR_GRANT }, request);
    await place.gate.callTool({ ...deed, operation });
  } catch (error) {
    singleLine(error);
  }
}

/** Who may see a message may react to it by its id, whoever wrote it. */
function isReaction(deed: Deed, messages: ReadonlySet<string>): boolean {
  return typeof deed !== "string" && deed.name === "discord.react" && messages.has(String(deed.args["message_id"]));
}

async function open(
  place: InProcess,
  { scene, options }: Pick<Play, "scene" | "options">,
  lines: string[],
): Promise<Operation | null> {
  const { actor, origin, messageId, isPrivate, worksFor, grant, purpose } = scene;
  const asked = messageId && { channelId: origin.id, messageId };
  const request = worksFor
    ? { actor, isPrivate: true, for: origin.id, purpose, ...asked }
    : { actor, channelId: origin.id, isPrivate, purpose, ...asked };
  try {
    return await place.operations.open({ name: "test", grant }, request as never);
  } catch (error) {
    // That a server of the actor's cannot be reached is for the actor to know, and only the actor's client is told what became of opening.
    lines.push(options.hasOutages ? "not opened" : singleLine(error));
    return null;
  }
}

interface Doing {
  readonly deed: Deed;
  readonly operation: Operation;
  readonly given: Given;
}

async function perform(place: InProcess, { deed, operation, given }: Doing, tally: Tally): Promise<string> {
  const heard: unknown[] = [];
  tally.calls += 1;
  try {
    if (deed === "wait") place.clock.ahead += 20_000;
    else if (deed === "narrow") place.operations.narrow(operation);
    else if (deed === "confirm") {
      const [waiting] = place.gate.confirmations.pending(operation.actor);
      if (waiting) await place.gate.confirm(waiting.id, operation.actor);
    } else {
      const answer = await place.gate.callTool({ ...deed, operation, onProgress: (progress) => heard.push(progress) });
      const { cursor, messages, hits, message_ids } = answer.value as {
        cursor?: string | null;
        message_ids?: string[];
        messages?: unknown[];
        hits?: unknown[];
      };
      if (cursor) given.cursors.push(cursor);
      for (const message_id of message_ids ?? [])
        given.sent.push({ channel: String(deed.args["channel"]), message_id });
      tally.answers += 1;
      tally.messages += (messages ?? hits)?.length ?? 0;
      heard.push(answer);
    }
  } catch (error) {
    heard.push(singleLine(error));
  }
  return JSON.stringify(heard);
}

/** Whatever a transport would pass on of an error. */
function singleLine(error: unknown): string {
  if (!(error instanceof EarshotError)) throw error;
  return JSON.stringify([error.code, error.message, error.retryAfter, error.confirmationId]);
}
