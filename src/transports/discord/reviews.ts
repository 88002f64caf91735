import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { WireError } from "../../domain/rpc/rpc-frames.ts";
import { splitText } from "../../domain/text/split-text.ts";
import type { Gate } from "../../gate/gate.ts";
import type { Action, Confirmation } from "../../policy/confirmations.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Discord, Note, Press } from "../../ports/discord.ts";
import type { Log } from "../../ports/log.ts";
import { describeAction, describePlace } from "../kit/describe-action.ts";
import { codeOf, explain } from "../kit/explain.ts";
import { toActionNotes, toPlaceWords } from "./action-notes.ts";
import { PersonLimit } from "./person-limit.ts";
import { type ReviewButton, type ReviewStep, readButton, toButton } from "./review-button.ts";
import { ReviewPrompts } from "./review-prompts.ts";

/** Asks people on Discord to confirm what would be done for them. */
export interface Reviews {
  /** Puts a button where the request was made. Never throws: who cannot be reached so may be asked in another way. */
  ask(confirmation: Confirmation): void;
  /** Hears no more presses; resolves when those under way are answered. Safe to repeat. */
  close(): Promise<void>;
}

export interface ReviewsDeps {
  readonly discord: Pick<Discord, "directory" | "send" | "edit" | "openDm" | "listenForPresses">;
  /** Not needed before something waits: the gate is made knowing whom to ask. */
  gate(): Pick<Gate, "confirmations" | "mayReview" | "confirm">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Of the presses of one person; more at once stay unanswered. */
const MAX_RUNNING = 3;

const NOT_YOURS: Note = { text: "Only the person who asked can review this." };
/** For what never was, too, and for what the actor may no longer know: they look alike. */
const OVER: Note = { text: "This has been decided or has expired." };
const WORKING: Note = { text: "One moment…" };
const DISCARDED: Note = { text: "Discarded. Nothing was done." };
const UNREADABLE =
  "**Nothing has been done, and this cannot be.** It is too long, or too full of characters that cannot be seen, to be shown whole.";
const LATER: Note = { text: "This cannot be shown at the moment; try again." };
const REVIEWED = "Reviewed.";

export function openReviews({ discord, gate, clock, log }: ReviewsDeps): Reviews {
  const prompts = new ReviewPrompts({ discord, clock, log });
  const deciding = new Set<string>();
  const running = new PersonLimit(MAX_RUNNING);

  const stopListening = discord.listenForPresses((press) => {
    const button = readButton(press.button);
    if (!button) return;
    running.tryRun(press.userId, () =>
      answer(press, button).catch((error: unknown) => {
        log.warn({ code: codeOf(error) }, "a press could not be answered");
      }),
    );
  });

  async function answer(press: Press, { step, actor, confirmationId }: ReviewButton): Promise<void> {
    if (press.userId !== actor) return press.whisper(NOT_YOURS);
    const confirmation = deciding.has(confirmationId) ? null : find(confirmationId, actor);
    if (confirmation) return steps[step](press, confirmation);
    await press.whisper(OVER);
    if (!deciding.has(confirmationId)) await prompts.settle({ id: confirmationId, actor }, REVIEWED);
  }

  const steps: Record<ReviewStep, (press: Press, confirmation: Confirmation) => Promise<void>> = {
    async show(press, confirmation) {
      await press.hold();
      let notes: readonly Note[] = [LATER];
      try {
        notes = await show(confirmation);
      } finally {
        for (const note of notes) await press.whisper(note);
      }
    },

    async send(press, confirmation) {
      const { id, operation } = confirmation;
      deciding.add(id);
      try {
        await press.replace(WORKING);
        const text = await attempt(confirmation);
        await Promise.all([press.replace({ text }), prompts.settle({ id, actor: operation.actor }, REVIEWED)]);
      } finally {
        deciding.delete(id);
      }
    },

    async discard(press, { id, operation }) {
      gate().confirmations.reject(id, operation.actor);
      await Promise.all([press.replace(DISCARDED), prompts.settle({ id, actor: operation.actor }, REVIEWED)]);
    },
  };

  /** The buttons come last: nothing can be sent before all of it has been shown. */
  async function show(confirmation: Confirmation): Promise<readonly Note[]> {
    const { id, operation } = confirmation;
    // Showing it is telling, even if only the actor is told.
    const isTheirs = await gate().mayReview(id, operation.actor);
    if (!isTheirs || !find(id, operation.actor)) return [OVER];
    const texts = toActionNotes(describeAction(confirmation, discord.directory), confirmation.expiresAt);
    if (!texts) return [{ text: UNREADABLE, buttons: [toButton("discard", confirmation)] }];
    const buttons = [toButton("send", confirmation), toButton("discard", confirmation)];
    return texts.map((text, index) => (index === texts.length - 1 ? { text, buttons } : { text }));
  }

  function find(id: string, actor: UserId): Confirmation | null {
    try {
      return gate().confirmations.find(id, actor);
    } catch (error) {
      if (error instanceof EarshotError && error.code === "not_found") return null;
      throw error;
    }
  }

  /** What came of it, in words. */
  async function attempt({ id, operation, action }: Confirmation): Promise<string> {
    try {
      await gate().confirm(id, operation.actor);
      return `Done, in ${toPlaceWords(describePlace(action.channelId, operation.actor, discord.directory))}.`;
    } catch (error) {
      return describeFailure(explain(error, { log, what: "a confirmed action failed unexpectedly" }), action);
    }
  }

  return {
    ask(confirmation) {
      const { id, operation } = confirmation;
      prompts.post(confirmation, () => void gate().confirmations.find(id, operation.actor));
    },
    async close() {
      stopListening();
      await running.settled();
      prompts.close();
    },
  };
}

/** One message that was refused has not been sent; of several some may have been. */
function describeFailure({ code, message }: WireError, action: Action): string {
  if (code === "internal") return "Something went wrong. Look whether it was done before you ask again.";
  const isRefusal = code === "forbidden" || code === "not_found";
  const isWhole = action.kind === "react" || splitText(action.text).length === 1;
  return `${isRefusal && isWhole ? "Not done." : "Not done, or not all of it."} ${message}`;
}
