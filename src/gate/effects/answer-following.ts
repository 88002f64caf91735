import type { Message } from "../../domain/message.ts";
import type { EditAction, SendAction } from "../../policy/action.ts";
import { listFollowed, listLinked } from "../../policy/followed-sources.ts";
import { type PlannedAnswer, toClientQuestion, toQuestionSource } from "../../ports/answer-store.ts";
import type { EffectCall, EffectsDeps } from "./effect-call.ts";
import { type Attempt, toNonce } from "./effects-under-way.ts";

/** Has what a client answers follow its sources and the message that asked. */
export class AnswerFollowing {
  readonly #call: Pick<EffectCall, "operation">;
  readonly #deps: Pick<EffectsDeps, "followed" | "clock">;

  constructor(call: Pick<EffectCall, "operation">, deps: Pick<EffectsDeps, "followed" | "clock">) {
    this.#call = call;
    this.#deps = deps;
  }

  /** It is kept what the answer rests on before any of it leaves. */
  async send(
    { channelId, text, replyTo }: SendAction,
    attempt: Attempt,
    send: () => Promise<readonly Message[]>,
  ): Promise<readonly Message[]> {
    const { operation } = this.#call;
    const asked = replyTo === null ? [] : [toQuestionSource({ channelId, messageId: replyTo })];
    const planned = this.#toAnswer(toNonce(operation.id, attempt.nonceKey, 0), { channelId, text });
    const plan = { ...planned, sources: [...planned.sources, ...asked] };
    const followed = plan.sources.length > 0 ? this.#deps.followed?.() : undefined;
    await followed?.plan(plan);
    try {
      return await send();
    } finally {
      const ids = attempt.sent.map(({ message_id }) => message_id);
      for (const id of ids) operation.effects.noteAnswer(id);
      await followed?.note(plan, ids, { isWhole: !attempt.isUnknown });
    }
  }

  /** An answer that rested on nothing was not kept until now. */
  async extend({ channelId, messageId, text }: EditAction): Promise<void> {
    const answer = this.#toAnswer(messageId, { channelId, text });
    await this.#deps.followed?.().extend({ ...answer, answerId: messageId });
  }

  /** Its text is somebody's word now, and stays. */
  async release({ messageId }: EditAction): Promise<void> {
    await this.#deps.followed?.().release(messageId);
  }

  #toAnswer(sendId: string, { channelId, text }: Pick<SendAction, "channelId" | "text">): PlannedAnswer {
    const { operation } = this.#call;
    return {
      questionId: toClientQuestion(sendId),
      ...{ channelId, actorId: operation.actor, operationId: operation.id, postedAt: this.#deps.clock.now() },
      sources: listFollowed(operation, text, listLinked(operation, text)),
    };
  }
}
