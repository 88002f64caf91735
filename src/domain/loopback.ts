export function isLoopback(host: string): boolean {
  return ["localhost", "::1", "[::1]", "::ffff:127.0.0.1"].includes(host) || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Whether data sent to an address is encrypted, or stays on this machine. */
export function isSafeAddress(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
}
