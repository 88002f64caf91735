import { onTestFinished } from "vitest";
import { connectEarshot } from "../../src/client/index.ts";
import { describeTransport } from "../../src/transports/kit/contract.suite.ts";
import { openContractWorld } from "../support/contract-world.ts";
import { openFullRpc } from "../support/full-rpc.ts";

describeTransport("RPC", {
  async open(server = {}) {
    const world = await openContractWorld(server);
    const { limits = {} } = server;
    const rpc = await openFullRpc(world.sandbox, { ...world.gateOptions, limits, log: world.log });
    return world.toFixture({
      async connect(name, grant) {
        const client = await connectEarshot({ url: rpc.url, token: rpc.token(name, grant) });
        onTestFinished(() => client.close());
        const { actor, general } = world;
        const opened = await client.call("operation.open", { actor, channel_id: general });
        const operationId = opened.operation_id;
        return {
          list: async () => (await client.call("rpc.describe", {})).methods.map((method) => method.name),
          call: async ({ tool, args }, options = {}) =>
            (await client.request(tool, args, { ...options, operationId })).value,
          close: () => client.close(),
        };
      },
      running: () => rpc.transport.stats().running,
    });
  },
});
