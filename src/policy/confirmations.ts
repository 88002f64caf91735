import { BoundedMap } from "../domain/bounded-map.ts";
import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { Clock } from "../ports/clock.ts";
import type { Audit } from "./audit.ts";
import type { Operation } from "./operation.ts";

/** An effect, frozen to the byte. */
export type Action =
  | {
      readonly kind: "send";
      readonly channelId: ChannelId;
      readonly text: string;
      readonly replyTo: MessageId | null;
      readonly mentions: readonly UserId[];
    }
  | { readonly kind: "react"; readonly channelId: ChannelId; readonly messageId: MessageId; readonly emoji: string };

/** What came of an action: the messages that were sent. */
export type Outcome = readonly Message[];

/** An exact action that waits for one named human. Its bytes are held in memory only: a restart voids it. */
export interface Confirmation {
  /** Unguessable. */
  readonly id: string;
  readonly operation: Operation;
  readonly tool: string;
  readonly action: Action;
  readonly expiresAt: number;
}

type State =
  | { readonly kind: "pending" }
  | { readonly kind: "claimed" }
  | { readonly kind: "done"; readonly outcome: Outcome }
  /** Done, but no answer came: it may have happened. */
  | { readonly kind: "unknown" }
  | { readonly kind: "rejected" }
  | { readonly kind: "failed" };

interface Held extends Confirmation {
  readonly hash: string;
  state: State;
}

export interface ConfirmationsDeps {
  readonly audit: Pick<Audit, "note" | "hash">;
  readonly clock: Clock;
  mintId(): string;
  /** Called with every new one, so that somebody can ask the person. Must not throw. */
  onRequest?(confirmation: Confirmation): void;
}

const LIFETIME_MS = 10 * 60_000;
const MAX_HELD = 5_000;
const MAX_PENDING_PER_OPERATION = 5;
const ABSENT = "There is no such confirmation, or it has been used or has expired.";

/** Who waits for whom. The model can never confirm: it only ever learns that somebody was asked. */
export class Confirmations {
  readonly #deps: ConfirmationsDeps;
  readonly #held = new BoundedMap<string, Held>({ maxEntries: MAX_HELD });

  constructor(deps: ConfirmationsDeps) {
    this.#deps = deps;
  }

  /** What became of this very action in this operation. Throws `confirmation_needed` while nobody has decided, `forbidden` when it was declined. */
  require(operation: Operation, tool: string, action: Action): Outcome {
    this.#forget();
    const hash = this.hash(action);
    const known = this.#held
      .values()
      .find((one) => one.operation === operation && one.hash === hash && one.state.kind !== "failed");
    if (known?.state.kind === "done") return known.state.outcome;
    if (known?.state.kind === "rejected")
      throw new EarshotError("forbidden", "The person asking has declined this. Do not ask again.");
    const { id } = known ?? this.#request(operation, tool, action);
    const problem =
      "The person asking has to confirm this first, and has been asked to. The same call tells later what became of it.";
    throw new EarshotError("confirmation_needed", problem, { confirmationId: id });
  }

  /** Those that wait, of one person or of everybody. */
  pending(actor?: UserId): Confirmation[] {
    this.#forget();
    return [...this.#held.values()].filter(
      ({ state, operation }) => state.kind === "pending" && (actor === undefined || operation.actor === actor),
    );
  }

  /** The one that waits for this person. Throws `not_found` for everybody else. */
  find(id: string, actor: UserId): Confirmation {
    return this.#pendingOne(id, actor);
  }

  /** Takes it out of waiting for good, so that it is used once. Throws `not_found` when it does not wait for this person. */
  claim(id: string, actor: UserId): Confirmation {
    const one = this.#pendingOne(id, actor);
    one.state = { kind: "claimed" };
    this.#note(one, "confirmed");
    return one;
  }

  reject(id: string, actor: UserId): void {
    const one = this.#pendingOne(id, actor);
    one.state = { kind: "rejected" };
    this.#note(one, "declined");
  }

  /** What a claimed one came to. */
  settle(id: string, outcome: Outcome): void {
    const one = this.#held.get(id);
    if (one) one.state = { kind: "done", outcome };
  }

  /** What a claimed one came to is not known: repeating the call finds out. */
  leaveOpen(id: string): void {
    const one = this.#held.get(id);
    if (one) one.state = { kind: "unknown" };
  }

  /** The confirmed action of this operation whose outcome is not known, to be gone on with; null if there is none. */
  reclaim(operation: Operation, action: Action): Confirmation | null {
    const hash = this.hash(action);
    const one = this.#held
      .values()
      .find((each) => each.operation === operation && each.hash === hash && each.state.kind === "unknown");
    if (!one) return null;
    one.state = { kind: "claimed" };
    return one;
  }

  /** A claimed one that could not be done: the same may be asked for again. */
  giveUp(id: string): void {
    const one = this.#held.get(id);
    if (one) one.state = { kind: "failed" };
  }

  /** Lets go of all of a person's, except what is being done at the moment; how many of them waited. What asks again begins from the start. */
  drop(actor: UserId): number {
    const waiting = this.pending(actor);
    for (const one of waiting) this.#note(one, "erased");
    this.#held.deleteWhere(({ operation, state }) => operation.actor === actor && state.kind !== "claimed");
    return waiting.length;
  }

  hash(action: Action): string {
    return this.#deps.audit.hash(JSON.stringify(action));
  }

  #request(operation: Operation, tool: string, action: Action): Held {
    const waiting = this.pending(operation.actor).filter((one) => one.operation === operation);
    if (waiting.length >= MAX_PENDING_PER_OPERATION)
      throw new EarshotError(
        "rate_limited",
        "Too many actions are waiting to be confirmed; confirm or decline one of them first.",
        { retryAfter: 60 },
      );
    const { clock, mintId, audit, onRequest } = this.#deps;
    const now = clock.now();
    const expiresAt = Math.min(now + LIFETIME_MS, operation.expiresAt);
    const hash = this.hash(action);
    const one: Held = { id: mintId(), operation, tool, action, hash, expiresAt, state: { kind: "pending" } };
    this.#held.set(one.id, one);
    audit.note({
      kind: "confirmation",
      row: {
        id: one.id,
        operation_id: operation.id,
        actor_id: operation.actor,
        tool,
        destination: action.channelId,
        action_hash: hash,
        created_at: now,
        expires_at: expiresAt,
      },
    });
    onRequest?.(one);
    return one;
  }

  #pendingOne(id: string, actor: UserId): Held {
    const one = this.#held.get(id);
    const isOpen = one?.state.kind === "pending" && one.expiresAt > this.#deps.clock.now();
    if (!one || !isOpen || one.operation.actor !== actor) throw new EarshotError("not_found", ABSENT);
    return one;
  }

  #forget(): void {
    const now = this.#deps.clock.now();
    this.#held.deleteWhere(
      ({ state, expiresAt, operation }) => (state.kind === "pending" ? expiresAt : operation.expiresAt) <= now,
    );
  }

  #note({ id, operation }: Confirmation, name: string): void {
    const row = {
      operation_id: operation.id,
      name,
      detail_json: JSON.stringify({ confirmation_id: id }),
      happened_at: this.#deps.clock.now(),
    };
    this.#deps.audit.note({ kind: "event", row });
  }
}
