import { readFileSync } from "node:fs";
import { describeSources, isBuilt } from "./bin/sources.js";

// Most of a start is spent on opening modules: one file stands for hundreds. tsc writes the declarations beside.
const ENTRIES = ["src/main", "src/index", "src/client/index", "sandbox/index"];
/** Packages that have hundreds of modules, and of which no type is part of ours. All others stay packages. */
const JOINED = ["kysely"];

const root = import.meta.dirname;
const isPackage = (id) => !/^[./]/.test(id);
const isJoined = (id) => JOINED.some((name) => id === name || id.startsWith(`${name}/`));

const more = {
  name: "licenses-and-sources",
  generateBundle() {
    for (const name of JOINED) {
      const source = readFileSync(`${root}/node_modules/${name}/LICENSE`, "utf8");
      this.emitFile({ type: "asset", fileName: `licenses/${name}.txt`, source });
    }
    this.emitFile({ type: "asset", fileName: "sources.txt", source: describeSources(root) });
  },
};

async function build() {
  // Where development packages were left out, the program runs from its sources.
  const rolldown = await import("rolldown").catch(() => null);
  if (!rolldown) process.stdout.write("Not built: rolldown is not installed.\n");
  await rolldown?.build({
    cwd: root,
    input: Object.fromEntries(ENTRIES.map((name) => [name, `${name}.ts`])),
    platform: "node",
    external: (id) => isPackage(id) && !isJoined(id),
    output: { dir: "dist", cleanDir: true, chunkFileNames: "chunks/[name]-[hash].js" },
    plugins: [more],
  });
}

if (!isBuilt(root)) await build();
