import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { WayName } from "../../domain/memory/remember-request.ts";
import type { WireError } from "../../domain/rpc/rpc-frames.ts";
import { splitText } from "../../domain/text/split-text.ts";
import type { Gate } from "../../gate/gate.ts";
import { type Action, type Confirmation, type Deciding, isInMemory } from "../../policy/confirmations.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Discord, Note, Press } from "../../ports/discord.ts";
import type { Log } from "../../ports/log.ts";
import { describeAction, describePlace } from "../kit/describe-action.ts";
import { codeOf, explain } from "../kit/explain.ts";
import { toActionNotes, toPlaceWords } from "./action-notes.ts";
import { PersonLimit } from "./person-limit.ts";
import { toProposalNotes } from "./proposal-notes.ts";
import { type ReviewButton, readButton, toButton, toWay } from "./review-button.ts";
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
  gate(): Pick<Gate, "confirmations" | "mayReview" | "preview" | "confirm">;
  readonly clock: Clock;
  readonly log: Log;
}

/** A press comes from the person's own account. */
const IN_PERSON: Deciding = { inPerson: true };
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
const REMEMBERED = "Remembered. `/memory list` shows what is remembered about you, `/memory forget` ends it.";
const FORGOTTEN = "Forgotten. It cannot be read again, not from backups of earshot.db either.";

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
    const way = toWay(step);
    if (confirmation && step === "show") return show(press, confirmation);
    if (confirmation && step === "discard") return discard(press, confirmation);
    if (confirmation) return carryOut(press, confirmation, way);
    await press.whisper(OVER);
    if (!deciding.has(confirmationId)) await prompts.settle({ id: confirmationId, actor }, REVIEWED);
  }

  async function show(press: Press, confirmation: Confirmation): Promise<void> {
    await press.hold();
    let notes: readonly Note[] = [LATER];
    try {
      notes = await describe(confirmation);
    } finally {
      for (const note of notes) await press.whisper(note);
    }
  }

  async function carryOut(press: Press, confirmation: Confirmation, way: WayName | undefined): Promise<void> {
    const { id, operation } = confirmation;
    deciding.add(id);
    try {
      await press.replace(WORKING);
      const text = await attempt(confirmation, way);
      await Promise.all([press.replace({ text }), prompts.settle({ id, actor: operation.actor }, REVIEWED)]);
    } finally {
      deciding.delete(id);
    }
  }

  async function discard(press: Press, { id, operation }: Confirmation): Promise<void> {
    gate().confirmations.reject(id, operation.actor, IN_PERSON);
    await Promise.all([press.replace(DISCARDED), prompts.settle({ id, actor: operation.actor }, REVIEWED)]);
  }

  /** The buttons come last: nothing can be sent before all of it has been shown. */
  async function describe(confirmation: Confirmation): Promise<readonly Note[]> {
    const { id, operation, action, expiresAt } = confirmation;
    const { actor } = operation;
    // Showing it is telling, even if only the actor is told.
    const isTheirs = await gate().mayReview(id, actor, IN_PERSON);
    if (!isTheirs || !find(id, actor)) return [OVER];
    const { texts, buttons } = isInMemory(action)
      ? toProposalNotes(await gate().preview(id, actor, IN_PERSON), confirmation, discord.directory)
      : {
          texts: toActionNotes(describeAction(action, actor, discord.directory), expiresAt),
          buttons: [toButton("send", confirmation)],
        };
    const drop = toButton("discard", confirmation);
    if (!texts) return [{ text: UNREADABLE, buttons: [drop] }];
    return texts.map((text, index) => (index === texts.length - 1 ? { text, buttons: [...buttons, drop] } : { text }));
  }

  function find(id: string, actor: UserId): Confirmation | null {
    try {
      return gate().confirmations.find(id, actor, IN_PERSON);
    } catch (error) {
      if (error instanceof EarshotError && error.code === "not_found") return null;
      throw error;
    }
  }

  /** What came of it, in words. */
  async function attempt({ id, operation, action }: Confirmation, way: WayName | undefined): Promise<string> {
    try {
      await gate().confirm(id, operation.actor, { ...IN_PERSON, ...(way && { way }) });
      if (isInMemory(action)) return action.kind === "remember" ? REMEMBERED : FORGOTTEN;
      return `Done, in ${toPlaceWords(describePlace(action.channelId, operation.actor, discord.directory))}.`;
    } catch (error) {
      return describeFailure(explain(error, { log, what: "a confirmed action failed unexpectedly" }), action);
    }
  }

  return {
    ask(confirmation) {
      const { id, operation } = confirmation;
      prompts.post(confirmation, () => void gate().confirmations.find(id, operation.actor, IN_PERSON));
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
  const isWhole = action.kind !== "send" || splitText(action.text).length === 1;
  return `${isRefusal && isWhole ? "Not done." : "Not done, or not all of it."} ${message}`;
}
