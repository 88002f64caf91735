import { normaliseName } from "./fact.ts";

const MIN_PREFIX_LENGTH = 4;

/** Facts that match the typed text: by an id, else by a name, else by the beginning of an id. */
export function matchFacts<One extends { readonly id: string; readonly name: string }>(
  typed: string,
  facts: readonly One[],
): readonly One[] {
  const exact = facts.find(({ id }) => id === typed);
  if (exact) return [exact];
  const wanted = normaliseName(typed);
  const named = facts.filter(({ name }) => normaliseName(name) === wanted);
  if (named.length > 0 || typed.length < MIN_PREFIX_LENGTH) return named;
  return facts.filter(({ id }) => id.startsWith(typed));
}
