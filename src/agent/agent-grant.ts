import type { Grant } from "../policy/grant.ts";
import type { Client } from "../policy/operation.ts";

const GRANT: Grant = {
  scopes: [
    "context:read_current_thread",
    "context:read_channel_recent",
    "context:read_user_recent_self",
    "context:read_user_recent_any",
    "context:search",
    "directory:read",
    "discord:send",
    "discord:react",
    "memory:read_self",
    "memory:read_project",
    "memory:write_self",
    "memory:write_project",
    "agent:ask",
  ],
  guilds: "all",
  channels: "all",
  directMessages: true,
  events: "none",
  actors: "anyone",
  answers: false,
  mentions: false,
  confined: false,
  elicitation: false,
  confirm: false,
};

/** As which the agent reaches the gate: a client like any other. */
export const AGENT: Client = { name: "agent", grant: GRANT, postsAnswers: true };

/** For somebody who presses "Ask privately": the words are another person's, so nothing may be done because of them. */
export const READ_ONLY_AGENT: Client = {
  ...AGENT,
  grant: { ...GRANT, scopes: GRANT.scopes.filter((scope) => !/^memory:write|^discord:react/.test(scope)) },
};
