import { z } from "zod";
import { idSchema } from "../domain/id-schema.ts";
import type { GuildId, RoleId } from "../domain/ids.ts";
import type { Grant, Scope, ToolFacts } from "./grant.ts";

/** A person allows a program each of these with one checkbox. */
export const ALLOWANCES = [
  "read",
  "search",
  "people",
  "private_facts",
  "direct_messages",
  "ask",
  "remember",
  "post",
] as const;

export type Allowance = (typeof ALLOWANCES)[number];

/** The scopes of each. Access to direct messages is a separate part of the grant. */
export const ALLOWED_SCOPES: Readonly<Record<Allowance, readonly Scope[]>> = {
  read: [
    "context:read_current_thread",
    "context:read_channel_recent",
    "context:read_user_recent_self",
    "context:read_user_recent_any",
    "memory:read_project",
  ],
  search: ["context:search"],
  people: ["directory:read"],
  private_facts: ["memory:read_self"],
  direct_messages: [],
  ask: ["agent:ask"],
  remember: ["memory:write_self", "memory:write_project"],
  post: ["discord:send", "discord:react"],
};

/** Parses a list of names separated by spaces, like OAuth scopes. Unknown names are ignored. */
export function readAllowances(scope: string): Allowance[] {
  const asked = scope.split(" ");
  return ALLOWANCES.filter((allowance) => asked.includes(allowance));
}

/** The scope for which a program has to ask the person again before it may use a tool; null where it lacks nothing, or `allow` does not go so far. */
export function findWiderScope(
  { scope, readsDirectMessages }: ToolFacts,
  { scopes, directMessages }: Pick<Grant, "scopes" | "directMessages">,
  allow: readonly Allowance[],
): string | null {
  const isNeeded = (one: Allowance) =>
    one === "direct_messages" ? readsDirectMessages === true : ALLOWED_SCOPES[one].includes(scope);
  const isHeld = (one: Allowance) =>
    one === "direct_messages" ? directMessages : ALLOWED_SCOPES[one].every((held) => scopes.includes(held));
  const lacked = ALLOWANCES.filter((one) => isNeeded(one) && !isHeld(one));
  if (lacked.length === 0 || !lacked.every((one) => allow.includes(one))) return null;
  return ALLOWANCES.filter((one) => isNeeded(one) || isHeld(one)).join(" ");
}

/** The host of a program on the person's own computer. */
export const LOOPBACK_PROGRAM = "loopback";

/** The rules for people who sign in programs, and the maximum permissions of those programs. */
export const signInSettingsSchema = z.strictObject({
  servers: z
    .union([z.literal("all"), z.array(idSchema<GuildId>())])
    .default("all")
    .describe("Servers whose members may sign in; a program that is signed in knows of no other server"),
  roles: z
    .array(idSchema<RoleId>())
    .default([])
    .describe("Roles of those servers, one of which is needed to sign in; none where the list is empty"),
  allow: z
    .array(z.enum(ALLOWANCES))
    .default([...ALLOWANCES])
    .describe("What people may allow their programs at most"),
  programs: z
    .union([z.literal("all"), z.array(z.string().trim().toLowerCase().min(1).max(253))])
    .default("all")
    .describe(
      `Hosts of programs that may be signed in, such as claude.ai; "${LOOPBACK_PROGRAM}" for programs on people's own computers, "cursor:" for an address of that kind`,
    ),
  longestDays: z
    .int()
    .min(1)
    .max(3_650)
    .optional()
    .describe("Days for which a program may be signed in at most; until the person ends it unless set"),
});
