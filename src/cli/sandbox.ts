import { EarshotError } from "../domain/errors.ts";
import { openGenerated, openSample } from "../embedded-sandbox.ts";
import { type Command, textOption, untilAborted } from "./command.ts";

const MAX_MESSAGES = 1_000_000;

export const sandbox: Command = {
  name: "sandbox",
  usage: "[--port 7788] [--messages 100000] [--seed 1]",
  options: { port: { type: "string" }, messages: { type: "string" }, seed: { type: "string" } },
  details: [
    "--port      port on 127.0.0.1; 0 for any free one",
    `--messages  use a generated community with this many messages (at most ${MAX_MESSAGES.toLocaleString("en")}) instead of the sample`,
    "--seed      seed of the generated community; the same seed gives the same community",
  ],
  async run(args, { config, signal, print, self }) {
    const messages = wholeNumber("--messages", textOption(args, "messages"), MAX_MESSAGES);
    const port = wholeNumber("--port", textOption(args, "port"), 65_535) ?? config.sandbox.port;
    const seed = wholeNumber("--seed", textOption(args, "seed"), 0xffff_ffff) ?? 1;
    const opened = messages
      ? await openGenerated(port, { seed, messages })
      : await openSample(port, config.sandbox.talkEverySeconds);
    print(`Sandbox ready. Point a bot at it:

  API base    ${opened.api}      (REST v10; the gateway address comes from GET /gateway/bot)
  Bot token   ${opened.token}

  discord.js  new Client({ intents, rest: { api: "${opened.api}" } }).login("${opened.token}")
  Earshot     EARSHOT_DISCORD_API=${opened.api} EARSHOT_DISCORD_TOKEN=${opened.token} ${self} start

Stop with Ctrl-C.`);
    await untilAborted(signal);
    await opened.close();
    return 0;
  },
};

function wholeNumber(option: string, value: string | undefined, most: number): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (/^\d{1,10}$/.test(value) && number <= most) return number;
  throw new EarshotError("invalid", `${option} must be a whole number from 0 to ${most.toLocaleString("en")}.`);
}
