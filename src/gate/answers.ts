import { EarshotError } from "../domain/errors.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import type { Audit } from "../policy/audit.ts";
import type { Operation } from "../policy/operation.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord, Leaving } from "../ports/discord.ts";
import type { AnswerDraft, AnswerNote, Effects } from "./effects.ts";

/** What an agent does with its own answers. All but `withdraw` is decided as a send is, and decided once more when it leaves. */
export interface Answers {
  /** Says the answer where the operation's answer is read. Throws as a send does. */
  post(operation: Operation, draft: AnswerDraft, signal?: AbortSignal): Promise<readonly Message[]>;
  /** Puts another text in the place of one of the operation's answers. */
  edit(operation: Operation, message: MessageRef, note: AnswerNote): Promise<void>;
  /** Answers a command; `deliver` hands the note over. */
  respond<Result>(
    operation: Operation,
    note: AnswerNote,
    deliver: (note: AnswerNote, leaving: Leaving) => Promise<Result>,
  ): Promise<Result>;
  showTyping(operation: Operation, signal?: AbortSignal): Promise<void>;
  /** Removes an answer. Needs no operation that is still open: less is said afterwards. */
  withdraw(answer: MessageRef & { readonly operationId: string; readonly reason: string }): Promise<void>;
}

export interface AnswersDeps {
  /** As for a call that sends; throws as such a call does before it runs. */
  effectsOf(operation: Operation, signal?: AbortSignal): Promise<Effects>;
  readonly discord: Pick<Discord, "withdraw">;
  readonly audit: Audit;
  readonly clock: Clock;
}

export function createAnswers({ effectsOf, discord, audit, clock }: AnswersDeps): Answers {
  return {
    post: async (operation, draft, signal) => (await effectsOf(operation, signal)).answer(draft),
    edit: async (operation, message, note) => (await effectsOf(operation)).edit(message, note),
    respond: async (operation, note, deliver) => (await effectsOf(operation)).respond(note, deliver),
    showTyping: async (operation, signal) => (await effectsOf(operation, signal)).showTyping(),
    async withdraw({ channelId, messageId, operationId, reason }) {
      const where = { channel_id: channelId, message_id: messageId, reason };
      const note = (name: string, more: object = {}) =>
        audit.note({
          kind: "event",
          row: {
            operation_id: operationId,
            name,
            detail_json: JSON.stringify({ ...where, ...more }),
            happened_at: clock.now(),
          },
        });
      try {
        await discord.withdraw({ channelId, messageId });
        note("withdraw_done");
      } catch (error) {
        note("withdraw_failed", { code: error instanceof EarshotError ? error.code : "internal" });
        throw error;
      }
    },
  };
}
