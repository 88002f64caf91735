import { z } from "zod";
import { idSchema } from "../domain/id-schema.ts";
import type { ChannelId, GuildId, UserId } from "../domain/ids.ts";

/** Permissions of clients and people. A scope only narrows: none overrides Discord's permissions. */
export const SCOPES = [
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
  "memory:admin",
  "metrics:read",
  "agent:ask",
] as const;

export type Scope = (typeof SCOPES)[number];

/** The permissions of a client. Anything not listed is not granted. */
export const grantSchema = z
  .strictObject({
    scopes: z.array(z.enum(SCOPES)).default([]),
    /** Ids of the guilds that it may know, or all of the bot's. */
    guilds: z.union([z.literal("all"), z.array(idSchema<GuildId>())]).default([]),
    /** Restricts it to some channels; a thread belongs to its channel, a channel to its category. */
    channels: z.union([z.literal("all"), z.array(idSchema<ChannelId>())]).default("all"),
    /** Includes direct messages to the bot. */
    directMessages: z.boolean().default(false),
    /** Names of tools, or their first part, such as "discord"; absent: all that its scopes allow. */
    toolsets: z.array(z.string()).optional(),
    /** "addressed": messages to the agent. "all": everything that the bot can see. */
    events: z.enum(["none", "addressed", "all"]).default("addressed"),
    /** People for whom it may open operations itself: user ids, or anyone. */
    actors: z.union([z.literal("anyone"), z.array(idSchema<UserId>())]).default([]),
    /** While connected, it answers people instead of Earshot's own agent. */
    answers: z.boolean().default(false),
    /** Whether its messages may ping people. */
    mentions: z.boolean().default(false),
    /** Sources of one operation limit the answers of later ones. */
    confined: z.boolean().default(false),
    /** Its host shows confirmations to the person, and is trusted not to answer for them (MCP only). */
    elicitation: z.boolean().default(false),
    /** It confirms agents' actions for people. Such a client is not an agent: it has no scopes and gets no events. */
    confirm: z.boolean().default(false),
  })
  .refine(({ confirm, scopes, actors }) => !confirm || (scopes.length === 0 && actors.length === 0), {
    error:
      "confirm: a client that confirms may hold no scopes and open no operations, or an agent could confirm itself",
  })
  .refine(({ answers, events }) => !answers || events !== "none", {
    error: "answers: a client that gets no events would never hear of a question",
  })
  .refine(({ confined, events }) => !confined || events !== "all", {
    error: "confined: a client that hears everything knows everything; it could say nothing anywhere",
  });

export type Grant = z.infer<typeof grantSchema> & {
  /** A program that a person signed in, which never counts as that person's own act. No configured client has it. */
  readonly signedIn?: true;
};

export const NO_GRANT: Grant = grantSchema.parse({ events: "none" });

/** The one person for whom a client opens operations; null if its grant names none, several or anyone. */
export function soleActor({ actors }: Pick<Grant, "actors">): UserId | null {
  return actors !== "anyone" && actors.length === 1 ? (actors[0] ?? null) : null;
}

/** The grant of Earshot's own clients, without scopes: they act for all people in all places, and get no events. */
export const OWN_GRANT: Omit<Grant, "scopes"> = {
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

/** The scopes of Earshot's own clients for people: asking, and proposing facts. */
export const ASKING_SCOPES: readonly Scope[] = [
  "context:read_current_thread",
  "context:read_channel_recent",
  "context:read_user_recent_self",
  "context:read_user_recent_any",
  "context:search",
  "directory:read",
  "memory:read_self",
  "memory:read_project",
  "memory:write_self",
  "memory:write_project",
  "agent:ask",
];

/** The client for programs on this machine. The name is reserved. */
export const OPERATOR = "operator";

/** The grant of the operator's programs on this machine. People's private facts are not for the operator. */
export const OPERATOR_GRANT: Grant = {
  ...OWN_GRANT,
  scopes: SCOPES.filter((scope) => scope !== "memory:read_self"),
  events: "all",
  mentions: true,
  elicitation: true,
};

/** For the operator at the keyboard, who confirms the actions of programs. */
export const CONFIRMER_GRANT: Grant = { ...OWN_GRANT, scopes: [], actors: [], confirm: true };

/** The part of a tool that policy needs. */
export interface ToolFacts {
  /** Dotted, such as `discord.channel.messages`; wires that forbid dots write `_`. */
  readonly name: string;
  readonly scope: Scope;
  /** "discord": Discord itself. "search": message search. "context": current activity. "memory": facts. */
  readonly toolset: "discord" | "search" | "context" | "memory";
  /** It reads only direct messages, so it is not offered to clients without access to those. */
  readonly readsDirectMessages?: true;
}

export const OTHERS_SCOPE: Scope = "context:read_user_recent_any";
export const OWN_SCOPE: Scope = "context:read_user_recent_self";
