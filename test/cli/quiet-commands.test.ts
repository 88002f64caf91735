import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readOperatorAccess } from "../../src/app/operator-access.ts";
import { connectEarshot } from "../../src/client/index.ts";
import { until } from "../support/edge.ts";
import { runCommand, runEarshot, startCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Accepts connections and never says a word. */
async function openSilentDiscord() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, "listening");
  return { sockets, api: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api` };
}

it("earshot ask posts nothing on Discord, and what waits to be confirmed is listed with names", async () => {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const folder = await emptyFolder();
  const memory = { people: "shared" };
  await writeFile(join(folder, "earshot.config.json"), JSON.stringify({ policy: { memory } }));
  const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0" };
  const start = startCommand(["start"], env, folder);
  await start.prints("Stop with Ctrl-C");
  const said = () => [...sandbox.world.channels.values()].reduce((sum, { messages }) => sum + [...messages].length, 0);
  const [messages, channels] = [said(), sandbox.world.channels.size];
  const ask = (text: string) => runCommand(["ask", "--as", "Sarah", "--in", "General", text], env, folder);
  expect((await ask("please remember that I live in Lisbon")).code).toBe(0);
  expect((await ask("what did I miss?")).code).toBe(0);
  expect([said(), sandbox.world.channels.size]).toEqual([messages, channels]);

  const access = await readOperatorAccess(join(folder, ".earshot"), "operator");
  const client = await connectEarshot({ url: `${access?.url.replace("http", "ws")}/rpc`, token: access?.token ?? "" });
  onTestFinished(() => client.close());
  sandbox.as("mark").say("general", "the crane is blue");
  const idOf = (key: string) => sandbox.community.channels.get(key) ?? "";
  const place = { actor: sandbox.as("sarah").id, channel_id: idOf("general") };
  const { operation_id: operationId } = await client.call("operation.open", place);
  await client.request("get_recent_messages", {}, { operationId });
  const waiting = client.request("discord.send", { channel: idOf("pier"), text: "hello" }, { operationId });
  await expect(waiting).rejects.toMatchObject({ code: "confirmation_needed" });
  const { out } = await runCommand(["confirm"], env, folder);
  expect(out).toMatch(/for Skipper, asked by operator/);
  expect(out).toContain("say in #pier: hello");
});

it("commands say that the program is starting while it connects to Discord, and the port is taken before Discord is asked", async () => {
  const { sockets, api } = await openSilentDiscord();
  const folder = await emptyFolder();
  const env = { EARSHOT_DISCORD_TOKEN: "token", EARSHOT_DISCORD_API: api, EARSHOT_PORT: "0" };
  const start = startCommand(["start"], env, folder);
  await until(() => sockets.length > 0, "Discord was not asked");
  for (const args of [["status"], ["confirm"], ["ask", "--as", "1", "--in", "1", "hello"]]) {
    const { code, err } = await runCommand(args, env, folder);
    expect([code, err]).toEqual([1, expect.stringContaining("Earshot is starting")]);
  }
  start.stop();
  await start.ended;

  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const before = sockets.length;
  const refused = await runCommand(["start"], { ...env, EARSHOT_PORT: String(port) }, await emptyFolder());
  expect([refused.code, refused.err]).toEqual([66, expect.stringContaining(`Port ${port} is taken`)]);
  expect(sockets.length).toBe(before);
});

it("a data folder that cannot be made is one sentence at once", async () => {
  const folder = await emptyFolder();
  await writeFile(join(folder, "file"), "");
  for (const dataDir of [join(folder, "file", "data"), "/proc/nothing/here"]) {
    const start = runEarshot(["start"], { EARSHOT_DATA_DIR: dataDir, EARSHOT_PORT: "0" }, folder);
    expect(await start.ended).toBe(64);
    expect(start.err.trim().split("\n")).toEqual([expect.stringContaining(dataDir)]);
    expect(start.err).not.toMatch(/at .*\.ts|ENOTDIR:|ENOENT:/);
  }
});
