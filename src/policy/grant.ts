import { z } from "zod";
import type { Channel } from "../domain/guild.ts";
import { idSchema } from "../domain/id-schema.ts";
import type { ChannelId, GuildId, UserId } from "../domain/ids.ts";

/** What a client or a person may be allowed. A scope only ever narrows: none outranks Discord's permissions. */
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
] as const;

export type Scope = (typeof SCOPES)[number];

/** What a client may do. Whatever is not said is not granted. */
export const grantSchema = z.strictObject({
  scopes: z.array(z.enum(SCOPES)).default([]),
  /** Ids of the guilds it may know of, or all that the bot is in. */
  guilds: z.union([z.literal("all"), z.array(idSchema<GuildId>())]).default([]),
  /** Narrows the guilds to some of their channels; a thread belongs to its channel. */
  channels: z.union([z.literal("all"), z.array(idSchema<ChannelId>())]).default("all"),
  /** Direct messages to the bot as well. */
  directMessages: z.boolean().default(false),
  /** Names of tools or of their first part, such as "discord"; all that its scopes allow when absent. */
  toolsets: z.array(z.string()).optional(),
  /** "addressed": what is said to the agent. "all": whatever the bot can see. */
  events: z.enum(["none", "addressed", "all"]).default("addressed"),
  /** For whom it may open operations by itself: user ids, or anyone. */
  actors: z.union([z.literal("anyone"), z.array(idSchema<UserId>())]).default([]),
  /** Whether what it sends may ping people. */
  mentions: z.boolean().default(false),
  /** What one operation read limits what the next may say. */
  confined: z.boolean().default(false),
});

export type Grant = z.infer<typeof grantSchema>;

/** Everything a program on this machine, run by the operator, may do. */
export const OPERATOR_GRANT: Grant = {
  scopes: [...SCOPES],
  guilds: "all",
  channels: "all",
  directMessages: true,
  events: "all",
  actors: "anyone",
  mentions: true,
  confined: false,
};

/** Whether the grant covers a place; a DM has no guild. */
export function covers(grant: Grant, channel: Channel | undefined): boolean {
  if (!channel) return false;
  if (channel.guildId === null) return grant.directMessages;
  if (grant.guilds !== "all" && !grant.guilds.includes(channel.guildId)) return false;
  if (grant.channels === "all") return true;
  return (
    grant.channels.includes(channel.id) ||
    (channel.thread !== null && channel.parentId !== null && grant.channels.includes(channel.parentId))
  );
}

/** Whether the grant names a tool and its scope. It only narrows: what it does not name is not granted. */
export function allowsTool(
  { scopes, toolsets }: Grant,
  tool: { readonly name: string; readonly scope: Scope },
): boolean {
  const isChosen =
    toolsets === undefined || toolsets.some((name) => tool.name === name || tool.name.startsWith(`${name}.`));
  return isChosen && scopes.includes(tool.scope);
}
