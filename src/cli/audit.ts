import type { Config } from "../config/config.ts";
import { EarshotError } from "../domain/errors.ts";
import { quoteName } from "../domain/text/escape.ts";
import type { AuditReader } from "../ports/audit-reader.ts";
import type { OperationFilter } from "../ports/audit-store.ts";
import { isOlderDatabase } from "../ports/restore-store.ts";
import { type Arguments, type Command, type Context, textOption } from "./command.ts";
import {
  describeAbsence,
  describeHousekeeping,
  describeOperation,
  summariseOperation,
  timeOf,
} from "./describe-operation.ts";
import { askNames, resolveName } from "./running-program.ts";
import { wrapLine } from "./wrap.ts";

const MAX_LISTED = 10_000;
const MAX_HOUSEKEEPING_LISTED = 5;

interface AuditDeps {
  openReader(config: Config): Promise<AuditReader>;
  askNames(config: Config, ids: Iterable<string>): Promise<ReadonlyMap<string, string>>;
}

/** The command, over whatever opens the audit of a configuration. */
export function createAuditCommand(deps: AuditDeps): Command {
  return {
    name: "audit",
    usage:
      "[<operation> | verify [--head <hash>]] [--person <person>] [--tool <tool>] [--refused] [--since <time>] [--limit <number>] [--json]",
    options: {
      head: { type: "string" },
      person: { type: "string" },
      tool: { type: "string" },
      refused: { type: "boolean" },
      since: { type: "string" },
      limit: { type: "string" },
      json: { type: "boolean" },
    },
    takesMore: true,
    details: [
      "earshot audit              list the latest operations",
      "earshot audit <operation>  show one operation in full; write -- before an id that begins with -",
      "earshot audit verify       verify the chain; keep the head it prints somewhere else",
      "",
      "--person   only what was asked for this person: an id, or a name while Earshot runs",
      "--tool     only operations in which this tool was used or refused, such as search_messages",
      "--refused  only operations in which something was refused",
      '--since    only operations since a time, such as "2 hours ago", yesterday or 2026-11-02',
      "--limit    how many operations to list (default: 20)",
      "--head     a head kept from an earlier run, which must still be in the chain",
      "--json     print JSON",
      "",
      "Names stand beside ids while Earshot runs: the audit itself keeps ids only.",
    ],
    async run(args, context) {
      const work = await readWork(args, context);
      const reader = await deps.openReader(context.config);
      const show = async (lines: readonly string[]) => {
        const ids = lines.join(" ").match(SNOWFLAKE) ?? [];
        const names = ids.length === 0 ? new Map<string, string>() : await deps.askNames(context.config, ids);
        for (const line of lines) for (const part of wrapLine(withNames(line, names))) context.print(part);
      };
      try {
        return await work(reader, { ...context, show });
      } finally {
        await reader.close();
      }
    },
  };
}

export const audit = createAuditCommand({
  // Loaded only to run: --help need not wait for it.
  openReader: async (config) => (await import("../storage/durable-parts.ts")).openAuditReader(config),
  askNames,
});

const SNOWFLAKE = /(?<![\w-])\d{15,20}(?![\w-])/g;
/** The same with the kind that decisions write before it, which a name makes superfluous. */
const TARGET = /(?<![\w-])(?:\w+:)?(\d{15,20})(?![\w-])/g;

function withNames(line: string, names: ReadonlyMap<string, string>): string {
  return line.replaceAll(TARGET, (target: string, id: string) => {
    const name = names.get(id);
    if (name === undefined) return target;
    return `${name.startsWith("#") ? `#${quoteName(name.slice(1))}` : quoteName(name)} (${id})`;
  });
}

interface Showing extends Context {
  /** Prints lines, with names beside ids. */
  show(lines: readonly string[]): Promise<void>;
}

type Work = (reader: AuditReader, context: Showing) => Promise<number>;

const FILTERS = ["person", "tool", "refused", "since", "limit"];

async function readWork(args: Arguments, context: Context): Promise<Work> {
  const [what, ...more] = args.positionals;
  const asJson = args.values["json"] === true;
  const head = readHead(textOption(args, "head"));
  if (more.length > 0) throw new EarshotError("invalid", "Give one operation id, not several.");
  if (head !== undefined && what !== "verify")
    throw new EarshotError("invalid", "--head can only be used with verify.");
  const unused = what === undefined ? undefined : FILTERS.find((name) => args.values[name] !== undefined);
  if (unused !== undefined) throw new EarshotError("invalid", `--${unused} is for the list: leave out "${what}".`);
  if (what === "verify") return (reader, context) => verify(reader, context, { head, asJson });
  if (what !== undefined) return (reader, context) => tell(reader, context, { id: what, asJson });
  const limit = readLimit(textOption(args, "limit") ?? "20");
  const filter = await readFilter(args, context);
  return (reader, context) => list(reader, context, { limit, filter, asJson });
}

