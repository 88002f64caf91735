import type { Config } from "../config.ts";
import { EarshotError } from "../domain/errors.ts";
import { singleLine } from "../domain/text/escape.ts";
import { unknownName } from "../domain/text/unknown-name.ts";
import { type Command, textOption } from "./command.ts";
import { resolveName } from "./running-program.ts";
import { pressInSandbox, runInSandbox } from "./running-sandbox.ts";

const ACTIONS = ["list", "forget", "export", "erase"];

interface ExportedFact {
  readonly key: string;
  readonly value: unknown;
  readonly readable: boolean;
  readonly visibility: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly superseded_by: string | null;
}

export const memory: Command = {
  name: "memory",
  usage: "list|forget|export|erase --as <person> [--json]",
  takesMore: true,
  options: { as: { type: "string" }, json: { type: "boolean" } },
  details: [
    "earshot memory list --as <person>          what is remembered about them",
    "earshot memory forget <key> --as <person>  as that person: forget a fact",
    "earshot memory export --as <person>        as that person: everything, with its history, as JSON",
    "earshot memory erase --as <person>         as that person: erase what is held about me",
    "",
    "--as    the person: an id, or a name in the sandbox",
    "--json  print JSON",
    "",
    "Only in the sandbox. On a real server only the person can do it, with /memory and /privacy erase in Discord.",
  ],
  async run(args, { config, print, self }) {
    const [action = "list", ...words] = args.positionals;
    const list = `earshot memory takes ${ACTIONS.join(", ")}`;
    if (!ACTIONS.includes(action)) throw unknownName({ kind: "action", typed: action, known: ACTIONS, list });
    const as = textOption(args, "as");
    if (!as) throw new EarshotError("invalid", `Name the person: ${self} memory ${action} --as <person>`);
    requireSandbox(config, action);
    const fact = words.join(" ");
    if ((action === "forget") !== (fact !== ""))
      throw new EarshotError(
        "invalid",
        action === "forget" ? `Name the fact: ${self} memory forget <key> --as ${as}` : "Give one action, not several.",
      );
    const isJson = args.values["json"] === true;
    const person = await resolveName("people", as, config);
    if (action === "list" || action === "export") {
      const exported = await readExport(config, self, person);
      if (action === "export") print(exported);
      else for (const line of toLines(exported, isJson)) print(line);
      return 0;
    }
    const { text } =
      action === "forget"
        ? await runInSandbox(config, self, { as: person, command: "memory forget", options: { fact } })
        : await erase(config, self, person);
    print(isJson ? JSON.stringify({ text }, null, 2) : text);
    return /^(Forgotten|Erased):/.test(text) ? 0 : 1;
  },
};

/** Nobody decides for somebody else, not even the operator; the people of the sandbox are nobody's. */
function requireSandbox(config: Config, action: string): void {
  if (config.discord.token === undefined) return;
  const command = action === "erase" ? "/privacy erase" : `/memory ${action}`;
  throw new EarshotError("forbidden", `Only the person can do that, in Discord itself: ${command}`);
}

async function readExport(config: Config, self: string, as: string): Promise<string> {
  const { text, files } = await runInSandbox(config, self, { as, command: "memory export" });
  const [file] = files;
  if (!file) throw new EarshotError("unavailable", text);
  return file.text;
}

function toLines(exported: string, isJson: boolean): readonly string[] {
  const { facts } = JSON.parse(exported) as { facts: readonly ExportedFact[] };
  const current = facts.filter(({ superseded_by }) => superseded_by === null);
  if (isJson) return [JSON.stringify(current, null, 2)];
  if (current.length === 0) return ["Nothing is remembered."];
  return current.map(({ key, value, readable, visibility, created_at, expires_at }) => {
    const shown = readable ? JSON.stringify(value) : "(not shown)";
    const until = expires_at === null ? "" : ` until ${expires_at.slice(0, 10)}`;
    return singleLine(`${key}: ${shown}  ${visibility}, since ${created_at.slice(0, 10)}${until}`);
  });
}

async function erase(config: Config, self: string, as: string) {
  const preview = await runInSandbox(config, self, { as, command: "privacy erase" });
  return pressInSandbox(config, self, { as, message_id: preview.messageId, label: "Erase" });
}
