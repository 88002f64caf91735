import { type ClientEntry, createAuthenticator } from "./authenticate.ts";
import { type Grant, NO_GRANT } from "./grant.ts";
import type { Client } from "./operation.ts";

/**
 * The clients that are configured, which can be replaced while the program runs. A client that was handed out has the grant of today; it has none
 * once it was removed, or its token was changed.
 */
export class LiveClients {
  #entries: ReadonlyMap<string, ClientEntry> = new Map();
  #find: ReturnType<typeof createAuthenticator> = () => null;
  /** By name and token, so that what connected with an old token gets nothing of what a new one allows. */
  readonly #clients = new Map<string, LiveClient>();

  constructor(entries: readonly ClientEntry[]) {
    this.replace(entries);
  }

  /** Null for a token that belongs to none. */
  authenticate(token: string): Client | null {
    const entry = this.#entries.get(this.#find(token)?.name ?? "");
    if (!entry) return null;
    const { name, tokenSha256, grant } = entry;
    const key = `${name} ${tokenSha256}`;
    const known = this.#clients.get(key) ?? { name, tokenSha256, grant };
    this.#clients.set(key, known);
    return known;
  }

  /** The names of those that were removed, or are not what they were. */
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
