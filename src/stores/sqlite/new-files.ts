import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { lockFile } from "./lock-file.ts";

const DATABASE = "earshot.db";
const OWN = /^(?:earshot|keys)\.db|^audit\.key|^(?:edge|timeline)$/;

/** The files that a start makes in a data folder without a database, so that one that is refused leaves none of them behind. */
export function noteFiles(folder: string): { remove(): void } {
  const hadFolder = existsSync(folder);
  const before = hadFolder ? readdirSync(folder) : [];
  return {
    remove() {
      if (before.includes(DATABASE) || !existsSync(folder)) return;
      // Another program may use the folder by now.
      const lock = tryLock(join(folder, DATABASE));
      if (!lock) return;
      const made = readdirSync(folder).filter((name) => OWN.test(name) && !before.includes(name));
      for (const name of made) rmSync(join(folder, name), { recursive: true, force: true });
      lock.close();
      if (!hadFolder && readdirSync(folder).length === 0) rmdirSync(folder);
    },
  };
}

function tryLock(file: string) {
  try {
    return lockFile(file, 0);
  } catch {
    return null;
  }
}
