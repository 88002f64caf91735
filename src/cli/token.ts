import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { CONFIG_FILE } from "../config/config-file.ts";
import { EarshotError } from "../domain/errors.ts";
import { hashToken } from "../policy/authenticate.ts";
import type { Command } from "./command.ts";

export const token: Command = {
  name: "token",
  usage: "<client name>",
  options: {},
  takesMore: true,
  details: ["The token is printed once. Its hash goes into the configuration, with what the client may do."],
  async run(args, { print, self, origin }) {
    const [name] = args.positionals;
    if (!name || !/^[\w-]{1,40}$/.test(name))
      throw new EarshotError("invalid", "Give the client a name of letters, digits, - or _.");
    const secret = randomBytes(32).toString("base64url");
    const entry = {
      name,
      tokenSha256: hashToken(secret),
      grant: {
        // The scopes that the clients' guide uses: tools that read and answer, the context window, and facts.
        scopes: [
          "context:read_channel_recent",
          "context:search",
          "directory:read",
          "discord:send",
          "discord:react",
          "memory:read_project",
        ],
        guilds: "all",
        events: "addressed",
        answers: true,
      },
    };
    print(`The token, shown once; give it to the client:

  ${secret}

Add to "clients" in ${basename(origin.file ?? CONFIG_FILE)} (only the hash is kept), and grant no more than it needs:

${JSON.stringify(entry, null, 2).replace(/^/gm, "  ")}

It answers people instead of Earshot's own agent while it is connected ("answers"). If Earshot runs: ${self} reload`);
    return 0;
  },
};
