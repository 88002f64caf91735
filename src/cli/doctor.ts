import type { Command } from "./command.ts";

export const doctor: Command = {
  name: "doctor",
  usage: "[--all]",
  options: { all: { type: "boolean" } },
  details: [
    "--all  list every channel that answers never quote, expected ones too",
    "",
    "Checks the configuration and every id in it, the running program or else its data folder, the model, the profile service, token, intents and permissions, and what signing in with Discord needs. It uses none of the bot's gateway sessions.",
    "Exits with 1 when something must be changed.",
  ],
  async run({ values }, context) {
    // Loaded only to run: --help need not wait for it.
    const { diagnose } = await import("./diagnose.ts");
    return diagnose(values["all"] === true, context);
  },
};
