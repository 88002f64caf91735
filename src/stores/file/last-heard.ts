import { mkdir, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { Serial } from "../../domain/serial.ts";
import type { LastHeard } from "../../ports/last-heard.ts";

/**
 * Keeps one small file per bot. Written beside, flushed and renamed, so that a crash or a power cut leaves the old value or the new one.
 * One save at a time; of those that wait, only the latest is written.
 */
export function createLastHeardFile(folder: string): LastHeard {
  const path = (botId: string) => join(folder, `last-heard-${botId}.txt`);
  const saving = new Serial();
  const latest = new Map<string, number>();
  const write = async (botId: string) => {
    const at = latest.get(botId);
    if (at === undefined) return;
    latest.delete(botId);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeDurably(path(botId), folder, String(at));
  };
  return {
    async load(botId) {
      const content = await readFile(path(botId), "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return null;
        return "";
      });
      if (content === null) return null;
      const time = /^\d{1,16}$/.test(content.trim()) ? Number(content) : 0;
      return Number.isSafeInteger(time) ? time : 0;
    },
    save(botId, at) {
      latest.set(botId, at);
      return saving.run(() => write(botId));
    },
  };
}

/** For those who only look on: nothing is kept, and nothing is disturbed. */
export function createLastHeardNowhere(): LastHeard {
  return { load: async () => null, save: async () => {} };
}

async function writeDurably(path: string, folder: string, content: string): Promise<void> {
  const beside = `${path}.new`;
  const file = await open(beside, "w", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, path);
  await syncFolder(folder);
}

/** So that the rename itself survives a power cut. Some file systems do not offer it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => null);
  if (!handle) return;
  try {
    await handle.sync();
  } catch {
    // Then the old value may come back, which makes the next gap longer.
  } finally {
    await handle.close();
  }
}
