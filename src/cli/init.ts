import { DEFAULT_API } from "../config/config.ts";
import type { Command } from "./command.ts";
import { TOKEN_FILE, writeConfig } from "./write-config.ts";

export const init: Command = {
  name: "init",
  usage: "",
  options: {},
  details: [
    "Asks nothing and starts nothing. If EARSHOT_DISCORD_TOKEN is set, the token is written to a file of its own; both files are",
    "readable for you alone. An existing file is never overwritten. To be asked for the token instead, run earshot without a command.",
  ],
  async run(_args, { config, origin, print, self }) {
    const { token, api } = config.discord;
    const paths = await writeConfig(origin.folder, { token, api: api === DEFAULT_API ? undefined : api });
    print(`Wrote ${paths.join(" and ")}.`);
    if (token === undefined)
      print(`It names no bot token yet: write it to ${TOKEN_FILE}, and remove the slashes before "tokenFile".`);
    print(`Start with: ${self} start`);
    return 0;
  },
};
