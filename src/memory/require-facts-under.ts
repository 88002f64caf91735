import { EarshotError } from "../domain/errors.ts";
import { toFactId } from "../domain/memory/fact.ts";
import type { RememberRequest } from "../domain/memory/remember-request.ts";
import type { FactStore } from "../ports/fact-store.ts";

/** Throws `forbidden` when a fact that this one rests on, or confirms again, has ended: it may have while this waited for its turn. */
export async function requireFactsUnder(
  { basis, again }: Pick<RememberRequest, "basis" | "again">,
  facts: Pick<FactStore, "findByIds">,
): Promise<void> {
  const under = new Set(basis.flatMap(({ type, ref }) => (type === "memory_fact" ? toFactId(ref) : [])));
  if (again !== undefined) under.add(again);
  if (under.size > 0 && (await facts.findByIds([...under])).length < under.size)
    throw new EarshotError("forbidden", "A fact that this rests on is not remembered any more; start a new request.");
}
