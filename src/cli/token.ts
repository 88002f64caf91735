import { randomBytes } from "node:crypto";
import { CONFIG_FILE } from "../config.ts";
import { EarshotError } from "../domain/errors.ts";
import { hashToken } from "../policy/authenticate.ts";
import type { Command } from "./command.ts";

export const token: Command = {
  name: "token",
  usage: "<client name>",
  options: {},
  takesMore: true,
  async run(args, { print }) {
    const [name] = args.positionals;
    if (!name || !/^[\w-]{1,40}$/.test(name))
      throw new EarshotError("invalid", "Give the client a name of letters, digits, - or _.");
    const secret = randomBytes(32).toString("base64url");
    const entry = {
      name,
      tokenSha256: hashToken(secret),
      grant: {
        scopes: ["context:read_channel_recent", "context:search", "directory:read", "discord:send", "discord:react"],
        guilds: "all",
        events: "addressed",
      },
    };
    print(`The token, shown once; give it to the client:

  ${secret}

Add to "clients" in ${CONFIG_FILE} (only the hash is kept), and grant no more than it needs:

${JSON.stringify(entry, null, 2).replace(/^/gm, "  ")}`);
    return 0;
  },
};
