import type { IncomingMessage } from "node:http";
import * as http from "node:http";
import * as https from "node:https";
import { EarshotError } from "../domain/errors.ts";

export interface JsonLimits {
  /** From the first attempt to connect to the last byte. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface JsonRequest {
  readonly address: URL;
  readonly token: string | undefined;
  readonly limits: JsonLimits;
  readonly agent: http.Agent;
  readonly signal: AbortSignal;
}

/** `none`: status 404. */
export type JsonAnswer = { readonly kind: "json"; readonly value: unknown } | { readonly kind: "none" };

const MAX_HEADER_BYTES = 8_192;
/** For how long a service that did not answer in time should be left alone. */
const PAUSE_SECONDS = 10;

/**
 * An agent of our own: the platform's own agents, and fetch, go through a proxy where the environment names one. Requests beyond `maxSockets` wait, which counts
 * against their time.
 */
export function createDirectAgent(address: string, maxSockets: number): http.Agent {
  if (new URL(address).protocol === "http:") return new http.Agent({ maxSockets });
  // Whatever the environment says: who is asked must be who it claims to be.
  return new https.Agent({ maxSockets, rejectUnauthorized: true });
}

/**
 * One GET without redirects, proxies and compression. Throws `unavailable` for anything but JSON or a 404 within the limits, with `retryAfter` where the
 * time was up; what it says holds nothing of the address, the token or the answer.
 */
export async function requestJson({ address, token, limits, agent, signal }: JsonRequest): Promise<JsonAnswer> {
  const patience = AbortSignal.timeout(limits.timeoutMs);
  const request = (address.protocol === "http:" ? http : https).request(address, {
    agent,
    signal: AbortSignal.any([signal, patience]),
    maxHeaderSize: MAX_HEADER_BYTES,
    headers: {
      accept: "application/json",
      "accept-encoding": "identity",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  });
  try {
    const response = await responseTo(request);
    if (response.statusCode === 404) return { kind: "none" };
    mustBeJson(response);
    return { kind: "json", value: parse(await readBody(response, limits)) };
  } catch (cause) {
    if (cause instanceof EarshotError) throw cause;
    if (patience.aborted)
      throw unavailable(`did not answer within ${limits.timeoutMs / 1_000} s`, cause, PAUSE_SECONDS);
    throw unavailable("cannot be reached, or broke the connection off", cause);
  } finally {
    request.destroy();
  }
}

function responseTo(request: http.ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.once("response", resolve);
  request.on("error", reject);
  request.once("close", () => reject(new Error("closed without an answer")));
  request.end();
  return promise;
}

function mustBeJson({ statusCode = 0, headers }: IncomingMessage): void {
  if (statusCode >= 300 && statusCode < 400) throw unavailable("answered with a redirect, which is not followed");
  if (statusCode === 401 || statusCode === 403) throw unavailable(`refused the request with status ${statusCode}`);
  if (statusCode !== 200) throw unavailable(`answered with status ${statusCode}`);
  if ((headers["content-encoding"] ?? "identity") !== "identity")
    throw unavailable("compressed its answer without being asked to");
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (!/^application\/(?:json|[\w.-]+\+json)$/i.test(type.trim())) throw unavailable("did not answer with JSON");
}

/** Counts the bytes that arrive instead of trusting the header. */
async function readBody(response: IncomingMessage, { maxBytes }: JsonLimits): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw unavailable(`answered with more than ${maxBytes / 1_024} KB`);
    chunks.push(chunk);
  }
  // A connection that breaks off in the middle can end like one that is complete.
  if (!response.complete) throw unavailable("broke off in the middle of its answer");
  return Buffer.concat(chunks);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    // Without its cause, which repeats parts of the text.
    throw unavailable("did not answer with valid JSON");
  }
}

function unavailable(what: string, cause?: unknown, retryAfter?: number): EarshotError {
  return new EarshotError("unavailable", `The service ${what}.`, { retryAfter, ...(cause !== undefined && { cause }) });
}
