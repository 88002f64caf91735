/** Whether a host name is the loopback of this machine. */
export function isLoopback(host: string): boolean {
  return ["localhost", "::1", "[::1]", "::ffff:127.0.0.1"].includes(host) || /^127(\.\d{1,3}){3}$/.test(host);
}
