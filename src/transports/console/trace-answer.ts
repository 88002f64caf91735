import { z } from "zod";
import type { ChannelId, UserId } from "../../domain/ids.ts";
import type { Audit } from "../../policy/audit.ts";
import type { AuditStore, ShownEntry, SourceRow } from "../../ports/audit-store.ts";
import type { SilenceDeps } from "../kit/explain-silence.ts";
import { type ShownSourceKind, SOURCE_KINDS } from "../kit/show-operation.ts";
import { listWithheldHere, type WithheldChannel } from "./withheld-channels.ts";

export interface ExplainDeps extends SilenceDeps {
  readonly audit: Pick<Audit, "settled">;
  readonly store: Pick<AuditStore, "latest" | "operation">;
}

/** A person's question to the agent, and the channel of the answer. */
interface AskedHere {
  readonly actor: UserId;
  readonly channelId: ChannelId;
}

/** Items read together: in one channel, or of one kind. */
interface TracedRead {
  readonly kind: Exclude<ShownSourceKind, "channel" | "server">;
  readonly channel_id: string | null;
  readonly count: number;
  readonly tokens: number;
}

/** How the agent created an answer, and what it could not use. */
export interface AnswerTrace {
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** Null while the answer is being written. */
  readonly milliseconds: number | null;
  /** Tool calls in order: `ok`, or an error code. */
  readonly calls: readonly { readonly tool: string; readonly outcome: string }[];
  /** Number of channels searched. */
  readonly searched: number;
  readonly read: readonly TracedRead[];
  /** Steps that the gate refused. */
  readonly refused: readonly { readonly tool: string; readonly reason: string }[];
  readonly withheld: readonly WithheldChannel[];
}

const AGENT = "agent";
/** Searches this many of the person's latest operations. */
const MAX_LATEST = 50;

const answeredSchema = z.object({ calls: z.array(z.object({ tool: z.string(), outcome: z.string() })) });
const searchedSchema = z.object({ channels: z.number().default(0) });

/** Traces the last question that the person asked the agent in that channel. Null without one. */
export async function traceAnswer(asked: AskedHere, deps: ExplainDeps): Promise<AnswerTrace | null> {
  const { audit, store } = deps;
  await audit.settled();
  const latest = await store.latest(MAX_LATEST, { actorId: asked.actor });
  const found = latest.find(
    ({ operation: { client, channel_id, thread_id } }) =>
      client === AGENT && (thread_id ?? channel_id) === asked.channelId,
  );
  if (!found) return null;
  const { id, opened_at: askedAt } = found.operation;
  const entries = await store.operation(id);
  const [answered] = eventsOf(entries, "agent_answered", answeredSchema);
  const searched = eventsOf(entries, "searched", searchedSchema).map(({ detail }) => detail.channels);
  return {
    askedAt,
    milliseconds: answered ? answered.at - askedAt : null,
    calls: answered?.detail.calls ?? [],
    searched: Math.max(0, ...searched),
    read: groupReads(entries.flatMap(({ kind, row }) => (kind === "source" ? [row] : []))),
    refused: entries.flatMap(({ kind, row }) =>
      kind === "decision" && !row.allowed ? [{ tool: row.tool, reason: row.reason }] : [],
    ),
    withheld: listWithheldHere(asked, deps),
  };
}

function eventsOf<Detail>(entries: readonly ShownEntry[], name: string, schema: z.ZodType<Detail>) {
  return entries.flatMap(({ kind, row }) => {
    if (kind !== "event" || row.name !== name) return [];
    return [{ at: row.happened_at, detail: schema.parse(JSON.parse(row.detail_json)) }];
  });
}

/** Leaves out names of channels and servers, which accompany each message. */
function groupReads(sources: readonly SourceRow[]): readonly TracedRead[] {
  const reads = new Map<string, TracedRead>();
  for (const { source_type, scope_type, scope_id, token_count } of sources) {
    const kind = SOURCE_KINDS[source_type];
    if (!kind || kind === "channel" || kind === "server") continue;
    const channel_id = scope_type === "channel" || scope_type === "thread" ? scope_id : null;
    const key = `${kind} ${channel_id}`;
    const { count, tokens } = reads.get(key) ?? { count: 0, tokens: 0 };
    reads.set(key, { kind, channel_id, count: count + 1, tokens: tokens + token_count });
  }
  return [...reads.values()];
}
