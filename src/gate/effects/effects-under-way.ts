import { createHash } from "node:crypto";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, MessageId } from "../../domain/ids.ts";
import { type Message, typedText } from "../../domain/message.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Discord } from "../../ports/discord.ts";

/** One send, including all its repetitions. */
export interface Attempt {
  /** Seed of its nonces, equal for each repetition. */
  readonly nonceKey: string;
  /** A lower bound for the ids of its messages. */
  readonly since: MessageId;
  /** The parts known to be sent, in order. */
  readonly sent: Message[];
  /** A part was sent and no answer came. */
  isUnknown: boolean;
  /** The thread that was started for it. */
  threadId: ChannelId | null;
}

/** Identifies a send. */
export interface SendName {
  /** Given by the client: the same key means the same message. */
  readonly key: string | undefined;
  /** Hash of everything to be sent. Identifies a repetition if there is no key. */
  readonly hash: string;
}

interface OpenAttempt {
  readonly attempt: Attempt;
  readonly hash: string;
}

interface SentOnceDeps {
  /** Unguessable. */
  mintId(): string;
  /** An id that is equal to or slightly lower than that of a message sent now. */
  idNow(): MessageId;
}

interface SentText {
  readonly channelId: ChannelId;
  readonly text: string;
  /** A lower bound for its id. */
  readonly since: MessageId;
}

const MAX_KNOWN = 10_000;
/** The lookup of an earlier attempt covers this many pages of 100 messages; beyond that, only the nonce prevents a duplicate. */
const MAX_LOOKUP_PAGES = 5;

/**
 * Remembers during an operation which messages were sent under which key, and which sends have an unknown outcome: repeating one of those
 * continues at the same part, with the same nonces.
 */
export class SentOnce {
  readonly #deps: SentOnceDeps;
  readonly #running = new WeakMap<Operation, Map<string, Promise<readonly Message[]>>>();
  readonly #open = new WeakMap<Operation, Map<string, OpenAttempt>>();
  /** Messages of known sends, which must not be mistaken for those of another send with the same text. */
  readonly #known = new BoundedMap<MessageId, true>({ maxEntries: MAX_KNOWN });

  constructor(deps: SentOnceDeps) {
    this.#deps = deps;
  }

  note(id: MessageId): void {
    this.#known.set(id, true);
  }

  /** The bot's own message with this text after the first attempt that belongs to no other send; null if there is none. */
  async find({ channelId, text, since }: SentText, discord: Discord, signal?: AbortSignal): Promise<Message | null> {
    const isIt = (message: Message) =>
      message.author.id === discord.botId &&
      typedText(message).trim() === text.trim() &&
      !this.#known.has(message.message_id);
    let after = since;
    for (let page = 0; page < MAX_LOOKUP_PAGES; page += 1) {
      const { messages, isFull } = await discord
        .history(channelId, { limit: 100, after }, signal)
        .catch((error: unknown) => {
          throw error instanceof EarshotError && error.code === "cancelled" ? error : cannotLook(error);
        });
      const found = messages.findLast(isIt);
      const [newest] = messages;
      if (found || !isFull || !newest) return found ?? null;
      after = newest.message_id;
    }
    return null;
  }

