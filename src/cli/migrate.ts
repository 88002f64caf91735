import { join, resolve } from "node:path";
import { isDatabaseUrl } from "../config/database-settings.ts";
import { EarshotError } from "../domain/errors.ts";
import { type Arguments, type Command, type Context, textOption } from "./command.ts";
import { wrapLine } from "./wrap.ts";

const PHRASE = "destroy the old keys";
const FLAG = "destroy-old-keys";

export const migrate: Command = {
  name: "migrate",
  usage: `--to <address> [--keys-to <address>] [--${FLAG}]`,
  options: { to: { type: "string" }, "keys-to": { type: "string" }, [FLAG]: { type: "boolean" } },
  details: [
    "--to       the empty database, such as postgres://name:password@host:5432/earshot; EARSHOT_DATABASE_URL unless given",
    "--keys-to  another empty database for the keys; EARSHOT_KEYS_DATABASE_URL, or the same database, unless given",
    `--${FLAG}  destroy keys.db at the end without a question`,
    "",
    "Set EARSHOT_KEYS_SECRET, or EARSHOT_KEYS_SECRET_FILE, to the secret that is to wrap the keys, and stop Earshot.",
    "Everything is copied and compared, and the audit is verified before and after. Interrupted, the same command goes on where it was.",
    "The data folder is marked, and Earshot never starts on its files again: what people forget from then on would live on in them.",
    "The folder itself stays in use: it holds audit.key. Addresses on the command line can be seen by other users of the machine.",
  ],
  async run(args, context) {
    const { config, print, note, signal } = context;
    const request = readRequest(args, context);
    // Loaded only to run: --help need not wait for it.
    const { destroyKeys, moveFolder } = await import("../storage/move-folder.ts");
    const { rows, audited } = await moveFolder(request, { signal, note });
    const tell = (text: string) => {
      for (const line of wrapLine(text)) print(line);
    };
    tell(
      `Moved ${rows.toLocaleString("en")} rows, compared one by one; the audit of ${audited.toLocaleString("en")} rows is whole.`,
    );
    tell(
      "Earshot will not start on the files of this folder any more. Set EARSHOT_DATABASE_URL and EARSHOT_KEYS_SECRET.",
    );
    const keys = join(resolve(config.dataDir), "keys.db");
    if (await wantsDestroyed(args, { ...context, keys })) {
      destroyKeys(config.dataDir);
      tell(`Destroyed ${keys}. earshot.db beside it opens nothing without it, and can be deleted.`);
    } else
      tell(
        `Still there: ${keys}. With earshot.db it opens every fact, also those that are forgotten from now on. Delete both, and copies of them.`,
      );
    return 0;
  },
};

function readRequest(args: Arguments, { config, self }: Context) {
  const { dataDir, database } = config;
  const url = textOption(args, "to") ?? database.url;
  const keysUrl = textOption(args, "keys-to") ?? database.keysUrl ?? url;
  if (url === undefined || keysUrl === undefined)
    throw new EarshotError(
      "invalid",
      `Name the database: ${self} migrate --to postgres://name:password@host:5432/earshot`,
    );
  for (const [option, address] of [
    ["--to", url],
    ["--keys-to", keysUrl],
  ] as const)
    if (!isDatabaseUrl(address))
      throw new EarshotError(
        "invalid",
        `${option} must be an address such as postgres://name:password@host:5432/database.`,
      );
  if (database.keysSecret === undefined)
    throw new EarshotError(
      "invalid",
      "Set EARSHOT_KEYS_SECRET, or EARSHOT_KEYS_SECRET_FILE: the secret wraps the keys in PostgreSQL.",
    );
  return { dataDir, url, keysUrl, keysSecret: database.keysSecret };
}

async function wantsDestroyed(
  { values }: Arguments,
  { ask, keys }: Context & { readonly keys: string },
): Promise<boolean> {
  if (values[FLAG] === true) return true;
  const question = `${keys} still opens every fact of before, also those that are forgotten from now on.`;
  return (await ask(`${question}\nTo destroy it, type: ${PHRASE}\n> `))?.trim() === PHRASE;
}
