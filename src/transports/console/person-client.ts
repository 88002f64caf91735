import type { UserId } from "../../domain/ids.ts";
import { ASKING_SCOPES, OWN_GRANT } from "../../policy/grant.ts";
import type { Client, Operation } from "../../policy/operation.ts";
import type { Operations } from "../../policy/operations.ts";

/** As which a person's pages reach the gate: for this person alone, who alone reads the answers. It sends nothing. */
function toConsoleClient(person: UserId): Client {
  // Something to be remembered is only proposed: what widens is confirmed in Discord.
  return { name: "console", grant: { ...OWN_GRANT, scopes: [...ASKING_SCOPES], actors: [person] } };
}

/** One request of a person: a private operation of its own, which ends with it. */
export async function withinOperation<Answer>(
  person: UserId,
  operations: Pick<Operations, "open" | "close">,
  run: (operation: Operation) => Promise<Answer>,
): Promise<Answer> {
  const operation = await operations.open(toConsoleClient(person), { actor: person, isPrivate: true });
  try {
    return await run(operation);
  } finally {
    operations.close(operation);
  }
}
