import { type Fact, normaliseName } from "../../domain/memory/fact.ts";
import type { ProfileValue } from "../../ports/profile-source.ts";
import type { HeardField, ProfileField } from "../../tools/view.ts";

/**
 * A profile stands before remembered facts of the same key about that person. Of these it is said only whether they say otherwise. Both are what may be heard
 * here: what is hidden replaces nothing, and is not replaced.
 */
export function preferProfile(
  fields: readonly ProfileField[],
  facts: readonly Fact[],
): { readonly fields: readonly HeardField[]; readonly facts: readonly Fact[] } {
  const isReplaced = (fact: Fact, { person, key }: ProfileField) =>
    fact.scope === "user" && fact.subjectId === person && normaliseName(fact.name) === normaliseName(key);
  return {
    fields: fields.map((field) => {
      const replaced = facts.filter((fact) => isReplaced(fact, field));
      const factsDiffer = replaced.length === 0 ? null : replaced.some(({ value }) => !isSame(value, field.value));
      return { ...field, factsDiffer };
    }),
    facts: facts.filter((fact) => !fields.some((field) => isReplaced(fact, field))),
  };
}

function isSame(remembered: unknown, value: ProfileValue): boolean {
  if (typeof remembered === "object") return false;
  return normaliseName(String(remembered)) === normaliseName(String(value));
}
