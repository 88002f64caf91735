import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const FILE = "operator-access.json";
const schema = z.object({ url: z.string(), token: z.string(), confirmToken: z.string() });

/** Where the running program is reached, and the tokens that commands on this machine use for it: one to ask, one to confirm. */
export type OperatorAccess = z.infer<typeof schema>;

/** Readable by the operator alone. */
export async function writeOperatorAccess(folder: string, access: OperatorAccess): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await rm(join(folder, FILE), { force: true });
  await writeFile(join(folder, FILE), JSON.stringify(access), { mode: 0o600 });
}

/** Null when no program has run with this folder. */
export async function readOperatorAccess(folder: string): Promise<OperatorAccess | null> {
  try {
    return schema.parse(JSON.parse(await readFile(join(folder, FILE), "utf8")));
  } catch {
    return null;
  }
}

export async function removeOperatorAccess(folder: string): Promise<void> {
  await rm(join(folder, FILE), { force: true });
}
