import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

export interface Library {
  readonly name: string;
  /** Its bot in this folder. */
  readonly bot: string;
  /** As npm or pip is asked for it. */
  readonly package: string;
  /** The folder that it is installed to, below the folder of all libraries. */
  readonly folder: string;
  /** It speaks only TLS. */
  readonly needsTls?: boolean;
}

export const LIBRARIES: readonly Library[] = [
  { name: "discord.js", bot: "discord-js.js", package: "discord.js@14", folder: "node_modules/discord.js" },
  { name: "Eris", bot: "eris.js", package: "eris@0.18", folder: "node_modules/eris", needsTls: true },
  { name: "Oceanic", bot: "oceanic.js", package: "oceanic.js@1", folder: "node_modules/oceanic.js" },
  { name: "Discordeno", bot: "discordeno.js", package: "discordeno@21", folder: "node_modules/discordeno" },
  { name: "discord.py", bot: "discord_py.py", package: "discord.py", folder: "python/discord" },
  { name: "disnake", bot: "disnake_bot.py", package: "disnake", folder: "python/disnake" },
];

export const isPython = ({ bot }: Library): boolean => bot.endsWith(".py");

/** Why the bot of a library cannot run here, if it cannot. */
export function whyMissing(folder: string, { folder: own, needsTls }: Library): string | undefined {
  if (!existsSync(join(folder, own))) return `there is no ${own} in EARSHOT_FOREIGN_BOTS`;
  if (needsTls && spawnSync("openssl", ["version"]).status !== 0) return "there is no openssl to make a certificate";
  return undefined;
}
