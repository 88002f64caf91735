import { ControlError } from "./control-error.ts";

const LOCAL_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/**
 * Refuses what a web page could send: the server is bound to loopback, but a browser on this machine reaches it too. A page is recognised by its
 * Origin or Sec-Fetch-Site header, and one that had its own name resolved to 127.0.0.1 by its Host header.
 */
export function requireLocalProgram(request: Request): void {
  const host = requireLocalHost(request);
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const isPage = (origin !== null && origin !== `http://${host}`) || site === "cross-site" || site === "same-site";
  if (isPage) throw new ControlError(403, "forbidden", "Web pages may not control the sandbox.");
}

/** Returns the Host. */
export function requireLocalHost(request: Request): string {
  const host = request.headers.get("host") ?? "";
  if (LOCAL_HOST.test(host)) return host;
  throw new ControlError(403, "forbidden", "Use the address 127.0.0.1 or localhost: this Host is not served.");
}
