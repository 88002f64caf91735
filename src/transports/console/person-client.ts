import type { UserId } from "../../domain/ids.ts";
import type { Client, Operation } from "../../policy/operation.ts";
import type { Operations } from "../../policy/operations.ts";

/** As which a person's pages reach the gate: for this person alone, who alone reads the answers. It sends nothing. */
function toConsoleClient(person: UserId): Client {
  return {
    name: "console",
    grant: {
      scopes: [
        "context:read_current_thread",
        "context:read_channel_recent",
        "context:read_user_recent_self",
        "context:read_user_recent_any",
        "context:search",
        "directory:read",
        "memory:read_self",
        "memory:read_project",
        // Only proposes: what widens is confirmed in Discord.
        "memory:write_self",
        "memory:write_project",
        "agent:ask",
      ],
      guilds: "all",
      channels: "all",
      directMessages: true,
      events: "none",
      actors: [person],
      answers: false,
      mentions: false,
      confined: false,
      elicitation: false,
      confirm: false,
    },
  };
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
