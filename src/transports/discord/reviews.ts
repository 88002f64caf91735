import { EarshotError } from "../../domain/errors.ts";
import type { MessageId, UserId } from "../../domain/ids.ts";
import type { WayName } from "../../domain/memory/remember-request.ts";
import { toReviewPrompt } from "../../domain/review-prompt.ts";
import type { WireError } from "../../domain/rpc/rpc-frames.ts";
import { toMessageLink } from "../../domain/text/message-link.ts";
import { splitText } from "../../domain/text/split-text.ts";
import { STILL_KNOWS } from "../../domain/text/still-knows.ts";
import type { ReviewPrompts } from "../../gate/effects/review-prompts.ts";
import type { Gate } from "../../gate/gate.ts";
import { type Action, isInMemory } from "../../policy/action.ts";
import type { AskedIn, Confirmation, Deciding } from "../../policy/confirmations.ts";
import type { Discord, Note, Press } from "../../ports/discord.ts";
import type { Log } from "../../ports/log.ts";
import {
  type ActionDescription,
  type ActionPlace,
  describeAction,
  describePlace,
  toDisclosureLines,
} from "../kit/describe-action.ts";
import { toStartOverLines } from "../kit/describe-start-over.ts";
import { codeOf, explain } from "../kit/explain.ts";
import { packBlocks } from "./pack-blocks.ts";
import { PersonLimit } from "./person-limit.ts";
import { toDiscordWords, toProposalNotes } from "./proposal-notes.ts";
import { REVIEW_BUTTONS, type ReviewButton, readButton, toButton, toWay } from "./review-button.ts";

export interface ReviewsDeps {
  readonly discord: Pick<Discord, "directory" | "listenForPresses">;
  /** A function, because the gate is created with this object. */
  core(): {
    readonly gate: Pick<Gate, "confirmations" | "mayReview" | "preview" | "confirm">;
    readonly prompts: ReviewPrompts;
  };
  readonly log: Log;
}

/** A press comes from the person's own account. */
const IN_PERSON: Deciding = { inPerson: true };
/** Maximum concurrent presses per person; further ones are not answered. */
const MAX_RUNNING = 3;
/** Actions shown per press. */
const MAX_SHOWN = 5;
/** In the list of pending actions: fills two rows of buttons. */
const MAX_LISTED = 10;

const NOT_YOURS: Note = { text: "Only the person who asked can review this." };
/** Also for unknown ids, and for actions that the actor may no longer know: they look alike. */
const OVER: Note = { text: "This has been decided or has expired." };
const WORKING: Note = { text: "One moment…" };
const DISCARDED: Note = { text: "Discarded. Nothing was done." };
const UNREADABLE =
  "**Nothing has been done, and this cannot be.** It is too long, or too full of characters that cannot be seen, to be shown whole.";
const LATER: Note = { text: "This cannot be shown at the moment; try again." };
const NOTHING_WAITS: Note = { text: "Nothing waits for your review. To ask me something, fill in `question`." };
const REMEMBERED = "Remembered. `/memory list` shows what is remembered about you, `/memory forget` ends it.";
const STARTED_OVER = "You have started over. The program goes on asking you before every post.";
const FORGOTTEN = "Forgotten. It cannot be read again.";

/** Asks people in Discord to confirm pending actions. */
export class Reviews {
  readonly #deps: ReviewsDeps;
  readonly #deciding = new Set<string>();
  readonly #running = new PersonLimit(MAX_RUNNING);
  readonly #stopListening: () => void;

