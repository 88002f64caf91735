import { singleLine } from "../domain/text/escape.ts";
import type {
  ConfirmationRow,
  DecisionRow,
  ErasedOperations,
  ErasedReads,
  EventRow,
  OperationRow,
  OperationSummary,
  ShownEntry,
  SourceRow,
} from "../ports/audit-store.ts";

/** An entry of a list. */
export function summariseOperation({ operation, sources, refusals, isThinned }: OperationSummary): string[] {
  const { id, opened_at, client, actor_id, purpose, guild_id, channel_id, thread_id } = operation;
  const kept = sources === 0 ? "read nothing" : `read ${count(sources, "source")}`;
  const read = isThinned ? "records of reads erased to save room" : kept;
  const refused = refusals === 0 ? "" : `, ${count(refusals, "refusal")}`;
  const place = guild_id === null ? "direct messages" : (thread_id ?? channel_id);
  return [
    `${timeOf(opened_at)}  ${id}  ${read}${refused}`,
    `    ${actor_id} in ${place}, via ${client}, to ${purpose}`,
  ].map(singleLine);
}

/** When the audit erased rows of its own. One line. */
export function describeHousekeeping(row: EventRow): string {
  const { client, rows, target, before } = detailOf(row);
  const at = timeOf(row.happened_at);
  if (row.name === "pruned") return singleLine(`${at}  pruned: everything before ${timeOf(Number(before))}`);
  if (row.name !== "thinned") return singleLine(describeEvent(row));
  const what = target === "operations" ? "operations that only read" : "rows of reads";
  return singleLine(
    `${at}  thinned to save room, via ${String(client)}: ${what}, ${count(Number(rows), "row")} in all`,
  );
}

/** Why there may be no such operation. One line. */
export function describeAbsence({ prunedBefore, thinned }: ErasedOperations): string {
  const pruned = prunedBefore === null ? [] : [`those that ended before ${timeOf(prunedBefore)} were pruned`];
  const were = thinned === 1 ? "was" : "were";
  const saved =
    thinned === 0 ? [] : [`${count(thinned, "operation")} with nothing but reads ${were} erased to save room`];
  const erased = [...pruned, ...saved].join(", and ");
  if (erased === "") return "There is no such operation, and none has ever been erased: check the id.";
  return `No such operation is kept. It may have been erased: ${erased}.`;
}

/** Tells what was asked, read, refused, confirmed and done, in lines for a person. `erased`: what is not kept any more of its reads. */
export function describeOperation(entries: readonly ShownEntry[], erased: ErasedReads | null): string[] {
  const operations = rowsOf(entries, "operation");
  const decisions = rowsOf(entries, "decision");
  const lines = [
    ...operations.flatMap(describeAsking),
    ...section("Read", [...describeSources(rowsOf(entries, "source"), decisions), ...describeErased(erased)]),
    ...section("Refused", describeRefusals(decisions)),
    ...section(
      "Confirmations",
      rowsOf(entries, "confirmation").map((row) => describeConfirmation(row, entries)),
    ),
    ...section("What happened", rowsOf(entries, "event").map(describeEvent)),
  ];
  return lines.map(singleLine);
}

function describeAsking(row: OperationRow): string[] {
  const answered = row.message_id === null ? "" : `, with message ${row.message_id}`;
  const parent = row.parent_message_id === null ? "" : ` in reply to ${row.parent_message_id}`;
  const reader = row.destination === "actor" ? "the person who asked, alone" : `all who see channel ${row.destination}`;
  return [
    `Operation ${row.id}`,
    `  asked by     ${row.actor_id}${answered}${parent}`,
    `  in           ${placeOf(row)}`,
    `  client       ${row.client}`,
    `  purpose      ${row.purpose}`,
    `  answer for   ${reader}`,
    `  opened       ${timeOf(row.opened_at)}, until ${timeOf(row.expires_at)}`,
  ];
}

const KINDS: Readonly<Record<string, string>> = { docs: "document passage", crm: "profile" };

