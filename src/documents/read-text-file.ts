import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import type { SkipReason } from "../ports/documents.ts";

/** Which file it is, and which version of it: whatever writes to it, or puts another in its place, changes this. */
export type Fingerprint = string;

export interface TextFile {
  readonly fingerprint: Fingerprint;
  readonly text: string;
}

export const MAX_FILE_BYTES = 1024 * 1024;

/** If the platform supports it: not through a link, and without waiting for the other end of a pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export function toFingerprint({ dev, ino, size, mtimeNs, ctimeNs, nlink }: BigIntStats): Fingerprint {
  return [dev, ino, size, mtimeNs, ctimeNs, nlink].join(":");
}

/**
 * The text of a file, or the reason why it is left out. The content comes from the opened file alone, which must be the one at this path in the folder, with no
 * link on the way: a path that is swapped between two checks leads nowhere. `root` is the real path of the folder.
 */
export async function readTextFile(root: string, path: readonly string[]): Promise<TextFile | SkipReason> {
  const full = join(root, ...path);
  // A name that is a path of its own, such as "..".
  if (full !== [root, ...path].join(sep)) return "link";
  let file: FileHandle | null = null;
  try {
    file = await open(full, FLAGS);
    const before = await file.stat({ bigint: true });
    const reason = refuse(before) ?? ((await isInPlace(file, full, before)) ? null : "link");
    if (reason !== null) return reason;
    const bytes = await readAll(file);
    if (bytes === null) return "too_large";
    const fingerprint = toFingerprint(before);
    // Written to meanwhile: a mixture of two versions is neither. The next look reads it again.
    if (toFingerprint(await file.stat({ bigint: true })) !== fingerprint) return "unreadable";
    const text = toText(bytes);
    return text === null ? "not_text" : { fingerprint, text };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ELOOP" ? "link" : "unreadable";
  } finally {
    await file?.close().catch(() => {});
  }
}

/** One of several names of a file may be outside of the folder. */
function refuse(stats: BigIntStats): SkipReason | null {
  if (!stats.isFile()) return "special_file";
  if (stats.nlink > 1n) return "hard_link";
  return stats.size > BigInt(MAX_FILE_BYTES) ? "too_large" : null;
}

/**
 * Linux tells where an open file stands. Elsewhere the path is followed once more, on which the same file has to be found: who swaps links could only get
 * past that by winning several races in a row.
 */
async function isInPlace(file: FileHandle, full: string, opened: BigIntStats): Promise<boolean> {
  const shown = await readlink(`/proc/self/fd/${file.fd}`).catch(() => null);
  if (shown !== null) return shown === full;
  if ((await realpath(full)) !== full) return false;
  const { dev, ino } = await lstat(full, { bigint: true });
  return dev === opened.dev && ino === opened.ino && (await realpath(full)) === full;
}

/** Null for more than may be read, whatever size the file says it has. */
async function readAll(file: FileHandle): Promise<Buffer | null> {
  // Only the bytes that were read are returned, so the uninitialised memory is never visible.
  const buffer = Buffer.allocUnsafe(MAX_FILE_BYTES + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  return null;
}

function toText(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
