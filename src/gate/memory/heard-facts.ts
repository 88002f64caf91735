import { type Fact, normaliseName, VERIFICATIONS } from "../../domain/memory/fact.ts";
import type { Memory } from "../../memory/memory.ts";
import { projectOf } from "../../policy/named-projects.ts";
import type { Rules } from "../../policy/rules.ts";
import type { Directory } from "../../ports/directory.ts";
import type { CurrentFacts } from "./current-facts.ts";

/** Of facts that were opened, those that no other replaces for who may know that one. What somebody wrote who is left out, or what is about them, replaces nothing. */
export function withoutReplaced(
  opened: readonly Fact[],
  { isReplaced }: Pick<CurrentFacts, "isReplaced">,
  memory: Pick<Memory, "isConsented">,
): readonly Fact[] {
  const ids = new Set<string>();
  return opened.filter((fact) => {
    if (isReplaced(fact, ids)) return false;
    if (memory.isConsented(fact)) ids.add(fact.id);
    return true;
  });
}

interface ProjectDeps {
  readonly rules: Rules;
  readonly directory: Pick<Directory, "channel">;
}

/** Of those of one subject and name the strongest, where the first of them stands. */
export function pickStrongest(facts: readonly Fact[], deps: ProjectDeps): readonly Fact[] {
  const picked = new Map<string, Fact>();
  for (const fact of facts) {
    const key = JSON.stringify([fact.scope, projectOf(fact, deps) ?? fact.scopeId, normaliseName(fact.name)]);
    const rival = picked.get(key);
    if (!rival || isStronger(fact, rival)) picked.set(key, fact);
  }
  return [...picked.values()];
}

function isStronger(one: Fact, other: Fact): boolean {
  const strength = ({ verification }: Fact) => VERIFICATIONS.indexOf(verification);
  return strength(one) > strength(other) || (strength(one) === strength(other) && one.createdAt > other.createdAt);
}
