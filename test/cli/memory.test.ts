import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runEarshot } from "../support/program.ts";

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it("earshot memory lists, exports, forgets and erases what is remembered about a person of the sandbox", async () => {
  const folder = await emptyFolder();
  const ports = { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" };
  const running = runEarshot(["start"], ports, folder);
  await running.prints("Stop with Ctrl-C");
  const port = /127\.0\.0\.1:(\d+)\/api/.exec(running.out)?.[1] ?? "";
  const run = async (...args: string[]) => {
    const program = runEarshot(["memory", ...args, "--as", "sarah"], { EARSHOT_SANDBOX_PORT: port }, folder);
    const code = await program.ended;
    return { code, out: program.out, err: program.err };
  };
  const post = async (action: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const url = `http://127.0.0.1:${port}/sandbox/${action}`;
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ as: "sarah", ...body }) });
    return (await response.json()) as { text: string; message_id: string };
  };
  const remember = async (key: string, value: string) => {
    const { message_id } = await post("run", { command: "memory remember", options: { key, value } });
    const { text } = await post("press", { message_id, label: "Remember" });
    expect(text).toContain(`Remembered: **${key}**.`);
  };
  expect((await run("list")).out).toBe("Nothing is remembered.\n");
  await remember("boat", "Petrel");
  await remember("hat", "red");
  expect((await run("list")).out).toMatch(/^boat: "Petrel" {2}private, since \d{4}-\d\d-\d\d until \d{4}-\d\d-\d\d$/m);
  expect(JSON.parse((await run("list", "--json")).out)).toHaveLength(2);
  expect(JSON.parse((await run("export")).out)).toMatchObject({ facts: [{}, {}] });
  expect(await run("forget", "hat")).toMatchObject({ code: 0, out: expect.stringContaining("Forgotten: **hat**.") });
  expect(await run("forget", "hat")).toMatchObject({ code: 1, out: "You have no such fact.\n" });
  const erased = await run("erase");
  expect(erased).toMatchObject({ code: 0, err: "" });
  expect(erased.out).toContain("- facts about you, with their history: 1.");
  expect((await run("list")).out).toBe("Nothing is remembered.\n");
});

it("earshot memory says that only the person can do it on a real server", async () => {
  const env = { EARSHOT_DISCORD_TOKEN: "t.o.k" };
  const refused = runEarshot(["memory", "erase", "--as", "1"], env, await emptyFolder());
  expect(await refused.ended).toBe(1);
  expect(refused.err).toBe("Only the person can do that, in Discord itself: /privacy erase\n");
});
