import type { MessageId, UserId } from "./ids.ts";
import { Label, type Reading } from "./label.ts";

/** In every preview of a program that its actor let start over. */
export const STILL_KNOWS =
  "You started over, and the program still knows what it read before. Make sure that this tells nothing of it.";

/**
 * The label of a session that its actor can start over. Everything that was read stays in it, because the program still knows it: it limits facts and whatever
 * needs no confirmation. Only what the actor confirms to the byte is limited by what was read since.
 */
export class SessionLabel extends Label {
  /** What is read while the actor is asked whether to start over. */
  #next: Label | null = null;
  #sinceStart: Label | null = null;
  /** The same program may have been started over in another session. */
  readonly #hasRecently: () => boolean;

  constructor(hasRecently: () => boolean = () => false) {
    super();
    this.#hasRecently = hasRecently;
  }

  override get sinceStart(): Label {
    return this.#sinceStart ?? this;
  }

  override get hasStartedOver(): boolean {
    return this.#sinceStart !== null || this.#hasRecently();
  }

  /** Keeps apart what is read from now on: an actor who then starts over was not shown it. */
  keepApart(): Label {
    this.#next = new Label();
    return this.#next;
  }

  /** `from`: the label kept apart when the actor was asked. False for one that was replaced since: it lacks what was read after that. */
  startOver(from: Label): boolean {
    if (from !== this.#next) return false;
    this.#sinceStart = from;
    this.#next = null;
    return true;
  }

  override join(reading: Partial<Reading>, at: number, countsFrom = at): void {
    // Some of it can be listed only once.
    const once = listAll(reading);
    super.join(once, at, countsFrom);
    for (const part of this.#parts) part.join(once, at, countsFrom);
  }

  override confirm(messageId: MessageId, at: number): void {
    super.confirm(messageId, at);
    for (const part of this.#parts) part.confirm(messageId, at);
  }

  override forgetWordsOf(authorId: UserId): void {
    super.forgetWordsOf(authorId);
    for (const part of this.#parts) part.forgetWordsOf(authorId);
  }

  override forgetBefore(time: number): void {
    super.forgetBefore(time);
    for (const part of this.#parts) part.forgetBefore(time);
  }

  get #parts(): Label[] {
    return [this.#next, this.#sinceStart].filter((part) => part !== null);
  }
}

function listAll(reading: Partial<Reading>): Partial<Reading> {
  return Object.fromEntries(Object.entries(reading).map(([kind, sources]) => [kind, [...sources]]));
}
