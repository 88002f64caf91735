import { EarshotError } from "../domain/errors.ts";
import { matchFacts } from "../domain/memory/match-facts.ts";
import type { FactRecord } from "../domain/rpc/memory-methods.ts";
import { quoteName, singleLine } from "../domain/text/escape.ts";
import { unknownName } from "../domain/text/unknown-name.ts";
import { type Command, textOption } from "./command.ts";
import { type ReachedMemory, reachMemory } from "./reach-memory.ts";
import { askNames } from "./running-program.ts";

/** By the command that the person would use in Discord. */
const ACTIONS: Readonly<Record<string, string>> = {
  list: "/memory list",
  show: "/memory list",
  why: "/memory why",
  forget: "/memory forget",
  export: "/memory export",
  erase: "/privacy erase",
};
const MAX_CANDIDATES = 20;

export const memory: Command = {
  name: "memory",
  usage: "list|show|why|forget|export|erase [<fact>] --as <person> [--token-file <file>] [--yes] [--json]",
  takesMore: true,
  options: {
    as: { type: "string" },
    "token-file": { type: "string" },
    yes: { type: "boolean" },
    json: { type: "boolean" },
  },
  details: [
    "earshot memory list --as <person>           what is remembered about them",
    "earshot memory show <fact> --as <person>    all about one fact: who hears it, what it rests on, whether it is in use",
    "earshot memory why <fact> --as <person>     what it rests on, who hears it, and how often it was used in the last month",
    "earshot memory forget <fact> --as <person>  forget a fact for good, with its earlier values",
    "earshot memory export --as <person>         everything, with earlier values, as JSON",
    "earshot memory erase --as <person>          what erasing would take away, and what would stay",
    "earshot memory erase --as <person> --yes    erase what is held about them",
    "",
    "<fact>        its key, its id, or the first characters of its id (at least 4)",
    "--as          the person: an id or a name",
    "--token-file  a file with the token of a client whose grant names that person, and nobody else, in `actors`",
    "--json        print JSON",
    "",
    "In the sandbox no token is needed: that person uses /memory. On a real server only the person can do it: with the token of a client of",
    "their own, or with /memory and /privacy erase in Discord.",
    "",
    "earshot memory list --as sarah",
    'earshot memory forget "home port" --as sarah',
    "earshot memory export --as 80351110224678912 --token-file my-token > facts.json",
  ],
  async run(args, { config, print, self }) {
    const [action = "list", ...words] = args.positionals;
    const known = Object.keys(ACTIONS);
    const command = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (command === undefined)
      throw unknownName({ kind: "action", typed: action, known, list: `earshot memory takes ${known.join(", ")}` });
    const as = textOption(args, "as");
    const takesFact = action === "show" || action === "why" || action === "forget";
    const typed = words.join(" ");
    if (!as)
      throw new EarshotError(
        "invalid",
        `Name the person: ${self} memory ${action}${takesFact ? " <fact>" : ""} --as <person>`,
      );
    if (takesFact && typed === "")
      throw new EarshotError("invalid", `Name the fact, by key or id: ${self} memory ${action} <fact> --as ${as}`);
    if (!takesFact && typed !== "") throw new EarshotError("invalid", "Give one action, not several.");
    const isJson = args.values["json"] === true;
    const reached = await reachMemory({ as, tokenFile: textOption(args, "token-file"), command }, config, self);
    try {
      const choice = {
        typed,
        isConfirmed: args.values["yes"] === true,
        namesOf: (id: string) => askNames(config, [id]),
      };
      const { value, lines } = await run(reached, action, choice);
      for (const line of isJson ? [JSON.stringify(value, null, 2)] : lines) print(line);
      return 0;
    } finally {
      await reached.close();
    }
  },
};

interface Choice {
  readonly typed: string;
  readonly isConfirmed: boolean;
  /** The name of a server or channel by its id; empty if it is unknown. */
  namesOf(id: string): Promise<ReadonlyMap<string, string>>;
}

interface Outcome {
  readonly value: unknown;
  /** The same for a person. */
  readonly lines: readonly string[];
}

