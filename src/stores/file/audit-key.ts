import { chmod, link, mkdir, mkdtemp, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { EarshotError } from "../../domain/errors.ts";

const FILE = "audit.key";
const LENGTH = 32;

/**
 * The key of the audit, readable by its owner alone. Where there is none it is made; `make` is null where a chain exists already, which
 * no other key would fit. Throws `misconfigured` when there is none to be had.
 */
export async function loadAuditKey(folder: string, make: (() => Uint8Array) | null): Promise<Uint8Array> {
  const path = join(folder, FILE);
  try {
    const known = await readKey(path);
    if (known) return known;
    if (make) {
      await keep(folder, make());
      const kept = await readKey(path);
      if (kept) return kept;
    }
  } catch (cause) {
    if (cause instanceof EarshotError) throw cause;
    throw new EarshotError("misconfigured", `The file ${FILE} in the data folder cannot be read or made.`, { cause });
  }
  const hint = "Put it back from where it was saved. Without it nobody can tell whether the audit is whole.";
  throw new EarshotError("misconfigured", `There is an audit, but its key ${FILE} is not in the data folder. ${hint}`);
}

async function readKey(path: string): Promise<Uint8Array | null> {
  try {
    const key = await readFile(path);
    if (key.length !== LENGTH)
      throw new EarshotError(
        "misconfigured",
        `The file ${FILE} in the data folder is not a key; it must have 32 bytes.`,
      );
    await chmod(path, 0o600);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Written beside and linked: it is there as a whole or not at all, and of several that start at once only the first one's stays. */
async function keep(folder: string, key: Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const beside = await mkdtemp(join(folder, "key-"));
  try {
    const file = await open(join(beside, FILE), "wx", 0o600);
    try {
      await file.writeFile(key);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(join(beside, FILE), join(folder, FILE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(beside, { recursive: true });
  }
}
