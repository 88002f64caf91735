import { type ClientEntry, createAuthenticator } from "./authenticate.ts";
import { type Grant, NO_GRANT } from "./grant.ts";
import type { Client } from "./operation.ts";

/**
 * The configured clients, which can be replaced while the program runs. A returned client always has the current grant; it has none once it
 * was removed or its token was changed.
 */
export class LiveClients {
  #entries: ReadonlyMap<string, ClientEntry> = new Map();
  #find: ReturnType<typeof createAuthenticator> = () => null;
  /** By name and token, so that a connection with an old token does not get the grant of the new one. */
  readonly #clients = new Map<string, LiveClient>();

  constructor(entries: readonly ClientEntry[]) {
    this.replace(entries);
  }

  /** Null for an unknown token. */
  authenticate(token: string): Client | null {
    const entry = this.#entries.get(this.#find(token)?.name ?? "");
    if (!entry) return null;
    const { name, tokenSha256, grant } = entry;
    const key = `${name} ${tokenSha256}`;
    const known = this.#clients.get(key) ?? { name, tokenSha256, grant };
    this.#clients.set(key, known);
    return known;
  }

  /** Returns the names of removed and changed clients. */
  replace(entries: readonly ClientEntry[]): string[] {
    const before = this.#entries;
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
    this.#find = createAuthenticator(entries);
    for (const client of this.#clients.values()) {
      const today = this.#entries.get(client.name);
      client.grant = today?.tokenSha256 === client.tokenSha256 ? today.grant : NO_GRANT;
    }
    return [...before.values()]
      .filter((entry) => JSON.stringify(entry) !== JSON.stringify(this.#entries.get(entry.name)))
      .map(({ name }) => name);
  }
}

interface LiveClient extends Client {
  readonly tokenSha256: string;
  /** A plain field, not a getter: every decision reads it. */
  grant: Grant;
}
