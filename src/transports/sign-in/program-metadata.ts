import { IncomingMessage } from "node:http";

const USED = ["client_id", "client_name", "redirect_uris"];
/** Ports of loopback addresses need not match, and no other address may be without encryption. */
const PUBLIC_CLIENT = { application_type: "native", token_endpoint_auth_method: "none" };

/**
 * Keeps the name and the addresses of what a program says about itself: what it may do is decided by the person. With the kinds of grants, secrets and scopes
 * that programs ask for in vain, it would be refused. JSON in, JSON out; anything else is left as it is, to be refused.
 */
export function keepUsedMetadata(text: string): string {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof said !== "object" || said === null || Array.isArray(said)) return text;
  const used = Object.entries(said).filter(([name]) => USED.includes(name));
  return JSON.stringify({ ...Object.fromEntries(used), ...PUBLIC_CLIENT });
}

/** The same request with another body, for a library that reads it from there. */
export function withBody(request: IncomingMessage, text: string): IncomingMessage {
  const body = Buffer.from(text);
  const copy = new IncomingMessage(request.socket);
  copy.method = request.method;
  copy.url = request.url;
  copy.headers = { ...request.headers, "content-length": String(body.length) };
  delete copy.headers["transfer-encoding"];
  copy.push(body);
  copy.push(null);
  copy.complete = true;
  return copy;
}
