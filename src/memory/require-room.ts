import { EarshotError } from "../domain/errors.ts";
import type { RememberRequest } from "../domain/memory/remember-request.ts";
import type { FactStore } from "../ports/fact-store.ts";

const MAX_PER_PERSON = 500;
const MAX_PER_WRITER_AND_PROJECT = 200;

/** Throws `forbidden` when there are too many facts already. Counts for the writer alone, who could count them too. */
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