/** Sources that were read together, in one line with the reason why that was allowed. */
function describeSources(sources: readonly SourceRow[], decisions: readonly DecisionRow[]): string[] {
  const known = new Map(decisions.map((row) => [row.id, row]));
  const groups = Map.groupBy(sources, (row) =>
    JSON.stringify([row.source_type, row.scope_type, row.scope_id, row.loaded_by, row.policy_decision_id]),
  );
  return [...groups.values()].flatMap((rows) => {
    const [row] = rows;
    if (!row) return [];
    const decision = known.get(row.policy_decision_id);
    const why = decision
      ? `${decision.allowed ? "allowed" : "DENIED"} to ${decision.effect} ${decision.target}: ${toWords(decision.reason)} (decision ${decision.id})`
      : `no decision ${row.policy_decision_id} is kept`;
    const tokens = rows.reduce((sum, { token_count }) => sum + token_count, 0);
    const kind = KINDS[row.source_type] ?? toWords(row.source_type.replace(/^discord_/, ""));
    const where = `${row.scope_type} ${row.scope_id}`;
    const what = kind === row.scope_type ? `the name of ${where}` : `${count(rows.length, kind)} of ${where}`;
    return [`${timeOf(row.loaded_at)}  ${what} by ${row.loaded_by}, ${count(tokens, "token")}`, `${INDENT}${why}`];
  });
}

function describeErased(erased: ErasedReads | null): string[] {
  if (!erased) return [];
  const rows = `${count(erased.rows, "row")} of reads ${erased.rows === 1 ? "was" : "were"}`;
  return [`${timeOf(erased.erasedAt)}  ${rows} erased to save room: not everything read is told here`];
}

function describeRefusals(decisions: readonly DecisionRow[]): string[] {
  const groups = Map.groupBy(
    decisions.filter(({ allowed }) => !allowed),
    (row) => JSON.stringify([row.tool, row.effect, row.target, row.failed_check, row.reason]),
  );
  return [...groups.values()].flatMap((rows) => {
    const [row] = rows;
    if (!row) return [];
    const times = rows.length === 1 ? "" : ` (${rows.length} times)`;
    const check = row.failed_check === null ? "" : `the check "${row.failed_check}" said no: `;
    return [
      `${timeOf(row.decided_at)}  ${row.tool} wanted to ${row.effect} ${row.target}${times}`,
      `${INDENT}${check}${toWords(row.reason)}`,
    ];
  });
}

function describeConfirmation(row: ConfirmationRow, entries: readonly ShownEntry[]): string {
  const outcomes = rowsOf(entries, "event").filter((event) => detailOf(event)["confirmation_id"] === row.id);
  const outcome = outcomes.map(({ name, happened_at }) => `${toWords(name)} at ${timeOf(happened_at)}`).join(", ");
  const end = outcome || `nobody decided; it was open until ${timeOf(row.expires_at)}`;
  return `${timeOf(row.created_at)}  ${row.tool} into ${row.destination} waited for ${row.actor_id}: ${end}`;
}

function describeEvent(row: EventRow): string {
  const detail = Object.entries(detailOf(row)).map(
    ([name, value]) => `${toWords(name)} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`,
  );
  return `${timeOf(row.happened_at)}  ${toWords(row.name)}${detail.length > 0 ? `: ${detail.join(", ")}` : ""}`;
}

function detailOf({ detail_json }: EventRow): Readonly<Record<string, unknown>> {
  try {
    const detail: unknown = JSON.parse(detail_json);
    return typeof detail === "object" && detail !== null ? { ...detail } : { detail };
  } catch {
    return { detail: detail_json };
  }
}

const INDENT = " ".repeat("0000-00-00 00:00:00Z  ".length);

type RowOf<Kind extends ShownEntry["kind"]> = Extract<ShownEntry, { kind: Kind }>["row"];

function rowsOf<Kind extends ShownEntry["kind"]>(entries: readonly ShownEntry[], kind: Kind): RowOf<Kind>[] {
  return entries.filter((entry) => entry.kind === kind).map(({ row }) => row as RowOf<Kind>);
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
}

function placeOf({ guild_id, channel_id, thread_id }: OperationRow): string {
  const channel = thread_id === null ? `channel ${channel_id}` : `thread ${thread_id}`;
  return guild_id === null ? `direct messages, ${channel}` : `${channel} of server ${guild_id}`;
}

export function timeOf(milliseconds: number): string {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return `time ${milliseconds}`;
  return date
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, "Z");
}

function toWords(name: string): string {
  return name.replaceAll(/[_.]/g, " ");
}

function count(amount: number, noun: string): string {
  return `${amount.toLocaleString("en")} ${noun}${amount === 1 ? "" : "s"}`;
}
