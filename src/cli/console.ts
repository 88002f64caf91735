import { z } from "zod";
import type { Command } from "./command.ts";
import { askOperator } from "./running-program.ts";

const answer = z.object({ url: z.string() });

export const consoleLink: Command = {
  name: "console",
  usage: "",
  options: {},
  details: ["The first browser that opens the link becomes the operator's. Keep it out of files and chats."],
  async run(_args, { config, print, self }) {
    print((await askOperator({ config, self }, { path: "console-link", body: {} }, answer)).url);
    print("It opens once, within five minutes.");
    return 0;
  },
};
