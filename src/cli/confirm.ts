import { EarshotError } from "../domain/errors.ts";
import type { PendingConfirmation } from "../domain/rpc/rpc-methods.ts";
import { singleLine } from "../domain/text/escape.ts";
import type { Command } from "./command.ts";
import { connectToProgram } from "./running-program.ts";

export const confirm: Command = {
  name: "confirm",
  usage: "[<confirmation> [--way <way> | --reject]]",
  takesMore: true,
  options: { reject: { type: "boolean" }, way: { type: "string" } },
  details: [
    "earshot confirm                          list what waits, exactly as it would be done",
    "earshot confirm <confirmation>           confirm: do it once",
    "earshot confirm <confirmation> --way only_for_me",
    "                                         of something to be remembered: in one of the ways that the list shows",
    "earshot confirm <confirmation> --reject  reject it",
    "",
    "An agent cannot confirm its own actions: its token does not allow it. In Discord, people use the Review button.",
  ],
  async run(args, { config, print, self }) {
    const [id, ...more] = args.positionals;
    if (more.length > 0) throw new EarshotError("invalid", "Give one confirmation id, not several.");
    const client = await connectToProgram(config, self, "confirmer");
    try {
      const { confirmations } = await client.call("confirmation.pending", {});
      if (id === undefined) {
        if (confirmations.length === 0) print("Nothing waits to be confirmed.");
        for (const one of confirmations) for (const line of describe(one)) print(line);
        return 0;
      }
      const one = confirmations.find((each) => each.confirmation_id === id);
      if (!one)
        throw new EarshotError("not_found", "There is no such confirmation, or it has been used or has expired.");
      const answer = { confirmation_id: id, actor: one.actor };
      const way = toWay(args.values["way"], one);
      if (args.values["reject"] === true) await client.call("confirmation.reject", answer);
      else await client.call("confirmation.approve", { ...answer, ...(way && { way }) });
      print(args.values["reject"] === true ? "declined" : "done");
      return 0;
    } finally {
      await client.close();
    }
  },
};

const VERBS = {
  send: "say",
  react: "react with",
  edit: "say instead",
  delete: "delete",
  typing: "show typing",
  thread: "start a thread",
  remember: "remember",
  forget: "forget",
  start_over: "let the session post again, whatever it has read",
} as const;

/** Undefined when none was given. Throws `invalid` for one that is not offered. */
function toWay(given: unknown, { ways }: PendingConfirmation): PendingConfirmation["ways"][number]["way"] | undefined {
  if (given === undefined) return undefined;
  const way = ways.find((each) => each.way === given)?.way;
  if (way) return way;
  const offered =
    ways.length === 0 ? "there is nothing to choose here" : `choose ${ways.map((each) => each.way).join(", ")}`;
  throw new EarshotError("invalid", `--way: ${offered}.`);
}

function describe(one: PendingConfirmation): string[] {
  const to = one.message_id === null ? "" : ` (to message ${one.message_id})`;
  const where = one.channel_id === null ? "" : ` in ${one.channel_id}`;
  const ways = one.ways.map(({ way, heard_by, ends }) => {
    const old = ends.length === 0 ? "" : `, ends ${ends.join(", ")}`;
    return `  --way ${way}: heard by ${heard_by.join(" and ")}${old}`;
  });
  const told = one.discloses.map(({ channel_id, quoted, learners }) => {
    const from = channel_id ?? "what is remembered about the person";
    if (one.action === "start_over") return `  has read ${from}`;
    return `  tells of ${from}${quoted ? " (quoted)" : ""}, which ${learners ?? "an unknown number of"} people there cannot read`;
  });
  const pings = one.mentions.length === 0 ? [] : [`  pings ${one.mentions.join(", ")}`];
  return [
    `${one.confirmation_id}  for ${one.actor}, asked by ${singleLine(one.client)}, until ${one.expires_at.slice(0, 16)}`,
    `  ${VERBS[one.action]}${where}${to}${one.text === "" ? "" : `: ${singleLine(one.text)}`}`,
    ...(one.thread ? [`  named ${singleLine([one.thread.name, ...one.thread.tags].join(", tag "))}`] : []),
    ...pings,
    ...told,
    ...ways,
  ];
}
