import { z } from "zod";
import type { Command } from "./command.ts";
import { askOperator } from "./running-program.ts";

const outcome = z.object({ changed: z.array(z.string()) });

export const reload: Command = {
  name: "reload",
  usage: "[--json]",
  options: { json: { type: "boolean" } },
  details: [
    "--json  print JSON",
    "",
    "The program that runs with this data folder reads its earshot.config.jsonc again, as it does on SIGHUP. Rules (policy),",
    "clients, and of the agent its token limits and where it is off, apply at once: to calls under way too. A client whose",
    "entry changed has to connect again. Everything else needs a restart. If anything is wrong, nothing is changed.",
  ],
  async run({ values }, { config, print, self }) {
    const { changed } = await askOperator({ config, self }, { path: "reload", body: {} }, outcome);
    if (values["json"]) print(JSON.stringify({ changed }));
    else print(changed.length === 0 ? "Nothing has changed." : `Applied: ${changed.join(", ")}.`);
    return 0;
  },
};
