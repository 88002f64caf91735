import type { Message } from "../../domain/message.ts";
import type { EditAction, SendAction } from "../../policy/action.ts";
import { listFollowed, listLinked } from "../../policy/followed-sources.ts";
import { type AnswerSource, toClientQuestion, toQuestionSource } from "../../ports/answer-store.ts";
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
    const plan = {
      questionId: toClientQuestion(toNonce(operation.id, attempt.nonceKey, 0)),
      ...{ channelId, actorId: operation.actor, operationId: operation.id, postedAt: this.#deps.clock.now() },
      sources: [...this.#sourcesOf(text), ...asked],
    };
    const followed = plan.sources.length > 0 ? this.#deps.followed?.() : undefined;
    await followed?.plan(plan);
    try {
      return await send();
    } finally {
      const ids = attempt.sent.map(({ message_id }) => message_id);
      for (const id of ids) operation.effects.noteAnswer(id);
      // Otherwise more of it may stand there than is known.
      if (!attempt.isUnknown) await followed?.note(plan, ids);
    }
  }

  async extend({ messageId, text }: EditAction): Promise<void> {
    await this.#deps.followed?.().extend(messageId, this.#sourcesOf(text));
  }

  #sourcesOf(text: string): readonly AnswerSource[] {
    const { operation } = this.#call;
    return listFollowed(operation, text, listLinked(operation, text));
  }
}
