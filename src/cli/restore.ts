import { postgresOf } from "../config/database-settings.ts";
import { EarshotError } from "../domain/errors.ts";
import type { RestoreReceipt } from "../storage/restore-folder.ts";
import { readFolders } from "./backup.ts";
import type { Command } from "./command.ts";
import { wrapLine } from "./wrap.ts";

const PHRASE = "what was forgotten may come back";
const FLAG = "forgotten-may-come-back";

const IN_FILES = { database: "earshot.db", keys: "keys.db" };
const IN_POSTGRES: typeof IN_FILES = { database: "the database", keys: "its keys" };

export const restore: Command = {
  name: "restore",
  usage: `<folder> --keys <other folder> [--${FLAG}]`,
  takesMore: true,
  options: { keys: { type: "string" }, [FLAG]: { type: "boolean" } },
  details: [
    "<folder>  the folder that backups went to; its newest earshot.db and audit.key are used",
    "--keys    the folder that copies of keys.db went to; its newest one, if it is at most 7 days old",
    `--${FLAG}  go on without a question although neither earshot.db nor keys.db is left`,
    "",
    "Only what is missing in the data folder, or in PostgreSQL, is put back; stop Earshot first. What is left of it decides what was forgotten:",
    "keys.db if it is there, or else earshot.db. If neither is, nobody knows what was forgotten since the backup.",
    "Facts of an older earshot.db are told to their owners alone until they confirm them again.",
  ],
  async run(args, { config, log, signal, print, ask, self }) {
    const folders = readFolders(args, "restore");
    // Loaded only to run: --help need not wait for it.
    const { restoreFolder } = await import("../storage/restore-folder.ts");
    const { systemClock } = await import("../storage/durable-parts.ts");
    const { describeTime } = await import("../storage/backup-names.ts");
    const postgres = postgresOf(config.database);
    const names = postgres ? IN_POSTGRES : IN_FILES;
    const confirm = async (since: number) => {
      if (args.values[FLAG] === true) return true;
      const what = `Neither ${names.database} nor ${names.keys} is left. Nobody knows what people forgot, or who asked to be left out, since ${describeTime(since)}.`;
      const typed = await ask(`${what}\nTo go on, type: ${PHRASE}\n> `);
      if (typed === null)
        throw new EarshotError("invalid", `${what} Nothing was restored. To go on without a terminal, add --${FLAG}.`);
      return typed?.trim() === PHRASE;
    };
    const receipt = await restoreFolder(
      { dataDir: config.dataDir, postgres, ...folders },
      { clock: systemClock, log, signal, confirm },
    );
    for (const line of describeReceipt(receipt, { describeTime, self, names }))
      for (const part of wrapLine(line)) print(part);
    return 0;
  },
};

function describeReceipt(
  { replaced, backup_at, facts, erased }: RestoreReceipt,
  { describeTime, self, names }: { describeTime(time: number): string; self: string; names: typeof IN_FILES },
): readonly string[] {
  const since = describeTime(backup_at);
  const files = { ...names, both: `${names.database} and ${names.keys}` }[replaced];
  const gone = {
    both: "without a key in the backup",
    database: `forgotten since then, which ${names.keys} tell`,
    keys: "added since then, whose keys are lost",
  }[replaced];
  const missing =
    replaced === "both" ? "What was forgotten, and who asked to be left out," : "Who asked to be left out";
  const tell = `${missing} since ${since} may be missing. /privacy show says so; tell your members.`;
  const isOlder = replaced !== "keys";
  return [
    `Restored ${files} from the backup of ${since}.`,
    `  ${facts} facts can be read${isOlder ? ", each by its owner alone until they confirm it again with /memory review" : ""}.`,
    ...(erased > 0 ? [`  ${erased} erased: ${gone}.`] : []),
    ...(isOlder ? [`  ${tell}`] : []),
    `Start it: ${self} start`,
  ];
}
