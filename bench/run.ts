import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";

/** Each benchmark runs in a process of its own, one after the other. `npm run bench -- events` runs one; flags such as `--seconds=60` are passed on. */
const BENCHES = [
  "startup",
  "files-entered",
  "events",
  "footprint",
  "facts",
  "stores",
  "can-read",
  "audience",
  "gate",
  "audit",
  "audit-size",
  "generate",
  "rpc",
  "fanout",
  "timeline",
  "search",
  "steps",
  "questions",
  "agent",
  "kept",
  "slow-disk",
  "needle",
  "reach",
  "summary",
  "forest",
  "window",
  "links",
  "console",
  "signin",
];

const flags = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const wanted = process.argv.slice(2).filter((argument) => !flags.includes(argument));
const unknown = wanted.filter((name) => !BENCHES.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(", ")}. There are: ${BENCHES.join(", ")}.`);
  process.exit(1);
}
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`);
for (const name of wanted.length > 0 ? wanted : BENCHES) {
  const { status } = spawnSync(
    process.execPath,
    ["--expose-gc", fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), ...flags],
    { stdio: "inherit" },
  );
  if (status !== 0) process.exit(status ?? 1);
}
