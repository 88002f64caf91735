import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { HttpProfile, type HttpProfileOptions, type ServiceField } from "../../src/profiles/http-profile.ts";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A profile service on this machine: by the ids of people, what it answers about them. Whoever is missing has no profile. */
export async function openProfileServer(people: Record<string, object | Answer> = {}) {
  const requests: { readonly path: string; readonly headers: IncomingMessage["headers"] }[] = [];
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? "", headers: request.headers });
    const answer = people[(request.url ?? "").split("/").at(-1) ?? ""];
    if (typeof answer === "function") answer(response, request);
    else if (answer === undefined) response.writeHead(404).end();
    else sendJson(response, JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/people/{user_id}`;
  return { url, requests, people };
}

export function sendJson(response: ServerResponse, body: string | Buffer, headers: Record<string, string> = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(body);
}

/** A source that asks the service, with a clock that moves only by hand, and everything that it logs. */
export function openHttpProfile(
  url: string,
  fields: readonly ServiceField[],
  more: Partial<HttpProfileOptions> & { readonly clock?: { now(): number } } = {},
) {
  const logged: string[] = [];
  const note = (values: Record<string, unknown>, message: string) =>
    void logged.push(JSON.stringify({ ...values, message }));
  const log = { debug: note, info: note, warn: note, error: note };
  const time = { now: 0 };
  const { clock = { now: () => time.now }, ...options } = more;
  const source = new HttpProfile({ url, fields, ...options }, { clock, log });
  onTestFinished(() => source.close());
  return { source, logged, time };
}
