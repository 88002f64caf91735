import { z } from "zod";
import { idSchema } from "../domain/id-schema.ts";
import type { ChannelId, GuildId, RoleId, UserId } from "../domain/ids.ts";
import { normaliseName } from "../domain/memory/fact.ts";
import { SCOPES } from "./grant.ts";
import { signInSettingsSchema } from "./sign-in-settings.ts";

const flag = z.union([z.boolean(), z.stringbool()], { error: "must be true or false" });

const days = (usual: number) => z.int().min(1).max(36_500).default(usual);
const PEOPLE_MODES = ["off", "private", "shared"] as const;

/** Lists channels; a category includes its channels, and a channel its threads. It groups and names facts, without changing their
 * audience. */
const projectSchema = z.strictObject({
  name: z.string().trim().min(1).max(100),
  guild: idSchema<GuildId>(),
  channels: z.array(idSchema<ChannelId>()).min(1),
});

/** A project has one entry, and a channel one project: otherwise the order of the entries would matter. */
function refuseAmbiguous(projects: readonly z.output<typeof projectSchema>[], context: z.RefinementCtx): void {
  const names = projects.map(({ guild, name }) => `${guild} ${normaliseName(name)}`);
  const channels = projects.flatMap((project) => project.channels);
  if (new Set(names).size < names.length)
    context.addIssue({ code: "custom", message: "two projects of a server have the same name" });
  if (new Set(channels).size < channels.length)
    context.addIssue({ code: "custom", message: "a channel belongs to one project, and one is listed twice" });
}

/** The budget of one person. Budgets are not shared: that would reveal other people's activity. */
const budget = (usual: number) =>
  z.strictObject({ actor: z.int().min(1).max(1_000_000_000).default(usual) }).prefault({});

/** The operator's rules for everyone. They only narrow: no rule overrides a client's grant or Discord's permissions. */
export const rulesSchema = z.strictObject({
  searchTools: flag.default(true).describe("Whether the search tools exist at all"),
  directMessages: flag.default(true).describe("Whether direct messages may be read and written"),
  countBots: flag.default(false).describe("Whether other bots count among those who hear what is said"),
  confinedMinutes: z
    .int()
    .min(20)
    .max(1_440)
    .default(60)
    .describe("How long what a confined client has read limits what it may say"),
  /** Names of tools or toolsets; absent: all. */
  toolsets: z.array(z.string().min(1).max(100)).optional(),
  guilds: z
    .strictObject({
      allow: z.union([z.literal("all"), z.array(idSchema<GuildId>())]).default("all"),
      deny: z.array(idSchema<GuildId>()).default([]),
    })
    .prefault({}),
  /** A thread belongs to its channel, a channel to its category. */
  channels: z
    .strictObject({
      allow: z.union([z.literal("all"), z.array(idSchema<ChannelId>())]).default("all"),
      deny: z.array(idSchema<ChannelId>()).default([]),
    })
    .prefault({}),
  /** In a server named here, people may use only the scopes of their roles there. */
  roles: z
    .array(
      z.strictObject({
        guild: idSchema<GuildId>(),
        role: z.union([z.literal("everyone"), idSchema<RoleId>()]),
        scopes: z.array(z.enum(SCOPES)),
      }),
    )
    .default([]),
  /** Channels and people whose messages are not used for anything. */
  optOut: z
    .strictObject({
      channels: z.array(idSchema<ChannelId>()).default([]),
      people: z.array(idSchema<UserId>()).default([]),
    })
    .prefault({}),
  /** Allowed facts about people: none, private ones, or also those shared with a server or channel. */
  memory: z
    .strictObject({
      people: z.enum(PEOPLE_MODES).default("private"),
      servers: z.array(z.strictObject({ guild: idSchema<GuildId>(), people: z.enum(PEOPLE_MODES) })).default([]),
      projects: z
        .array(projectSchema)
        .default([])
        .superRefine(refuseAmbiguous)
        .describe(
          "What projects are called, besides by their category: names that every member of the server may know",
        ),
      retentionDays: z
        .strictObject({ user: days(365), project: days(730), org: days(730) })
        .prefault({})
        .describe("How long facts are remembered at most, by what they are about"),
    })
    .prefault({}),
  /** Servers in which a person may choose to disclose, in their own name, content that not everyone there may read. */
  disclosure: z
    .strictObject({
      guilds: z.array(idSchema<GuildId>()).default([]).describe("Servers in which that is allowed"),
      neverFrom: z
        .array(idSchema<ChannelId>())
        .default([])
        .describe("Channels and categories of which nothing is told"),
    })
    .prefault({}),
  signIn: signInSettingsSchema.prefault({}),
  limits: z
    .strictObject({
      callsPerMinute: budget(300),
      scansPerMinute: budget(50_000),
      summariesPerHour: budget(30),
    })
    .prefault({}),
});

export type Rules = z.infer<typeof rulesSchema>;
