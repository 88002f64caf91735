import { existsSync } from "node:fs";
import { access, constants, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CONFIG_FILE, findConfigFile } from "../config/config-file.ts";
import { EarshotError } from "../domain/errors.ts";

export const TOKEN_FILE = "earshot.token";

/** Throws `misconfigured` where one of the files exists already, and what the system says of a folder that cannot be written to. */
export async function requireNewFiles(folder: string): Promise<void> {
  const found = findConfigFile(folder) ?? [TOKEN_FILE].find((name) => existsSync(join(folder, name)));
  if (found !== undefined) throw existing(join(folder, found));
  await access(folder, constants.W_OK);
}

/** Both files or neither; nothing is overwritten. Without a token, the line for it is a comment. Gives back the paths. */
export async function writeConfig(
  folder: string,
  { token, api }: { readonly token?: string | undefined; readonly api?: string | undefined },
): Promise<string[]> {
  await requireNewFiles(folder);
  const paths: string[] = [];
  try {
    if (token !== undefined) paths.push(await create(join(folder, TOKEN_FILE), `${token}\n`));
    paths.push(await create(join(folder, CONFIG_FILE), toText(token !== undefined, api)));
    return paths;
  } catch (error) {
    for (const path of paths) await rm(path, { force: true });
    throw error;
  }
}

/** For its owner alone. */
async function create(path: string, text: string): Promise<string> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600, flush: true });
    return path;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") throw existing(path);
    await rm(path, { force: true });
    throw cause;
  }
}

function existing(path: string): EarshotError {
  return new EarshotError("misconfigured", `${path} exists already, and is never overwritten. Nothing was written.`);
}

function toText(hasToken: boolean, api: string | undefined): string {
  return `// Earshot's configuration: JSON in which comments, and commas before a closing bracket, are allowed.
// "npx earshot --help" lists all settings; variables of the environment win over this file. To check it: npx earshot doctor
{
  "discord": {
${api === undefined ? "" : `    "api": ${JSON.stringify(api)},\n`}    // The bot token has a file of its own. Keep that file out of version control.${
    hasToken
      ? ""
      : `\n    // Write the token there, make it readable for you alone (chmod 600), and remove the two slashes.`
  }
    ${hasToken ? "" : "// "}"tokenFile": "${TOKEN_FILE}",
  },

  // A model that answers in its own words; any OpenAI-compatible server. Without one, Earshot quotes the messages that answer.
  // "model": { "baseUrl": "http://127.0.0.1:11434/v1", "name": "llama3.2" },

  // Ids of channels whose messages may be stored on disk. Without them, none are.
  // "timeline": { "diskChannels": [] },

  // Channels and people whose messages are not used for anything, by id.
  // "policy": { "optOut": { "channels": [], "people": [] } },

  // Folder for what Earshot stores: the audit, and what people have remembered.
  "dataDir": ".earshot",
}
`;
}
