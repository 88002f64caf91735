import type { APIPoll } from "discord-api-types/v10";
import type { PollRecord } from "../world/records.ts";
import { toTimestamp } from "./timestamp.ts";

export function toApiPoll(poll: PollRecord, { viewerId, now }: { viewerId: string; now: number }): APIPoll {
  const counts = poll.answers.flatMap(({ id }) => {
    const voters = poll.votes.get(id);
    return voters?.size ? [{ id, count: voters.size, me_voted: voters.has(viewerId) }] : [];
  });
  return {
    question: { text: poll.question },
    answers: poll.answers.map((answer) => ({
      answer_id: answer.id,
      poll_media: {
        text: answer.text,
        ...(answer.emoji !== undefined && { emoji: { id: null, name: answer.emoji } }),
      },
    })),
    expiry: toTimestamp(poll.expiresAt),
    allow_multiselect: poll.multiselect,
    layout_type: 1,
    results: { is_finalized: poll.finalized || poll.expiresAt <= now, answer_counts: counts },
  } as APIPoll;
}
