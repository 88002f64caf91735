/** Where bytes wait for a client: a connection, or the answer to one request. */
interface Outlet {
  /** What the client has not taken yet, or not sent to its end. */
  unreadBytes(): number;
  /** Breaks it off. */
  drop(): void;
}

export interface WatchedOutlet {
  /** To be called after something was sent. */
  check(): void;
  /** Once it has ended. Safe to repeat. */
  remove(): void;
}

/**
 * Bounds what each client leaves unread, on everything that is open for it together: a limit for each connection would be multiplied by opening more of
 * them. Beyond that, what has the most unread is broken off, the oldest first.
 */
export class UnreadBytes {
  readonly #maxBytes: number;
  readonly #outlets = new Map<string, Set<Outlet>>();

  /** `maxBytes`: of one client. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  watch(client: string, outlet: Outlet): WatchedOutlet {
    const own = this.#outlets.get(client) ?? new Set();
    this.#outlets.set(client, own.add(outlet));
    return { check: () => this.#check(own), remove: () => void own.delete(outlet) };
  }

  #check(own: Set<Outlet>): void {
    const unread = [...own].map((outlet) => ({ outlet, bytes: outlet.unreadBytes() }));
    let total = unread.reduce((sum, { bytes }) => sum + bytes, 0);
    // Sorting keeps the order of equals, in which they were opened.
    const largest = total > this.#maxBytes ? unread.sort((one, other) => other.bytes - one.bytes) : [];
    for (const { outlet, bytes } of largest) {
      if (total <= this.#maxBytes) return;
      total -= bytes;
      own.delete(outlet);
      outlet.drop();
    }
  }
}
