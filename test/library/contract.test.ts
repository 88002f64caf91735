import { EarshotError } from "../../src/domain/errors.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { DEFAULT_RUNNER_LIMITS } from "../../src/transports/kit/call-runner.ts";
import { describeTransport } from "../../src/transports/kit/contract.suite.ts";
import { actAs } from "../../src/transports/library/act-as.ts";
import { createTestPersonMemory, createTestPrivacy } from "../support/consent.ts";
import { openContractWorld } from "../support/contract-world.ts";
import { openTestGate } from "../support/gate.ts";

describeTransport("the library", {
  async open(server = {}) {
    const world = await openContractWorld(server);
    const { gate, operations, edge } = await openTestGate(world.sandbox, world.gateOptions);
    const counters = { calls: 0, running: 0 };
    const limits = { ...DEFAULT_RUNNER_LIMITS, ...server.limits };
    return world.toFixture({
      async connect(name, grant) {
        const client = { name, grant: { ...OPERATOR_GRANT, ...grant } };
        const clock = { now: () => Date.now() };
        const own = { privacy: createTestPrivacy(), personMemory: createTestPersonMemory() };
        const { directory } = edge.discord;
        const deps = { gate, operations, ...own, directory, clock, log: world.log, limits, counters };
        const acting = actAs(client, { actor: world.actor, where: { in: world.general } }, deps);
        const dotted = new Map(gate.tools.map((tool) => [tool.name.replaceAll(".", "_"), tool.name]));
        return {
          list: async () => Object.keys(acting.tools).map((tool) => dotted.get(tool) ?? tool),
          call: async ({ tool, args }, { signal } = {}) =>
            (await acting.call(tool, args, signal ? { signal } : {})).value,
          close: async () => {},
        };
      },
      running: () => counters.running,
    });
  },
  cannot: {
    progress: "a program that calls a function gets no progress",
    close: "there is no connection: a program stops its calls by their signals",
  },
});

const TRANSPORTS = "the gate leaves this to the transports";

describeTransport("the gate in process", {
  async open(server = {}) {
    const world = await openContractWorld(server);
    const { gate, operations } = await openTestGate(world.sandbox, world.gateOptions);
    let running = 0;
    return world.toFixture({
      async connect(name, grant) {
        const client = { name, grant: { ...OPERATOR_GRANT, ...grant } };
        const operation = await operations.open(client, { actor: world.actor, channelId: world.general });
        const end = new AbortController();
        return {
          list: async () => gate.tools.filter((tool) => gate.isFor(tool, client)).map((tool) => tool.name),
          async call({ tool, args }, { signal, onProgress } = {}) {
            if (end.signal.aborted) throw new EarshotError("cancelled", "The client was closed.");
            running += 1;
            try {
              const either = AbortSignal.any([end.signal, ...(signal ? [signal] : [])]);
              const more = { signal: either, ...(onProgress && { onProgress }) };
              return (await gate.callTool({ name: tool, args, operation, ...more })).value;
            } finally {
              running -= 1;
            }
          },
          close: async () => end.abort(),
        };
      },
      running: () => running,
    });
  },
  cannot: { too_many: TRANSPORTS, timeout: TRANSPORTS, unforeseen: TRANSPORTS },
});
