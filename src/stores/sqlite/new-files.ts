import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { lockFile } from "./own-file.ts";

const DATABASE = "earshot.db";
const OWN = /^(?:earshot|keys)\.db|^audit\.key|^(?:edge|timeline)$/;

interface NewFiles {
  /** Call when the database was created: another file in its place then belongs to another program. */
  noteOpened(): void;
  remove(): void;
}

/** Tracks the files that a start creates in a data folder without a database, so that a refused start can remove them. */
export function noteFiles(folder: string): NewFiles {
  const hadFolder = existsSync(folder);
  const before = hadFolder ? readdirSync(folder) : [];
  const findInode = () => statSync(join(folder, DATABASE), { throwIfNoEntry: false })?.ino;
  let opened: number | undefined;
  return {
    noteOpened() {
      opened = findInode();
    },
    remove() {
      // A backup may have been restored while the start waited for Discord.
      if (before.includes(DATABASE) || opened === undefined || findInode() !== opened) return;
      // Another program may use the folder meanwhile.
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
