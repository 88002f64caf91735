import type { EarshotClient } from "../client/index.ts";
import type { Config } from "../config/config.ts";
import { EarshotError } from "../domain/errors.ts";
import { unknownName } from "../domain/text/unknown-name.ts";
import { type Command, textOption } from "./command.ts";
import { connectToProgram, resolveName } from "./running-program.ts";
import { runInSandbox } from "./running-sandbox.ts";

const ACTIONS = ["show", "leave-me-out", "include-me"];

export const privacy: Command = {
  name: "privacy",
  usage: "show|leave-me-out|include-me --as <person> [--json]",
  takesMore: true,
  options: { as: { type: "string" }, json: { type: "boolean" } },
  details: [
    "earshot privacy show --as <person>          whether what they write is used, and what is kept",
    "earshot privacy leave-me-out --as <person>  as that person: leave my messages out (sandbox only)",
    "earshot privacy include-me --as <person>    as that person: use my messages again (sandbox only)",
    "",
    "--as    the person: an id or a name",
    "--json  print JSON",
    "",
    "On a real server only the person can change it, with /privacy in Discord.",
  ],
  async run(args, { config, print, self }) {
    const [action = "show", ...more] = args.positionals;
    const list = `earshot privacy takes ${ACTIONS.join(", ")}`;
    if (!ACTIONS.includes(action)) throw unknownName({ kind: "action", typed: action, known: ACTIONS, list });
    if (more.length > 0) throw new EarshotError("invalid", "Give one action, not several.");
    const as = textOption(args, "as");
    if (!as) throw new EarshotError("invalid", `Name the person: ${self} privacy ${action} --as <person>`);
    if (action !== "show") requireSandbox(config, action);
    const client = await connectToProgram(config, self);
    try {
      const actor = await resolveName("people", as, config);
      const command = `privacy ${action}`;
      const told = action === "show" ? null : (await runInSandbox(config, self, { as: actor, command })).text;
      const shown = await show(client, actor);
      const answer = told === null ? shown : { state: shown.state, text: told };
      print(args.values["json"] === true ? JSON.stringify(answer, null, 2) : answer.text);
      return isDone(action, answer.state) ? 0 : 1;
    } finally {
      await client.close();
    }
  },
};

/** Even the operator cannot decide for a person; the people of the sandbox are simulated. */
function requireSandbox(config: Config, action: string): void {
  if (config.discord.token === undefined) return;
  throw new EarshotError("forbidden", `Only the person can do that, in Discord itself: /privacy ${action}`);
}

async function show(client: EarshotClient, actor: string) {
  const { operation_id: operationId } = await client.call("operation.open", { actor, private: true });
  return client.call("privacy.show", {}, { operationId });
}

function isDone(action: string, state: string): boolean {
  return action === "show" || (action === "include-me") === (state === "included");
}
