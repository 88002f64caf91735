import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { sampleCommunity } from "../../sandbox/index.ts";
import { runCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const CURL = /^\$ curl -s http:\/\/127\.0\.0\.1:7788(\S+)(?:[^\n]*\\\n\s+-d '([^\n]*)')?\n(\{[^\n]*)/gm;
const COMMAND = /^npx earshot sandbox (\w[^\n]*)/gm;

/** What the guide shows of an answer: its words, without ids, which differ. */
function wordsIn(answer: string): string[] {
  const words = [...answer.matchAll(/"(kind|text|type|message|title)":"((?:[^"\\]|\\.)*)"/g)].map(([all]) => all);
  return words.map((each) => each.replace(/\d{17,20}/g, "#"));
}

it("every command of the guide to the sandbox runs as shown, with the example bot", async () => {
  const now = Date.now();
  // A clock that stands still: a bot on a slow machine misses no deadline.
  const sandbox = await openTestSandbox({
    ...{ community: sampleCommunity(), clock: { now: () => now }, rateLimits: false },
  });
  const env = { ...process.env, BOT_API: sandbox.api, BOT_TOKEN: sandbox.token };
  const bot = spawn(process.execPath, [fileOf("examples/bot.ts")], { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    bot.kill();
    if (bot.exitCode === null && bot.signalCode === null) await once(bot, "exit");
  });
  const guide = await readFile(fileOf("docs/guide/sandbox.md"), "utf8");
  for await (const line of createInterface({ input: bot.stdout })) {
    expect(guide).toContain(`npx node examples/bot.ts\n${line}\n`);
    break;
  }
  /** By the ids in the guide: those of today. */
  const ids = new Map<string, string>();
  const today = (text: string) => text.replace(/\d{17,20}/g, (id) => ids.get(id) ?? id);
  const calls = [...guide.matchAll(CURL)];
  expect(calls.length).toBe(guide.split("$ curl").length - 1);
  for (const [, path = "", body, shown = ""] of calls) {
    const headers = { "content-type": "application/json" };
    const init = body === undefined ? {} : { method: "POST", headers, body: today(body) };
    const answer = await (await fetch(`${sandbox.url}${path}`, init)).text();
    for (const key of ["message_id", "interaction_id"]) {
      const [old, real] = [shown, answer].map((each) => new RegExp(`"${key}":"(\\d+)"`).exec(each)?.[1]);
      if (old && real) ids.set(old, real);
    }
    for (const word of wordsIn(shown)) expect(wordsIn(answer), `${path} ${body}`).toContain(word);
    if (path.endsWith("/fault")) await fetch(`${sandbox.url}/sandbox/fault`, { ...init, body: '{"fault":"clear"}' });
  }
  const port = new URL(sandbox.url).port;
  for (const [, words = ""] of guide.matchAll(COMMAND)) {
    const args = today(words).replaceAll('"', "").split(" ");
    expect((await runCommand(["sandbox", ...args, "--port", port])).err, words).toBe("");
  }
});
