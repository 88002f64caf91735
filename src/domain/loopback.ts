/** Whether a host name is the loopback of this machine. */
export function isLoopback(host: string): boolean {
  return ["localhost", "::1", "[::1]", "::ffff:127.0.0.1"].includes(host) || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Whether what is sent to an address is encrypted on its way, or does not leave this machine. */
export function isSafeAddress(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
}
