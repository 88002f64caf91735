import { ASKING_SCOPES, type Grant, OWN_GRANT } from "../policy/grant.ts";
import type { Client } from "../policy/operation.ts";

const GRANT: Grant = { ...OWN_GRANT, scopes: [...ASKING_SCOPES, "discord:send", "discord:react"] };

/** As which the agent reaches the gate: a client like any other. */
export const AGENT: Client = { name: "agent", grant: GRANT, postsAnswers: true };

/** For somebody who presses "Ask privately": the words are another person's, so nothing may be done because of them. */
export const READ_ONLY_AGENT: Client = {
  ...AGENT,
  grant: { ...GRANT, scopes: GRANT.scopes.filter((scope) => !/^memory:write|^discord:react/.test(scope)) },
};
