import type { MEMORY_METHODS } from "../../src/domain/rpc/memory-methods.ts";
import { DEFAULT_RUNNER_LIMITS } from "../../src/transports/kit/call-runner.ts";
import { describePersonMemory } from "../../src/transports/kit/person-memory.suite.ts";
import { type ActingMemory, actAs } from "../../src/transports/library/act-as.ts";
import { createTestPersonMemory, createTestPrivacy } from "../support/consent.ts";
import { openTestGate } from "../support/gate.ts";
import { openPersonMemoryWorld } from "../support/person-memory-world.ts";

describePersonMemory("the library", async (server) => {
  const world = await openPersonMemoryWorld(server);
  const test = await openTestGate(world.sandbox, world.gateOptions);
  const deps = {
    ...test,
    privacy: createTestPrivacy(test.consent),
    personMemory: createTestPersonMemory({ ...test, directory: test.edge.discord.directory }),
    directory: test.edge.discord.directory,
    clock: { now: () => Date.now() },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    limits: DEFAULT_RUNNER_LIMITS,
    counters: { calls: 0, running: 0 },
  };
  return {
    ...world.toFixture(test),
    async connect(options = {}) {
      const client = { name: options.name ?? "program", grant: world.toGrant(options) };
      const where = options.isPublic ? { in: world.general } : "private";
      const { memory, call } = actAs(client, { actor: world.sarah, where }, deps);
      return {
        call: (method, args = {}) => run(memory, method, args) as Promise<never>,
        say: (text) => call("discord.send", { channel_id: world.general, text }),
      };
    },
  };
});

async function run(
  memory: ActingMemory,
  method: keyof typeof MEMORY_METHODS,
  args: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const factId = args["fact_id"] as string;
  switch (method) {
    case "memory.list":
      return { facts: await memory.list() };
    case "memory.show":
      return memory.show(factId);
    case "memory.why":
      return memory.why(factId);
    case "memory.export":
      return memory.export();
    case "memory.forget":
      return memory.forget(factId);
    case "memory.erase":
      return memory.erase(args);
  }
}
