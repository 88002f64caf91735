import type { UserId } from "../../domain/ids.ts";
import { type Fact, normaliseName, VERIFICATIONS } from "../../domain/memory/fact.ts";
import { isLong } from "../../domain/memory/long-list.ts";
import type { Concerned } from "../../memory/consent.ts";
import type { Memory } from "../../memory/memory.ts";
import { nameProject, projectOf } from "../../policy/named-projects.ts";
import type { Rules } from "../../policy/rules.ts";
import type { Directory } from "../../ports/directory.ts";
import { restsOnMore } from "./check-basis.ts";
import type { CurrentFacts } from "./current-facts.ts";
import { FactGroups, type LimitedFact } from "./fact-groups.ts";

/** Facts that were opened, of which none is replaced by another for those who may know that one. */
export interface OpenFacts extends Concerned {
  readonly facts: readonly Fact[];
  readonly groups: FactGroups<Fact>;
  /** Those that rest on something that has to be looked at, or come from a backup. */
  readonly resting: readonly Fact[];
  /** Who of those concerned was left out. */
  readonly leftOut: string;
}

type ConsentMemory = Pick<Memory, "isConsented" | "listLeftOut" | "isRestored">;

/** Lists that were opened are cached by the memory for as long as nothing of them changes; what is known of them goes with them. */
const known = new WeakMap<readonly Fact[], OpenFacts>();

/** Who is left out is asked each time: what they wrote, or what is about them, replaces nothing. */
export function toOpenFacts(
  opened: readonly Fact[],
  { isReplaced }: Pick<CurrentFacts, "isReplaced">,
  memory: ConsentMemory,
): OpenFacts {
  const before = known.get(opened);
  if (before && before.leftOut === toLeftOut(before, memory)) return before;
  const ids = new Set<string>();
  const facts: Fact[] = [];
  const subjects = new Set<UserId>();
  const authorMarks = new Set<string>();
  for (const fact of opened) {
    if (fact.subjectId !== null) subjects.add(fact.subjectId);
    for (const { authorMark } of fact.basis) if (authorMark !== null) authorMarks.add(authorMark);
    if (isReplaced(fact, ids)) continue;
    if (memory.isConsented(fact)) ids.add(fact.id);
    facts.push(fact);
  }
  const groups = new FactGroups(facts, { toLimited: (fact) => fact, toId: ({ id }) => id });
  const leftOut = toLeftOut({ subjects, authorMarks }, memory);
  const resting = facts.filter((fact) => restsOnMore(fact) || memory.isRestored(fact));
  const made = { facts, groups, resting, subjects, authorMarks, leftOut };
  if (isLong(opened)) known.set(opened, made);
  return made;
}

function toLeftOut(concerned: Concerned, memory: ConsentMemory): string {
  return memory.listLeftOut(concerned).join();
}

/** Those that concern somebody who is left out now. */
export function listLeftOut(open: OpenFacts, memory: ConsentMemory): readonly Fact[] {
  return memory.listLeftOut(open).length === 0 ? [] : open.facts.filter((fact) => !memory.isConsented(fact));
}

interface ProjectDeps {
  readonly rules: Rules;
  readonly directory: Pick<Directory, "channel">;
}

/** Of a list: by the names of projects that were in force. */
const strongest = new WeakMap<readonly Fact[], { readonly projects: string; readonly facts: readonly Fact[] }>();

/** Of those of one subject and name the strongest, where the first of them stands. */
export function pickStrongest(
  facts: readonly Fact[],
  samples: readonly LimitedFact[],
  deps: ProjectDeps,
): readonly Fact[] {
  const projects = JSON.stringify(
    deps.rules.memory.projects.length && samples.map(({ home }) => nameProject(home, deps)),
  );
  const before = strongest.get(facts);
  if (before?.projects === projects) return before.facts;
  const picked = new Map<string, Fact>();
  for (const fact of facts) {
    const key = JSON.stringify([fact.scope, projectOf(fact, deps) ?? fact.scopeId, nameOf(fact)]);
    const rival = picked.get(key);
    if (!rival || isStronger(fact, rival)) picked.set(key, fact);
  }
  const made = { projects, facts: [...picked.values()] };
  if (isLong(facts)) strongest.set(facts, made);
  return made.facts;
}

/** A fact never changes, and is asked about again and again; of private ones there are few in a list. */
const names = new WeakMap<Fact, string>();

function nameOf(fact: Fact): string {
  const name = names.get(fact) ?? normaliseName(fact.name);
  if (fact.guildId !== null) names.set(fact, name);
  return name;
}

function isStronger(one: Fact, other: Fact): boolean {
  const strength = ({ verification }: Fact) => VERIFICATIONS.indexOf(verification);
  return strength(one) > strength(other) || (strength(one) === strength(other) && one.createdAt > other.createdAt);
}
