import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

/** The address of the sender of a request. Forwarding headers count only from proxies that the operator lists. */
export function toClientAddress({ socket, headers }: IncomingMessage, trustedProxies: readonly string[]): string {
  const trusted = toNetworks(trustedProxies);
  const passed = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
  const hops = [...passed, socket.remoteAddress ?? ""].map((hop) => toPlain(hop.trim()));
  // From the last hop on, because each hop was added by the next one.
  while (hops.length > 1 && isListed(trusted, hops.at(-1) ?? "") && isIP(hops.at(-2) ?? "") !== 0) hops.pop();
  return hops.at(-1) ?? "";
}

/** Addresses and networks such as 10.0.0.0/8. */
export function toNetworks(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = "", bits] = text.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

export function isListed(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4");
}

/** A dual-stack socket shows IPv4 addresses as IPv6. */
function toPlain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
