import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, MessageId } from "../../domain/ids.ts";
import type { Message, MessageRef } from "../../domain/message.ts";
import { splitText } from "../../domain/text/split-text.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Button, Leaving, Note } from "../../ports/discord.ts";
import type { Label } from "../../sources/label.ts";
import type { EffectCall, EffectsDeps } from "./effect-call.ts";
import { EffectCheck } from "./effect-check.ts";
import { both, EffectRun } from "./effect-run.ts";

/** An answer to a question, which is a message or an interaction. */
interface AnswerDraft {
  readonly question: string;
  readonly channelId: ChannelId;
  readonly text: string;
  readonly replyTo?: MessageId;
  readonly buttons?: readonly Button[];
  /** Names one message of a longer answer, whose whole text this is. Different names are different messages. */
  readonly part?: string;
}

export interface AnswerLeaving {
  /** Nothing is sent after the abort. */
  readonly signal?: AbortSignal;
  /** Called right before the request is sent. An error that it throws stops the request. */
  readonly onLeave?: () => void;
}

type AnswerNote = Pick<Note, "text" | "buttons">;

/** A question that was answered before, with the label of its answer. */
export interface EarlierQuestion {
  readonly operationId: string;
  readonly label: Label;
}

/** An agent's actions on its own answers. All except `withdraw` are decided like a send, and again right before the request. */
export interface Answers {
  /**
   * Posts the answer in the operation's destination. Another attempt at the same question, even by another process, sends no second
   * message. Throws as a send does.
   */
  post(operation: Operation, draft: AnswerDraft, leaving?: AnswerLeaving): Promise<readonly Message[]>;
  /**
   * Replaces the text of one of the operation's answers. False if the message no longer exists. Throws as a send does if it is refused, and
   * `outcome_unknown` if it was sent without a reply by Discord; safe to repeat.
   */
  edit(operation: Operation, message: MessageRef, note: AnswerNote, leaving?: AnswerLeaving): Promise<boolean>;
  /** Answers a command: `deliver` sends the note, unless `recheck` throws. */
  respond<Result>(
    operation: Operation,
    note: AnswerNote,
    deliver: (note: AnswerNote, leaving: Leaving) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Whether the answer may continue from an earlier question: everyone who will read it may know all sources of the earlier answer, which
   * then count as read here, too. False if that is unknown.
   */
  continueFrom(operation: Operation, earlier: EarlierQuestion): Promise<boolean>;
  /** Shows the typing indicator in the answer's channel. */
  showTyping(operation: Operation, signal?: AbortSignal): Promise<void>;
  /** Removes an answer. The operation may be closed, because this discloses nothing. */
  withdraw(answer: MessageRef & { readonly operationId: string; readonly reason: string }): Promise<void>;
}

export interface AnswersDeps extends EffectsDeps {
  /** Throws as a sending call does before it runs. */
  openCall(operation: Operation, signal?: AbortSignal): Promise<EffectCall>;
  /** The access of the operation's readers. */
  openAccess(operation: Operation): {
    learn(id: ChannelId): Promise<void>;
    mayContinueFrom(label: Label): boolean;
  };
  /** Re-reads sources whose changes may have been missed. */
  refresh(label: Label): Promise<void>;
  readonly clock: Clock;
}

export function createAnswers(deps: AnswersDeps): Answers {
  const { discord, audit, clock, sentOnce, confirmations } = deps;

  async function open(operation: Operation, answerSignal?: AbortSignal) {
    const call = await deps.openCall(operation, answerSignal);
    const check = new EffectCheck(call, deps);
    return { check, run: new EffectRun(call, check, deps), signal: call.signal };
  }

  return {
    async post(operation, { question, channelId, text, replyTo, buttons, part }, { signal, onLeave } = {}) {
      const { check, run } = await open(operation, signal);
      const frozen = check.freeze({ channelId, text, mentions: [], ...(replyTo && { replyTo }) });
      const action = part === undefined ? frozen : { ...frozen, text: toOneMessage(frozen.text) };
      await check.authorise(action);
      check.mustBeAnswer(action);
      const key = `answer to ${question}${part === undefined ? "" : `, ${part}`}`;
      const name = { key, hash: confirmations.hash(action) };
      const style = { nonceSeed: discord.botId, isAgentAnswer: true as const, ...(buttons && { buttons }) };
      const recheck = both(
        () => check.mayLeave(action),
        () => onLeave?.(),
      );
      return sentOnce.send(operation, name, (attempt) => run.sendParts({ ...action, ...style }, attempt, recheck));
    },
    async edit(operation, message, note, { signal: answerSignal, onLeave } = {}) {
      const { check, run } = await open(operation, answerSignal);
      const frozen = check.freeze({ channelId: message.channelId, text: note.text, mentions: [] });
      const action = { kind: "edit", ...message, text: toOneMessage(frozen.text) } as const;
      await check.authorise(action);
      check.mustBeAnswer(action);
      return run.edit(action, note.buttons, () => {
        check.decide(action);
        check.mustBeAnswer(action);
        onLeave?.();
      });
    },
    async respond(operation, note, deliver) {
      const { check, run, signal } = await open(operation);
      const channelId = operation.destination.channelId ?? operation.origin.channelId;
      const { text } = check.freeze({ channelId, text: note.text, mentions: [] });
      const action = { kind: "respond", channelId, text } as const;
      await check.authorise(action);
      return run.once(action, { bytes_hash: audit.hash(text) }, (leave) => {
        const recheck = both(() => void check.decide(action), leave);
        return deliver({ ...note, text }, { recheck, signal });
      });
    },
    async continueFrom(operation, { operationId, label }) {
      const access = deps.openAccess(operation);
      try {
        await access.learn(operation.origin.channelId);
        await deps.refresh(label);
      } catch (error) {
        if (!(error instanceof EarshotError)) throw error;
        return false;
      }
      if (!access.mayContinueFrom(label)) return false;
      const now = clock.now();
      operation.label.join(label, now);
      const detail_json = JSON.stringify({ operation_id: operationId });
      audit.note({
        kind: "event",
        row: { operation_id: operation.id, name: "continued", detail_json, happened_at: now },
      });
      return true;
    },
    async showTyping(operation, answerSignal) {
      const { check, signal } = await open(operation, answerSignal);
      const { channelId } = operation.destination;
      if (operation.destination.kind !== "channel" || channelId === null) return;
      const action = { kind: "respond", channelId, text: "" } as const;
      const recheck = () => void check.decide(action);
      recheck();
      await discord.showTyping(channelId, { recheck, signal });
    },
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

/** Defanging links makes a text longer; the excess over one message is cut. */
function toOneMessage(text: string): string {
  return splitText(text)[0] ?? "";
}
