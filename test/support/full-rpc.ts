import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { type Grant, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Log } from "../../src/ports/log.ts";
import { createRpcTransport, type RpcDeps, type RpcTransport } from "../../src/transports/rpc/rpc-transport.ts";
import { createTestPersonMemory, createTestPrivacy } from "./consent.ts";
import { openTestGate, type TestGate, type TestGateOptions } from "./gate.ts";

interface RpcOver {
  readonly url: string;
  readonly transport: RpcTransport;
  /** A token for a client of this name with this grant, on top of all that an operator may do. */
  token(name?: string, grant?: Partial<Grant>): string;
}

export type FullRpc = TestGate & RpcOver;

export type FullRpcOptions = TestGateOptions & Partial<Pick<RpcDeps, "limits" | "log">>;

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** The whole server on a sandbox: edge, timelines, gate and transport. */
export async function openFullRpc(sandbox: Sandbox, options: FullRpcOptions = {}): Promise<FullRpc> {
  const { limits = {}, log = SILENT, ...gateOptions } = options;
  const inside = await openTestGate(sandbox, gateOptions);
  return { ...inside, ...(await serveRpc(inside, { limits, log })) };
}

/** The transport on a socket of its own, over a gate that is already there. */
export async function serveRpc(
  inside: TestGate & Pick<RpcDeps, "agent">,
  { limits = {}, log = SILENT }: Partial<Pick<RpcDeps, "limits" | "log">> = {},
): Promise<RpcOver> {
  const { discord } = inside.edge;
  const grants = new Map<string, Partial<Grant>>();
  const transport = createRpcTransport({
    gate: inside.gate,
    operations: inside.operations,
    clientEvents: inside.clientEvents,
    holders: inside.holders,
    agent: inside.agent,
    consent: inside.consent,
    privacy: createTestPrivacy(inside.consent),
    personMemory: createTestPersonMemory({ ...inside, directory: discord.directory }),
    listen: (listener) => discord.listen(listener),
    authenticate(token) {
      const name = /^token-(.+)$/.exec(token)?.[1] ?? "";
      const grant = grants.get(name);
      return grant ? { name, grant: { ...OPERATOR_GRANT, ...grant } } : null;
    },
    clock: { now: () => Date.now() },
    log,
    limits,
    mintId: randomUUID,
  });
  const server = createServer().on("upgrade", transport.handleUpgrade);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await transport.close();
    server.close();
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/rpc`,
    transport,
    token(name = "brain", grant = {}) {
      grants.set(name, grant);
      return `token-${name}`;
    },
  };
}
