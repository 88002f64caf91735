#!/usr/bin/env node
// Plain JavaScript without newer syntax: this is the part that an older Node must be able to read.
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";
import { isBuilt } from "./sources.js";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`Earshot needs Node 22.18 or newer; this is ${process.version}.\n`);
  process.exitCode = 64;
} else {
  // Node keeps the compiled code in the folder for temporary files: the next start takes half as long.
  module.enableCompileCache();
  const source = new URL("../src/main.ts", import.meta.url);
  const built = new URL("../dist/src/main.js", import.meta.url);
  // A checkout has both. What is built starts in two thirds of the time, and is used until a source changes.
  const isPackage = !existsSync(fileURLToPath(source));
  await import(isPackage || isBuilt(fileURLToPath(new URL("..", import.meta.url))) ? built : source);
}
