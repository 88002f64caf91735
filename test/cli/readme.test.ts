import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { GONE } from "../support/memory.ts";
import { runCommand, startCommand } from "../support/program.ts";

interface Example {
  readonly args: readonly string[];
  /** What the README says is printed, without what it leaves out. */
  readonly lines: readonly string[];
}

/** The commands whose output stands below them. */
function examplesIn(text: string): Example[] {
  const blocks = [...text.matchAll(/```\n(\$ npx earshot [\s\S]+?)(?:```|$)/g)].map(([, block = ""]) => block);
  return blocks
    .flatMap((block) => block.split(/^\$ npx earshot /m).slice(1))
    .map((example) => {
      const [command = "", ...lines] = example.trim().split("\n");
      const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
      // How much was read by now differs from one start to the next.
      return { args, lines: lines.filter((line) => line !== "" && line !== "…" && !/^\(?looked at /i.test(line)) };
    });
}

/** Days pass, and ids differ. */
const withoutDays = (line: string) =>
  line
    .replace(/\d{4}-\d\d-\d\d( \d\d:\d\d)?/g, "<day>")
    .replace(/\d+ \w+ ago/g, "<time> ago")
    .replace(/\b(?:\d{17,20}|[\da-f]{36})\b/g, "<id>");

/** The pages show SQLite. */
const onThisEngine = (line: string) =>
  line.replace("It cannot be read again, not from backups of earshot.db either.", GONE);

/** Which commands of each page are run, and up to which heading. The last one has Sarah left out. */
const PAGES: readonly { page: string; commands: readonly string[]; until?: string }[] = [
  { page: "docs/guide/documents.md", commands: ["ask"] },
  // A model answers below.
  { page: "docs/guide/agent-in-five-minutes.md", commands: ["ask"], until: "## With Ollama" },
  { page: "docs/guide/clients.md", commands: ["call"] },
  // The README forgets the same fact.
  { page: "docs/guide/memory.md", commands: ["memory"], until: "$ npx earshot memory forget" },
  { page: "README.md", commands: ["ask", "call", "memory"] },
  { page: "docs/guide/policy.md", commands: ["why"] },
  { page: "docs/guide/privacy.md", commands: ["privacy"] },
];

it("what the README and the guides show is what the commands print on the sample community", async () => {
  const examples: Example[] = [];
  for (const { page, commands, until } of PAGES) {
    const text = await readFile(new URL(`../../${page}`, import.meta.url), "utf8");
    const found = examplesIn(text.split(until ?? "\0")[0] ?? "").filter(({ args: [name = ""] }) =>
      commands.includes(name),
    );
    expect(found, page).not.toEqual([]);
    examples.push(...found);
  }
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const env = { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" };
  const start = startCommand(["start"], env, folder);
  await start.prints("Stop with Ctrl-C");
  const port = /127\.0\.0\.1:(\d+)\/api/.exec(start.out)?.[1] ?? "";
  await vi.waitFor(
    async () => expect((await runCommand(["status"], {}, folder)).out).toContain("memory allows in 2 of 2 servers"),
    { timeout: 150_000, interval: 500 },
  );
  for (const { args, lines } of examples) {
    const { out, err } = await runCommand(args, { EARSHOT_SANDBOX_PORT: port }, folder);
    const printed = `${out}${err}`.split("\n").map(withoutDays);
    for (const line of lines.map(onThisEngine).map(withoutDays)) expect(printed, args.join(" ")).toContain(line);
  }
  start.stop();
  await start.ended;
});
