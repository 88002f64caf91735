import { onTestFinished } from "vitest";
import { connectEarshot } from "../../src/client/index.ts";
import { EarshotError } from "../../src/domain/errors.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { type Grant, OPERATOR_GRANT, SCOPES } from "../../src/policy/grant.ts";
import type { OpenRequest } from "../../src/policy/operations.ts";
import {
  type ContractClient,
  type ContractFixture,
  describeTransport,
} from "../../src/transports/kit/contract.suite.ts";
import { type FullRpc, openFullRpc } from "../support/full-rpc.ts";
import { openTestSandbox } from "../support/sandbox.ts";

interface Transport {
  connect(rpc: FullRpc, grant: Partial<Grant>, request: OpenRequest): Promise<ContractClient>;
  running(rpc: FullRpc): number;
}

/** The whole server, in whose general channel is much to look through, and whose staff room Sarah may not enter though the bot may. */
async function openFixture({ connect, running }: Transport): Promise<ContractFixture> {
  const sandbox = await openTestSandbox({ rateLimits: false });
  for (let count = 0; count < 2_000; count += 1) sandbox.as("mark").say("general", `line ${count}`);
  sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
  const rpc = await openFullRpc(sandbox);
  const channel = (key: string) => sandbox.community.channels.get(key) as ChannelId;
  const general = channel("general");
  const request = { actor: sandbox.as("sarah").id as UserId, channelId: general };
  const open = async (grant: Partial<Grant>) => {
    const client = await connect(rpc, grant, request);
    onTestFinished(() => client.close());
    return client;
  };
  const info = (channel_id: string) => ({ tool: "discord.channel.info", args: { channel_id } });
  const value = { channel_id: general, name: "general", kind: "text", topic: "Anything.", age_restricted: false };
  const more = { guild_id: sandbox.community.guild.id, parent_id: channel("commons"), archived: false, tags: [] };
  return {
    connect: () => open({}),
    connectWithout: () => open({ scopes: SCOPES.filter((scope) => scope !== "directory:read") }),
    readable: { ...info(general), value: { ...value, ...more } },
    hidden: info(channel("staff-room")),
    absent: info("1"),
    wrong: { tool: "discord.channel.messages", args: { channel_id: general, limit: 0 }, wrongField: "limit" },
    get endless() {
      sandbox.faults.slowRest({ match: "/messages", ms: 50, times: 100 });
      return { tool: "discord.search.window", args: { channel_id: general, query: "needle", scan: 100_000 } };
    },
    running: () => running(rpc),
  };
}

const overRpc: Transport = {
  async connect(rpc, grant, { actor, channelId }) {
    const name = `client-${Object.keys(grant).length}`;
    const client = await connectEarshot({ url: rpc.url, token: rpc.token(name, grant) });
    const { operation_id } = await client.call("operation.open", { actor, channel_id: channelId });
    return {
      list: async () => (await client.call("rpc.describe", {})).methods.map((method) => method.name),
      call: ({ tool, args }, options = {}) => client.call(tool, args, { ...options, operationId: operation_id }),
      close: () => client.close(),
    };
  },
  running: (rpc) => rpc.transport.stats().running,
};

let underWay = 0;

/** No wire at all: the gate, with an end to every call when its client goes. */
const inProcess: Transport = {
  async connect({ gate, operations }, grant, request) {
    const client = { name: "local", grant: { ...OPERATOR_GRANT, ...grant } };
    const operation = await operations.open(client, request);
    const end = new AbortController();
    return {
      list: async () => gate.tools.filter((tool) => gate.isFor(tool, client)).map((tool) => tool.name),
      async call({ tool, args }, { signal, onProgress } = {}) {
        if (end.signal.aborted) throw new EarshotError("cancelled", "The client was closed.");
        underWay += 1;
        try {
          const either = AbortSignal.any([end.signal, ...(signal ? [signal] : [])]);
          const more = { signal: either, ...(onProgress && { onProgress }) };
          return (await gate.callTool({ name: tool, args, operation, ...more })).value;
        } finally {
          underWay -= 1;
        }
      },
      close: async () => end.abort(),
    };
  },
  running: () => underWay,
};

describeTransport("RPC", () => openFixture(overRpc));
describeTransport("the gate in process", () => openFixture(inProcess));
