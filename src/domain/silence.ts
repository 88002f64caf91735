import { z } from "zod";

/** Why what was said in a channel is not quoted in another, as the running program tells its operator. */
const silenceSchema = z.object({
  channel_id: z.string(),
  reason: z.enum([
    /** It may be quoted. */
    "open",
    /** The operator's rules close the channel, or leave it out. */
    "switched_off",
    "opted_out",
    "bot_cannot_read",
    "actor_cannot_read",
    "announcement",
    "age_restricted",
    /** Some people see the one and cannot read the other. */
    "people",
    /** The same channel: some people see it and cannot read its history. */
    "history",
    /** Another server, a private conversation, or one whose readers are not known. */
    "elsewhere",
  ]),
  /** How many people who can see the channel of the answer cannot read this one; null where the member list is not complete. */
  people: z.number().nullable(),
});

export type Silence = z.infer<typeof silenceSchema>;

/** Everything that keeps a person's question in a channel from being answered out of others. */
export const silencesSchema = z.object({
  /** How many people can see the channel of the answer; null where the member list is not complete. */
  viewers: z.number().nullable(),
  /** One for each channel of the server that was asked about. */
  channels: z.array(silenceSchema),
});

export type Silences = z.infer<typeof silencesSchema>;
