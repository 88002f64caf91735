import { chmod, link, mkdir, mkdtemp, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { EarshotError } from "../../domain/errors.ts";

export const AUDIT_KEY = "audit.key";
/** A key whose audit may not have begun yet: after a crash, the next start continues with it. */
const NEW_FILE = "audit.key.new";
const KEY_BYTES = 32;

/** The key of an existing audit. Throws `misconfigured` if it is missing: no other key fits the chain. */
export async function loadAuditKey(folder: string): Promise<Uint8Array> {
  const key = await orMisconfigured(
    async () => (await readKey(folder, AUDIT_KEY)) ?? (await readKey(folder, NEW_FILE)),
  );
  if (key) return key;
  const hint = "Put it back from where it was saved. Without it nobody can tell whether the audit is whole.";
  throw new EarshotError(
    "misconfigured",
    `There is an audit, but its key ${AUDIT_KEY} is not in the data folder. ${hint}`,
  );
}

/**
 * The key for a new audit: this one, or that of a start that ended before its audit began. Call `keepAuditKey` afterwards. Throws
 * `misconfigured` if a key exists: then the database of its audit was lost.
 */
export async function prepareAuditKey(folder: string, key: Uint8Array): Promise<Uint8Array> {
  if (await hasAuditKey(folder)) throw lostDatabase("earshot.db");
  return orMisconfigured(async () => ((await store(folder, key)) ? key : ((await readKey(folder, NEW_FILE)) ?? key)));
}

/** Call once the audit has begun: the key proves from now on that there is one. An existing key stays. Safe to repeat. */
export async function keepAuditKey(folder: string): Promise<void> {
  if (await hasAuditKey(folder)) return;
  await orMisconfigured(async () => {
    if ((await readKey(folder, NEW_FILE)) !== null) await rename(join(folder, NEW_FILE), join(folder, AUDIT_KEY));
  });
}

export async function hasAuditKey(folder: string): Promise<boolean> {
  return (await orMisconfigured(() => readKey(folder, AUDIT_KEY))) !== null;
}

/** The key exists and the rows do not: the database was deleted or emptied, or the folder is incomplete. */
export function lostDatabase(name: string): EarshotError {
  const hint = `Put it back from a backup. To begin a new audit instead, move ${AUDIT_KEY} out of the data folder and start again.`;
  return new EarshotError(
    "misconfigured",
    `The key of the audit (${AUDIT_KEY}) is in the data folder, but its database ${name} is missing or empty. ${hint}`,
  );
}

async function orMisconfigured<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof EarshotError) throw cause;
    throw new EarshotError(
      "misconfigured",
      `The file ${AUDIT_KEY} in the data folder cannot be read or made; check the permissions of the folder.`,
      { cause },
    );
  }
}

async function readKey(folder: string, file: string): Promise<Uint8Array | null> {
  const path = join(folder, file);
  try {
    const key = await readFile(path);
    if (key.length !== KEY_BYTES)
      throw new EarshotError(
        "misconfigured",
        `The file ${file} in the data folder is not a key; it must have 32 bytes.`,
      );
    await chmod(path, 0o600);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Written to a temporary folder and linked, so that it is atomic, and the first of concurrent starts wins. False if there was one already.
 */
async function store(folder: string, key: Uint8Array): Promise<boolean> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const beside = await mkdtemp(join(folder, "key-"));
  try {
    const file = await open(join(beside, AUDIT_KEY), "wx", 0o600);
    try {
      await file.writeFile(key);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(join(beside, AUDIT_KEY), join(folder, NEW_FILE));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(beside, { recursive: true });
  }
}
