import { type ChannelId, toId } from "../domain/ids.ts";
import type { AuditStore, ShownEntry } from "../ports/audit-store.ts";
import type { Clock } from "../ports/clock.ts";
import { restoreFact } from "../sources/kinds/fact.ts";
import { restoreSource } from "../sources/kinds/index.ts";
import { Label } from "../sources/label.ts";

export interface ConfinedLabelsOptions {
  /** How long a source counts after its last read. Longer than any operation. */
  readonly keptMs: number;
}

/**
 * One label for each confined client, across all its connections, sessions and operations, because a program remembers its reads however it
 * connects. Each source counts for a set time after its last read.
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
   * Restores the clients' reads before a restart from the audit. Texts and links are not on disk. An audit restored from a backup lacks
   * some reads: for as long as those would count, the clients can disclose nothing.
   */
  async restore(
    store: Pick<AuditStore, "operationsSince" | "operation">,
    clients: readonly string[],
    restoredAt = 0,
  ): Promise<void> {
    if (restoredAt > 0) for (const client of clients) this.of(client).add([MISSING], restoredAt);
    const since = this.#clock.now() - this.#keptMs;
    for (const { id, client, expires_at } of await store.operationsSince({ since, clients })) {
      const label = this.of(client);
      // A source is noted once per operation, however often it is read there.
      const countsFrom = Math.min(expires_at, this.#clock.now());
      for (const entry of await store.operation(id)) joinEntry(label, entry, countsFrom);
    }
  }
}

function joinEntry(label: Label, { kind, row }: ShownEntry, countsFrom: number): void {
  const add = (at: number, type: string, refs: readonly unknown[]) =>
    label.add(
      refs.map((ref) => restoreSource(type, String(ref)) ?? MISSING),
      at,
      countsFrom,
    );
  switch (kind) {
    // A message that addressed the client was pushed to it with the operation.
    case "operation":
      if (row.message_id) add(row.opened_at, "discord_message", [`${row.channel_id}/${row.message_id}`]);
      return;
    // An allowed read decision about a channel disclosed something, or may have.
    case "decision": {
      const channelId = toId<ChannelId>(/^channel:(\d+)$/.exec(row.target)?.[1]);
      if (channelId && row.allowed && row.effect === "read")
        label.add([{ kind: "told", channelId }], row.decided_at, countsFrom);
      return;
    }
    case "source":
      add(row.loaded_at, row.source_type, [row.source_ref]);
      return;
    case "event": {
      const { channel_ids, fact_refs, record_refs } = JSON.parse(row.detail_json) as Partial<
        Record<string, readonly unknown[]>
      >;
      // Channels with results are also among the sources.
      const searched = row.name === "searched" ? (channel_ids ?? []).flatMap((id) => toId<ChannelId>(id) ?? []) : [];
      label.add(
        searched.map((channelId) => ({ kind: "searched" as const, channelId })),
        row.happened_at,
        countsFrom,
      );
      if (row.name === "memory_read") add(row.happened_at, "memory_fact", fact_refs ?? []);
      // Replaces all compared facts, which can be thousands.
      if (row.name === "facts_compared") add(row.happened_at, "memory_fact", ["compared@1"]);
      for (const each of (row.name === "records_searched" && record_refs) || []) {
        const [type = "", ref = ""] = String(each).split(" ");
        add(row.happened_at, type, [ref]);
      }
    }
  }
}

/** Replaces reads missing in the audit: its audience is unknown, so nothing that rests on it may be disclosed until it expires. */
const MISSING = restoreFact("missing@1");
