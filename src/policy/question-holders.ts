import { BoundedMap } from "../domain/bounded-map.ts";
import { EarshotError } from "../domain/errors.ts";
import type { MessageId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { Client, Operation } from "./operation.ts";

/** The outcome of a question held by a program. */
export type Held = "answered" | "lost";

interface Holding {
  readonly client: string;
  expiresAt: number;
  isAnswered: boolean;
  /** Called after each change. */
  wake: () => void;
}

/** A program that is inactive for this long loses the question. */
const HOLD_MS = 30_000;
const MAX_QUESTIONS = 10_000;

/**
 * Assigns each question to one program at a time. A connected program whose grant says `answers` gets it first. If the program is silent for too long, the
 * question passes on, and its later answer is refused.
 */
export class QuestionHolders {
  readonly #clock: Clock;
  readonly #holdMs: number;
  readonly #connected = new Map<string, { readonly client: Client; connections: number }>();
  readonly #held = new BoundedMap<MessageId, Holding>({ maxEntries: MAX_QUESTIONS });

  constructor(clock: Clock, holdMs = HOLD_MS) {
    this.#clock = clock;
    this.#holdMs = holdMs;
  }

  /** Registers a client while it is connected; returns the function that ends that. */
  connect(client: Client): () => void {
    if (!client.grant.answers) return () => {};
    const entry = this.#connected.get(client.name) ?? { client, connections: 0 };
    entry.connections += 1;
    this.#connected.set(client.name, entry);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      entry.connections -= 1;
      if (entry.connections === 0) this.#connected.delete(client.name);
    };
  }

  /** Gives a question to the first connected program that may receive it; false if there is none. */
  offer(question: MessageId, mayHear: (client: Client) => boolean): boolean {
    const taker = [...this.#connected.values()].find(({ client }) => mayHear(client));
    if (!taker) return false;
    this.#hold(question, taker.client.name);
    return true;
  }

  /** Takes a question from the program that holds it. */
  take(question: MessageId, client: Client): void {
    this.#hold(question, client.name);
  }

  /** Resolves when the program that holds the question has answered it, or was inactive for too long. Throws when the signal aborts. */
  async settled(question: MessageId, signal: AbortSignal): Promise<Held> {
    for (;;) {
      signal.throwIfAborted();
      const holding = this.#held.get(question);
      if (!holding) return "lost";
      if (holding.isAnswered) return "answered";
      const left = holding.expiresAt - this.#clock.now();
      if (left <= 0) return "lost";
      await waitFor(holding, left, signal);
    }
  }

  /** Call on every activity of the client. */
  renew({ origin, client }: Operation): void {
    const holding = origin.messageId === null ? undefined : this.#held.get(origin.messageId);
    if (holding?.client === client.name) holding.expiresAt = this.#clock.now() + this.#holdMs;
  }

  /** Throws `conflict` if another program or the agent answers the question. */
  mustHold({ origin, client }: Operation): void {
    const holding = origin.messageId === null ? undefined : this.#held.get(origin.messageId);
    if (!holding || holding.client === client.name) return;
    throw new EarshotError("conflict", "Somebody else answers this question now: it was not answered in time.");
  }

  noteAnswered({ origin, client }: Operation): void {
    const holding = origin.messageId === null ? undefined : this.#held.get(origin.messageId);
    if (holding?.client !== client.name) return;
    holding.isAnswered = true;
    holding.wake();
  }

  #hold(question: MessageId, client: string): void {
    const before = this.#held.get(question);
    this.#held.set(question, {
      client,
      expiresAt: this.#clock.now() + this.#holdMs,
      isAnswered: false,
      wake: () => {},
    });
    before?.wake();
  }
}

function waitFor(holding: Holding, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    timer.unref();
    signal.addEventListener("abort", end);
    holding.wake = end;
  });
}
