import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { COMPILE_CACHE } from "../support/program.ts";

/** Mounts need a name space of their own. */
const MAY_MOUNT = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
const WHY = MAY_MOUNT ? "" : " (skipped: this system does not let a user mount file systems)";
const EARSHOT = `"${process.execPath}" "${resolve("bin/earshot.js")}"`;

/** Runs a script with a data folder on a file system of its own, at `$DATA`; `earshot` is the program. */
async function runMounted(script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-disk-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const whole = `set -e; DATA=${folder}/data; mkdir $DATA; mount -t tmpfs -o size=32m tmpfs $DATA; export EARSHOT_DATA_DIR=$DATA
    earshot() { ${EARSHOT} "$@"; }
    ${script}`;
  const env = {
    ...COMPILE_CACHE,
    PATH: process.env["PATH"],
    EARSHOT_PORT: "0",
    EARSHOT_SANDBOX_PORT: "0",
    EARSHOT_SANDBOX_TALK_SECONDS: "0",
    EARSHOT_LOG_LEVEL: "error",
  };
  const child = spawn("unshare", ["-rm", "sh", "-c", whole], { cwd: folder, env });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  await new Promise((done) => child.once("close", done));
  return printed;
}

/** Not by the function: its shell would be what is ended, and the program would go on. */
const START = `${EARSHOT} start >out 2>&1 & PID=$!; until grep -qs 'Stop with Ctrl-C' out; do kill -0 $PID; sleep 0.1; done`;

it.skipIf(!MAY_MOUNT)(`a start on a read-only file system ends with one sentence that says so${WHY}`, async () => {
  const printed = await runMounted("mount -o remount,ro $DATA; earshot start || echo code $?");
  expect(printed).toMatch(/^[^\n]*\/data[^\n]* cannot be used: the file system is read-only\.[^\n]*\ncode 64\n$/);
});

/** Repeats the status until it contains a sentence, which it prints: another store may notice the disk before or after. */
const AWAIT_STATUS = `await_status() {
  for _ in $(seq 30); do earshot status 2>/dev/null | grep -o "Storage .*$1" && return; done
  earshot status
}`;

it.skipIf(!MAY_MOUNT)(
  `status says that the disk is full or read-only although nobody writes, and when it is not any more${WHY}`,
  async () => {
    const printed = await runMounted(`${START}
    ${AWAIT_STATUS}
    await_status "everything can be kept"
    dd if=/dev/zero of=$DATA/filler bs=4k 2>/dev/null || true
    await_status "cannot be used: the disk is full"
    rm $DATA/filler; await_status "everything can be kept"
    mount --bind $DATA $DATA; mount -o remount,ro,bind $DATA
    await_status "cannot be used: the file system is read-only"
    kill $PID; wait $PID 2>/dev/null || true`);
    const lines = printed.split("\n").map((line) => line.replace(/since \S+Z: \/\S+/, "since T: PATH"));
    expect(lines).toEqual([
      "Storage       everything can be kept",
      "Storage       the data folder fails since T: PATH cannot be used: the disk is full",
      "Storage       everything can be kept",
      "Storage       the data folder fails since T: PATH cannot be used: the file system is read-only",
      "",
    ]);
  },
);
