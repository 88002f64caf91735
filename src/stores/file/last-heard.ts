import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LastHeard } from "../../ports/last-heard.ts";

/** Keeps one small file per bot. Written beside and renamed, so that a crash leaves the old value or the new one. */
export function createLastHeardFile(folder: string): LastHeard {
  const path = (botId: string) => join(folder, `last-heard-${botId}.txt`);
  return {
    async load(botId) {
      try {
        const time = Number(await readFile(path(botId), "utf8"));
        return Number.isSafeInteger(time) && time > 0 ? time : null;
      } catch {
        return null;
      }
    },
    async save(botId, at) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const beside = `${path(botId)}.new`;
      await writeFile(beside, String(at));
      await rename(beside, path(botId));
    },
  };
}

/** For those who only look on: nothing is kept, and nothing is disturbed. */
export function createLastHeardNowhere(): LastHeard {
  return { load: async () => null, save: async () => {} };
}
