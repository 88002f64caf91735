import type { MessageId, UserId } from "../domain/ids.ts";
import type { Source } from "../domain/source.ts";
import { Label } from "./label.ts";

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

  override add(sources: Iterable<Source>, at: number, countsFrom = at): void {
    // Some can be listed only once.
    const once = [...sources];
    super.add(once, at, countsFrom);
    for (const part of this.#parts) part.add(once, at, countsFrom);
  }

  override addLinks(links: Iterable<string>, at: number): void {
    const once = [...links];
    super.addLinks(once, at);
    for (const part of this.#parts) part.addLinks(once, at);
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
