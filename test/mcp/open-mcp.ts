import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { type Grant, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Client } from "../../src/policy/operation.ts";
import { openHttp } from "../../src/transports/http/open-http.ts";
import { createMcpOnDemand } from "../../src/transports/mcp/mcp-on-demand.ts";
import type { McpDeps, McpTransport } from "../../src/transports/mcp/mcp-transport.ts";
import { createTestPrivacy } from "../support/consent.ts";
import { openTestGate, type TestGate, type TestGateOptions } from "../support/gate.ts";

export interface FullMcp extends TestGate {
  readonly url: string;
  readonly transport: McpTransport;
  /** Everything that was logged, as JSON. */
  readonly logged: readonly string[];
  /** A token for a client of this name with this grant, on top of all that an operator may do; `more`: what else it is asked. */
  token(name?: string, grant?: Partial<Grant>, more?: Pick<Client, "admit">): string;
}

export interface FullMcpOptions
  extends TestGateOptions,
    Partial<Pick<McpDeps, "limits" | "extras" | "trustsHost" | "clock" | "log">> {
  readonly wrap?: (transport: McpTransport) => McpTransport;
}

/** The whole server on a sandbox, on its one port. It closes after the test. */
export async function openFullMcp(sandbox: Sandbox, options: FullMcpOptions = {}): Promise<FullMcp> {
  const { limits, extras, trustsHost, clock, log, wrap = (one) => one, ...gateOptions } = options;
  const inside = await openTestGate(sandbox, gateOptions);
  const known = new Map<string, Client>();
  const clients = new Map<string, Client>();
  const logged: string[] = [];
  const note = (fields: Record<string, unknown>, message: string) =>
    void logged.push(JSON.stringify({ message, ...fields }));
  const transport = createMcpOnDemand({
    gate: inside.gate,
    operations: inside.operations,
    privacy: createTestPrivacy(inside.consent),
    directory: inside.edge.discord.directory,
    authenticate(token) {
      const name = /^token-(.+)$/.exec(token)?.[1] ?? "";
      const client = clients.get(name) ?? known.get(name) ?? null;
      if (client) clients.set(name, client);
      return client;
    },
    isLocal: true,
    trustsHost: trustsHost ?? (() => true),
    clock: clock ?? { now: () => Date.now() },
    log: log ?? { debug: note, info: note, warn: note, error: note },
    version: "0.0.0-test",
    mintId: randomUUID,
    limits: { requestsPerSecond: 1_000_000, burst: 1_000_000, ...limits },
    ...(extras && { extras }),
  });
  const http = await openHttp({ host: "127.0.0.1", port: 0 });
  http.serve({
    metrics: { render: async () => ({ contentType: "text/plain", text: "" }) },
    health: async () => ({ discord: "ready", storage: "working" }),
    status() {
      throw new Error("nobody may read it");
    },
    mayReadMetrics: () => false,
    handleUpgrade: (_request, socket) => void socket.destroy(),
    mcp: wrap(transport),
  });
  onTestFinished(async () => {
    await transport.close();
    await http.close();
  });
  return {
    ...inside,
    url: `${http.url}/mcp`,
    transport,
    logged,
    token(name = "host", grant = {}, more = {}) {
      known.set(name, { name, grant: { ...OPERATOR_GRANT, ...grant }, ...more });
      return `token-${name}`;
    },
  };
}
