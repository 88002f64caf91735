import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const schema = z.object({ url: z.string(), token: z.string() });

/** Where the running program is reached, and a token for commands on this machine. */
export type OperatorAccess = z.infer<typeof schema>;

/** Two keys in two files: a program that is given the file to ask with cannot confirm what it asked for. */
const FILES = { operator: "operator-access.json", confirmer: "confirmer-access.json" } as const;

export type OperatorRole = keyof typeof FILES;

/** Tells commands on this machine where the program is reached, with a token for each role. */
export async function writeOperatorAccess(
  folder: string,
  url: string,
  tokens: Readonly<Record<OperatorRole, string>>,
): Promise<void> {
  await writeAccess(folder, "operator", { url, token: tokens.operator });
  await writeAccess(folder, "confirmer", { url, token: tokens.confirmer });
}

/** Readable by the operator alone. */
async function writeAccess(folder: string, role: OperatorRole, access: OperatorAccess): Promise<void> {
  const path = join(folder, FILES[role]);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await rm(path, { force: true });
  await writeFile(path, JSON.stringify(access), { mode: 0o600 });
}

/** Null when no program has run with this folder. */
export async function readOperatorAccess(folder: string, role: OperatorRole): Promise<OperatorAccess | null> {
  try {
    return schema.parse(JSON.parse(await readFile(join(folder, FILES[role]), "utf8")));
  } catch {
    return null;
  }
}

/** Never throws: where a file stays, commands find that nobody answers. */
export async function removeOperatorAccess(folder: string): Promise<void> {
  for (const file of Object.values(FILES)) await rm(join(folder, file), { force: true }).catch(() => undefined);
}
