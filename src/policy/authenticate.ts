import { hash, timingSafeEqual } from "node:crypto";
import type { Grant } from "./grant.ts";
import type { Client } from "./operation.ts";

/** A client as configured by the operator. The token itself is not stored. */
export interface ClientEntry {
  readonly name: string;
  /** SHA-256 of the token, in hexadecimal. */
  readonly tokenSha256: string;
  readonly grant: Grant;
}

export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}

/** Finds the client of a token; null for none. Compares with every entry, so that timing reveals nothing. */
export function createAuthenticator(entries: readonly ClientEntry[]): (token: string) => Client | null {
  const known = entries.map(({ name, tokenSha256, grant }) => ({
    hash: Buffer.from(tokenSha256, "hex"),
    client: { name, grant },
  }));
  return (token) => {
    const asked = Buffer.from(hashToken(token), "hex");
    let found: Client | null = null;
    for (const entry of known)
      if (entry.hash.length === asked.length && timingSafeEqual(entry.hash, asked)) found = entry.client;
    return found;
  };
}
