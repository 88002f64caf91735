import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { relayLines } from "../../src/cli/relay-lines.ts";

interface Frame {
  readonly id?: unknown;
  readonly method?: string;
}

/** Programs that answer what they are asked, unless they are told to keep it; each connection is another program. */
async function arrive() {
  const heard: Frame[][] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const frames: Frame[] = [];
    heard.push(frames);
    sockets.push(socket);
    let rest = "";
    socket.on("error", () => undefined);
    socket.on("end", () => socket.end());
    socket.on("data", (chunk) => {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const frame = JSON.parse(line) as Frame;
        frames.push(frame);
        if (frame.id !== undefined && frame.method !== "keep" && frame.method !== "subscriptions/listen")
          socket.write(`${JSON.stringify({ id: frame.id, result: `${frame.method} by ${heard.length}` })}\n`);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const [input, output] = [new PassThrough(), new PassThrough()];
  let told = "";
  output.on("data", (chunk) => {
    told += String(chunk);
  });
  const stop = new AbortController();
  const open = async () => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return socket;
  };
  const relay = relayLines({ input, output, connect: open }, stop.signal);
  return {
    heard,
    sockets,
    input,
    stop,
    relay,
    say: (frame: Frame) => input.write(`${JSON.stringify(frame)}\n`),
    told: () =>
      told
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as object),
  };
}

describe("a relay between a host and a program", () => {
  it("forwards every line, in pieces or at once, and ends with the host", async () => {
    const { say, input, told, relay } = await arrive();
    say({ id: 1, method: "a" });
    const bytes = Buffer.from('{"id":"ü","method":"b"}\n{"id":3,"method":"c"}\n');
    for (const byte of bytes) input.write(Buffer.from([byte]));
    await expect.poll(told).toHaveLength(3);
    expect(told()).toEqual([
      { id: 1, result: "a by 1" },
      { id: "ü", result: "b by 1" },
      { id: 3, result: "c by 1" },
    ]);
    input.end();
    expect(await relay).toBe(true);
  });

  it("waits for the answers to what the host has asked before it closed its input", async () => {
    const { say, input, told, relay, heard, sockets } = await arrive();
    say({ id: 0, method: "initialize" });
    say({ id: 1, method: "keep" });
    say({ id: 2, method: "subscriptions/listen" });
    input.end();
    await expect.poll(() => heard[0]?.length).toBe(3);
    sockets[0]?.write('{"id":1,"result":"late"}\n');
    expect(await relay).toBe(true);
    expect(told()).toContainEqual({ id: 1, result: "late" });
    expect(sockets).toHaveLength(1);
  });

  it("switches to the next program, replays the handshake to it, and answers the open requests of the last one with an error", async () => {
    const { say, told, sockets, heard, input, relay } = await arrive();
    say({ id: 0, method: "initialize" });
    await expect.poll(told).toHaveLength(1);
    say({ method: "notifications/initialized" });
    say({ id: 1, method: "keep" });
    await expect.poll(() => heard[0]?.length).toBe(3);
    sockets[0]?.destroy();
    await expect.poll(() => heard[1]?.length).toBe(2);
    say({ id: 2, method: "a" });
    await expect.poll(told).toHaveLength(3);
    expect(told()).toEqual([
      { id: 0, result: "initialize by 1" },
      { jsonrpc: "2.0", id: 1, error: { code: -32_000, message: expect.stringContaining("Ask again") } },
      { id: 2, result: "a by 2" },
    ]);
    expect(heard[1]).toEqual([
      { id: 0, method: "initialize" },
      { method: "notifications/initialized" },
      { id: 2, method: "a" },
    ]);
    input.end();
    expect(await relay).toBe(true);
  });

  it("gives up on a program that disconnects at once", async () => {
    const { sockets, relay } = await arrive();
    await expect.poll(() => sockets.length).toBe(1);
    sockets[0]?.destroy();
    expect(await relay).toBe(false);
  });

  it("stops when it is aborted", async () => {
    const { say, told, stop, relay, sockets } = await arrive();
    say({ id: 1, method: "a" });
    await expect.poll(told).toHaveLength(1);
    stop.abort();
    expect(await relay).toBe(true);
    expect(sockets).toHaveLength(1);
  });
});