/** A head is a SHA-256. */
function readHead(text: string | undefined): string | undefined {
  if (text === undefined || /^[0-9a-f]{64}$/i.test(text)) return text;
  const hint = "Give the 64 characters that earshot audit verify printed after the word head.";
  throw new EarshotError("invalid", `--head: "${text.slice(0, 70)}" is not a head of the chain. ${hint}`);
}

async function readFilter(args: Arguments, { config }: Context): Promise<OperationFilter> {
  const [person, tool, since] = [textOption(args, "person"), textOption(args, "tool"), textOption(args, "since")];
  return {
    ...(person !== undefined && { actorId: await resolveName("people", person, config) }),
    ...(tool !== undefined && { tool }),
    ...(args.values["refused"] === true && { isRefused: true }),
    ...(since !== undefined && { since: await readSince(since, config) }),
  };
}

async function readSince(words: string, { timeZone }: Config): Promise<number> {
  const { toInstant } = await import("../domain/time/time-span.ts");
  const time = toInstant(words, { now: Date.now(), zone: timeZone });
  if (time !== null) return time;
  const hint = 'Try "2 hours ago", yesterday or 2026-11-02.';
  throw new EarshotError("invalid", `--since: "${words.slice(0, 50)}" is not a time that Earshot understands. ${hint}`);
}

function readLimit(text: string): number {
  const limit = /^\d+$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LISTED) return limit;
  throw new EarshotError("invalid", `--limit must be a number from 1 to ${MAX_LISTED.toLocaleString("en")}.`);
}

async function list(
  reader: AuditReader,
  { print, show }: Showing,
  { limit, filter, asJson }: { limit: number; filter: OperationFilter; asJson: boolean },
): Promise<number> {
  const operations = await reader.latest(limit, filter);
  if (asJson) {
    print(JSON.stringify(operations));
    return 0;
  }
  const isFiltered = Object.keys(filter).length > 0;
  if (operations.length > 0) await show(operations.flatMap(summariseOperation));
  else print(isFiltered ? "No operations that are kept match." : "No operations have been kept.");
  if (!isFiltered) await listHousekeeping(reader, show);
  return 0;
}

async function listHousekeeping(reader: AuditReader, show: Showing["show"]): Promise<void> {
  const rows = await reader.housekeeping(MAX_HOUSEKEEPING_LISTED);
  const lines = rows.map((row) => `  ${describeHousekeeping(row)}`);
  if (lines.length > 0) await show(["", "Besides operations, newest first", ...lines]);
}

async function tell(
  reader: AuditReader,
  { print, show }: Showing,
  { id, asJson }: { id: string; asJson: boolean },
): Promise<number> {
  const entries = await reader.operation(id);
  if (entries.length === 0) throw new EarshotError("not_found", describeAbsence(await reader.erasedOperations()));
  const erased = await reader.erasedReads(id);
  if (asJson) print(JSON.stringify(erased ? [...entries, { kind: "erased_reads", row: erased }] : entries));
  else await show(describeOperation(entries, erased));
  return 0;
}

async function verify(
  reader: AuditReader,
  { print }: Context,
  { head, asJson }: { head: string | undefined; asJson: boolean },
): Promise<number> {
  const result = await reader.verify(head);
  const restores = (await reader.restores()).filter(isOlderDatabase);
  if (asJson) print(JSON.stringify(restores.length > 0 ? { ...result, restores } : result));
  else if (result.ok) {
    const thinned = result.thinned > 0 ? `, and ${result.thinned.toLocaleString("en")} thinned to save room` : "";
    print(`✓ the chain is whole: ${result.rows.toLocaleString("en")} rows${thinned}`);
    print(`  head ${result.head}`);
    for (const { backup_at, restored_at } of restores)
      print(
        `! restored ${timeOf(restored_at)} from the backup of ${timeOf(backup_at)}: what was noted in between is missing`,
      );
  } else print(`✗ the chain is broken at ${result.at}: ${result.problem}`);
  return result.ok ? 0 : 1;
}
