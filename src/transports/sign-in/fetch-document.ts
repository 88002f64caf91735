import type { LookupAddress } from "node:dns";
import { lookup as lookupAddresses } from "node:dns/promises";
import { request } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { EarshotError } from "../../domain/errors.ts";
import { isListed, toNetworks } from "../kit/client-address.ts";

export interface FetchDocumentDeps {
  lookup(host: string): Promise<readonly LookupAddress[]>;
  /** Additional networks to refuse. */
  readonly blocked: readonly string[];
  /** Trusted certificates; the system's by default. */
  readonly ca?: string;
}

/** All networks outside the public internet. https://www.iana.org/assignments/iana-ipv4-special-registry */
const NOT_PUBLIC: readonly string[] = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["224.0.0.0/4", "240.0.0.0/4", "::/8", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32"],
  ...["2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "ff00::/8"],
];
const MAX_BYTES = 5 * 1_024;
const TIMEOUT_MS = 2_500;
const SYSTEM: FetchDocumentDeps = {
  lookup: (host) => lookupAddresses(host, { all: true }),
  blocked: NOT_PUBLIC,
};

/**
 * Fetches a program's metadata document from the public internet, without redirects. Connects to the address that was checked, so that a
 * host name that resolves differently the second time gains nothing. Throws `forbidden`, `unavailable`, or `unsupported` if it is too
 * large.
 */
export async function fetchDocument(
  address: string,
  { signal }: { readonly signal?: AbortSignal } = {},
  { lookup, blocked, ca }: FetchDocumentDeps = SYSTEM,
): Promise<Response> {
  const url = new URL(address);
  const networks = toNetworks(blocked);
  const mustBePublic = (found: string) => {
    if (isIP(found) !== 0 && !isListed(networks, found)) return;
    throw new EarshotError("forbidden", "The metadata document is not on the public internet.");
  };
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(literal) !== 0) mustBePublic(literal);
  const checkedLookup: LookupFunction = (host, options, done) => {
    lookup(host).then(
      (found) => {
        try {
          for (const each of found) mustBePublic(each.address);
        } catch (error) {
          done(error as Error, []);
          return;
        }
        const [first] = found;
        if (options.all) done(null, [...found]);
        else done(first ? null : new Error("no address"), first?.address ?? "", first?.family);
      },
      (error: Error) => done(error, []),
    );
  };
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) =>
      reject(
        cause instanceof EarshotError
          ? cause
          : new EarshotError("unavailable", "The metadata document could not be fetched.", { cause }),
      );
    const options = {
      headers: { accept: "application/json", "user-agent": "earshot" },
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      lookup: checkedLookup,
      agent: false,
      ...(ca !== undefined && { ca }),
    };
    const asked = request(url, options, (answer) => {
      const parts: Buffer[] = [];
      let size = 0;
      answer.on("data", (part: Buffer) => {
        size += part.length;
        if (size <= MAX_BYTES) return void parts.push(part);
        // Reported before the request is destroyed, because the last part ends it, too.
        fail(new EarshotError("unsupported", "The metadata document is too large."));
        asked.destroy();
      });
      answer.once("error", fail);
      answer.once("end", () => {
        const headers = { "cache-control": answer.headers["cache-control"] ?? "" };
        resolve(new Response(Buffer.concat(parts), { status: answer.statusCode ?? 502, headers }));
      });
    });
    asked.once("error", fail);
    asked.end();
  });
}
