import type { Config } from "../config.ts";
import { EarshotError } from "../domain/errors.ts";
import { openAuditReader } from "../durable-parts.ts";
import type { AuditReader } from "../ports/audit-reader.ts";
import { type Arguments, type Command, type Context, textOption } from "./command.ts";
import { describeAbsence, describeHousekeeping, describeOperation, summariseOperation } from "./describe-operation.ts";

const MAX_LISTED = 10_000;
const MAX_HOUSEKEEPING_LISTED = 5;

/** The command, over whatever opens the audit of a configuration. */
export function createAuditCommand(openReader: (config: Config) => Promise<AuditReader>): Command {
  return {
    name: "audit",
    usage: "[<operation> | verify [--head <hash>]] [--limit <number>] [--json]",
    options: { head: { type: "string" }, limit: { type: "string" }, json: { type: "boolean" } },
    takesMore: true,
    details: [
      "earshot audit              list the latest operations",
      "earshot audit <operation>  show one operation in full; write -- before an id that begins with -",
      "earshot audit verify       verify the chain; keep the head it prints somewhere else",
      "",
      "--head   a head kept from an earlier run, which must still be in the chain",
      "--limit  how many operations to list (default: 20)",
      "--json   print JSON",
    ],
    async run(args, context) {
      const work = readWork(args);
      const reader = await openReader(context.config);
      try {
        return await work(reader, context);
      } finally {
        await reader.close();
      }
    },
  };
}

export const audit = createAuditCommand(openAuditReader);

type Work = (reader: AuditReader, context: Context) => Promise<number>;

function readWork(args: Arguments): Work {
  const [what, ...more] = args.positionals;
  const asJson = args.values["json"] === true;
  const head = textOption(args, "head");
  if (more.length > 0) throw new EarshotError("invalid", "Give one operation id, not several.");
  if (head !== undefined && what !== "verify")
    throw new EarshotError("invalid", "--head can only be used with verify.");
  if (what === "verify") return (reader, context) => verify(reader, context, { head, asJson });
  if (what !== undefined) return (reader, context) => tell(reader, context, { id: what, asJson });
  const limit = readLimit(textOption(args, "limit") ?? "20");
  return (reader, context) => list(reader, context, { limit, asJson });
}

function readLimit(text: string): number {
  const limit = /^\d+$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LISTED) return limit;
  throw new EarshotError("invalid", `--limit must be a number from 1 to ${MAX_LISTED.toLocaleString("en")}.`);
}

async function list(
  reader: AuditReader,
  { print }: Context,
  { limit, asJson }: { limit: number; asJson: boolean },
): Promise<number> {
  const operations = await reader.latest(limit);
  if (asJson) print(JSON.stringify(operations));
  else if (operations.length === 0) print("No operations have been kept.");
  else for (const operation of operations) print(summariseOperation(operation));
  if (!asJson) await listHousekeeping(reader, print);
  return 0;
}

async function listHousekeeping(reader: AuditReader, print: Context["print"]): Promise<void> {
  const rows = await reader.housekeeping(MAX_HOUSEKEEPING_LISTED);
  if (rows.length === 0) return;
  print("");
  print("Erased by Earshot itself, newest first");
  for (const row of rows) print(`  ${describeHousekeeping(row)}`);
}

async function tell(
  reader: AuditReader,
  { print }: Context,
  { id, asJson }: { id: string; asJson: boolean },
): Promise<number> {
  const entries = await reader.operation(id);
  if (entries.length === 0) throw new EarshotError("not_found", describeAbsence(await reader.erasedOperations()));
  const erased = await reader.erasedReads(id);
  if (asJson) print(JSON.stringify(erased ? [...entries, { kind: "erased_reads", row: erased }] : entries));
  else for (const line of describeOperation(entries, erased)) print(line);
  return 0;
}

async function verify(
  reader: AuditReader,
  { print }: Context,
  { head, asJson }: { head: string | undefined; asJson: boolean },
): Promise<number> {
  const result = await reader.verify(head);
  if (asJson) print(JSON.stringify(result));
  else if (result.ok) {
    const thinned = result.thinned > 0 ? `, and ${result.thinned.toLocaleString("en")} thinned to save room` : "";
    print(`✓ the chain is whole: ${result.rows.toLocaleString("en")} rows${thinned}`);
    print(`  head ${result.head}`);
  } else print(`✗ the chain is broken at ${result.at}: ${result.problem}`);
  return result.ok ? 0 : 1;
}
