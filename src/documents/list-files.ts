import type { BigIntStats, Dirent } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { extname, join } from "node:path";
import type { SkipReason } from "../ports/documents.ts";

const MAX_DEPTH = 12;
/** Of files and folders that are looked at, whatever they are. */
const MAX_ENTRIES = 20_000;
const TYPES = new Set([".md", ".markdown", ".txt"]);

export interface ListedFiles {
  /** Each as its names from the folder down, in a fixed order. */
  readonly files: readonly (readonly string[])[];
  readonly skipped: readonly { readonly path: string; readonly reason: SkipReason }[];
}

/**
 * The files of a folder that may be text. Links are not followed, names with a leading dot are passed over. `apart`: paths and marks of folders within it
 * that have an audience of their own. Throws when the folder itself cannot be read.
 */
export async function listFiles(root: string, apart: ReadonlySet<string>): Promise<ListedFiles> {
  const files: (readonly string[])[] = [];
  const skipped: { path: string; reason: SkipReason }[] = [];
  let entries = 0;
  const skip = (path: readonly string[], reason: SkipReason) => skipped.push({ path: path.join("/"), reason });
  const visit = async (path: readonly string[]): Promise<void> => {
    const found: Dirent[] = [];
    for await (const entry of await opendir(join(root, ...path))) {
      entries += 1;
      if (entries > MAX_ENTRIES) {
        skip(path, "too_many");
        break;
      }
      if (!entry.name.startsWith(".")) found.push(entry);
    }
    for (const entry of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = [...path, entry.name];
      if (entry.isDirectory() && (await isApart(join(root, ...inner), apart))) continue;
      if (entry.isSymbolicLink()) skip(inner, "link");
      else if (entry.isDirectory()) {
        if (inner.length > MAX_DEPTH) skip(inner, "too_deep");
        else if (entries <= MAX_ENTRIES) await visit(inner).catch(() => skip(inner, "unreadable"));
      } else if (!TYPES.has(extname(entry.name).toLowerCase())) skip(inner, "other_type");
      else if (entry.isFile()) files.push(inner);
      else skip(inner, "special_file");
    }
  };
  await visit([]);
  return { files, skipped };
}

/** The same folder has the same one, however its path is written: file systems may ignore case, or show a folder in two places. */
export function toFolderMark({ dev, ino }: Pick<BigIntStats, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}

/** A folder that is gone by now has nothing to read. */
async function isApart(path: string, apart: ReadonlySet<string>): Promise<boolean> {
  if (apart.has(path)) return true;
  const stats = await lstat(path, { bigint: true }).catch(() => null);
  return stats === null || apart.has(toFolderMark(stats));
}
