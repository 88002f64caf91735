import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { LONGEST_WAIT_MS, until } from "../support/edge.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const BOT = fileURLToPath(new URL("python/bot.py", import.meta.url));

/** The first Python that has discord.py: the one in the path, or the system's, for which Debian packages it. */
const python = ["python3", "/usr/bin/python3"].find((command) => {
  try {
    execFileSync(command, ["-c", "import discord.app_commands"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

interface Step {
  readonly step: string;
  readonly [field: string]: unknown;
}

async function startBot(sandbox: Sandbox) {
  const bot = spawn(python ?? "", [BOT], {
    env: {
      PATH: process.env["PATH"],
      SANDBOX_API: sandbox.api,
      SANDBOX_GATEWAY: sandbox.gatewayUrl,
      SANDBOX_TOKEN: sandbox.token,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise((resolve) => bot.once("exit", resolve));
  onTestFinished(async () => {
    bot.kill("SIGKILL");
    await ended;
  });
  const steps: Step[] = [];
  let errors = "";
  bot.stderr.on("data", (bytes) => {
    errors += String(bytes);
  });
  createInterface({ input: bot.stdout }).on("line", (line) => steps.push(JSON.parse(line)));
  const find = (wanted: string): Promise<Step> =>
    until(() => {
      const failed = steps.find(({ step }) => step === "failed");
      if (failed || bot.exitCode !== null) throw new Error(`${JSON.stringify(failed ?? "ended")} ${errors}`);
      return steps.find(({ step }) => step === wanted);
    }, `The bot did not get to "${wanted}".`);
  await find("ready");
  return { find, errors: () => errors.split("\n").filter((line) => line.includes("ERROR")) };
}

async function post(sandbox: Sandbox, action: string, body: object) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${sandbox.url}/sandbox/${action}`, {
    method: "POST",
    headers,
    body: JSON.stringify(action === "say" ? body : { ...body, timeout_ms: LONGEST_WAIT_MS }),
  });
  return (await response.json()) as Record<string, unknown>;
}

describe.skipIf(!python)("discord.py in the sandbox (skipped where Python cannot import discord)", () => {
  it("goes through a bot's usual journey: reply, members, thread, file, view, form and slash command", async () => {
    // A clock that stands still: a slow machine misses no deadline.
    const now = Date.now();
    const sandbox = await openTestSandbox({ clock: { now: () => now }, rateLimits: false });
    const bot = await startBot(sandbox);
    const sarah = sandbox.as("sarah");
    const ask = async (text: string, where: object = { in: "general" }) => {
      const { message_id: after } = await post(sandbox, "say", { as: "sarah", in: "general", text });
      return { after, answer: await post(sandbox, "wait", { after, ...where }) };
    };

    const ping = await ask("ping");
    expect(ping.answer).toMatchObject({
      text: `pong <@${sarah.id}>`,
      message: { mentions: [{ id: sarah.id }], referenced_message: { id: ping.after } },
    });

    expect((await ask("members")).answer).toMatchObject({ text: "6 members" });
    const everybody = ["earshot", "gabriel", "mark", "mei", "olga", "sarah"];
    expect(await bot.find("members")).toMatchObject({ by_request: [sarah.id], fetched: "Skipper", listed: everybody });

    const { after: started, answer: inThread } = await ask("thread", {});
    expect(inThread).toMatchObject({ text: "In the thread", channel_id: started });
    const thread = () => sandbox.world.channels.get(String(started))?.thread;
    expect(await until(() => thread()?.archived, "The thread was not archived.")).toBe(true);

    expect((await ask("file")).answer).toMatchObject({
      files: [{ name: "tides.txt", text: "low 06:12\nhigh 12:30\n" }],
      message: { embeds: [{ title: "Tides" }], attachments: [{ description: "Tides" }] },
    });
    expect(await bot.find("file")).toMatchObject({ text: "low 06:12\nhigh 12:30\n" });

    const { message_id } = (await ask("view")).answer;
    const agreed = await post(sandbox, "press", { as: "mark", message_id, label: "Agree" });
    expect(agreed).toMatchObject({
      text: "Agreed",
      message: { components: [{ components: [{ disabled: true }, {}] }] },
    });
    const form = await post(sandbox, "press", { as: "mark", message_id, label: "Tell more" });
    const field = /"custom_id":"(\w+)","style"/.exec(JSON.stringify(form["modal"]))?.[1] ?? "";
    const { interaction_id } = form;
    expect(await post(sandbox, "submit", { as: "mark", interaction_id, values: { [field]: "Once" } })).toMatchObject({
      text: "Noted: Once",
      ephemeral: true,
    });

    const command = { as: "sarah", in: "general", command: "add", options: { first: 2, second: 3, who: "mark" } };
    expect(await post(sandbox, "run", command)).toMatchObject({ text: "5 for mark" });
    expect(await post(sandbox, "run", { as: "sarah", in: "general", command: "story" })).toMatchObject({
      kind: "modal",
    });

    await post(sandbox, "say", { as: "sarah", in: "general", text: "history" });
    expect(await bot.find("history")).toMatchObject({ texts: expect.arrayContaining(["Agreed", "The tides"]) });
    expect(await bot.find("reaction")).toMatchObject({ emoji: "👍", by: "earshot" });
    await post(sandbox, "say", { as: "sarah", in: "general", text: "mistake" });
    expect(await bot.find("mistake")).toMatchObject({ status: 404, code: 10007 });
    expect(bot.errors()).toEqual([]);
  });
});
