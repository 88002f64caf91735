import type { FactHome } from "../../domain/audience.ts";
import type { UserId } from "../../domain/ids.ts";
import { type Fact, toFactReading } from "../../domain/memory/fact.ts";
import type { Memory } from "../../memory/memory.ts";
import type { Discord } from "../../ports/discord.ts";
import type { StoredFact } from "../../ports/fact-store.ts";
import type { RecordKinds } from "../../ports/record-states.ts";
import type { Timelines } from "../../ports/timelines.ts";
import { areAllIn } from "../../sources/kinds/limits.ts";
import { checkBasis, currentAudiences } from "./check-basis.ts";
import type { DormantReason, OwnFact } from "./own-facts.ts";

export interface LookDeps {
  readonly memory: Memory;
  readonly timelines: Pick<Timelines, "message">;
  readonly discord: Pick<Discord, "directory" | "botId">;
  readonly records: RecordKinds;
}

/** Whether all audiences that limit a fact include this person. */
export function mayKnow(
  person: UserId,
  fact: Pick<Fact, "home" | "basis">,
  { records, discord }: Pick<LookDeps, "records" | "discord">,
): boolean {
  return areAllIn({ kind: "people", people: new Set([person]) }, currentAudiences(fact, records), discord);
}

/** Facts for a person who may decide about them: each with the reason if it is dormant, and whether they may see its value. */
export async function lookAtFacts(
  actor: UserId,
  stored: readonly StoredFact[],
  deps: LookDeps,
): Promise<readonly OwnFact[]> {
  const { memory, discord } = deps;
  const { revision } = memory;
  const facts = await memory.open(stored);
  const guildIds = new Set(facts.flatMap(({ guildId }) => guildId ?? []));
  for (const guildId of guildIds) await discord.directory.learnMember(actor, guildId).catch(() => {});
  const own: OwnFact[] = [];
  for (const fact of facts) {
    const dormant = await findDormancy(actor, fact, deps);
    const reading = { ...toFactReading(fact, revision), guildId: null, audiences: [toOwner(actor)] };
    own.push({ fact, dormant, isReadable: isReadable(actor, fact, dormant), reading });
  }
  return own;
}

async function findDormancy(actor: UserId, fact: Fact, deps: LookDeps): Promise<DormantReason> {
  const { memory, discord } = deps;
  const { directory } = discord;
  if (!memory.isConsented({ subjectId: fact.subjectId, basis: [] })) return "left_out";
  // Opt-outs are not disclosed to other people.
  if (!memory.isConsented({ subjectId: null, basis: fact.basis })) return "source_out_of_reach";
  if (!mayKnow(actor, { home: toOwner(actor), basis: fact.basis }, deps)) return "source_out_of_reach";
  if (fact.guildId !== null && !directory.member(fact.guildId, actor)) return "left_server";
  if (!mayKnow(actor, { home: fact.home, basis: [] }, deps)) return "source_out_of_reach";
  const basis = await checkBasis(fact, deps);
  if (basis === "standing") return null;
  if (basis === "restored") return basis;
  return basis === "uncertain" ? "source_uncertain" : `source_${basis}`;
}

function toOwner(id: UserId): FactHome {
  return { kind: "person", id };
}

const HIDING: readonly DormantReason[] = ["source_out_of_reach", "source_deleted", "source_uncertain"];

/** Facts that rest only on one's own words are always readable to oneself. */
function isReadable(actor: UserId, { subjectId, basis }: Fact, dormant: DormantReason): boolean {
  if (subjectId !== actor) return dormant === null;
  return !HIDING.includes(dormant) || basis.every(({ isOwn }) => isOwn);
}
