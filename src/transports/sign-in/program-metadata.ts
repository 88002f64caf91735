import { IncomingMessage } from "node:http";

const USED = ["client_id", "client_name", "redirect_uris"];
/** For loopback addresses the port is ignored; all other addresses must be encrypted. */
const PUBLIC_CLIENT = { application_type: "native", token_endpoint_auth_method: "none" };

/**
 * Keeps only the name and redirect addresses from a program's metadata, because the person decides on its permissions. Unsupported grant
 * types, secrets and scopes would cause a refusal. JSON in, JSON out; anything else is passed on, to be refused.
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

/** The same request with another body, for a library that reads the request. */
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
