import { ASKING_SCOPES, type Grant, OWN_GRANT } from "../policy/grant.ts";
import type { Client } from "../policy/operation.ts";

const GRANT: Grant = { ...OWN_GRANT, scopes: [...ASKING_SCOPES, "discord:send", "discord:react"] };

/** The agent's client for the gate, which treats it like any other. */
export const AGENT: Client = { name: "agent", grant: GRANT, postsAnswers: true };

/** For a press of "Ask privately": the text is another person's, so it may cause no effects. */
export const READ_ONLY_AGENT: Client = {
  ...AGENT,
  grant: { ...GRANT, scopes: GRANT.scopes.filter((scope) => !/^memory:write|^discord:react/.test(scope)) },
};
