import type { Message } from "../domain/message.ts";
import type { Operation } from "../policy/operation.ts";

/** Remembers, for as long as an operation lives, what was sent under which key. */
export class SentOnce {
  readonly #sent = new WeakMap<Operation, Map<string, Promise<readonly Message[]>>>();

  /** Sends, unless the key was used: then the first answer serves again. A failure may be tried again. */
  async send(
    operation: Operation,
    key: string | undefined,
    send: () => Promise<readonly Message[]>,
  ): Promise<readonly Message[]> {
    if (key === undefined) return send();
    const keys = this.#sent.get(operation) ?? new Map<string, Promise<readonly Message[]>>();
    this.#sent.set(operation, keys);
    const earlier = keys.get(key);
    if (earlier) return earlier;
    const sending = send();
    keys.set(key, sending);
    sending.catch(() => keys.delete(key));
    return sending;
  }
}
