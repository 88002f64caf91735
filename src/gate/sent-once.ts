import { EarshotError } from "../domain/errors.ts";
import type { MessageId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { Operation } from "../policy/operation.ts";

/** One send, over all its repetitions. */
export interface Attempt {
  /** What its nonces are made of: the same for each repetition. */
  readonly nonceKey: string;
  /** None of its messages is older. */
  readonly since: MessageId;
  /** The parts that are known to have been sent, in order. */
  readonly sent: Message[];
  /** A part left and no answer came. */
  isUnknown: boolean;
}

/** Which send it is. */
export interface SendName {
  /** By which the client tells repetitions from new messages. */
  readonly key: string | undefined;
  /** Of everything that would be sent. Without a key, a repetition is known by this. */
  readonly hash: string;
}

interface OpenAttempt {
  readonly attempt: Attempt;
  readonly hash: string;
}

interface SentOnceDeps {
  /** Unguessable. */
  mintId(): string;
  /** The id that a message sent now would have, or a little less. */
  idNow(): MessageId;
}

const MAX_KNOWN = 10_000;

/**
 * Remembers, for as long as an operation lives, what was sent under which key, and which sends came to no clear end: repeating one of those
 * goes on where it stopped, under the same nonces.
 */
export class SentOnce {
  readonly #deps: SentOnceDeps;
  readonly #running = new WeakMap<Operation, Map<string, Promise<readonly Message[]>>>();
  readonly #open = new WeakMap<Operation, Map<string, OpenAttempt>>();
  /** Messages that belong to a send. They are not mistaken for those of another with the same text. */
  readonly #known = new Set<MessageId>();

  constructor(deps: SentOnceDeps) {
    this.#deps = deps;
  }

  /** Whether a message is known to have come from some send. */
  isKnown(id: MessageId): boolean {
    return this.#known.has(id);
  }

  note(id: MessageId): void {
    this.#known.add(id);
    const [oldest] = this.#known;
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Sends, unless the key was used: then the first answer serves again. A failure may be tried again. */
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
    };
    const sending = send(attempt).then(
      (sent) => {
        open.delete(name);
        if (key === undefined) running.delete(name);
        return sent;
      },
      (error: unknown) => {
        running.delete(name);
        if (attempt.isUnknown || attempt.sent.length > 0) open.set(name, { attempt, hash });
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
