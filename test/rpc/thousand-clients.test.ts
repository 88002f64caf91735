import { describe, expect, it } from "vitest";
import type { Message } from "../../src/domain/message.ts";
import { connectRaw, type RawRpc } from "../support/raw-rpc.ts";
import { openRpcServer } from "../support/rpc-server.ts";

const CROWD = 1_000;
const EVENTS = 20;

const said = (rpc: RawRpc) => rpc.of("event/discord.message").map(({ payload }) => (payload as Message).content);
const hears = (rpc: RawRpc, content: string) =>
  rpc.find(({ payload }) => (payload as Partial<Message>).content === content);

describe("a thousand RPC clients", () => {
  it("a thousand clients get their answers and every event in order while one of them has stalled", async () => {
    const server = await openRpcServer({ limits: { heldEvents: 100 } });
    const stalled = await connectRaw(server, "stalled");
    stalled.socket.pause();
    const crowd: RawRpc[] = [];
    for (let begun = 0; begun < CROWD; begun += 100) {
      const more = Array.from({ length: 100 }, (_, index) => connectRaw(server, `deaf-${begun + index}`));
      crowd.push(...(await Promise.all(more)));
    }
    const asked = Array.from({ length: EVENTS }, (_, index) => `@bot question ${index}`);
    for (const question of asked) {
      for (let count = 0; count < 50; count += 1) server.say("x".repeat(20_000));
      server.say(question);
      await Promise.all(crowd.map((rpc) => hears(rpc, question)));
    }
    const operations = crowd.map((rpc) => rpc.of("event/discord.message").at(-1)?.operation_id ?? "");
    const answers = await Promise.all(
      crowd.map((rpc, index) => rpc.call("test.echo", { text: "aye" }, operations[index])),
    );
    expect(answers).toEqual(crowd.map(() => ({ ok: true, value: { text: "aye" } })));
    expect(new Set(operations).size).toBe(CROWD);
    for (const rpc of crowd) expect(said(rpc)).toEqual(asked);
    const { connections, queuedBytes } = server.transport.stats();
    expect(connections).toBe(CROWD + 1);
    expect(queuedBytes).toBeLessThan(300_000);
    stalled.socket.resume();
    await hears(stalled, asked.at(-1) ?? "");
    expect(stalled.of("event/gap")).toHaveLength(1);
  });
});
