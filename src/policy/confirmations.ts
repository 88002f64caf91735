import { BoundedMap } from "../domain/bounded-map.ts";
import { EarshotError } from "../domain/errors.ts";
import type { UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { Clock } from "../ports/clock.ts";
import { type Action, isInMemory, isPersonal, type MemoryAction, toIdentity } from "./action.ts";
import type { Audit } from "./audit.ts";
import type { Operation } from "./operation.ts";

/** The result of an action: the messages sent. */
export type Outcome = readonly Message[];

/** How a person decides about a confirmation. */
export interface Deciding {
  /** True for an interaction of their own Discord account, or a client that acts for no other person. By default a client speaks for them. */
  readonly inPerson?: boolean;
}

/** The place where a person was asked for their review: the channel of the request, a DM, or nowhere. */
export type AskedIn = "channel" | "dm" | "nowhere";

/** An exact action that waits for one person. Its content is kept in memory only: a restart voids it. */
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
  /** Executed without an answer: it may have happened. */
  | { readonly kind: "unknown" }
  | { readonly kind: "rejected" }
  | { readonly kind: "failed" };

interface Held extends Confirmation {
  /** Equal for equal calls. */
  readonly identity: string;
  state: State;
  /** Null if people are not asked. */
  asked: Promise<AskedIn> | null;
}

export interface ConfirmationsDeps {
  readonly audit: Pick<Audit, "note" | "hash">;
  readonly clock: Clock;
  /** At least 16 random bytes. */
  mintId(): string;
  /** Called with every new one, to ask the person. Must neither throw nor reject. */
  onRequest?(confirmation: Confirmation): Promise<AskedIn> | undefined;
  /** Called once the person has confirmed or declined one, in whichever way. Must not throw. */
  onDecision?(confirmation: Confirmation): void;
}

const LIFETIME_MS = 10 * 60_000;
const MAX_HELD = 5_000;
const MAX_PENDING_PER_OPERATION = 5;
/**
 * Per client and person, because a client can open any number of operations and the person is asked about each. Counted per client, so that
 * clients do not learn of each other.
 */
const MAX_PENDING_PER_ACTOR = 25;
const ABSENT = "There is no such confirmation, or it has been used or has expired.";

/** Pending actions and people's decisions on them. A model can never confirm: it only learns that the person was asked. */
export class Confirmations {
  readonly #deps: ConfirmationsDeps;
  readonly #held = new BoundedMap<string, Held>({ maxEntries: MAX_HELD, onDelete: (one) => this.#unindex(one) });
  /** The same entries by client and actor, for the checks on every request. */
  readonly #byCaller = new Map<string, Set<Held>>();
  /** No confirmation expires earlier than this. */
  #nextExpiry = Number.POSITIVE_INFINITY;

  constructor(deps: ConfirmationsDeps) {
    this.#deps = deps;
  }

  /** The outcome of exactly this action in this operation. Throws `confirmation_needed` while it is undecided, `forbidden` if it was
   * declined. */
  require(operation: Operation, tool: string, action: Action): Outcome {
    const identity = toIdentity(action);
    return this.outcomeOf(operation, identity) ?? this.request(operation, { tool, action, identity });
  }

  /** The same by identity, for actions that are frozen only if new: null if none was requested. */
  outcomeOf(operation: Operation, identity: string): Outcome | null {
    const known = this.#known(operation, identity);
    if (!known) return null;
    if (known.state.kind === "done") return known.state.outcome;
    if (known.state.kind === "rejected")
      throw new EarshotError("forbidden", "The person asking has declined this. Do not ask again.");
    throw needsConfirmation(known.id);
  }

  /** Whether exactly this action was requested in this operation. */
  knows(operation: Operation, action: Action): boolean {
    return this.#known(operation, toIdentity(action)) !== undefined;
  }

  /** Pending confirmations of one person, or of all. A personal one is returned to that person alone. */
  pending(actor?: UserId, { inPerson = false }: Deciding = {}): Confirmation[] {
    this.#forget();
    return [...this.#held.values()].filter(
      ({ state, operation, action }) =>
        state.kind === "pending" &&
        (actor === undefined || operation.actor === actor) &&
        (inPerson || !isPersonal(action)),
    );
  }

  /** A pending confirmation of this person. Throws `not_found` for all others. */
  find(id: string, actor: UserId, deciding: Deciding = {}): Confirmation {
    return this.#pendingOne(id, actor, deciding);
  }

  /** Removes it from the pending ones for good, so that it is used once. Throws `not_found` unless it waits for this person. */
  claim(id: string, actor: UserId, deciding: Deciding = {}): Confirmation {
    const one = this.#pendingOne(id, actor, deciding);
    one.state = { kind: "claimed" };
    this.#note(one, "confirmed");
    this.#deps.onDecision?.(one);
    return one;
  }

  reject(id: string, actor: UserId, deciding: Deciding = {}): void {
    const one = this.#pendingOne(id, actor, deciding);
    one.state = { kind: "rejected" };
    this.#note(one, "declined");
    this.#deps.onDecision?.(one);
  }

  /** Stores the outcome of a claimed confirmation. */
  settle(id: string, outcome: Outcome): void {
    const one = this.#held.get(id);
    if (one) one.state = { kind: "done", outcome };
  }

  /** Marks the outcome of a claimed confirmation as unknown: repeating the call finds out. */
  leaveOpen(id: string): void {
    const one = this.#held.get(id);
    if (one) one.state = { kind: "unknown" };
  }

  /** The confirmed action of this operation with an unknown outcome, to be continued; null if there is none. */
  reclaim(operation: Operation, action: Action): Confirmation | null {
    const identity = toIdentity(action);
    const one = this.#ofCaller(operation).find(
      (each) => each.operation === operation && each.identity === identity && each.state.kind === "unknown",
    );
    if (!one) return null;
    one.state = { kind: "claimed" };
    return one;
  }

  /** Marks a claimed confirmation as failed: the action may be requested again. */
  giveUp(id: string): void {
    const one = this.#held.get(id);
    if (one) one.state = { kind: "failed" };
  }

  /** Adds to a `confirmation_needed` error where the person finds the request, once they were asked. */
  async withPlace(error: unknown): Promise<unknown> {
    const id = error instanceof EarshotError ? error.confirmationId : undefined;
    const one = id === undefined ? undefined : this.#held.get(id);
    return one?.asked ? needsConfirmation(one.id, await one.asked) : error;
  }

  /** Drops all of a person's confirmations except the one being executed, and returns their number. A repeated request starts from the beginning. */
  drop(actor: UserId): number {
    const waiting = this.pending(actor, { inPerson: true });
    for (const one of waiting) this.#note(one, "erased");
    this.#held.deleteWhere(({ operation, state }) => operation.actor === actor && state.kind !== "claimed");
    return waiting.length;
  }

  hash(action: Exclude<Action, MemoryAction>): string {
    return this.#deps.audit.hash(JSON.stringify(action));
  }

  /** Asks the person. Always throws `confirmation_needed`. */
  request(operation: Operation, { tool, action, identity }: Pick<Held, "tool" | "action" | "identity">): never {
    this.#forget();
    const waiting = this.#ofCaller(operation).filter(({ state }) => state.kind === "pending");
    const isFull = waiting.filter((one) => one.operation === operation).length >= MAX_PENDING_PER_OPERATION;
    if (isFull || waiting.length >= MAX_PENDING_PER_ACTOR)
      throw new EarshotError(
        "rate_limited",
        "Too many actions are waiting to be confirmed; confirm or decline one of them first.",
        { retryAfter: 60 },
      );
    const { clock, mintId, audit, onRequest } = this.#deps;
    const now = clock.now();
    const expiresAt = Math.min(now + LIFETIME_MS, operation.expiresAt);
    const one: Held = {
      ...{ id: mintId(), operation, tool, action, identity, expiresAt },
      ...{ state: { kind: "pending" }, asked: null },
    };
    this.#index(one);
    this.#held.set(one.id, one);
    audit.note({
      kind: "confirmation",
      row: {
        id: one.id,
        operation_id: operation.id,
        actor_id: operation.actor,
        tool,
        destination: isInMemory(action) ? "memory" : action.kind === "start_over" ? "session" : action.channelId,
        // A short value must not be guessable from the audit, so the hash includes a random id that is stored nowhere.
        action_hash: isInMemory(action) ? audit.hash(mintId() + identity) : this.hash(action),
        created_at: now,
        expires_at: expiresAt,
      },
    });
    one.asked = onRequest?.(one) ?? null;
    throw needsConfirmation(one.id);
  }

  #known(operation: Operation, identity: string): Held | undefined {
    this.#forget();
    return this.#ofCaller(operation).find(
      (one) => one.operation === operation && one.identity === identity && one.state.kind !== "failed",
    );
  }

  #pendingOne(id: string, actor: UserId, { inPerson = false }: Deciding): Held {
    const one = this.#held.get(id);
    const isOpen = one?.state.kind === "pending" && one.expiresAt > this.#deps.clock.now();
    if (!one || !isOpen || one.operation.actor !== actor || (isPersonal(one.action) && !inPerson))
      throw new EarshotError("not_found", ABSENT);
    return one;
  }

  #forget(): void {
    const now = this.#deps.clock.now();
    if (now < this.#nextExpiry) return;
    this.#held.deleteWhere((one) => expiryOf(one) <= now);
    this.#nextExpiry = Math.min(Number.POSITIVE_INFINITY, ...this.#held.values().map(expiryOf));
  }

  #ofCaller(operation: Operation): Held[] {
    return [...(this.#byCaller.get(toCaller(operation)) ?? [])];
  }

  #index(one: Held): void {
    const caller = toCaller(one.operation);
    const others = this.#byCaller.get(caller);
    if (others) others.add(one);
    else this.#byCaller.set(caller, new Set([one]));
    this.#nextExpiry = Math.min(this.#nextExpiry, expiryOf(one));
  }

  #unindex(one: Held): void {
    const caller = toCaller(one.operation);
    const others = this.#byCaller.get(caller);
    others?.delete(one);
    if (others?.size === 0) this.#byCaller.delete(caller);
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

/** A decided confirmation is kept until its operation ends. */
function expiryOf({ state, expiresAt, operation }: Held): number {
  return state.kind === "pending" ? expiresAt : operation.expiresAt;
}

function toCaller({ client, actor }: Operation): string {
  return `${actor} ${client.name}`;
}

const ASKED: Readonly<Record<AskedIn | "unknown", string>> = {
  channel: "and has been asked to where the request was made",
  dm: "and has been asked to by direct message",
  nowhere: "and could not be asked: they can see it with /agent",
  unknown: "and has been asked to",
};

function needsConfirmation(confirmationId: string, asked: AskedIn | "unknown" = "unknown"): EarshotError {
  const problem = `The person asking has to confirm this first, ${ASKED[asked]}. The same call tells later what became of it.`;
  return new EarshotError("confirmation_needed", problem, { confirmationId });
}