async function run(reached: ReachedMemory, action: string, { typed, isConfirmed, namesOf }: Choice): Promise<Outcome> {
  switch (action) {
    case "list": {
      const facts = await reached.list();
      return { value: facts, lines: facts.length === 0 ? ["Nothing is remembered."] : facts.map(toLine) };
    }
    case "show": {
      const fact = await reached.show(await chooseFact(reached, typed));
      return { value: fact, lines: describe(fact, await namesOf(fact.audience.id)) };
    }
    case "why": {
      const reasons = await reached.why(await chooseFact(reached, typed));
      return { value: reasons, lines: reasons.text.split("\n").map((line) => singleLine(line)) };
    }
    case "export": {
      const value = await reached.export();
      return { value, lines: [JSON.stringify(value, null, 2)] };
    }
    case "forget": {
      const receipt = await reached.forget(await chooseFact(reached, typed));
      return { value: receipt, lines: [receipt.text] };
    }
    default: {
      const receipt = isConfirmed ? await reached.erase() : await reached.previewErasure();
      return { value: receipt, lines: [receipt.text, ...(isConfirmed ? [] : ["", "Add --yes to erase it."])] };
    }
  }
}

/** Resolves to an id. An id that is not a current fact may be an earlier value. */
async function chooseFact(reached: ReachedMemory, typed: string): Promise<string> {
  const facts = (await reached.list()).map((fact) => ({ ...fact, name: fact.key }));
  const [only, ...others] = matchFacts(typed, facts);
  if (!only || others.length === 0) return only?.id ?? typed;
  const candidates = [only, ...others].slice(0, MAX_CANDIDATES).map((one) => `  ${one.id}  ${toLine(one)}`);
  const more = others.length + 1 - candidates.length;
  const left = more > 0 ? [`  and ${more} more`] : [];
  const head = `Several facts could be meant by "${singleLine(typed)}"; give the first characters of an id:`;
  throw new EarshotError("invalid", [head, ...candidates, ...left].join("\n"));
}

function toLine(fact: FactRecord): string {
  const { key, value, readable, visibility, created_at, expires_at, dormant, used } = fact;
  const shown = readable ? JSON.stringify(value) : "(not shown)";
  const until = expires_at === null ? "" : ` until ${toDay(expires_at)}`;
  const use =
    dormant === null
      ? ""
      : `, ${dormant === "source_edited" || dormant === "restored" ? "only you hear it" : "not in use"}`;
  const times = used === null ? "" : `, ${toTimes(used)} in ${used.month}`;
  return singleLine(`${key}: ${shown}  ${visibility}, since ${toDay(created_at)}${until}${use}${times}`);
}

function toTimes({ places }: NonNullable<FactRecord["used"]>): string {
  const times = places.reduce((sum, place) => sum + place.times, 0);
  if (times === 0) return "not used";
  return `used ${times === 1 ? "once" : `${times} times`}`;
}

function describe(fact: FactRecord, names: ReadonlyMap<string, string>): readonly string[] {
  const {
    id,
    version,
    key,
    value,
    readable,
    verification,
    confidence,
    created_at,
    expires_at,
    dormant_text,
    rests_on,
  } = fact;
  const sources = rests_on.map(toSource);
  const rows: readonly (readonly [string, string])[] = [
    ["key", key],
    ["value", readable ? JSON.stringify(value) : "(not shown: you cannot read what it rests on)"],
    ["who hears it", toAudience(fact, names)],
    ["verified", `${verification.replace("_", " ")}, confidence ${confidence}`],
    ["since", toDay(created_at)],
    ["until", expires_at === null ? "it is forgotten" : toDay(expires_at)],
    ...sources.map((source, index) => [index === 0 ? "rests on" : "", source] as const),
    ["in use", dormant_text ?? "yes"],
    ...(fact.used_text === null ? [] : [["used", fact.used_text] as const]),
    ["version", fact.replaced ? `${version}, replaced by a newer one` : `${version}`],
    ["id", id],
  ];
  return rows.map(([name, text]) => singleLine(`${name.padEnd(14)}${text}`));
}

function toAudience({ visibility, audience: { kind, id } }: FactRecord, names: ReadonlyMap<string, string>): string {
  if (kind === "person") return `only you (${visibility})`;
  const name = names.get(id);
  const audience =
    kind === "channel"
      ? `those who can read ${name ?? `channel ${id}`}`
      : `the members of ${name === undefined ? `server ${id}` : quoteName(name)}`;
  return `${audience} (${visibility})`;
}

function toSource({ type, ref, readable }: FactRecord["rests_on"][number]): string {
  if (type === "typed") return "what you typed";
  const isLink = type === "discord_message" && readable;
  return `${isLink ? "" : `${type.replace(/^(discord|memory)_/, "")} `}${ref}${readable ? "" : " (you cannot read it now)"}`;
}

function toDay(time: string): string {
  return time.slice(0, 10);
}
