// Plain JavaScript without newer syntax, as the program that begins with it.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/** What a build is made of, besides the folders of the sources. */
const FILES = ["package.json", "package-lock.json", "build.js"];
const FOLDERS = ["src", "sandbox", "web"];

/** Every source with its size and the time of its last change, so that the smallest change shows, also one to an earlier state. */
export function describeSources(root) {
  const found = FOLDERS.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }));
  const files = found.filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"));
  const paths = files.map((entry) => join(entry.parentPath || entry.path, entry.name));
  return [...FILES.map((name) => join(root, name)), ...paths]
    .map((path) => {
      const { size, mtimeMs } = statSync(path);
      return `${relative(root, path)} ${size} ${mtimeMs}\n`;
    })
    .sort()
    .join("");
}

/** Whether the build in `dist` is of exactly these sources. False where nobody can say. */
export function isBuilt(root) {
  try {
    return readFileSync(join(root, "dist", "sources.txt"), "utf8") === describeSources(root);
  } catch {
    return false;
  }
}