  constructor(deps: ReviewsDeps) {
    this.#deps = deps;
    this.#stopListening = deps.discord.listenForPresses(REVIEW_BUTTONS, (press) => {
      const button = readButton(press.button);
      if (!button) return;
      this.#running.tryRun(press.userId, () =>
        this.#answer(press, button).catch((error: unknown) => {
          deps.log.warn({ code: codeOf(error) }, "a press could not be answered");
        }),
      );
    });
  }

  /** Posts a button in the channel of the request, or in the person's DM. Never throws. */
  async ask(confirmation: Confirmation): Promise<AskedIn> {
    const { log } = this.#deps;
    const { id: operation, actor } = confirmation.operation;
    const text = toReviewPrompt(actor);
    try {
      const asked = await this.#core.prompts.ask(confirmation, { text, buttons: [toButton("show", confirmation)] });
      if (asked === "nowhere") log.info({ operation }, "nobody could be asked to review");
      return asked;
    } catch (error) {
      log.warn({ code: codeOf(error), operation }, "nobody could be asked to review");
      return "nowhere";
    }
  }

  /** The pending actions of a person, for that person alone. Throws as `mayReview` of the gate does. */
  async list(person: UserId): Promise<Note> {
    const waiting: Confirmation[] = [];
    // Their number discloses something, too.
    for (const one of this.#core.gate.confirmations.pending(person, IN_PERSON))
      if (await this.#mayReview(one.id, person)) waiting.push(one);
    if (waiting.length === 0) return NOTHING_WAITS;
    const count = waiting.length === 1 ? "1 action waits" : `${waiting.length} actions wait`;
    const shown = waiting.slice(0, MAX_LISTED);
    const label = (index: number) => (shown.length === 1 ? "Review" : `Review ${index + 1}`);
    return {
      text: `${count} for your review${waiting.length > shown.length ? "; these come first" : ""}.`,
      buttons: shown.map((one, index) => toButton("show", one, label(index))),
    };
  }

  /** Ignores new presses; resolves when presses in progress are answered. Safe to repeat. */
  async close(): Promise<void> {
    this.#stopListening();
    await this.#running.settled();
  }

  get #core() {
    return this.#deps.core();
  }

  get #directory() {
    return this.#deps.discord.directory;
  }

  async #answer(press: Press, { step, actor, confirmationId }: ReviewButton): Promise<void> {
    if (press.userId !== actor) return press.whisper(NOT_YOURS);
    // A prompt covers all pending actions of the person there.
    const asked = step === "show" ? this.#core.prompts.askedIn(press.messageId, actor) : [];
    const ids = asked.length > 0 ? asked : [confirmationId];
    const waiting = ids.flatMap((id) => (this.#deciding.has(id) ? [] : (this.#find(id, actor) ?? [])));
    const [confirmation] = waiting;
    if (confirmation && step === "show") return this.#show(press, waiting);
    if (confirmation && step === "discard") return this.#discard(press, confirmation);
    if (confirmation) return this.#carryOut(press, confirmation, toWay(step));
    await press.whisper(OVER);
    for (const id of ids) if (!this.#deciding.has(id)) await this.#core.prompts.settle({ id, actor });
  }

  async #show(press: Press, waiting: readonly Confirmation[]): Promise<void> {
    await press.hold();
    const notes: Note[] = [];
    try {
      for (const confirmation of waiting.slice(0, MAX_SHOWN)) notes.push(...(await this.#describe(confirmation)));
      if (notes.length === 0) notes.push(OVER);
      const left = waiting.length - MAX_SHOWN;
      if (left > 0) notes.push({ text: `${left} more: press the button again once these are decided.` });
    } catch (error) {
      notes.push(LATER);
      throw error;
    } finally {
      for (const note of notes) await press.whisper(note);
    }
  }

  async #carryOut(press: Press, confirmation: Confirmation, way: WayName | undefined): Promise<void> {
    const { id } = confirmation;
    this.#deciding.add(id);
    try {
      await press.replace(WORKING);
      const text = await this.#attempt(confirmation, way);
      await press.replace({ text });
    } finally {
      this.#deciding.delete(id);
    }
  }

  async #discard(press: Press, { id, operation }: Confirmation): Promise<void> {
    this.#core.gate.confirmations.reject(id, operation.actor, IN_PERSON);
    await press.replace(DISCARDED);
  }

  /** The buttons come last: the action cannot be executed before all of it was shown. Empty if the person may not see it. */
  async #describe(confirmation: Confirmation): Promise<readonly Note[]> {
    const { id, operation, action, expiresAt } = confirmation;
    const { actor } = operation;
    // Showing it is a disclosure, even if only the actor sees it.
    if (!(await this.#mayReview(id, actor)) || !this.#find(id, actor)) return [];
    const { texts, buttons } = isInMemory(action)
      ? toProposalNotes(await this.#core.gate.preview(id, actor, IN_PERSON), confirmation, this.#directory)
      : action.kind === "start_over"
        ? {
            texts: [toStartOverLines(action, toDiscordWords(actor, this.#directory), toPlaceWords).join("\n")],
            buttons: [toButton("send", confirmation, "Start over")],
          }
        : {
            texts: toActionNotes(describeAction(action, operation, this.#directory), expiresAt),
            buttons: [toButton("send", confirmation)],
          };
    const drop = toButton("discard", confirmation);
    if (!texts) return [{ text: UNREADABLE, buttons: [drop] }];
    return texts.map((text, index) => (index === texts.length - 1 ? { text, buttons: [...buttons, drop] } : { text }));
  }

  #find(id: string, actor: UserId): Confirmation | null {
    try {
      return this.#core.gate.confirmations.find(id, actor, IN_PERSON);
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  /** False also if it was decided meanwhile. */
  async #mayReview(id: string, actor: UserId): Promise<boolean> {
    try {
      return await this.#core.gate.mayReview(id, actor, IN_PERSON);
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
  }

  /** Executes a confirmed action and returns the outcome as text. */
  async #attempt({ id, operation, action }: Confirmation, way: WayName | undefined): Promise<string> {
    try {
      await this.#core.gate.confirm(id, operation.actor, { ...IN_PERSON, ...(way && { way }) });
      if (isInMemory(action)) return action.kind === "remember" ? REMEMBERED : FORGOTTEN;
      if (action.kind === "start_over") return STARTED_OVER;
      return `Done, in ${toPlaceWords(describePlace(action.channelId, operation.actor, this.#directory))}.`;
    } catch (error) {
      return describeFailure(
        explain(error, { log: this.#deps.log, what: "a confirmed action failed unexpectedly" }),
        action,
      );
    }
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof EarshotError && error.code === "not_found";
}

/** A refused single message was not sent; of several, some may have been. */
function describeFailure({ code, message }: WireError, action: Action): string {
  if (code === "internal") return "Something went wrong. Look whether it was done before you ask again.";
  const isRefusal = code === "forbidden" || code === "not_found";
  const isWhole = action.kind !== "send" || splitText(action.text).length === 1;
  return `${isRefusal && isWhole ? "Not done." : "Not done, or not all of it."} ${message}`;
}

/** The longest possible text needs about a dozen, unless many characters must be spelled out. */
const MAX_NOTES = 20;

/** The whole action as notes for the actor. Null if it has more hidden characters than a person would read. */
export function toActionNotes(action: ActionDescription, expiresAt: number): string[] | null {
  const head = [
    "**Nothing has been done yet.**",
    describeDeed(action),
    `You can decide until <t:${Math.floor(expiresAt / 1_000)}:T>.`,
    ...(action.hidden > 0 ? [warnOf(action.hidden)] : []),
    ...toDisclosureLines(action, toPlaceWords),
    ...(action.hasStartedOver ? [STILL_KNOWS] : []),
  ];
  const { texts, titles } = action;
  const toTitle = (index: number) =>
    titles?.[index] ?? (texts.length > 1 ? `Message ${index + 1} of ${texts.length}` : null);
  const blocks = texts.map((text, index) => ({ title: toTitle(index), text }));
  const notes = packBlocks(head.join("\n"), blocks);
  return notes.length > MAX_NOTES ? null : notes;
}

function toPlaceWords(place: ActionPlace): string {
  if (place.kind === "own_dm") return "your direct messages with me";
  return place.kind === "channel" ? `<#${place.channelId}>` : `my direct messages with ${toMentions(place.recipients)}`;
}

function describeDeed(action: ActionDescription): string {
  const { kind, place, target } = action;
  const where = toPlaceWords(place);
  const message = target === null ? "a message" : toLink(place, target);
  switch (kind) {
    case "send":
      return describeSend(action);
    case "react":
      return `This reaction would be added in ${where}, to ${message}.`;
    case "edit":
      return `This text would take the place of ${message} in ${where}. Nobody would be pinged.`;
    case "delete":
      return `This message in ${where} would be deleted: ${message}`;
    case "thread":
      return `This thread would be started in ${where}${target === null ? "" : `, from ${message}`}. Nobody would be pinged.`;
    case "typing":
      return `I would be shown as typing in ${where}.`;
  }
}

function describeSend({ texts, target, pinged, place }: ActionDescription): string {
  const what = texts.length === 1 ? "This message" : `These ${texts.length} messages`;
  const reply = target === null ? "" : `, in reply to ${toLink(place, target)}`;
  const pings = pinged.length === 0 ? "Nobody would be pinged." : `This would ping ${toMentions(pinged)}.`;
  return `${what} would be sent to ${toPlaceWords(place)}${reply}. ${pings}`;
}

function warnOf(hidden: number): string {
  const what = hidden === 1 ? "1 character in it" : `${hidden} characters in it`;
  return `:warning: ${what} cannot be seen, or would change how the rest reads. It is written out here, like ⟨U+200B⟩.`;
}

function toMentions(people: readonly UserId[]): string {
  return people.map((id) => `<@${id}>`).join(" ");
}

function toLink({ channelId, guildId, web }: ActionPlace, messageId: MessageId): string {
  return toMessageLink({ guildId, channelId, messageId }, web);
}
