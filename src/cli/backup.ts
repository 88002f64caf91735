import { resolve } from "node:path";
import { z } from "zod";
import { postgresOf } from "../config/database-settings.ts";
import { EarshotError } from "../domain/errors.ts";
import { type Arguments, type Command, textOption } from "./command.ts";
import { askOperator } from "./running-program.ts";

/** A database of some gigabytes on a slow disk. */
const MAX_COPY_MS = 600_000;

export const backup: Command = {
  name: "backup",
  usage: "<folder> --keys <other folder>",
  takesMore: true,
  options: { keys: { type: "string" } },
  details: [
    "<folder>  gets earshot.db (facts, sealed; opt-outs; the audit) and audit.key, in a folder named after the time",
    "--keys    gets keys.db, without which no fact can be read; keep it on another disk",
    "",
    "Works while Earshot runs and while it does not. Both copies are of one moment, and are opened before they count.",
    "Copies of keys in that folder that are older than 7 days are deleted: so long can something forgotten be restored.",
    "From PostgreSQL, the same files are written: the keys in keys.db are not wrapped by the secret, so keep them apart.",
    "Not copied: messages, configuration, tokens. To put a backup back: earshot restore",
  ],
  async run(args, { config, self, log, signal, print }) {
    const folders = readFolders(args, "backup");
    // Loaded only to run: --help need not wait for it.
    const { backUpFolder } = await import("../storage/back-up-folder.ts");
    const { systemClock } = await import("../storage/durable-parts.ts");
    const { DAY_MS, describeTime, MAX_KEY_COPY_DAYS } = await import("../storage/backup-names.ts");
    const askProgram = (body: object) =>
      askOperator({ config, self }, { path: "backup", body, maxMs: MAX_COPY_MS }, z.object({}));
    const made = await backUpFolder(
      { dataDir: config.dataDir, postgres: postgresOf(config.database), ...folders },
      { clock: systemClock, log, signal, askProgram },
    );
    print(`Backed up as of ${describeTime(made.time)}, and opened to check:`);
    print(`  ${made.folder}  earshot.db, audit.key`);
    print(
      `  ${made.keysFolder}  keys.db, to be restored until ${describeTime(made.time + MAX_KEY_COPY_DAYS * DAY_MS)}`,
    );
    const copies = made.deleted === 1 ? "1 copy" : `${made.deleted} copies`;
    if (made.deleted > 0) print(`Deleted ${copies} of keys older than ${MAX_KEY_COPY_DAYS} days.`);
    return 0;
  },
};

/** Throws `invalid` unless exactly two folders are named. */
export function readFolders(args: Arguments, command: string): { folder: string; keysFolder: string } {
  const [folder, ...more] = args.positionals;
  const keys = textOption(args, "keys");
  if (!folder || !keys || more.length > 0)
    throw new EarshotError("invalid", `Name two folders: earshot ${command} <folder> --keys <other folder>`);
  return { folder: resolve(folder), keysFolder: resolve(keys) };
}
