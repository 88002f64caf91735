import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import { splitText } from "../../domain/text/split-text.ts";
import type { DeleteAction, EditAction, SendAction } from "../../policy/action.ts";
import type { Button, Leaving, Note } from "../../ports/discord.ts";
import type { EffectAction, EffectCall, EffectsDeps } from "./effect-call.ts";
import type { EffectCheck } from "./effect-check.ts";
import { type Attempt, toNonce } from "./effects-under-way.ts";

interface SendStyle {
  /** What nonces are made of; by default the operation's id. */
  readonly nonceSeed?: string;
  readonly buttons?: readonly Button[];
  /** It follows its sources: only the agent itself changes it. */
  readonly isAgentAnswer?: true;
  /** The action that it is a part of, by which it is decided. */
  readonly partOf?: EffectAction;
}

/** Does what was decided: it is written to the audit before it happens, and decided once more when the request leaves. */
export class EffectRun {
  readonly #call: EffectCall;
  readonly #check: EffectCheck;
  readonly #deps: EffectsDeps;

  constructor(call: EffectCall, check: EffectCheck, deps: EffectsDeps) {
    this.#call = call;
    this.#check = check;
    this.#deps = deps;
  }

  /** Sends the parts that are not known to be there. One whose outcome is unknown is looked for first. */
  async sendParts(action: SendAction & SendStyle, attempt: Attempt, recheck: () => void): Promise<readonly Message[]> {
    const { operation, signal } = this.#call;
    const { audit, discord, sentOnce } = this.#deps;
    const { sent } = attempt;
    const parts = splitText(action.text);
    for (const [index, text] of parts.entries()) {
      if (index < sent.length) continue;
      if (signal?.aborted) throw cancelledAfter(sent.length);
      const mark = action.isAgentAnswer && { answer: true };
      const detail = { bytes_hash: audit.hash(text), part: index + 1, ...mark };
      const found = attempt.isUnknown
        ? await sentOnce.find({ channelId: action.channelId, text, since: attempt.since }, discord, signal)
        : null;
      attempt.isUnknown = false;
      if (found)
        this.#call.record.event("send_found", {
          channel_id: action.channelId,
          ...detail,
          message_id: found.message_id,
        });
      const draft = {
        text,
        mentions: action.mentions,
        nonce: toNonce(action.nonceSeed ?? operation.id, attempt.nonceKey, index),
        ...(action.buttons && index === parts.length - 1 && { buttons: action.buttons }),
        // Every part: what it replies to tells that it is part of an answer.
        ...(action.replyTo && { replyTo: action.replyTo }),
      };
      const send = (leave: () => void) =>
        discord.send(action.channelId, draft, { recheck: both(recheck, leave), signal });
      const message =
        found ??
        (await this.once(action, detail, send).catch((error: unknown) => {
          attempt.isUnknown = isUnknown(error);
          throw sent.length > 0 && isCancelled(error) ? cancelledAfter(sent.length) : error;
        }));
      sentOnce.note(message.message_id);
      sent.push(message);
    }
    if (this.#check.isAnswer(action)) this.#deps.holders.noteAnswered(operation);
    return [...sent];
  }

  /** False if Discord knows no such message any more. Throws `outcome_unknown` if it left and Discord did not say that it was done. */
  async edit(action: EditAction, buttons: Note["buttons"], recheck: () => void): Promise<boolean> {
    const { discord, audit } = this.#deps;
    const { text, messageId } = action;
    const note = { text, ...(buttons && { buttons }) };
    return this.once(action, { message_id: messageId, bytes_hash: audit.hash(text) }, (leave) =>
      this.#repeatable(recheck, leave, (leaving) => discord.edit(action, note, leaving)),
    );
  }

  /** As `edit`. */
  async delete(action: DeleteAction, recheck: () => void): Promise<boolean> {
    return this.once(action, { message_id: action.messageId }, (leave) =>
      this.#repeatable(recheck, leave, (leaving) => this.#deps.discord.withdraw(action, leaving)),
    );
  }

  async #repeatable(
    recheck: () => void,
    leave: () => void,
    act: (leaving: Leaving) => Promise<void>,
  ): Promise<boolean> {
    let hasLeft = false;
    const leaving = {
      signal: this.#call.signal,
      recheck() {
        hasLeft = false;
        recheck();
        leave();
        hasLeft = true;
      },
    };
    try {
      await act(leaving);
      return true;
    } catch (error) {
      if (!hasLeft || !(error instanceof EarshotError)) throw error;
      if (error.code === "not_found") return false;
      if (error.code !== "unavailable" && error.code !== "cancelled") throw error;
      const problem = "Whether the message was changed is unknown: Discord did not answer. Repeat the same call.";
      throw new EarshotError("outcome_unknown", problem, { cause: error });
    }
  }

  /** No audit, no effect. `act` calls `leave` right before the request goes to Discord. */
  async once<Result>(
    action: EffectAction & Pick<SendStyle, "partOf">,
    detail: Readonly<Record<string, unknown>>,
    act: (leave: () => void) => Promise<Result>,
  ): Promise<Result> {
    const { record } = this.#call;
    const { audit, pendingEffects } = this.#deps;
    const where = { channel_id: action.channelId, ...detail };
    const note = (outcome: string, more: object = {}) =>
      record.event(`${action.kind}_${outcome}`, { ...where, ...more });
    const effect = pendingEffects.begin((outcome) => note(outcome, { code: "unavailable" }));
    try {
      note("begun", { decision_id: this.#check.decide(action.partOf ?? action) });
      await audit.settled();
      const result = await act(() => effect.leave());
      effect.end(() => note("done", madeIn(result)));
      return result;
    } catch (error) {
      const code = error instanceof EarshotError ? error.code : "internal";
      effect.end(() => note(code === "outcome_unknown" ? code : "failed", { code }));
      throw error;
    } finally {
      // What was done cannot be undone; that it was begun is kept already.
      await audit.settled().catch(() => undefined);
    }
  }
}

/** The message that was sent, or the thread that was started. */
function madeIn(result: unknown): object {
  const { message_id, threadId } = (result ?? {}) as Partial<Pick<Message, "message_id"> & { threadId: ChannelId }>;
  return { ...(message_id && { message_id }), ...(threadId && { thread_id: threadId }) };
}

export function both(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}

export function isUnknown(error: unknown): boolean {
  return error instanceof EarshotError && error.code === "outcome_unknown";
}

function isCancelled(error: unknown): boolean {
  return error instanceof EarshotError && error.code === "cancelled";
}

function cancelledAfter(count: number): EarshotError {
  const words = `${count} ${count === 1 ? "message was" : "messages were"}`;
  return new EarshotError("cancelled", `The call was cancelled after ${words} sent; nothing further is sent.`);
}
