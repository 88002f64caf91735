import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAuditStore } from "../../src/stores/audit-store.ts";
import { until } from "../support/edge.ts";
import { openHeldAnswers } from "../support/held-answers.ts";
import { runEarshot, startCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { openTestDatabaseToRead } from "../support/test-database.ts";

/** The program on a Discord whose answers can be held back, with a send of which the answer is being waited for. */
async function startSending() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const answers = await openHeldAnswers(sandbox.api);
  const folder = await emptyFolder();
  const server = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: answers.api, EARSHOT_PORT: "0" };
  // Nothing but the send is to be waiting for an answer.
  const env = { ...server, EARSHOT_TIMELINE_PAGES: "0" };
  const start = runEarshot(["start"], env, folder);
  await start.prints("Stop with Ctrl-C");
  answers.hold();
  const [sarah, general] = [sandbox.community.people.get("sarah"), sandbox.community.channels.get("general")];
  const args = ["--as", sarah ?? "", "--in", general ?? "", `channel_id=${general}`, "text=on my way"];
  const call = startCommand(["call", "discord.send", ...args], env, folder);
  await Promise.race([answers.waiting(1), call.ended.then(() => expect(call.err).toBe("the call waits for Discord"))]);
  return { sandbox, answers, start, call, outcomes: () => sendEvents(folder) };
}

async function sendEvents(folder: string): Promise<string[]> {
  const database = await openTestDatabaseToRead(join(folder, ".earshot", "earshot.db"));
  try {
    const store = createAuditStore(database);
    const [latest] = await store.latest(1);
    const entries = await store.operation(latest?.operation.id ?? "");
    return entries.flatMap(({ kind, row }) => (kind === "event" ? [row.name] : []));
  } finally {
    await database.close();
  }
}

describe("earshot start, stopped while a message is being sent,", () => {
  // The program ends itself with another exit code after 4.5 seconds, so code 0 also says that it was quick enough.
  it("exits with 0 on SIGTERM when Discord does not answer, and records that the outcome is unknown", async () => {
    const { start, outcomes } = await startSending();
    start.process.kill("SIGTERM");
    expect(await start.ended).toBe(0);
    expect(await outcomes()).toEqual(["send_begun", "send_outcome_unknown"]);
  });

  it("waits on SIGINT briefly for Discord's answer, records that the message was sent, and answers the client", async () => {
    const { start, call, answers, outcomes } = await startSending();
    start.process.kill("SIGINT");
    answers.letGo();
    expect(await call.ended).toBe(0);
    expect(await start.ended).toBe(0);
    expect(await outcomes()).toEqual(["send_begun", "send_done"]);
  });
});

it("earshot call looks whether a message was sent of which Discord said nothing, and does not send it twice", async () => {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const folder = await emptyFolder();
  const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0" };
  const start = startCommand(["start"], env, folder);
  await start.prints("Stop with Ctrl-C");
  sandbox.faults.garbleRest({ match: "POST /channels", as: "truncated", times: 1 });
  const [sarah, general] = [sandbox.community.people.get("sarah"), sandbox.community.channels.get("general") ?? ""];
  const args = ["--as", sarah ?? "", "--in", general, `channel_id=${general}`, "text=on my way"];
  const call = startCommand(["call", "discord.send", ...args], env, folder);
  expect([await call.ended, call.err]).toEqual([0, expect.stringContaining("looking whether it happened")]);
  const said = [...(sandbox.world.channels.get(general)?.messages ?? [])].map(({ content }) => content);
  expect(said.filter((content) => content === "on my way")).toHaveLength(1);
  expect(await sendEvents(folder)).toEqual(["send_begun", "send_outcome_unknown", "send_found"]);
});

it("earshot call says that a message may have been sent where it cannot look", async () => {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const folder = await emptyFolder();
  const server = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0" };
  const env = { ...server, EARSHOT_TIMELINE_PAGES: "0" };
  const start = startCommand(["start"], env, folder);
  await start.prints("Stop with Ctrl-C");
  sandbox.faults.garbleRest({ match: /^(POST|GET) \/channels\/\d+\/messages/, as: "truncated", times: 50 });
  const [sarah, general] = [sandbox.community.people.get("sarah"), sandbox.community.channels.get("general") ?? ""];
  const args = ["--as", sarah ?? "", "--in", general, `channel_id=${general}`, "text=on my way"];
  const call = startCommand(["call", "discord.send", ...args], env, folder);
  expect([await call.ended, call.err]).toEqual([
    1,
    expect.stringContaining("Look in the channel before you repeat it."),
  ]);
  const said = [...(sandbox.world.channels.get(general)?.messages ?? [])].map(({ content }) => content);
  expect(said.filter((content) => content === "on my way")).toHaveLength(1);
});

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-shutdown-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe("earshot start", () => {
  it("exits with 0 on SIGTERM while it waits for Discord to answer for the first time", async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    await once(silent, "listening");
    const api = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/api`;
    const env = { EARSHOT_DISCORD_TOKEN: "token", EARSHOT_DISCORD_API: api, EARSHOT_PORT: "0" };
    const start = runEarshot(["start"], env, await emptyFolder());
    await until(() => sockets.length > 0, "Discord was not asked");
    start.process.kill("SIGTERM");
    // After 4.5 seconds it would end itself with another exit code.
    expect([await start.ended, start.err]).toEqual([0, ""]);
  });

  it("exits when Discord ends the connection for good, even while an answer of the sandbox is being waited for", async () => {
    const env = { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" };
    const start = runEarshot(["start"], env, await emptyFolder());
    await start.prints("Stop with Ctrl-C");
    const url = /http:\/\/127\.0\.0\.1:\d+(?=\/api)/.exec(start.out)?.[0];
    const order = (fault: object) =>
      fetch(`${url}/sandbox/fault`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(fault),
      });
    await order({ fault: "slow_rest", ms: 600_000, match: "GET /gateway", times: 1 });
    const [first, second] = [fetch(`${url}/api/v10/gateway`), fetch(`${url}/api/v10/gateway`)];
    for (const request of [first, second]) request.catch(() => undefined);
    // One of the two is answered, so the other one is waiting.
    await Promise.race([first, second]);
    await order({ fault: "cut_socket", code: 4004 });
    expect(await start.ended).toBe(1);
  });
});
