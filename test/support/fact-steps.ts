import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { openSystem } from "../attack/open-system.ts";
import { createTestConsent } from "./consent.ts";
import { openMemoryIn } from "./memory.ts";
import { ADA, BO, CEM, PLACE } from "./small-world.ts";

const SCOPES = ["memory:read_self", "memory:read_project", "memory:write_self", "discord:send"];
const DAY_MS = 86_400_000;

/** `narrow`: proposed for all, and stored for its owner alone. `narrowAndEnd`: so that what was shared ends with it. */
export const FACT_STEPS = ["remember", "propose", "narrow", "narrowAndEnd", "forget", "erase", "expire"] as const;

/** Something that a person does with what is remembered about them. */
export interface FactStep {
  readonly kind: (typeof FACT_STEPS)[number];
  readonly who: string;
  readonly key: string;
  readonly isShared: boolean;
  /** All of them differ. */
  readonly value: string;
}

/** A person, a key, who hears it, a value: all that there is to a fact here. */
export type PlainFacts = readonly string[];

/** What is remembered once a step is done, where this was before. */
export function afterStep(plain: PlainFacts, { kind, who, key, isShared, value }: FactStep): PlainFacts {
  const prefix = (home: string) => `${who} ${key} ${home} `;
  const without = (...homes: string[]) => plain.filter((one) => !homes.some((home) => one.startsWith(prefix(home))));
  const home = isShared ? "org" : "private";
  const mine = (one: string) => one.startsWith(`${who} `);
  switch (kind) {
    case "remember":
    case "propose":
      return [...without(home), `${prefix(home)}${value}`].sort();
    case "narrow":
      return [...without("private"), `${prefix("private")}${value}`].sort();
    case "narrowAndEnd":
      return [...without("private", "org"), `${prefix("private")}${value}`].sort();
    case "forget":
      return plain.filter((one) => one !== plain.find(mine));
    case "erase":
      return plain.filter((one) => !mine(one));
    case "expire":
      return [];
  }
}

/** The whole system as it starts on the files of a folder, at a time. */
export async function openFacts(folder: string, ahead: number, wrap?: <Store extends object>(store: Store) => Store) {
  const consent = createTestConsent();
  const clock = { now: () => 0 };
  const { memory, close } = await openMemoryIn(folder, { consent, clock: { now: () => clock.now() } }, wrap);
  const system = openSystem({ rules: { memory: { people: "shared" } }, memory, consent });
  const own = system.ownMemory as NonNullable<typeof system.ownMemory>;
  system.clock.ahead = ahead;
  clock.now = system.clock.now;
  return {
    ...system,
    memory,
    own,
    async close() {
      await system.close();
      close();
    },
  };
}

type Facts = Awaited<ReturnType<typeof openFacts>>;

/** How much later it is for each step. */
export function timeOf({ kind }: FactStep): number {
  return kind === "expire" ? 2 * DAY_MS : 1_000;
}

/** Throws when it could not be done. */
export async function takeStep(facts: Facts, step: FactStep, plain: PlainFacts): Promise<void> {
  const { kind, key, value, isShared } = step;
  const { own, gate, memory, clock } = facts;
  const who = step.who as UserId;
  const visibility = isShared ? ("org" as const) : ("private" as const);
  if (kind === "remember") {
    const channelId = PLACE.general as ChannelId;
    const expiresAt = clock.now() + DAY_MS;
    await own.remember(who, { key, value, visibility, expiresAt, typedIn: "1", channelId });
  } else if (kind === "forget") {
    const chosen = (await own.list(who)).find(
      ({ fact }) => toLine(who, fact) === plain.find((one) => one.startsWith(who)),
    );
    if (chosen) await own.forget(who, chosen.fact.id);
  } else if (kind === "erase") await own.erase(who);
  else if (kind === "expire") await memory.sweep();
  else {
    const operation = await facts.open(who, PLACE.general, { scopes: SCOPES } as never);
    const args = { key, value, visibility: kind !== "propose" || isShared ? "server" : "private", days: 1 };
    await facts.call(operation, "memory_write.remember_fact", args);
    const [one] = gate.confirmations.pending(who, { inPerson: true });
    if (one?.action.kind !== "remember") throw new Error("nothing waits");
    const wanted = kind === "propose" ? "as_shown" : kind === "narrow" ? "only_for_me" : "only_for_me_end_old";
    // Where nothing is shared, nothing can end.
    const way = one.action.ways.some(({ name }) => name === wanted) ? wanted : "only_for_me";
    await gate.confirm(one.id, who, { inPerson: true, way });
  }
}

/** What people see of their own. */
export async function listFacts({ own }: Facts): Promise<PlainFacts> {
  const all: string[] = [];
  for (const who of [ADA, BO]) for (const { fact } of await own.list(who as UserId)) all.push(toLine(who, fact));
  return all.sort();
}

/** What somebody else hears, through the gate. */
export async function hearFacts(facts: Facts): Promise<PlainFacts> {
  const all: string[] = [];
  for (const who of [ADA, BO]) {
    const operation = await facts.open(CEM, PLACE.general, { scopes: SCOPES } as never);
    const outcome = await facts.call(operation, "memory_read.get_user_facts", { user: who });
    if (!outcome.ok) throw new Error(outcome.message);
    for (const { key, value } of outcome.value["facts"] as { key: string; value: string }[])
      all.push(`${who} ${key} org ${value}`);
  }
  return all.sort();
}

function toLine(who: string, fact: { name: string; visibility: string; value: unknown }): string {
  return `${who} ${fact.name} ${fact.visibility} ${fact.value}`;
}
