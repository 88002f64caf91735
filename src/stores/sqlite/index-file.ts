import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";

const CHUNK_BYTES = 1024 * 1024;
/** Suffixes of SQLite's files. */
const COMPANIONS = ["", "-wal", "-shm", "-journal"];

/**
 * Deletes the index with all its files. Overwrites their bytes first, because deleted messages may be among them. Does nothing without such
 * a file.
 */
export function eraseIndexFile(file: string): void {
  rmSync(digestOf(file), { force: true });
  for (const path of COMPANIONS.map((companion) => file + companion)) {
    if (!existsSync(path)) continue;
    try {
      overwrite(path);
    } catch {
      // If it cannot be overwritten, it is only deleted.
    }
    rmSync(path, { force: true });
  }
}

/** Stores a digest of the closed file, so that damage is detected when it is opened again. */
export function writeDigest(file: string): void {
  writeFileSync(digestOf(file), digest(file), { mode: 0o600 });
}

/**
 * Whether the file is unchanged since it was closed; `unknown` if it was not closed properly. Deletes the digest, because the file may
 * change from now on.
 */
export function takeDigest(file: string): "same" | "changed" | "unknown" {
  if (!existsSync(digestOf(file)) || !existsSync(file)) return "unknown";
  const isSame = readFileSync(digestOf(file), "utf8") === digest(file);
  rmSync(digestOf(file));
  return isSame ? "same" : "changed";
}

function digestOf(file: string): string {
  return `${file}.digest`;
}

function digest(file: string): string {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (const path of [file, `${file}-wal`].filter((each) => existsSync(each))) {
    const descriptor = openSync(path, "r");
    try {
      for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk))
        hash.update(chunk.subarray(0, read));
    } finally {
      closeSync(descriptor);
    }
  }
  return hash.digest("hex");
}

function overwrite(path: string): void {
  const zeros = Buffer.alloc(CHUNK_BYTES);
  const descriptor = openSync(path, "r+");
  try {
    const { size } = fstatSync(descriptor);
    for (let at = 0; at < size; at += CHUNK_BYTES)
      writeSync(descriptor, zeros, 0, Math.min(CHUNK_BYTES, size - at), at);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
