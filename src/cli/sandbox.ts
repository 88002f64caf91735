import { openGenerated, openSample } from "../app/embedded-sandbox.ts";
import { EarshotError } from "../domain/errors.ts";
import { type Arguments, type Command, type Context, textOption, untilAborted } from "./command.ts";
import { postToSandbox } from "./running-sandbox.ts";
import { readSandboxAction, SANDBOX_ACTIONS } from "./sandbox-actions.ts";

const MAX_MESSAGES = 1_000_000;
const SWITCHES = ["remove", "private", "new"];
const actionOptions = [...new Set(Object.values(SANDBOX_ACTIONS).flatMap(({ options }) => options))];

export const sandbox: Command = {
  name: "sandbox",
  usage: "[--port 7788] [--permissions <list>] [--messages 100000] [--seed 1] | <action> [--port 7788] …",
  takesMore: true,
  options: {
    port: { type: "string" },
    permissions: { type: "string" },
    messages: { type: "string" },
    seed: { type: "string" },
    ...Object.fromEntries(
      actionOptions.map((name) => [name, { type: SWITCHES.includes(name) ? "boolean" : "string" } as const]),
    ),
  },
  details: [
    "Without an action, runs the sandbox until Ctrl-C:",
    "  --port         port on 127.0.0.1; 0 for any free one",
    "  --permissions  the bot's permissions: a number, or names such as ViewChannel,SendMessages; its usual ones when absent",
    `  --messages     use a generated community with this many messages (at most ${MAX_MESSAGES.toLocaleString("en")}) instead of the sample`,
    "  --seed         seed of the generated community; the same seed gives the same community",
    "",
    "With an action, does it in the sandbox that runs at that port, and prints the answer as JSON:",
    ...Object.entries(SANDBOX_ACTIONS).flatMap(([name, { usage, about }]) => [
      `  earshot sandbox ${name} ${usage}`.trimEnd(),
      `      ${about}`,
    ]),
    "",
    "People, channels and roles are named by name or id, messages by id. docs/guide/sandbox.md has the same over HTTP, for any language.",
  ],
  run(args, context) {
    return args.positionals.length > 0 ? act(args, context) : serve(args, context);
  },
};

async function act(args: Arguments, { config, print, self }: Context): Promise<number> {
  const port = wholeNumber("--port", textOption(args, "port"), 65_535) ?? config.sandbox.port;
  const { action, body } = readSandboxAction(args);
  const reached = { ...config, sandbox: { ...config.sandbox, port } };
  print(JSON.stringify(await postToSandbox(reached, { action, self }, body), null, 2));
  return 0;
}

async function serve(args: Arguments, { config, signal, print, self }: Context): Promise<number> {
  const foreign = actionOptions.find((name) => args.values[name] !== undefined);
  if (foreign !== undefined)
    throw new EarshotError("invalid", `--${foreign} belongs to an action, such as: ${self} sandbox say --${foreign} …`);
  const messages = wholeNumber("--messages", textOption(args, "messages"), MAX_MESSAGES);
  const port = wholeNumber("--port", textOption(args, "port"), 65_535) ?? config.sandbox.port;
  const seed = wholeNumber("--seed", textOption(args, "seed"), 0xffff_ffff) ?? 1;
  const permissions = textOption(args, "permissions");
  const opened = messages
    ? await openGenerated(port, { seed, messages }, permissions)
    : await openSample(port, config.sandbox.talkEverySeconds, permissions);
  print(`Sandbox ready. Point a bot at it:

  API base    ${opened.api}      (REST v10; the gateway address comes from GET /gateway/bot)
  Bot token   ${opened.token}
  Control     ${opened.url}/sandbox  (act as people, wait for the bot, order faults: ${self} sandbox --help)

  discord.js  new Client({ intents, rest: { api: "${opened.api}" } }).login("${opened.token}")
  discord.py  discord.http.Route.BASE = "${opened.api}/v10"
              discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL("${opened.gatewayUrl}")
  Earshot     EARSHOT_DISCORD_API=${opened.api} EARSHOT_DISCORD_TOKEN=${opened.token} ${self} start

Stop with Ctrl-C.`);
  await untilAborted(signal);
  await opened.close();
  return 0;
}

function wholeNumber(option: string, value: string | undefined, most: number): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (/^\d{1,10}$/.test(value) && number <= most) return number;
  throw new EarshotError("invalid", `${option} must be a whole number from 0 to ${most.toLocaleString("en")}.`);
}
