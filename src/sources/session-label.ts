import type { MessageId, UserId } from "../domain/ids.ts";
import type { Source } from "../domain/source.ts";
import { Label } from "./label.ts";

/**
 * The label of a session that its actor can start over. All sources stay in it, because the program still knows them: they limit facts and
 * actions without confirmation. Actions that the actor confirms word for word are limited only by sources read since the start over.
 */
export class SessionLabel extends Label {
  /** Sources read while the actor is asked whether to start over. */
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

  /** Starts a separate label for later reads, because the actor who is asked has not been shown them. */
  keepApart(): Label {
    this.#next = new Label();
    return this.#next;
  }

  /** `from`: the label returned by `keepApart` when the actor was asked. False if it was replaced since, because it lacks later reads. */
  startOver(from: Label): boolean {
    if (from !== this.#next) return false;
    this.#sinceStart = from;
    this.#next = null;
    return true;
  }

  override add(sources: Iterable<Source>, at: number, countsFrom = at): void {
    // An iterable may be consumable only once.
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
