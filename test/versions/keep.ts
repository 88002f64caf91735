// Run once for each release, from its checkout: node test/versions/keep.ts
// Keeps a data folder as this version leaves it, so that every later version is tested on it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { VERSION } from "../../src/version.ts";
import { fillDataFolder } from "./data-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-keep-"));
try {
  await fillDataFolder(folder);
  const kept = join(import.meta.dirname, "kept", VERSION);
  mkdirSync(kept, { recursive: true });
  for (const name of ["earshot.db", "keys.db", "audit.key"])
    writeFileSync(join(kept, `${name}.gz`), gzipSync(readFileSync(join(folder, name)), { level: 9 }));
  console.log(`Kept as ${kept}. Commit it with the release.`);
} finally {
  rmSync(folder, { recursive: true });
}
