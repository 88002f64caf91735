import { EarshotError } from "../domain/errors.ts";
import type { PendingConfirmation } from "../domain/rpc/rpc-methods.ts";
import { singleLine } from "../domain/text/escape.ts";
import { STILL_KNOWS } from "../domain/text/still-knows.ts";
import type { Command } from "./command.ts";
import { askNames, connectToProgram } from "./running-program.ts";

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
        const names = await askNames(config, confirmations.flatMap(idsIn));
        for (const one of confirmations) for (const line of describe(one, names)) print(line);
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

/** The ids of all people and places of a confirmation. */
function idsIn({ actor, channel_id, mentions, discloses, ways }: PendingConfirmation): string[] {
  const places = [channel_id, ...discloses.map((one) => one.channel_id)].filter((id) => id !== null);
  return [
    actor,
    ...mentions,
    ...places,
    ...ways.flatMap((way) => way.heard_by.flatMap((each) => each.match(/\d+/g) ?? [])),
  ];
}

const MAX_LISTED = 5;

function describe(one: PendingConfirmation, names: ReadonlyMap<string, string>): string[] {
  const nameOf = (id: string) => singleLine(names.get(id) ?? id);
  const to = one.message_id === null ? "" : ` (to message ${one.message_id})`;
  const where = one.channel_id === null ? "" : ` in ${nameOf(one.channel_id)}`;
  const ways = one.ways.map(({ way, heard_by, ends }) => {
    const old = ends.length === 0 ? "" : `, ends ${ends.join(", ")}`;
    const hearers = [...new Set(heard_by.map((each) => toHearer(each, nameOf)))];
    return `  --way ${way}: heard by ${listed(hearers, " and ")}${old}`;
  });
  const pings = one.mentions.length === 0 ? [] : [`  pings ${listed(one.mentions.map(nameOf), ", ")}`];
  return [
    `${one.confirmation_id}  for ${nameOf(one.actor)}, asked by ${singleLine(one.client)}, until ${one.expires_at.slice(0, 16)}`,
    `  ${VERBS[one.action]}${where}${to}${one.text === "" ? "" : `: ${singleLine(one.text)}`}`,
    ...(one.thread ? [`  named ${singleLine([one.thread.name, ...one.thread.tags].join(", tag "))}`] : []),
    ...pings,
    ...describeTold(one, nameOf),
    ...(one.after_start_over && one.action !== "start_over" ? [`  ${STILL_KNOWS}`] : []),
    ...ways,
  ];
}

function describeTold({ action, discloses }: PendingConfirmation, nameOf: (id: string) => string): string[] {
  const placeOf = (id: string | null) => (id === null ? "what is remembered about the person" : nameOf(id));
  if (action === "start_over") {
    const places = discloses.map((one) => placeOf(one.channel_id));
    const read = places.length === 0 ? [] : [`  has read ${listed(places, ", ")}`];
    return [...read, "  still knows what it read: look at each post before you confirm it"];
  }
  const lines = discloses.map(({ channel_id, quoted, learners }) => {
    const who = `${learners ?? "an unknown number of"} people there cannot read`;
    return `  tells of ${placeOf(channel_id)}${quoted ? " (quoted)" : ""}, which ${who}`;
  });
  const left = lines.length - MAX_LISTED;
  return left > 0
    ? [...lines.slice(0, MAX_LISTED), `  tells of ${left} more places that people there cannot read`]
    : lines;
}

/** Such as `channel:123`. */
function toHearer(audience: string, nameOf: (id: string) => string): string {
  const id = /\d+$/.exec(audience)?.[0];
  const name = id === undefined ? undefined : nameOf(id);
  return name === undefined || name === id ? audience : name;
}

function listed(names: readonly string[], joint: string): string {
  const left = names.length - MAX_LISTED;
  return left > 0 ? `${names.slice(0, MAX_LISTED).join(joint)}${joint}${left} more` : names.join(joint);
}
