import { type ChannelId, type GuildId, type MessageId, toId, type UserId } from "../domain/ids.ts";
import type { RecordReading } from "../domain/source.ts";
import type { AuditEntry, AuditStore } from "../ports/audit-store.ts";
import type { Clock } from "../ports/clock.ts";
import { Label } from "../sources/label.ts";

export interface ConfinedLabelsOptions {
  /** How long a source counts after it was last read. Longer than any operation lives. */
  readonly keptMs: number;
}

/**
 * One label for each confined client, whatever its connections, sessions and operations: what the program has read it remembers, however it
 * connects. Each source counts for a set time after it was last read.
 */
export class ConfinedLabels {
  readonly #clock: Clock;
  readonly #keptMs: number;
  readonly #labels = new Map<string, Label>();

  constructor({ keptMs }: ConfinedLabelsOptions, clock: Clock) {
    this.#keptMs = keptMs;
    this.#clock = clock;
  }

  of(client: string): Label {
    const label = this.#labels.get(client) ?? new Label();
    this.#labels.set(client, label);
    label.forgetBefore(this.#clock.now() - this.#keptMs);
    return label;
  }

  /**
   * Takes over what these clients had read before a restart, as the audit tells. Their words are nowhere on disk, nor are links. An audit that was put back
   * from a backup lacks some of it: for as long as that counts, nothing is said.
   */
  async restore(
    store: Pick<AuditStore, "operationsSince" | "operation">,
    clients: readonly string[],
    restoredAt = 0,
  ): Promise<void> {
    if (restoredAt > 0)
      for (const client of clients) joinFact(this.of(client), MISSING, { at: restoredAt, countsFrom: restoredAt });
    const since = this.#clock.now() - this.#keptMs;
    for (const { id, client, expires_at } of await store.operationsSince({ since, clients })) {
      const label = this.of(client);
      // A source is noted once in an operation, however often it is read there.
      const countsFrom = Math.min(expires_at, this.#clock.now());
      for (const entry of await store.operation(id)) joinEntry(label, entry, countsFrom);
    }
  }
}

function joinEntry(label: Label, { kind, row }: AuditEntry, countsFrom: number): void {
  const addMessage = (at: number, channelId: ChannelId, messageId: MessageId) =>
    label.add([{ kind: "message", channelId, messageId, authorId: null, text: null }], at, countsFrom);
  switch (kind) {
    // A message that addressed the client was pushed to it when the operation was opened.
    case "operation": {
      const [channelId, messageId] = [toId<ChannelId>(row.channel_id), toId<MessageId>(row.message_id)];
      if (channelId && messageId) addMessage(row.opened_at, channelId, messageId);
      return;
    }
    // Of a channel with a decision of its own something was disclosed, or may have been.
    case "decision": {
      const channelId = toId<ChannelId>(/^channel:(\d+)$/.exec(row.target)?.[1]);
      if (channelId && row.allowed && row.effect === "read")
        label.add([{ kind: "told", channelId }], row.decided_at, countsFrom);
      return;
    }
    case "source": {
      if (row.source_type === "memory_fact") {
        joinFact(label, row.source_ref, { at: row.loaded_at, countsFrom });
        return;
      }
      if (row.source_type === "docs" || row.source_type === "crm") {
        joinRecord(label, { type: row.source_type, ref: row.source_ref }, { at: row.loaded_at, countsFrom });
        return;
      }
      const guildId = row.source_type === "discord_guild" ? toId<GuildId>(row.source_ref) : null;
      if (guildId) label.add([{ kind: "server", guildId }], row.loaded_at, countsFrom);
      const [, channel, message] = /^(\d+)\/(\d+)/.exec(row.source_ref) ?? [];
      const channelId = guildId ? null : toId<ChannelId>(channel ?? row.source_ref);
      const messageId = toId<MessageId>(message);
      if (channelId && messageId) addMessage(row.loaded_at, channelId, messageId);
      else if (channelId) label.add([{ kind: "told", channelId }], row.loaded_at, countsFrom);
      return;
    }
    case "event": {
      const { channel_ids, fact_refs, record_refs } = JSON.parse(row.detail_json) as Partial<
        Record<string, readonly unknown[]>
      >;
      // Those in which something was found are also among the sources.
      const searched = row.name === "searched" ? (channel_ids ?? []).flatMap((id) => toId<ChannelId>(id) ?? []) : [];
      label.add(
        searched.map((channelId) => ({ kind: "searched" as const, channelId })),
        row.happened_at,
        countsFrom,
      );
      for (const ref of (row.name === "memory_read" && fact_refs) || [])
        joinFact(label, String(ref), { at: row.happened_at, countsFrom });
      if (row.name === "facts_compared") joinFact(label, COMPARED, { at: row.happened_at, countsFrom });
      for (const each of (row.name === "records_searched" && record_refs) || []) {
        const [type, ref = ""] = String(each).split(" ");
        joinRecord(label, { type: type === "crm" ? "crm" : "docs", ref }, { at: row.happened_at, countsFrom });
      }
    }
  }
}

/** In place of all facts that were compared, which can be thousands. */
const COMPARED = "compared@1";

/** In place of all that an older audit does not tell. */
const MISSING = "missing@1";

/** Who may hear it is not in the audit, so nothing that rests on it is said until the client counts as having forgotten it. */
function joinFact(label: Label, ref: string, { at, countsFrom }: { at: number; countsFrom: number }): void {
  const [factId = "", version] = ref.split("@");
  const unknown = {
    subjectId: null,
    guildId: null,
    audiences: null,
    messages: [],
    facts: [],
    authorMarks: [],
    expiresAt: null,
    revision: 0,
  };
  label.add([{ kind: "fact", factId, version: Number(version), ...unknown }], at, countsFrom);
}

/** What Discord says about a member is for the members of that server. */
const DISCORD_PROFILE = /^discord\/(\d+)\/(\d+)\//;

/** Nor is who may hear a record, except for what Discord itself says: its ref names the server. */
function joinRecord(
  label: Label,
  record: Pick<RecordReading, "type" | "ref">,
  { at, countsFrom }: { at: number; countsFrom: number },
): void {
  const [, guild, person] = (record.type === "crm" && DISCORD_PROFILE.exec(record.ref)) || [];
  const [guildId, subjectId] = [toId<GuildId>(guild), toId<UserId>(person)];
  const audiences = guildId && subjectId ? [{ kind: "guild", id: guildId } as const] : null;
  label.add([{ kind: "record", ...record, version: null, subjectId, guildId, audiences }], at, countsFrom);
}
