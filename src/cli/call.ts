import { EarshotError } from "../domain/errors.ts";
import type { Message } from "../domain/message.ts";
import { createDisplayNames } from "../domain/names/display-names.ts";
import { escapeName } from "../domain/text/escape.ts";
import { renderPieces } from "../domain/text/line-pieces.ts";
import { messagePieces } from "../domain/text/message-pieces.ts";
import type { Command } from "./command.ts";
import { openOperation } from "./open-operation.ts";
import { connectToProgram } from "./running-program.ts";

export const call: Command = {
  name: "call",
  usage: "<method> --as <person> --in <channel> [--private] [--text | --json] [key=value…]",
  options: {
    as: { type: "string" },
    in: { type: "string" },
    private: { type: "boolean" },
    text: { type: "boolean" },
    json: { type: "boolean" },
  },
  takesMore: true,
  details: [
    "--as       the person to act for: an id, or a name in the sandbox",
    "--in       the channel of the request; also the default where a channel is needed",
    "--private  only that person will read the answer",
    "--text     print the text that a model would be given",
    "--json     print the result as JSON",
    "",
    "earshot call discord.channel.messages --as sarah --in general limit=5",
    'earshot call discord.search.window --as sarah --in general query="turtle" scan=5000',
  ],
  async run(args, { config, signal, print, note, self }) {
    const [method, ...pairs] = args.positionals;
    if (!method)
      throw new EarshotError(
        "invalid",
        `Which method? For example: ${self} call discord.guilds --as sarah --in general`,
      );
    const given = readPairs(pairs);
    const client = await connectToProgram(config, self);
    try {
      const needsPlace = !method.startsWith("rpc.");
      const { operationId, channelId } = needsPlace ? await openOperation(args, config, client) : {};
      const isNamed = Object.keys(given).some((argument) => /^channel([_-]id)?$/.test(argument));
      const needsChannel = needsPlace && !isNamed && (await needs(method, "channel", client));
      const all = { ...(needsChannel && channelId ? { channel: channelId } : {}), ...given };
      const onProgress = (progress: { scanned: number; scan: number }) =>
        note(`looked at ${progress.scanned} of up to ${progress.scan} messages`);
      const options = { ...(operationId && { operationId }), signal, onProgress, timeoutMs: 600_000 };
      const { value, text } = await client.request(method, all, options);
      if (args.values["text"]) print(text);
      else
        for (const line of args.values["json"] ? [JSON.stringify(value, null, 2)] : describeValue(value)) print(line);
      return 0;
    } finally {
      await client.close();
    }
  },
};

type Client = Awaited<ReturnType<typeof connectToProgram>>;

async function needs(method: string, argument: string, client: Client): Promise<boolean> {
  const described = (await client.call("rpc.describe", {})) as {
    methods: { name: string; args: { required?: readonly string[] } }[];
  };
  const name = method.replace("/", ".");
  return described.methods.find((one) => one.name === name)?.args.required?.includes(argument) ?? false;
}

/** `limit=5` is a number, `cache=false` a truth value, `mentions=["1"]` a list; ids are too long for numbers and stay text. */
function readPairs(pairs: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, key, value = ""] = /^([^\s=]+)=([\s\S]*)$/.exec(pair) ?? [];
      if (!key) throw new EarshotError("invalid", `"${pair.slice(0, 50)}" is not of the form key=value.`);
      return [key, /^(\d{1,9}|true|false|\[.*\])$/.test(value) ? JSON.parse(value) : value];
    }),
  );
}

function describeValue(value: unknown): string[] {
  const { messages, scanned, has_more, cursor, coverage, note } = value as {
    note?: string | null;
    messages?: Message[];
    scanned?: number;
    has_more?: boolean;
    cursor?: string | null;
    coverage?: { from: string | null };
  };
  if (!Array.isArray(messages)) return [JSON.stringify(value, null, 2)];
  const names = createDisplayNames({ agent: null, escape: (name) => escapeName(name, null) });
  const lines = [...messages].reverse().map((message) => {
    const author = `${names.of(message.author)}${message.author.bot ? " (Bot)" : ""}`;
    const words = renderPieces(messagePieces(message, null), null, Number.POSITIVE_INFINITY);
    return `${message.ts.slice(0, 16).replace("T", " ")} ${author}: ${words}`;
  });
  const reach = coverage?.from ? ` back to ${coverage.from.slice(0, 16).replace("T", " ")}` : "";
  return [
    ...lines,
    `(looked at ${scanned} messages${reach}${has_more && cursor ? `; more with cursor=${cursor}` : ""})`,
    ...(note ? [note] : []),
  ];
}
