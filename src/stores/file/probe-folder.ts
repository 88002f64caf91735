import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EarshotError } from "../../domain/errors.ts";
import { describeFileProblem } from "../../domain/file-errors.ts";

const PROBE_BYTES = 4_096;

/** Writes a file and removes it again. Throws the system's error. */
export async function probeFolder(folder: string): Promise<void> {
  const probe = await mkdtemp(join(folder, "probe-"));
  try {
    await writeFile(join(probe, "file"), new Uint8Array(PROBE_BYTES), { mode: 0o600, flush: true });
  } finally {
    await rm(probe, { recursive: true, force: true });
  }
}

/** Probes the nearest existing folder: a start creates the rest. */
export async function probeNearestFolder(folder: string): Promise<void> {
  const isThere = existsSync(folder) || dirname(folder) === folder;
  await (isThere ? probeFolder(folder) : probeNearestFolder(dirname(folder)));
}

/** The system's error on a file or folder, in Earshot's words. */
export function cannotBeUsed(path: string, code: "misconfigured" | "unavailable", cause: unknown): EarshotError {
  const { code: said = "an error" } = cause as NodeJS.ErrnoException;
  return new EarshotError(code, describeFileProblem(path, said), { cause });
}

/** Throws `misconfigured` where the work fails. */
export async function orMisconfigured(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    throw cannotBeUsed(path, "misconfigured", cause);
  }
}
