import { expect, it, onTestFinished } from "vitest";
import { connectEarshot } from "../../src/client/index.ts";
import { describePersonMemory } from "../../src/transports/kit/person-memory.suite.ts";
import { openFullRpc } from "../support/full-rpc.ts";
import { openPersonMemoryWorld } from "../support/person-memory-world.ts";

type World = Awaited<ReturnType<typeof openPersonMemoryWorld>>;

async function openRpc(world: World) {
  const rpc = await openFullRpc(world.sandbox, world.gateOptions);
  const connect = async (name: string, grant: ReturnType<World["toGrant"]>) => {
    const client = await connectEarshot({ url: rpc.url, token: rpc.token(name, grant) });
    onTestFinished(() => client.close());
    return client;
  };
  return { rpc, connect };
}

describePersonMemory("RPC", async (server) => {
  const world = await openPersonMemoryWorld(server);
  const { rpc, connect } = await openRpc(world);
  return {
    ...world.toFixture(rpc),
    async connect(options = {}) {
      const client = await connect(options.name ?? "brain", world.toGrant(options));
      const place = options.isPublic ? { channel_id: world.general } : { private: true };
      const { operation_id: operationId } = await client.call("operation.open", { actor: world.sarah, ...place });
      return {
        call: (method, args = {}) => client.call(method, args as never, { operationId }) as Promise<never>,
        say: (text) => client.call("discord.send", { channel: world.general, text }, { operationId }),
      };
    },
  };
});

it("memory over RPC takes no person from the arguments, needs an operation of the same client, and a narrowed one will do", async () => {
  const world = await openPersonMemoryWorld();
  const { rpc, connect } = await openRpc(world);
  await world.toFixture(rpc).remember("sarah", "boat", "Petrel");
  const client = await connect("own", world.toGrant({}));
  await expect(client.call("memory.list", {})).rejects.toMatchObject({ code: "invalid" });
  const { actor, channel_id } = { actor: world.sarah, channel_id: world.general };
  const { operation_id: operationId } = await client.call("operation.open", { actor, channel_id });
  const named = client.call("memory.list", { actor: world.sandbox.as("mark").id } as never, { operationId });
  await expect(named).rejects.toMatchObject({ code: "invalid" });
  await expect(client.call("memory.list", {}, { operationId })).rejects.toMatchObject({ code: "forbidden" });
  await client.call("operation.narrow", { operation_id: operationId });
  expect((await client.call("memory.list", {}, { operationId })).facts).toHaveLength(1);
  const thief = await connect("thief", world.toGrant({}));
  await expect(thief.call("memory.list", {}, { operationId })).rejects.toMatchObject({ code: "not_found" });
});

it("memory over RPC is described only to a client that acts for one person, as methods without a scope", async () => {
  const world = await openPersonMemoryWorld();
  const { connect } = await openRpc(world);
  const described = async (actors: "sarah" | "anyone") => {
    const client = await connect(actors, world.toGrant({ actors, isGrantedNothing: true }));
    const { methods } = await client.call("rpc.describe", {});
    return methods.filter(({ name }) => name.startsWith("memory."));
  };
  expect(await described("anyone")).toEqual([]);
  const mine = await described("sarah");
  expect(mine.map(({ name, effect }) => `${name} ${effect}`)).toEqual([
    "memory.list read",
    "memory.show read",
    "memory.why read",
    "memory.export read",
    "memory.forget send",
    "memory.erase send",
  ]);
  for (const method of mine) expect(method).toMatchObject({ within_operation: true, scope: null, for_models: false });
});
