import { z } from "zod";
import { idSchema } from "../id-schema.ts";
import type { GuildId, UserId } from "../ids.ts";
import { VERIFICATIONS } from "../memory/fact.ts";

const sourceSchema = z.object({
  type: z.enum(["discord_message", "discord_channel", "discord_guild", "memory_fact", "person", "typed"]),
  ref: z.string().describe("A link to a message that the person can read now; otherwise which one, by ids"),
  own_words: z.boolean().describe("The person's own words"),
  readable: z.boolean().describe("Whether the person can read it now"),
});

/** A fact as the person whom it is about is given it. */
const factRecordSchema = z.object({
  id: z.string(),
  key: z.string(),
  readable: z.boolean().describe("False where it rests on what the person can no longer read: then `value` is null"),
  value: z.json(),
  visibility: z.enum(["private", "project", "org"]),
  audience: z
    .object({ kind: z.enum(["person", "channel", "guild"]), id: z.string() })
    .describe("For whom it is: that person, those who can read a channel, or the members of a server"),
  server_id: idSchema<GuildId>().nullable().describe("The server in which it is shared; null for a private fact"),
  verification: z.enum(VERIFICATIONS),
  confidence: z.number().min(0).max(1),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  superseded_by: z.string().nullable().describe("Id of the fact that followed it"),
  dormant: z
    .enum([
      "source_out_of_reach",
      "source_edited",
      "source_deleted",
      "source_uncertain",
      "left_out",
      "author_left_out",
      "left_server",
    ])
    .nullable()
    .describe("Why nobody hears it at the moment, or only that person; null when it is in use"),
  dormant_text: z.string().nullable().describe("The same for the person to read"),
  rests_on: z.array(sourceSchema),
});

const exportSchema = z.object({
  person_id: idSchema<UserId>(),
  exported_at: z.string(),
  facts: z.array(factRecordSchema),
});

export type FactRecord = z.output<typeof factRecordSchema>;
export type MemoryExport = z.output<typeof exportSchema>;
