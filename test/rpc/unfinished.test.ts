import { describe, expect, it } from "vitest";
import { connectRaw, type RawRpc } from "../support/raw-rpc.ts";
import { openRpcServer } from "../support/rpc-server.ts";

const KIB = 1024;
const PING = { ok: true, value: { pong: true } };

/** Sends the beginning of a message, and waits until the server has it: it answers pings in order. */
async function begin(rpc: RawRpc, bytes: number): Promise<void> {
  rpc.socket.send(Buffer.alloc(bytes, " "), { fin: false, binary: false });
  const taken = new Promise<void>((resolve) => rpc.socket.once("pong", () => resolve()));
  rpc.socket.ping();
  await Promise.race([taken, rpc.closed]);
}

const finish = (rpc: RawRpc) => rpc.socket.send("", { fin: true });
const ended = (rpc: RawRpc) =>
  new Promise((resolve) => rpc.socket.once("close", (code, reason) => resolve([code, String(reason)])));

describe("messages that a client begins and does not finish", () => {
  it("end the connection with the most of them once the client passes its bound, and no other", async () => {
    const server = await openRpcServer({ limits: { unfinishedBytesPerClient: 250 * KIB } });
    const [first, second, third] = [await connectRaw(server), await connectRaw(server), await connectRaw(server)];
    const other = await connectRaw(server, "other");
    const end = ended(first);
    await begin(first, 120 * KIB);
    await begin(second, 100 * KIB);
    await begin(other, 100 * KIB);
    await begin(third, 100 * KIB);
    expect(await end).toEqual([
      1013,
      "Too many bytes of unfinished messages of this client; finish them, then connect again.",
    ]);
    for (const rpc of [second, third, other]) {
      finish(rpc);
      await rpc.find(({ op }) => op === "rpc/ret");
      expect(await rpc.call("rpc.ping")).toEqual(PING);
    }
  });

  it("are bounded for all clients together as well", async () => {
    const server = await openRpcServer({ limits: { unfinishedBytes: 250 * KIB } });
    const clients = [await connectRaw(server, "a"), await connectRaw(server, "b"), await connectRaw(server, "c")];
    const [first, ...rest] = clients as [RawRpc, ...RawRpc[]];
    const end = ended(first);
    for (const rpc of clients) await begin(rpc, 100 * KIB);
    expect(await end).toEqual([1013, "Too many bytes of unfinished messages; connect again later."]);
    for (const rpc of rest) {
      finish(rpc);
      expect(await rpc.call("rpc.ping")).toEqual(PING);
    }
  });

  it("count no longer once they are finished, whatever else is sent between their parts", async () => {
    const server = await openRpcServer({ limits: { unfinishedBytesPerClient: 250 * KIB, burst: 10_000 } });
    const rpc = await connectRaw(server);
    for (let count = 0; count < 10; count += 1) {
      await begin(rpc, 60 * KIB);
      await begin(rpc, 60 * KIB).catch(() => undefined);
      finish(rpc);
      rpc.socket.send(Buffer.alloc(100 * KIB, " "), { binary: false });
    }
    expect(await rpc.call("rpc.ping")).toEqual(PING);
  });
});
