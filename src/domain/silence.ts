import { z } from "zod";

/** The reason why messages of a channel are not quoted in another one, for the operator. */
const silenceSchema = z.object({
  channel_id: z.string(),
  reason: z.enum([
    /** It may be quoted. */
    "open",
    /** The operator's rules close or exclude the channel. */
    "switched_off",
    "opted_out",
    "bot_cannot_read",
    "actor_cannot_read",
    "announcement",
    "age_restricted",
    /** Some people can view the answer's channel and cannot read this one. */
    "people",
    /** The same channel: some people can view it and cannot read its history. */
    "history",
    /** Another server, a private conversation, or a channel with an unknown audience. */
    "elsewhere",
  ]),
  /** People who can view the answer's channel and cannot read this one; null if the member list is incomplete. */
  people: z.number().nullable(),
});

export type Silence = z.infer<typeof silenceSchema>;

/** All reasons that keep answers in a channel from using other channels. */
export const silencesSchema = z.object({
  /** People who can view the answer's channel; null if the member list is incomplete. */
  viewers: z.number().nullable(),
  /** One for each requested channel of the server. */
  channels: z.array(silenceSchema),
});

export type Silences = z.infer<typeof silencesSchema>;
