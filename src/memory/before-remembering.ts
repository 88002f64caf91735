import { EarshotError } from "../domain/errors.ts";
import { toFactId } from "../domain/memory/fact.ts";
import type { RememberRequest } from "../domain/memory/remember-request.ts";
import type { FactStore } from "../ports/fact-store.ts";

const MAX_PER_PERSON = 500;
const MAX_PER_WRITER_AND_PROJECT = 200;

/** Throws `forbidden` if there are too many facts already. Counts only the writer's own facts, which the writer could count, too. */
export async function requireRoom(
  request: Pick<RememberRequest, "scope" | "scopeId" | "subjectId" | "createdBy">,
  replaced: number,
  facts: Pick<FactStore, "count">,
): Promise<void> {
  const { scope, scopeId, subjectId, createdBy } = request;
  const refuse = (problem: string) => new EarshotError("forbidden", `${problem} already; forget some of them first.`);
  if (subjectId !== null && (await facts.count({ subjectId })) - replaced >= MAX_PER_PERSON)
    throw refuse(`There are ${MAX_PER_PERSON} facts about you`);
  if (scope === "user") return;
  if ((await facts.count({ scopeType: scope, scopeId, createdBy })) - replaced >= MAX_PER_WRITER_AND_PROJECT)
    throw refuse(`You have had ${MAX_PER_WRITER_AND_PROJECT} facts remembered there`);
}

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
