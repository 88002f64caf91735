import { request } from "node:http";
import type { Duplex } from "node:stream";
import {
  type CallToolResult,
  Client,
  type ClientOptions,
  deserializeMessage,
  type ElicitResult,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldHttpTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";

export interface Address {
  readonly url: string;
  readonly token: string;
  readonly actor?: string;
  readonly toolsets?: string;
  /** As it stands in the header. */
  readonly for?: string;
}

/** What a person at the host answers; without one the host cannot ask. */
export type Person = (message: string) => ElicitResult;

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number; total?: number | undefined }) => void;
}

/** A client of either generation, as far as the tests need it. */
export interface TestClient {
  readonly version: string | undefined;
  readonly client: Client | OldClient;
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<CallToolResult>;
  close(): Promise<void>;
}

export function headersOf({ token, actor, toolsets, for: channel }: Address): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    ...(actor && { "x-earshot-actor": actor }),
    ...(toolsets && { "x-earshot-toolsets": toolsets }),
    ...(channel && { "x-earshot-for": channel }),
  };
}

const INFO = { name: "test", version: "1" };

/** The second generation, which prefers 2026-07-28. */
export async function connectNew(transport: Transport, person?: Person): Promise<TestClient> {
  const options: ClientOptions = {
    versionNegotiation: { mode: "auto" },
    capabilities: person ? { elicitation: {} } : {},
  };
  const client = new Client(INFO, options);
  if (person) client.setRequestHandler("elicitation/create", ({ params }) => person(params.message));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    version: client.getNegotiatedProtocolVersion(),
    call: async (name, args, callOptions) =>
      (await client.callTool({ name, arguments: args }, callOptions)) as CallToolResult,
    close: () => client.close(),
  };
}

export function overHttp(address: Address): Transport {
  return new StreamableHTTPClientTransport(new URL(address.url), { requestInit: { headers: headersOf(address) } });
}

/** The first generation, which begins a session. */
export async function connectOld(transport: Transport, person?: Person): Promise<TestClient> {
  const client = new OldClient(INFO, { capabilities: person ? { elicitation: {} } : {} });
  if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message) as never);
  let version: string | undefined;
  const tell = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (negotiated) => {
    version = negotiated;
    tell?.(negotiated);
  };
  await client.connect(transport as never);
  const close = async () => {
    if (transport instanceof OldHttpTransport) await transport.terminateSession().catch(() => undefined);
    await client.close();
  };
  onTestFinished(close);
  return {
    client,
    version,
    call: async (name, args, options) =>
      (await client.callTool({ name, arguments: args }, CallToolResultSchema, options as never)) as CallToolResult,
    close,
  };
}

export function overOldHttp(address: Address): Transport {
  const options = { requestInit: { headers: headersOf(address) } };
  return new OldHttpTransport(new URL(address.url), options) as Transport;
}

/** The socket that `earshot mcp` hands its standard input and output through to. */
export async function openSocket(address: Address): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const headers = { ...headersOf(address), connection: "Upgrade", upgrade: "earshot-mcp" };
  const asking = request(address.url, { headers });
  asking.on("upgrade", (_response, socket, head) => {
    socket.unshift(head);
    onTestFinished(() => void socket.destroy());
    resolve(socket);
  });
  asking.on("response", async (response) => {
    reject(new Error(`${response.statusCode} ${(await response.toArray()).join("")}`));
  });
  asking.on("error", reject);
  asking.end();
  return promise;
}

/** The stdio wire as a host sees it, on a socket. */
export function overSocket(socket: Duplex): Transport {
  let rest = "";
  const transport: Transport = {
    async start() {
      socket.on("data", (chunk) => {
        const lines = (rest + String(chunk)).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) transport.onmessage?.(deserializeMessage(line));
      });
      socket.on("close", () => transport.onclose?.());
    },
    async send(message: JSONRPCMessage) {
      socket.write(serializeMessage(message));
    },
    async close() {
      socket.end();
    },
  };
  return transport;
}
