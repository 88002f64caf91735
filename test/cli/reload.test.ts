import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectEarshot } from "../../src/client/index.ts";
import { hashToken } from "../../src/policy/authenticate.ts";
import { type Printed, runCommand, runEarshot, startCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const TOKEN = "a-token-for-the-test";
const GRANT = { scopes: ["context:read_channel_recent", "context:search", "directory:read"], guilds: "all" };

/** A program on a sandbox, with a configuration file that tests write. */
async function arrive<Started extends Printed>(
  run: (args: readonly string[], env: Record<string, string>, folder: string) => Started,
) {
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const sandbox = await openTestSandbox();
  const id = (key: string) => sandbox.community.channels.get(key) ?? "";
  const sarah = sandbox.as("sarah").id;
  const clients = (grant: object) => [{ name: "brain", tokenSha256: hashToken(TOKEN), grant: { ...GRANT, ...grant } }];
  const config = { clients: clients({ actors: [sarah] }) };
  const write = (text: string) => writeFile(join(folder, "earshot.config.json"), text);
  await write(JSON.stringify(config));
  const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0" };
  const start = run(["start"], env, folder);
  await start.prints("Stop with Ctrl-C");
  const url = `${/ws:\/\/127\.0\.0\.1:\d+\/rpc/.exec(start.out)?.[0]}`;
  const client = await connectEarshot({ url, token: TOKEN, firstWaitMs: 10, longestWaitMs: 20 });
  onTestFinished(() => client.close());
  const open = () => client.call("operation.open", { actor: sarah, channel_id: id("general") });
  const read = async (operationId?: string) => {
    const within = operationId ?? (await open()).operation_id;
    return client.call("discord.channel.messages", { channel: id("general") }, { operationId: within });
  };
  sandbox.as("mark").say("general", "anyone there?");
  return {
    ...{ folder, sandbox, id, sarah, config, clients, start, url, client, open, read, write },
    change: (more: object) => write(JSON.stringify({ ...config, ...more })),
    reload: () => runCommand(["reload"], env, folder),
  };
}

describe("earshot reload", () => {
  it("applies a narrower policy at once, to operations that are open already, and a wider one again", async () => {
    const { change, reload, read, open, id } = await arrive(startCommand);
    const { operation_id: operationId } = await open();
    expect((await read(operationId)).messages).not.toEqual([]);
    await change({ policy: { channels: { deny: [id("general")] } } });
    expect(await reload()).toEqual({ code: 0, out: "Applied: policy.channels.\n", err: "" });
    await expect(read(operationId)).rejects.toMatchObject({ code: "not_found" });
    await expect(open()).rejects.toMatchObject({ code: "not_found" });
    await change({});
    expect((await reload()).out).toBe("Applied: policy.channels.\n");
    expect((await read(operationId)).messages).not.toEqual([]);
    expect((await reload()).out).toBe("Nothing has changed.\n");
  });

  it("leaves out people at once whom the operator opts out", async () => {
    const { change, reload, read, sandbox } = await arrive(startCommand);
    expect((await read()).messages).toHaveLength(1);
    await change({ policy: { optOut: { people: [sandbox.as("mark").id] } } });
    expect((await reload()).out).toBe("Applied: policy.optOut.\n");
    expect((await read()).messages).toEqual([]);
  });

  it("changes nothing when the file is broken, or names what does not exist, or needs a restart", async () => {
    const { write, change, reload, read, id } = await arrive(startCommand);
    const policy = { channels: { deny: [id("general")] } };
    await write(JSON.stringify({ policy }).slice(0, -3));
    const broken = await reload();
    expect([broken.code, broken.err]).toEqual([64, expect.stringContaining("is not valid JSON")]);
    await change({ policy: { ...policy, chanels: {} } });
    expect((await reload()).err).toContain("There is no setting policy.chanels");
    await change({ policy: { ...policy, toolsets: ["serach"] } });
    expect((await reload()).err).toMatch(/There is no toolset "serach"[\s\S]*\nNothing was changed\.\n$/);
    await change({ policy: { ...policy, countBots: true }, timeline: { megabytes: 64 } });
    const fixed = await reload();
    expect(fixed.code).toBe(64);
    expect(fixed.err).toContain("These settings need a restart: timeline.megabytes, policy.countBots.");
    expect((await read()).messages).not.toEqual([]);
  });

  it("ends the connections and operations of a client whose grant was narrowed, and refuses a removed one", async () => {
    const { change, reload, open, read, clients, client, id, sandbox, url } = await arrive(startCommand);
    const { operation_id: operationId } = await open();
    await change({ clients: clients({ actors: [sandbox.as("mark").id] }) });
    expect((await reload()).out).toBe("Applied: clients.\n");
    await expect(read(operationId)).rejects.toMatchObject({ code: "not_found" });
    await expect(open()).rejects.toMatchObject({ code: "forbidden" });
    const other = await client.call("operation.open", {
      actor: sandbox.as("mark").id,
      channel_id: id("general"),
    });
    expect((await read(other.operation_id)).messages).not.toEqual([]);
    await change({ clients: clients({ actors: [sandbox.as("mark").id], confined: true }) });
    expect((await reload()).err).toContain("need a restart: confined of the client brain.");
    await change({ clients: [] });
    await reload();
    await expect(connectEarshot({ url, token: TOKEN })).rejects.toBeDefined();
  });

  it("does the same on SIGHUP, and goes on when it is refused", async () => {
    const { change, write, start, read, id } = await arrive(runEarshot);
    await write("{");
    start.process.kill("SIGHUP");
    await start.prints("the configuration was not read again");
    expect((await read()).messages).not.toEqual([]);
    await change({ policy: { channels: { deny: [id("general")] } } });
    start.process.kill("SIGHUP");
    await start.prints("the configuration was read again and applied");
    await expect(read()).rejects.toMatchObject({ code: "not_found" });
  });

  it("is noted in the audit", async () => {
    const { change, reload, id, folder } = await arrive(startCommand);
    await change({ policy: { channels: { deny: [id("general")] } } });
    await reload();
    const { out } = await runCommand(["audit"], {}, folder);
    expect(out).toContain('configuration reloaded: changed ["policy.channels"]');
  });
});
