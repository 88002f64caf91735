import { z } from "zod";
import { idSchema } from "../domain/id-schema.ts";
import type { ChannelId, GuildId, UserId } from "../domain/ids.ts";

/** The permissions for clients and people. A scope only ever narrows: none outranks Discord's permissions. */
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

/** The permissions of a client. Permissions that are not listed are not granted. */
export const grantSchema = z
  .strictObject({
    scopes: z.array(z.enum(SCOPES)).default([]),
    /** Ids of the guilds it may know of, or all that the bot is in. */
    guilds: z.union([z.literal("all"), z.array(idSchema<GuildId>())]).default([]),
    /** Narrows the guilds to some of their channels; a thread belongs to its channel, a channel to its category. */
    channels: z.union([z.literal("all"), z.array(idSchema<ChannelId>())]).default("all"),
    /** Direct messages to the bot as well. */
    directMessages: z.boolean().default(false),
    /** Names of tools or of their first part, such as "discord"; all that its scopes allow when absent. */
    toolsets: z.array(z.string()).optional(),
    /** "addressed": what is said to the agent. "all": whatever the bot can see. */
    events: z.enum(["none", "addressed", "all"]).default("addressed"),
    /** For whom it may open operations by itself: user ids, or anyone. */
    actors: z.union([z.literal("anyone"), z.array(idSchema<UserId>())]).default([]),
    /** Answers people who speak to the bot, instead of the agent that Earshot has itself, for as long as it is connected. */
    answers: z.boolean().default(false),
    /** Whether what it sends may ping people. */
    mentions: z.boolean().default(false),
    /** Sources of one operation limit the answers of later ones. */
    confined: z.boolean().default(false),
    /** Its host puts what needs a person's word before that person, and can be trusted not to answer for them (MCP only). */
    elicitation: z.boolean().default(false),
    /** Speaks for people who confirm what an agent is about to do. A client with this is no agent: it has no scopes and gets no events. */
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
  /** A program that a person signed in, which is never that person's own hand. No configured client has it. */
  readonly signedIn?: true;
};

/** A client with this grant may do nothing. */
export const NO_GRANT: Grant = grantSchema.parse({ events: "none" });

/** The one person for whom a client opens operations; null if its grant names none, several or anyone. */
export function soleActor({ actors }: Pick<Grant, "actors">): UserId | null {
  return actors !== "anyone" && actors.length === 1 ? (actors[0] ?? null) : null;
}

/** The grant of Earshot's own clients, beside their scopes: they act for all people in all places, and receive no events. */
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

/** The client of programs on this machine. No other may have the name. */
export const OPERATOR = "operator";

/** The grant of programs that the operator runs on this machine. Private facts of people are not for the operator. */
export const OPERATOR_GRANT: Grant = {
  ...OWN_GRANT,
  scopes: SCOPES.filter((scope) => scope !== "memory:read_self"),
  events: "all",
  mentions: true,
  elicitation: true,
};

/** For the operator's own hand at the keyboard, which confirms what programs ask for. */
export const CONFIRMER_GRANT: Grant = { ...OWN_GRANT, scopes: [], actors: [], confirm: true };

/** The part of a tool that policy decides by. */
export interface ToolFacts {
  /** Dotted, such as `discord.channel.messages`; wires that forbid dots write `_`. */
  readonly name: string;
  readonly scope: Scope;
  /** "discord": Discord itself. "search": looking for what was said. "context": what is going on. "memory": what is remembered. */
  readonly toolset: "discord" | "search" | "context" | "memory";
  /** It reads nothing but direct messages: a client that may not read those is not offered it. */
  readonly readsDirectMessages?: true;
}

export const OTHERS_SCOPE: Scope = "context:read_user_recent_any";
export const OWN_SCOPE: Scope = "context:read_user_recent_self";
