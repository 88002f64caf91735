import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { lockFile } from "./own-file.ts";

const DATABASE = "earshot.db";
const OWN = /^(?:earshot|keys)\.db|^audit\.key|^(?:edge|timeline)$/;

interface NewFiles {
  /** The database has been made: another file in its place is somebody else's. */
  noteOpened(): void;
  remove(): void;
}

/** The files that a start makes in a data folder without a database, so that one that is refused leaves none of them behind. */
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
      // A backup may have been put back while the start waited for Discord.
      if (before.includes(DATABASE) || opened === undefined || findInode() !== opened) return;
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
