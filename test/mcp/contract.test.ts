import type { CallToolResult } from "@modelcontextprotocol/client";
import { EarshotError } from "../../src/domain/errors.ts";
import type { WireError } from "../../src/domain/rpc/rpc-frames.ts";
import { type ContractClient, describeTransport } from "../../src/transports/kit/contract.suite.ts";
import { openContractWorld } from "../support/contract-world.ts";
import { WAYS } from "./arrive.ts";
import type { TestClient } from "./clients.ts";
import { openFullMcp } from "./open-mcp.ts";

for (const [way, connect] of Object.entries(WAYS)) {
  describeTransport(`MCP ${way}`, {
    async open(server = {}) {
      const world = await openContractWorld(server);
      const { limits = {} } = server;
      const mcp = await openFullMcp(world.sandbox, { ...world.gateOptions, limits, log: world.log });
      return world.toFixture({
        connect: async (name, grant) =>
          toContract(await connect({ url: mcp.url, token: mcp.token(name, grant), actor: world.actor })),
        running: () => mcp.transport.stats().running,
      });
    },
  });
}

/** Tools by the names that people know, failures as errors. */
function toContract({ client, call, close }: TestClient): ContractClient {
  let isClosed = false;
  const toDotted = (name: string) => name.replace(/^discord_/, "discord.").replace(/^(discord\.[a-z]+)_/, "$1.");
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => toDotted(name)),
    async call({ tool, args }, { signal, onProgress } = {}) {
      const onprogress =
        onProgress && (({ progress = 0, total = 0 }) => onProgress({ scanned: progress, scan: total }));
      const options = { ...(signal && { signal }), ...(onprogress && { onprogress }) };
      const result = await call(tool.replaceAll(".", "_"), args, options).catch((error: unknown) => {
        throw toThrown(error, isClosed || signal?.aborted === true);
      });
      if (result.isError) throw toFailure(result);
      return result.structuredContent;
    },
    async close() {
      isClosed = true;
      await close();
    },
  };
}

function toFailure({ content, _meta }: CallToolResult): EarshotError {
  const [first] = content;
  return toError(_meta?.["earshot/error"], first?.type === "text" ? first.text : "");
}

/** A client that gave up throws an error of its own library. */
function toThrown(error: unknown, wasGivenUp: boolean): EarshotError {
  const { message, data } = error as { message: string; data?: unknown };
  return toError(data ?? { code: wasGivenUp ? "cancelled" : "internal" }, message);
}

function toError(error: unknown, message: string): EarshotError {
  const { code, retry_after: retryAfter, confirmation_id: confirmationId, candidates } = error as WireError;
  return new EarshotError(code, message, { retryAfter, confirmationId, candidates });
}
