import { readFileSync } from "node:fs";
import { defineConfig } from "rolldown";

// Most of a start is spent on opening modules: one file stands for hundreds. tsc writes the declarations beside.
const ENTRIES = ["src/main", "src/index", "src/client/index", "sandbox/index"];
/** Packages that have hundreds of modules, and of which no type is part of ours. All others stay packages. */
const JOINED = ["kysely"];

const isPackage = (id) => !/^[./]/.test(id);
const isJoined = (id) => JOINED.some((name) => id === name || id.startsWith(`${name}/`));

export default defineConfig({
  input: Object.fromEntries(ENTRIES.map((name) => [name, `${name}.ts`])),
  platform: "node",
  external: (id) => isPackage(id) && !isJoined(id),
  output: { dir: "dist", chunkFileNames: "chunks/[name]-[hash].js" },
  plugins: [
    {
      name: "licenses",
      generateBundle() {
        for (const name of JOINED)
          this.emitFile({
            type: "asset",
            fileName: `licenses/${name}.txt`,
            source: readFileSync(`node_modules/${name}/LICENSE`, "utf8"),
          });
      },
    },
  ],
});
