import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { EarshotError } from "../domain/errors.ts";
import { unknownName } from "../domain/text/unknown-name.ts";
import { type Arguments, textOption } from "./command.ts";

/** An action on a running sandbox. Each is one request to its control API, which validates everything else. */
interface SandboxAction {
  /** The text after the name. */
  readonly usage: string;
  readonly about: string;
  /** Its options; those of other actions are refused. */
  readonly options: readonly string[];
  /** The body of the request. */
  toBody(args: SandboxArguments): object;
}

interface SandboxArguments {
  /** The options as fields: `--reply-to` becomes `reply_to`. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
}

const withText: SandboxAction["toBody"] = ({ fields, words }) => ({
  ...fields,
  ...(words.length > 0 && { text: words.join(" ") }),
});
const withoutWords: SandboxAction["toBody"] = ({ fields, words }) => {
  if (words.length > 0) throw new EarshotError("invalid", `"${words[0]}" is one word too many.`);
  return fields;
};

const withCommand: SandboxAction["toBody"] = ({ fields, words }) => {
  const command = words.filter((word) => !word.includes("="));
  return { ...fields, command: command.join(" "), options: toPairs(words.slice(command.length)) };
};

export const SANDBOX_ACTIONS: Readonly<Record<string, SandboxAction>> = {
  say: {
    usage: '--as <person> --in <channel> [--reply-to <message>] [--file <path>] ["text"]',
    about: "write a message, send a file, or both",
    options: ["as", "in", "reply-to", "file"],
    toBody: withText,
  },
  dm: {
    usage: '--as <person> [--bot <bot>] [--file <path>] ["text"]',
    about: "open the direct messages with the bot, and write there",
    options: ["as", "bot", "file"],
    toBody: withText,
  },
  thread: {
    usage: "--as <person> --message <id> | --in <channel> [--private] <name>",
    about: "open a thread on a message, or on its own in a channel",
    options: ["as", "message", "in", "private"],
    toBody: ({ fields, words }) => ({ ...fields, name: words.join(" ") }),
  },
  post: {
    usage: '--as <person> --in <forum> --title <title> [--tags a,b] [--file <path>] ["text"]',
    about: "write a post in a forum",
    options: ["as", "in", "title", "tags", "file"],
    toBody: withText,
  },
  edit: {
    usage: '--as <person> --message <id> "text"',
    about: "change a message",
    options: ["as", "message"],
    toBody: withText,
  },
  delete: {
    usage: "--as <person> --message <id>",
    about: "delete a message",
    options: ["as", "message"],
    toBody: withoutWords,
  },
  react: {
    usage: "--as <person> --message <id> <emoji> [--remove]",
    about: "react to a message",
    options: ["as", "message", "remove"],
    toBody: ({ fields, words }) => ({ ...fields, emoji: words.join(" ") }),
  },
  run: {
    usage: "--as <person> [--in <channel>] [--bot <bot>] [--timeout <s>] <command> [name=value …]",
    about: "run a slash command; without --in in the direct messages with the bot",
    options: ["as", "in", "bot", "timeout"],
    toBody: withCommand,
  },
  suggest: {
    usage: "--as <person> --in <channel> --focused <option> [--bot <bot>] [--timeout <s>] <command> [name=value …]",
    about: "type an option of a slash command, and see what the bot suggests",
    options: ["as", "in", "focused", "bot", "timeout"],
    toBody: withCommand,
  },
  menu: {
    usage: "--as <person> --message <id> | --person <person> --in <channel> [--bot <bot>] [--timeout <s>] <command>",
    about: "use a command in the menu of a message or a person, such as: Remember this",
    options: ["as", "message", "person", "in", "bot", "timeout"],
    toBody: ({ fields, words }) => ({ ...fields, command: words.join(" ") }),
  },
  press: {
    usage: "--as <person> --message <id> [--values a,b] [--timeout <s>] <label>",
    about: "press a button, or with --values choose from a menu; --custom-id names it by its custom_id instead",
    options: ["as", "message", "custom-id", "values", "timeout"],
    toBody: ({ fields, words }) => ({ ...fields, ...(words.length > 0 && { label: words.join(" ") }) }),
  },
  submit: {
    usage: "--as <person> --interaction <id> [--timeout <s>] field=value …",
    about: "fill in the form that the bot showed",
    options: ["as", "interaction", "timeout"],
    toBody: ({ fields, words }) => ({ ...fields, values: toPairs(words) }),
  },
  roles: {
    usage: "--person <person> [<role> …]",
    about: "give a person these roles and no others",
    options: ["person"],
    toBody: ({ fields, words }) => ({ ...fields, roles: words }),
  },
  overwrite: {
    usage: "--channel <channel> --who <role|everyone|person:name> [--allow A,B] [--deny C] [--remove]",
    about: "allow and deny permissions in a channel",
    options: ["channel", "who", "allow", "deny", "remove"],
    toBody: withoutWords,
  },
  join: {
    usage: "<person> [--new]",
    about: "let a person join the server; with --new somebody who did not exist so far",
    options: ["new"],
    toBody: ({ fields, words }) => ({ ...fields, person: words.join(" ") }),
  },
  leave: {
    usage: "<person>",
    about: "let a person leave the server",
    options: [],
    toBody: ({ words }) => ({ person: words.join(" ") }),
  },
  redirects: {
    usage: "[--bot <bot>] [<address> …]",
    about: "register where a sign-in with the bot's application may return to: these and no others",
    options: ["bot"],
    toBody: ({ fields, words }) => ({ ...fields, uris: words }),
  },
  wait: {
    usage: "[--in <channel>] [--bot <bot>] [--after <message>] [--contains <text>] [--timeout <s>]",
    about: "wait for the bot's next message",
    options: ["in", "bot", "after", "contains", "timeout"],
    toBody: withoutWords,
  },
  time: {
    usage: "<seconds>",
    about: "move the clock forward",
    options: [],
    toBody: ({ words }) => ({ advance_seconds: words.length > 0 ? toValue(words.join(" ")) : undefined }),
  },
  fault: {
    usage: "<fault> [name=value …]",
    about: "order a fault, such as: fault fail_rest status=500 times=2",
    options: [],
    toBody: ({ words: [fault, ...rest] }) => ({
      fault,
      ...Object.fromEntries(Object.entries(toPairs(rest)).map(([name, value]) => [name, toValue(value)])),
    }),
  },
  reset: {
    usage: "",
    about: "put everything back as it was at the start",
    options: [],
    toBody: withoutWords,
  },
};

/** The action that a person typed, with the body of its request. */
export function readSandboxAction(args: Arguments): { readonly action: string; readonly body: object } {
  const [action = "", ...words] = args.positionals;
  const found = Object.hasOwn(SANDBOX_ACTIONS, action) ? SANDBOX_ACTIONS[action] : undefined;
  const known = Object.keys(SANDBOX_ACTIONS);
  if (!found)
    throw unknownName({ kind: "action", typed: action, known, list: `earshot sandbox takes ${known.join(", ")}` });
  const given = Object.keys(args.values).filter((name) => name !== "port");
  const foreign = given.find((name) => !found.options.includes(name));
  if (foreign !== undefined)
    throw new EarshotError(
      "invalid",
      `earshot sandbox ${action} takes no --${foreign}. Usage: earshot sandbox ${action} ${found.usage}`,
    );
  const fields = Object.fromEntries(given.map((name) => toField(name, args)));
  return { action, body: found.toBody({ fields, words }) };
}

const LISTS = new Set(["values", "allow", "deny", "tags"]);
const FIELDS: Readonly<Record<string, string>> = { message: "message_id", interaction: "interaction_id" };

function toField(name: string, args: Arguments): [string, unknown] {
  const text = textOption(args, name);
  if (text === undefined) return [name, true];
  if (name === "file") return ["files", [{ name: basename(text), base64: readBase64(text) }]];
  if (name === "timeout") return ["timeout_ms", Math.round(Number(text) * 1_000)];
  return [FIELDS[name] ?? name.replaceAll("-", "_"), LISTS.has(name) ? text.split(",") : text];
}

function readBase64(path: string): string {
  try {
    return readFileSync(path, "base64");
  } catch {
    throw new EarshotError("invalid", `The file ${path} cannot be read. --file takes the path of a file to send.`);
  }
}

function toPairs(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf("=");
      if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
      throw new EarshotError("invalid", `Write "${word}" as name=value.`);
    }),
  );
}

/** Settings of faults are numbers, switches or text. */
function toValue(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
