/** A destination with unread bytes of a client: a connection, or the response to one request. */
interface Outlet {
  /** Bytes that the client has not received, or not sent completely. */
  unreadBytes(): number;
  /** Closes it. `isForAll`: its client is within its own limit, but all clients together exceed theirs. */
  drop(isForAll: boolean): void;
}

export interface WatchedOutlet {
  /** Call after each send. */
  check(): void;
  /** Call once it has ended. Safe to repeat. */
  remove(): void;
}

/**
 * Limits the unread bytes of each client over all its connections: a limit per connection could be multiplied by opening more. Above the limit, the connection
 * with the most unread bytes is cut off, the oldest first. If all clients together exceed their limit, the one with the most gives way.
 */
export class UnreadBytes {
  readonly #maxBytes: number;
  readonly #maxBytesInAll: number;
  readonly #outlets = new Map<string, Set<Outlet>>();

  /** `maxBytes`: per client. */
  constructor(maxBytes: number, maxBytesInAll = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
    this.#maxBytesInAll = maxBytesInAll;
  }

  watch(client: string, outlet: Outlet): WatchedOutlet {
    const own = this.#outlets.get(client) ?? new Set();
    this.#outlets.set(client, own.add(outlet));
    return { check: () => this.#check(own), remove: () => void own.delete(outlet) };
  }

  #check(own: Set<Outlet>): void {
    while (sum(own) > this.#maxBytes) drop(own, false);
    if (this.#maxBytesInAll === Number.POSITIVE_INFINITY) return;
    for (;;) {
      const clients = [...this.#outlets.values()].map((outlets) => ({ outlets, bytes: sum(outlets) }));
      const total = clients.reduce((all, { bytes }) => all + bytes, 0);
      const largest = clients.reduce((most, each) => (each.bytes > most.bytes ? each : most), {
        outlets: own,
        bytes: 0,
      });
      if (total <= this.#maxBytesInAll) return;
      drop(largest.outlets, true);
    }
  }
}

function sum(outlets: ReadonlySet<Outlet>): number {
  let bytes = 0;
  for (const outlet of outlets) bytes += outlet.unreadBytes();
  return bytes;
}

/** Closes the outlet with the most unread bytes; among equals the one opened first. */
function drop(outlets: Set<Outlet>, isForAll: boolean): void {
  let [largest] = outlets;
  for (const outlet of outlets) if (largest && outlet.unreadBytes() > largest.unreadBytes()) largest = outlet;
  if (!largest) return;
  outlets.delete(largest);
  largest.drop(isForAll);
}
