import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createAnswerStore } from "../../src/stores/answer-store.ts";
import { createAuditStore } from "../../src/stores/audit-store.ts";
import { COMPILE_CACHE } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { IS_ON_POSTGRES, openTestDatabaseToRead } from "../support/test-database.ts";

const PROGRAM = fileURLToPath(new URL("../support/answer-until-killed.ts", import.meta.url));

it("what an answer rests on is on the disk when Discord gets the answer, by three commits at most", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "earshot-killed-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  let out = "";
  const sandbox = await openTestSandbox({
    rateLimits: false,
    onResponse({ method, path }) {
      // Before the response gets there: nothing is written any more that the answer did not wait for.
      if (method === "POST" && path.endsWith("/messages")) child.kill("SIGKILL");
    },
  });
  const source = sandbox.as("mei").say("general", "The zeppelin lands at noon.");
  const child = spawn(process.execPath, [PROGRAM, sandbox.api, sandbox.token, dataDir], {
    env: { ...process.env, ...COMPILE_CACHE },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdout.on("data", (chunk) => {
    out += String(chunk);
  });
  await expect.poll(() => out).toContain("ready");
  const question = sandbox
    .as("sarah")
    .say("general", `<@${/ready (\d+)/.exec(out)?.[1]}> when does the zeppelin land?`);
  const [, signal] = await once(child, "close");
  expect(signal).toBe("SIGKILL");

  const database = await openTestDatabaseToRead(join(dataDir, "earshot.db"));
  onTestFinished(() => database.close());
  const answers = createAnswerStore(database);
  const claim = await answers.find(question.id);
  expect(claim).toMatchObject({ state: "leaving", attempts: 1, answerIds: [] });
  expect(claim?.sources.map(({ ref }) => ref)).toEqual([`${source.channelId}/${source.id}`]);
  const entries = await createAuditStore(database).operation(claim?.operationId ?? "");
  const has = (kind: string, row: object) =>
    expect(entries).toContainEqual(expect.objectContaining({ kind, row: expect.objectContaining(row) }));
  has("operation", { client: "agent", message_id: question.id });
  has("source", { source_ref: `${source.channelId}/${source.id}` });
  has("decision", { tool: "discord.send", allowed: true });
  has("event", { name: "agent_answered" });
  has("event", { name: "send_begun" });
  // Where they can be counted. On a busy machine, one may hold what two would.
  if (!IS_ON_POSTGRES) expect(out.match(/commit/g)?.length).toBeOneOf([1, 2, 3]);
});
