import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openFullRpc } from "../support/full-rpc.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const CLIENT = fileURLToPath(new URL("../../examples/earshot_client.py", import.meta.url));
const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** A sandbox in which Mark has said something, and a way to run Python against the whole server. */
async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  sandbox.as("mark").say("general", `the crane is blue, says the löng sign: ${"ja ".repeat(400)}`);
  const rpc = await openFullRpc(sandbox);
  const python = (...args: string[]) =>
    new Promise<{ code: number | null; printed: string }>((resolve) => {
      const env = { ...process.env, EARSHOT_URL: rpc.url, EARSHOT_TOKEN: rpc.token(), PYTHONIOENCODING: "utf-8" };
      const child = spawn("python3", args, { env });
      let printed = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (printed += data));
      child.on("close", (code) => resolve({ code, printed }));
    });
  return { sandbox, rpc, python };
}

describe.skipIf(!hasPython)(
  `the example client in Python${hasPython ? "" : " (not here: there is no python3)"}`,
  () => {
    it("calls tools, prints what a model would read, and tells what is refused", async () => {
      const { sandbox, python } = await arrive();
      const sarah = sandbox.as("sarah").id;
      const read = await python(CLIENT, sarah, "get_recent_messages", "channel=general", "limit=5");
      expect(read.printed).toMatch(/^⟦untrusted [\s\S]*mark: the crane is blue, says the löng sign: ja ja/);
      expect(read.code).toBe(0);
      const refused = await python(CLIENT, sarah, "serach_messages", "query=crane");
      expect(refused).toEqual({
        code: 1,
        printed: "not_found: There is no method `serach_messages`; did you mean `search_messages`?\n",
      });
    });

    it("hears events, and answers within their operation", async () => {
      const { sandbox, rpc, python } = await arrive();
      const script = [
        "import os, sys",
        `sys.path.insert(0, ${JSON.stringify(fileURLToPath(new URL("../../examples", import.meta.url)))})`,
        "from earshot_client import Earshot",
        'earshot = Earshot(os.environ["EARSHOT_URL"], os.environ["EARSHOT_TOKEN"])',
        "event = earshot.next_event()",
        'while not event.get("operation_id"): event = earshot.next_event()',
        'asked = event["payload"]',
        'draft = {"channel-id": asked["channel_id"], "text": "ahoy from Python", "reply-to-message-id": asked["message_id"]}',
        'earshot.call("discord.send", draft, event["operation_id"])',
        "earshot.close()",
      ].join("\n");
      const done = python("-B", "-c", script);
      await expect.poll(() => rpc.transport.stats().connections).toBe(1);
      sandbox.as("sarah").say("general", `<@${rpc.edge.discord.botId}> are you there?`);
      expect(await done).toEqual({ code: 0, printed: "" });
      expect(rpc.edge.said()).toContain("ahoy from Python");
    });
  },
);
