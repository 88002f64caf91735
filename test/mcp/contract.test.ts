import type { CallToolResult } from "@modelcontextprotocol/client";
import { EarshotError, type ErrorCode } from "../../src/domain/errors.ts";
import { type Grant, SCOPES } from "../../src/policy/grant.ts";
import {
  type ContractClient,
  type ContractFixture,
  describeTransport,
} from "../../src/transports/kit/contract.suite.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { WAYS } from "./arrive.ts";
import type { Address, TestClient } from "./clients.ts";
import { openFullMcp } from "./open-mcp.ts";

type Connect = (address: Address) => Promise<TestClient>;

/** The whole server, in whose general channel is much to look through, and whose staff room Sarah may not enter though the bot may. */
async function openFixture(connect: Connect): Promise<ContractFixture> {
  const sandbox = await openTestSandbox({ rateLimits: false });
  for (let count = 0; count < 2_000; count += 1) sandbox.as("mark").say("general", `line ${count}`);
  sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
  const mcp = await openFullMcp(sandbox);
  const channel = (key: string) => sandbox.community.channels.get(key) ?? "";
  const general = channel("general");
  const open = async (name: string, grant: Partial<Grant>) => {
    const token = mcp.token(name, grant);
    return toContract(await connect({ url: mcp.url, token, actor: sandbox.as("sarah").id }));
  };
  const info = (channel_id: string) => ({ tool: "discord.channel.info", args: { channel_id } });
  const value = { channel_id: general, name: "general", kind: "text", topic: "Anything.", age_restricted: false };
  const more = { guild_id: sandbox.community.guild.id, parent_id: channel("commons"), archived: false, tags: [] };
  return {
    connect: () => open("all", {}),
    connectWithout: () => open("fewer", { scopes: SCOPES.filter((scope) => scope !== "directory:read") }),
    readable: { ...info(general), value: { ...value, ...more } },
    hidden: info(channel("staff-room")),
    absent: info("1"),
    wrong: { tool: "discord.channel.messages", args: { channel_id: general, limit: 0 }, wrongField: "limit" },
    // Twelve seconds, if nobody stops it: longer than the suite waits.
    get endless() {
      sandbox.faults.slowRest({ match: "/messages", ms: 600, times: 100 });
      return { tool: "discord.search.window", args: { channel_id: general, query: "needle", scan: 100_000 } };
    },
    running: () => mcp.transport.stats().running,
  };
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
        throw toError(error, isClosed || signal?.aborted === true);
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
  const error = _meta?.["earshot/error"] as { code: ErrorCode } | undefined;
  const [first] = content;
  return new EarshotError(error?.code ?? "internal", first?.type === "text" ? first.text : "");
}

/** A client that gave up throws an error of its own library. */
function toError(error: unknown, wasGivenUp: boolean): EarshotError {
  const { message, data } = error as { message: string; data?: { code?: ErrorCode } };
  return new EarshotError(data?.code ?? (wasGivenUp ? "cancelled" : "internal"), message);
}

for (const [way, connect] of Object.entries(WAYS)) describeTransport(`MCP ${way}`, () => openFixture(connect));
