import { openTestSandbox } from "../support/sandbox.ts";
import {
  type Address,
  connectNew,
  connectOld,
  openSocket,
  overHttp,
  overOldHttp,
  overSocket,
  type Person,
  type TestClient,
} from "./clients.ts";
import { type FullMcpOptions, openFullMcp } from "./open-mcp.ts";

/** Every way to reach the server, by the specification and the wire. */
export const WAYS: Readonly<Record<string, (address: Address, person?: Person) => Promise<TestClient>>> = {
  "2026-07-28 over HTTP": (address, person) => connectNew(overHttp(address), person),
  "2025-11-25 over HTTP": (address, person) => connectOld(overOldHttp(address), person),
  "2026-07-28 on the stdio wire": async (address, person) => connectNew(overSocket(await openSocket(address)), person),
  "2025-11-25 on the stdio wire": async (address, person) => connectOld(overSocket(await openSocket(address)), person),
};

/** The whole server, and a staff room that the bot and Mei may enter. */
export async function arrive(options: FullMcpOptions = {}) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
  const mcp = await openFullMcp(sandbox, options);
  const address = (key: string, more: Partial<Address> = {}): Address => ({
    url: mcp.url,
    token: mcp.token(),
    actor: sandbox.as(key).id,
    ...more,
  });
  return { ...mcp, address };
}

/** What a model would read. */
export function textOf({ content }: Awaited<ReturnType<TestClient["call"]>>): string {
  return content.map((block) => (block.type === "text" ? block.text : `(${block.type})`)).join("\n");
}

/** Which error a failed call carries for programs. */
export function codeOf({ isError, _meta }: Awaited<ReturnType<TestClient["call"]>>): unknown {
  const error = _meta?.["earshot/error"] as { code?: unknown } | undefined;
  return isError ? error?.code : undefined;
}
