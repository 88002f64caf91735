import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import type { Sandbox, SandboxOptions } from "../../sandbox/index.ts";
import { type RequiredFields, readRequiredFields } from "./required-fields.ts";
import { openTestSandbox } from "./sandbox.ts";

export interface BareDiscord {
  /** For clients: it leads through the proxy. */
  readonly api: string;
  readonly sandbox: Sandbox;
}

/**
 * A sandbox behind a proxy that passes on only what Discord's OpenAPI file requires, of REST answers and of dispatches, and knows no other spelling of
 * `/users/@me`. `keep` says which optional fields stay. Undefined when the file is not there.
 */
export async function openBareDiscord(
  keep: (field: string, owner: Readonly<Record<string, unknown>>) => boolean,
  options: SandboxOptions = {},
): Promise<BareDiscord | undefined> {
  const fields = readRequiredFields(keep);
  if (!fields) return undefined;
  const server = createServer((incoming, outgoing) => passOn(incoming, outgoing, { sandbox, fields }));
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on("connection", (client, { url }) => join(client, new WebSocket(`${sandbox.url}${url}`), fields));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate();
    server.closeAllConnections();
    server.close();
  });
  const sandbox = await openTestSandbox({
    ...options,
    advertise: { gateway: (url) => url.replace(/:\d+/, `:${port}`) },
  });
  return { api: `http://127.0.0.1:${port}/api`, sandbox };
}

/** Dispatches are stripped on their way to the client; what the client says goes through as it is. */
function join(client: WebSocket, upstream: WebSocket, fields: RequiredFields): void {
  upstream.on("message", (data) => {
    const frame = JSON.parse(String(data)) as { op: number; t: string; d: unknown };
    const d = frame.op === 0 ? fields.stripDispatch(frame.t, frame.d) : frame.d;
    client.send(JSON.stringify({ ...frame, d }));
  });
  client.on("message", (data) => upstream.send(String(data)));
  client.on("close", () => upstream.terminate());
  upstream.on("close", () => client.terminate());
  for (const socket of [client, upstream]) socket.on("error", () => undefined);
}

interface Line {
  readonly sandbox: Sandbox;
  readonly fields: RequiredFields;
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, { sandbox, fields }: Line): void {
  const { method = "GET", url = "" } = incoming;
  if (/%40/i.test(url)) {
    outgoing.writeHead(404, { "content-type": "application/json" }).end('{"message":"404: Not Found","code":0}');
    return;
  }
  const path = url.replace(/^\/api\/v10/, "").replace(/\?.*/, "");
  const onward = request(`${sandbox.url}${url}`, { method, headers: incoming.headers }, async (answer) => {
    const status = answer.statusCode ?? 502;
    const bytes = Buffer.concat(await answer.toArray());
    const { "content-length": _, "transfer-encoding": __, ...headers } = answer.headers;
    const isJson = headers["content-type"]?.startsWith("application/json") && bytes.length > 0;
    outgoing.writeHead(status, headers);
    outgoing.end(
      isJson ? JSON.stringify(fields.stripAnswer({ method, path }, status, JSON.parse(String(bytes)))) : bytes,
    );
  });
  onward.on("error", () => outgoing.destroy());
  incoming.pipe(onward);
}
