import { readFileSync, writeFileSync } from "node:fs";
import { describeSources, isBuilt } from "./bin/sources.js";

// Most of a start is spent on opening modules: one file stands for hundreds. tsc writes the declarations beside.
const ENTRIES = ["src/main", "src/index", "src/client/index", "sandbox/index"];
/** Packages that have hundreds of modules, and of which no type is part of ours. All others stay packages. */
const JOINED = ["kysely"];

const root = import.meta.dirname;
const isPackage = (id) => !/^[./]/.test(id);
const isJoined = (id) => JOINED.some((name) => id === name || id.startsWith(`${name}/`));

const licenses = {
  name: "licenses",
  generateBundle() {
    for (const name of JOINED) {
      const source = readFileSync(`${root}/node_modules/${name}/LICENSE`, "utf8");
      this.emitFile({ type: "asset", fileName: `licenses/${name}.txt`, source });
    }
  },
};

async function build() {
  // Where development packages were left out, the program runs from its sources.
  const rolldown = await import("rolldown").catch(() => null);
  if (!rolldown) return void process.stdout.write("Not built: rolldown is not installed.\n");
  const sources = describeSources(root);
  await rolldown.build({
    cwd: root,
    input: Object.fromEntries(ENTRIES.map((name) => [name, `${name}.ts`])),
    platform: "node",
    external: (id) => isPackage(id) && !isJoined(id),
    output: { dir: "dist", cleanDir: true, chunkFileNames: "chunks/[name]-[hash].js" },
    plugins: [licenses],
  });
  // Last: a build that was cut off, or during which a source changed, is not taken for one of these sources.
  writeFileSync(`${root}/dist/sources.txt`, sources);
}

if (!isBuilt(root)) await build();
