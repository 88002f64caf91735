import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAuditStore } from "../../src/stores/sqlite/audit-store.ts";
import { openDurableDatabaseToRead } from "../../src/stores/sqlite/durable-database.ts";
import { openHeldAnswers } from "../support/held-answers.ts";
import { runEarshot, startCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";

/** The program on a Discord whose answers can be held back, with a send of which the answer is being waited for. */
async function startSending() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const answers = await openHeldAnswers(sandbox.api);
  const folder = await mkdtemp(join(tmpdir(), "earshot-shutdown-"));
  onTestFinished(() => rm(folder, { recursive: true }));
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
  const database = openDurableDatabaseToRead(join(folder, ".earshot", "earshot.db"));
  try {
    const store = createAuditStore(database);
    const [latest] = await store.latest(1);
    const entries = await store.operation(latest?.operation.id ?? "");
    return entries.flatMap(({ kind, row }) => (kind === "event" ? [row.name] : []));
  } finally {
    database.close();
  }
}

describe("earshot start, stopped while a message is being sent,", () => {
  // The program ends itself with another exit code after 4.5 seconds, so code 0 also says that it was quick enough.
  it.each(["SIGTERM", "SIGINT"] as const)(
    "exits with 0 on %s when Discord does not answer, and records that the outcome is unknown",
    async (signal) => {
      const { start, outcomes } = await startSending();
      start.process.kill(signal);
      expect(await start.ended).toBe(0);
      expect(await outcomes()).toEqual(["send_begun", "send_outcome_unknown"]);
    },
  );

  it("waits briefly for Discord's answer, records that the message was sent, and answers the client", async () => {
    const { start, call, answers, outcomes } = await startSending();
    start.process.kill("SIGTERM");
    answers.letGo();
    expect(await call.ended).toBe(0);
    expect(await start.ended).toBe(0);
    expect(await outcomes()).toEqual(["send_begun", "send_done"]);
  });
});
