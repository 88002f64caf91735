import type { EarshotClient } from "../client/index.ts";
import { EarshotError } from "../domain/errors.ts";
import type { ArgumentSchema } from "./argument-schema.ts";
import type { Command } from "./command.ts";
import { describeValue } from "./describe-value.ts";
import { openOperation } from "./open-operation.ts";
import { readPairs, splitPair } from "./read-pairs.ts";
import { connectToProgram } from "./running-program.ts";

const STILL_UNKNOWN =
  "This was sent to Discord, but no answer came, and nobody can say whether it happened. Look in the channel before you repeat it.";

export const call: Command = {
  name: "call",
  usage: "<tool> --as <person> --in <channel> [--private] [--text | --json] [key=value…]",
  options: {
    as: { type: "string" },
    in: { type: "string" },
    private: { type: "boolean" },
    text: { type: "boolean" },
    json: { type: "boolean" },
  },
  takesMore: true,
  details: [
    "--as       the person to act for: an id or a name",
    "--in       the channel of the request; also the default where a channel is needed",
    "--private  only that person will read the answer",
    "--text     print the text that a model would be given",
    "--json     print the result as JSON, for programs",
    "",
    "earshot tools lists the tools, earshot tools <tool> tells what one takes.",
    "",
    "earshot call discord.channel.messages --as sarah --in general limit=5",
    'earshot call discord.search.window --as sarah --in general query="turtle" scan=5000',
  ],
  async run(args, { config, signal, print, note, self }) {
    const [method, ...pairs] = args.positionals;
    if (!method)
      throw new EarshotError(
        "invalid",
        `Which tool? ${self} tools lists them. For example: ${self} call discord.guilds --as sarah --in general`,
      );
    pairs.forEach(splitPair);
    const client = await connectToProgram(config, self);
    try {
      const needsPlace = !method.startsWith("rpc.");
      const { operationId, channelId } = needsPlace ? await openOperation(args, config, client) : {};
      const schema = await schemaOf(method, client);
      const given = readPairs(pairs, schema);
      const isNamed = Object.keys(given).some((argument) => /^channel([_-]id)?$/.test(argument));
      const needsChannel = !isNamed && channelId !== undefined && schema.required?.includes("channel") === true;
      const all = { ...(needsChannel && { channel: channelId }), ...given };
      const onProgress = (progress: { scanned: number; scan: number }) =>
        note(`looked at ${progress.scanned} of up to ${progress.scan} messages`);
      const options = { ...(operationId && { operationId }), signal, onProgress, timeoutMs: 600_000 };
      const request = () => client.request(method, all, options);
      const { value, text } = await request().catch((error: unknown) => {
        if (!(error instanceof EarshotError && error.code === "outcome_unknown") || signal.aborted) throw error;
        // In the same operation, it looks first whether it happened; the next command would have an operation of its own.
        note("no answer came from Discord: looking whether it happened");
        return request().catch((cause: unknown) => {
          throw new EarshotError("outcome_unknown", STILL_UNKNOWN, { cause });
        });
      });
      if (args.values["text"]) print(text);
      else if (args.values["json"]) print(JSON.stringify(value, null, 2));
      else for (const line of describeValue(value, text)) print(line);
      return 0;
    } finally {
      await client.close();
    }
  },
};

/** The argument schema of a method; empty for an unknown one, which the program itself rejects. */
async function schemaOf(method: string, client: EarshotClient): Promise<ArgumentSchema> {
  const { methods } = await client.call("rpc.describe", {});
  const name = method.replace("/", ".");
  return methods.find((one) => one.name === name)?.args ?? {};
}
