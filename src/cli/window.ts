import type { Methods } from "../client/methods.ts";
import { EarshotError } from "../domain/errors.ts";
import { quoteName } from "../domain/text/escape.ts";
import { type Command, textOption } from "./command.ts";
import { openOperation } from "./open-operation.ts";
import { connectToProgram } from "./running-program.ts";

export const window: Command = {
  name: "window",
  usage: "--as <person> --in <channel> [--message <id>] [--max-tokens <number>] [--private] [--json]",
  options: {
    as: { type: "string" },
    in: { type: "string" },
    message: { type: "string" },
    "max-tokens": { type: "string" },
    private: { type: "boolean" },
    json: { type: "boolean" },
  },
  details: [
    "--as          the person who addresses the agent: an id or a name",
    "--in          the channel: an id or a name",
    "--message     id of the message that addresses it (default: as if they wrote one now)",
    "--max-tokens  maximum length without the message itself (default: 2,000)",
    "--private     only that person will read the answer",
    "--json        print JSON, as programs get it",
  ],
  async run(args, { config, signal, print, self }) {
    const client = await connectToProgram(config, self);
    try {
      const { operationId } = await openOperation(args, config, client);
      const most = readNumber(textOption(args, "max-tokens"));
      const asked: Methods["context.window"]["args"] = most === undefined ? {} : { max_tokens: most };
      const value = await client.call("context.window", asked, { operationId, signal });
      if (args.values["json"]) print(JSON.stringify(value, null, 2));
      else for (const line of describe(value)) print(line);
      return 0;
    } finally {
      await client.close();
    }
  },
};

function describe({ turns, pictures, isolated }: Methods["context.window"]["value"]): string[] {
  const lines = turns.flatMap(({ kind, text, tokens }) => [`── ${kind}, about ${tokens} tokens`, text, ""]);
  const total = turns.reduce((sum, { tokens }) => sum + tokens, 0);
  const shown = pictures.map(({ filename, url }) => `picture ${quoteName(filename)}: ${url}`);
  const end = isolated
    ? "Asked in isolation: nothing else is given, and nothing is remembered."
    : `In all about ${total} tokens.`;
  return [...lines, ...shown, end];
}

function readNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new EarshotError("invalid", `--max-tokens: "${text.slice(0, 20)}" is not a whole number.`);
}
