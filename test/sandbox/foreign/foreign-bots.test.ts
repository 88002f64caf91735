import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../../../sandbox/index.ts";
import { LONGEST_WAIT_MS, until } from "../../support/edge.ts";
import { openTestSandbox } from "../../support/sandbox.ts";
import { isPython, LIBRARIES, type Library, whyMissing } from "./libraries.ts";
import { openTlsFront } from "./tls-front.ts";

const folder = process.env["EARSHOT_FOREIGN_BOTS"] ?? "";
const CHART = "low 06:12\nhigh 12:30\n";

type Post = (action: string, body: object) => Promise<Record<string, unknown>>;

/** What each bot is asked to do. Everything is done through the control API; only reactions are looked up in the sandbox. */
const CAPABILITIES: Readonly<Record<string, (sandbox: Sandbox, post: Post) => Promise<void>>> = {
  async reply(_, post) {
    const { after, answer } = await ask(post, "ping");
    expect(answer).toMatchObject({ text: "pong", message: { message_reference: { message_id: after } } });
  },
  async "slash command"(_, post) {
    const add = { as: "sarah", in: "general", command: "add", options: { first: 2, second: 3 } };
    // Some libraries register their commands after they say that they are ready.
    const run = () => post("run", { ...add, timeout_ms: LONGEST_WAIT_MS });
    await expect.poll(run).toMatchObject({ kind: "message", text: "5" });
  },
  async button(_, post) {
    const { message_id } = (await ask(post, "button")).answer;
    const pressed = await post("press", { as: "mark", message_id, label: "Agree", timeout_ms: LONGEST_WAIT_MS });
    expect(pressed).toMatchObject({ kind: "message", message_id, text: "Agreed", message: { components: [] } });
  },
  async thread(_, post) {
    const { after } = await ask(post, "thread", {});
    const inside = await post("wait", { in: after, after, timeout_ms: LONGEST_WAIT_MS });
    expect(inside).toMatchObject({ channel_id: after, text: "In the thread" });
    const opened = await post("thread", { as: "mark", in: "general", name: "Mine" });
    const said = await post("say", { as: "mark", in: opened["channel_id"], text: "ping" });
    const { channel_id, message_id } = said;
    expect(await post("wait", { in: channel_id, after: message_id, timeout_ms: LONGEST_WAIT_MS })).toMatchObject({
      text: "pong",
    });
  },
  async reaction(sandbox, post) {
    const { message_id, channel_id } = await post("say", { as: "sarah", in: "general", text: "react" });
    const message = () => sandbox.world.channels.get(String(channel_id))?.messages.get(String(message_id));
    await until(() => message()?.more?.reactions?.get("👍"), "The bot did not react.");
    await post("react", { as: "mark", message_id, emoji: "🎉" });
    const noticed = { in: "general", after: message_id, contains: "reacted", timeout_ms: LONGEST_WAIT_MS };
    expect(await post("wait", noticed)).toMatchObject({ text: `${sandbox.as("mark").id} reacted with 🎉` });
  },
  async file(_, post) {
    expect((await ask(post, "file")).answer).toMatchObject({ files: [{ name: "tides.txt", text: CHART }] });
    const files = [{ name: "log.txt", text: "two fathoms" }];
    expect((await ask(post, "read", { in: "general" }, { files })).answer).toMatchObject({
      text: "I read: two fathoms",
    });
  },
};

async function ask(post: Post, text: string, where: object = { in: "general" }, more: object = {}) {
  const { message_id: after } = await post("say", { as: "sarah", in: "general", text, ...more });
  return { after, answer: await post("wait", { ...where, after, timeout_ms: LONGEST_WAIT_MS }) };
}

async function startBot(library: Library) {
  // A clock that stands still: a slow machine misses no deadline.
  const now = Date.now();
  const front = library.needsTls ? await openTlsFront(() => Number(new URL(sandbox.url).port)) : undefined;
  const sandbox: Sandbox = await openTestSandbox({
    ...{ clock: { now: () => now }, rateLimits: false },
    ...(front && { advertise: { gateway: () => `wss://${front.host}/gateway` } }),
  });
  const [program, bot] = [isPython(library) ? "python3" : process.execPath, join(import.meta.dirname, library.bot)];
  const env = {
    PATH: process.env["PATH"],
    LIBRARIES: folder,
    PYTHONPATH: join(folder, "python"),
    API: front ? `https://${front.host}/api` : sandbox.api,
    GATEWAY: sandbox.gatewayUrl,
    TOKEN: sandbox.token,
    ...(front && { NODE_EXTRA_CA_CERTS: front.certificate }),
  };
  const child = spawn(program, [bot], { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let [isReady, output] = [false, ""];
  child.stderr.on("data", (bytes) => {
    output += String(bytes);
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line === "ready") isReady = true;
    else output += `${line}\n`;
  });
  await until(() => {
    if (child.exitCode !== null) throw new Error(`The bot ended: ${output}`);
    return isReady;
  }, "The bot did not get ready.").catch((error: Error) => {
    throw new Error(`${error.message}\n${output}`);
  });
  const post: Post = async (action, body) => {
    if (child.exitCode !== null) throw new Error(`The bot ended: ${output}`);
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    return (await (await fetch(`${sandbox.url}/sandbox/${action}`, request)).json()) as Record<string, unknown>;
  };
  return { sandbox, post, output: () => output };
}

describe.skipIf(folder === "")(
  "bots of other libraries (skipped unless EARSHOT_FOREIGN_BOTS names the folder of the libraries)",
  () => {
    const table: Record<string, string>[] = [];
    afterAll(() => console.table(table));

    it.for(LIBRARIES)(
      "a bot with $name replies, answers a command and a button, opens a thread, reacts and sends files",
      async (library, { skip }) => {
        const why = whyMissing(folder, library);
        if (why) skip(why);
        const row: Record<string, string> = { library: library.name };
        table.push(row);
        const bot = await startBot(library);
        row["connect"] = "yes";
        const problems: unknown[] = [];
        for (const [capability, check] of Object.entries(CAPABILITIES)) {
          const problem = await check(bot.sandbox, bot.post).then(
            () => undefined,
            (error: unknown) => error,
          );
          row[capability] = problem ? "NO" : "yes";
          if (problem) problems.push(capability, problem);
        }
        expect(problems, bot.output()).toEqual([]);
      },
    );
  },
);