  /** Sends once per key: later calls return the first answer. A failed send may be repeated. */
  async send(
    operation: Operation,
    { key, hash }: SendName,
    send: (attempt: Attempt) => Promise<readonly Message[]>,
  ): Promise<readonly Message[]> {
    const running = mapOf(this.#running, operation);
    const open = mapOf(this.#open, operation);
    const name = key === undefined ? `hash ${hash}` : `key ${key}`;
    const earlier = running.get(name);
    if (earlier) return earlier;
    const left = open.get(name);
    if (left && left.hash !== hash)
      throw new EarshotError("invalid", "`key` was used for another message whose outcome is unknown; use a new one.");
    const attempt = left?.attempt ?? {
      nonceKey: key ?? this.#deps.mintId(),
      since: this.#deps.idNow(),
      sent: [],
      isUnknown: false,
      threadId: null,
    };
    const sending = send(attempt).then(
      (sent) => {
        open.delete(name);
        if (key === undefined) running.delete(name);
        return sent;
      },
      (error: unknown) => {
        running.delete(name);
        if (attempt.isUnknown || attempt.sent.length > 0 || attempt.threadId) open.set(name, { attempt, hash });
        throw error;
      },
    );
    // Two equal sends without a key are two messages; two equal repetitions are one.
    if (key !== undefined || left) running.set(name, sending);
    return sending;
  }
}

function mapOf<Value>(maps: WeakMap<Operation, Map<string, Value>>, operation: Operation): Map<string, Value> {
  const known = maps.get(operation);
  if (known) return known;
  const made = new Map<string, Value>();
  maps.set(operation, made);
  return made;
}

function cannotLook(cause: unknown): EarshotError {
  const problem =
    "Whether an earlier attempt was sent is still unknown: the channel cannot be read now. Repeat the same call later.";
  return new EarshotError("outcome_unknown", problem, { cause });
}

/** Equal for the same part of the same send, so that Discord drops a repetition. At most 25 characters, Discord's limit. */
export function toNonce(operationId: string, key: string, part: number): string {
  return createHash("sha256")
    .update(JSON.stringify([operationId, key, part]))
    .digest("base64url")
    .slice(0, 25);
}

/** The outcome of an effect for which the shutdown did not wait: it was never sent, or it was sent without a reply by Discord. */
export type Unfinished = "failed" | "outcome_unknown";

/** An effect without an outcome in the audit. */
export interface PendingEffect {
  /** Called right before the request to Discord. Throws `unavailable` during shutdown. */
  leave(): void;
  /** If it was sent, an error without a reply by Discord leaves the outcome unknown. */
  readonly hasLeft: boolean;
  /** Notes the outcome, unless the shutdown has noted one already. */
  end(note: () => void): void;
}

/**
 * Effects under way, so that a shutdown can wait for their outcome and note one for each: `_done`, `_failed` (not done) or `_outcome_unknown`.
 */
export class PendingEffects {
  readonly #pending = new Set<Pending>();
  #isClosing = false;

  /** `note` receives the outcome if the shutdown stops waiting. Throws `unavailable` during shutdown. */
  begin(note: (outcome: Unfinished) => void): PendingEffect {
    this.#throwIfClosing();
    const effect = new Pending(note, {
      mayLeave: () => this.#throwIfClosing(),
      onEnd: () => this.#pending.delete(effect),
    });
    this.#pending.add(effect);
    return effect;
  }

  /** Prevents new effects and sends. Waits up to `maxWaitMs` for those already sent, and notes the outcome of the rest. Safe to repeat. */
  async close(maxWaitMs: number): Promise<void> {
    this.#isClosing = true;
    const { promise: waited, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, maxWaitMs);
    await Promise.race([Promise.all([...this.#pending].map(({ ended }) => ended)), waited]);
    clearTimeout(timer);
    for (const effect of this.#pending) effect.giveUp();
  }

  #throwIfClosing(): void {
    if (this.#isClosing) throw new EarshotError("unavailable", "Earshot is shutting down; this was not done.");
  }
}

class Pending implements PendingEffect {
  readonly #note: (outcome: Unfinished) => void;
  readonly #hooks: { mayLeave(): void; onEnd(): void };
  readonly #end = Promise.withResolvers<void>();
  #hasEnded = false;
  hasLeft = false;

  constructor(note: (outcome: Unfinished) => void, hooks: { mayLeave(): void; onEnd(): void }) {
    this.#note = note;
    this.#hooks = hooks;
  }

  get ended(): Promise<void> {
    return this.#end.promise;
  }

  leave(): void {
    this.#hooks.mayLeave();
    this.hasLeft = true;
  }

  end(note: () => void): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#hooks.onEnd();
    try {
      note();
    } finally {
      this.#end.resolve();
    }
  }

  giveUp(): void {
    this.end(() => this.#note(this.hasLeft ? "outcome_unknown" : "failed"));
  }
}
