import { defineConfig } from "rolldown";

// One file for hundreds: most of a start is spent on opening modules. Packages stay packages, and tsc writes the declarations beside.
export default defineConfig({
  input: {
    "src/main": "src/main.ts",
    "src/index": "src/index.ts",
    "src/client/index": "src/client/index.ts",
    "sandbox/index": "sandbox/index.ts",
  },
  platform: "node",
  external: /^(?![./])/,
  output: { dir: "dist", chunkFileNames: "chunks/[name]-[hash].js" },
});
