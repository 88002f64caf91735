import { z } from "zod";
import { idSchema } from "../id-schema.ts";
import type { ChannelId, GuildId, UserId } from "../ids.ts";
import { BASIS_TYPES, VERIFICATIONS } from "../memory/fact.ts";

const sourceSchema = z.object({
  type: z.enum(BASIS_TYPES),
  ref: z.string().describe("A link to a message that the person can read now; otherwise which one, by ids"),
  own_words: z.boolean().describe("The person's own words"),
  readable: z.boolean().describe("Whether the person can read it now"),
});

/** A fact as returned to the person whom it is about. */
export const factRecordSchema = z.object({
  id: z.string(),
  version: z.number().int().describe("The number of this version among those of the same key"),
  key: z.string(),
  readable: z.boolean().describe("False where it rests on what the person can no longer read: then `value` is null"),
  value: z.unknown().describe("Any JSON, as it was remembered"),
  visibility: z.enum(["private", "project", "org"]),
  audience: z
    .object({ kind: z.enum(["person", "channel", "guild"]), id: z.string() })
    .describe("For whom it is: that person, those who can read a channel, or the members of a server"),
  heard_by_text: z
    .string()
    .nullish()
    .describe("Who can hear it now, for the person to read; null where nobody else can, absent in an export"),
  server_id: idSchema<GuildId>().nullable().describe("The server in which it is shared; null for a private fact"),
  verification: z.enum(VERIFICATIONS),
  confidence: z.number().min(0).max(1),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  replaced: z.boolean().describe("Whether a newer version has replaced it"),
  dormant: z
    .enum([
      "source_out_of_reach",
      "source_edited",
      "restored",
      "source_deleted",
      "source_uncertain",
      "left_out",
      "left_server",
    ])
    .nullable()
    .describe("Why nobody hears it at the moment, or only that person; null when it is in use"),
  dormant_text: z.string().nullable().describe("The same for the person to read"),
  used: z
    .object({
      month: z.string().describe("The last whole month, in UTC, such as 2026-10"),
      places: z
        .array(
          z.object({
            channel_id: idSchema<ChannelId>()
              .nullable()
              .describe("A channel that the person can read now; null for all private uses together"),
            times: z.int().min(1).describe("In how many operations it was given to an agent"),
          }),
        )
        .describe("Those in which it was used"),
    })
    .nullable()
    .describe(
      "How often it was used, never by whom or when. Looking at one's own facts does not count. Null where the audit is not kept for that long, and for what was remembered since",
    ),
  used_text: z.string().nullable().describe("The same for the person to read"),
  rests_on: z.array(sourceSchema),
});

const talkSchema = z.object({
  channel_id: idSchema<ChannelId>(),
  server_id: idSchema<GuildId>().nullable().describe("Null for direct messages"),
  started_at: z.string(),
  last_at: z.string(),
  messages: z.array(
    z.object({
      ref: z.string().describe("A link to a message that the person can read now; otherwise which one, by ids"),
      by: z.enum(["person", "agent"]),
      sent_at: z.string(),
    }),
  ),
});

const exportSchema = z.object({
  person_id: idSchema<UserId>(),
  exported_at: z.string(),
  facts: z.array(factRecordSchema),
  talks: z.array(talkSchema).describe("Talks with the agent, without their words"),
});

const forgottenSchema = z.object({
  facts: z.int().min(0).describe("Facts that were forgotten, with their earlier values"),
  scrubbed: z
    .boolean()
    .describe(
      "No byte of their keys is left on the disk; otherwise that is pending, in PostgreSQL until the table of keys was rewritten and the log recycled",
    ),
});

const factId = z.string().min(1).max(128).describe("Id of a fact of that person, from `memory.list`");

const ONE_PERSON =
  "Within an operation, about its actor. For a client whose grant names that one person and nobody else; needs no scope.";
const PRIVATELY = "The operation must be private.";

/** Methods for people about their own facts. */
export const MEMORY_METHODS = {
  "memory.list": {
    about: `What is remembered about a person, the newest first, without earlier values. ${ONE_PERSON} ${PRIVATELY}`,
    input: z.strictObject({}),
    output: z.object({ facts: z.array(factRecordSchema) }),
  },
  "memory.show": {
    about: `One fact about a person. ${ONE_PERSON} ${PRIVATELY}`,
    input: z.strictObject({ fact_id: factId }),
    output: factRecordSchema,
  },
  "memory.why": {
    about: `Why a fact about a person is remembered: what it rests on, who hears it, and how often it was used in the last month, never by whom. ${ONE_PERSON} ${PRIVATELY}`,
    input: z.strictObject({ fact_id: factId }),
    output: z.object({
      fact: factRecordSchema,
      text: z.string().describe("The same for the person to read"),
    }),
  },
  "memory.export": {
    about: `Everything that is remembered about a person, with earlier values, and which talks with the agent took place. ${ONE_PERSON} ${PRIVATELY}`,
    input: z.strictObject({}),
    output: exportSchema,
  },
  "memory.forget": {
    about: `Forgets a fact about a person for good, with its earlier values. ${ONE_PERSON}`,
    input: z.strictObject({ fact_id: factId }),
    output: forgottenSchema.extend({ text: z.string().describe("The same for the person to read") }),
  },
  "memory.erase": {
    about: `Erases what is held about a person: facts, talks with the agent, actions that wait for their confirmation, held messages. ${ONE_PERSON}`,
    input: z.strictObject({
      confirm: z
        .boolean()
        .default(false)
        .describe("Whether to do it. Otherwise nothing is erased, and `text` says what would go and what would stay"),
    }),
    output: z.object({
      erased: forgottenSchema
        .extend({
          talks: z.int().min(0).describe("Talks with the agent of which it was kept that they took place"),
          confirmations: z.int().min(0).describe("Actions that waited for the person's confirmation"),
          messages: z.boolean().describe("False where held messages were erased less than ten minutes ago"),
        })
        .nullable()
        .describe("Null unless `confirm` was given"),
      text: z.string().describe("What goes and what stays, or the receipt, for the person to read"),
    }),
  },
} as const;

export type FactRecord = z.output<typeof factRecordSchema>;
export type MemoryExport = z.output<typeof exportSchema>;
export type MemoryAnswer<Name extends keyof typeof MEMORY_METHODS> = z.output<(typeof MEMORY_METHODS)[Name]["output"]>;
