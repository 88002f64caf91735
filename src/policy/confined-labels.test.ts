import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId } from "../domain/ids.ts";
import type { AuditEntry, OperationRow } from "../ports/audit-store.ts";
import { ConfinedLabels } from "./confined-labels.ts";

const KEPT_MS = 60_000;
const nothing = { channels: [], guilds: [], messages: [], links: [] };

function arrive() {
  let now = 1_000_000;
  const labels = new ConfinedLabels({ keptMs: KEPT_MS }, { now: () => now });
  const pass = (ms: number) => {
    now += ms;
  };
  const read = (client: string, id: string) => labels.of(client).join({ ...nothing, channels: [id as ChannelId] }, now);
  return { labels, read, now: () => now, pass };
}

describe("the label of a confined client", () => {
  it("is the same object for a client on every call", () => {
    const { labels, read } = arrive();
    read("one", "11");
    expect([...labels.of("one").channels.keys()]).toEqual(["11"]);
    expect(labels.of("one")).toBe(labels.of("one"));
    expect(labels.of("two").integrity).toBe("trusted");
  });

  it("drops a source after the set time, counted from its last reading", () => {
    const { labels, read, pass } = arrive();
    read("one", "11");
    read("one", "12");
    pass(KEPT_MS);
    read("one", "12");
    expect([...labels.of("one").channels.keys()]).toEqual(["11", "12"]);
    pass(1);
    expect([...labels.of("one").channels.keys()]).toEqual(["12"]);
    pass(KEPT_MS);
    expect(labels.of("one").integrity).toBe("trusted");
  });

  it("is restored from the audit after a restart, and nothing older than the set time is requested", async () => {
    const { labels, now } = arrive();
    const at = now() - 10;
    const operation = (client: string, more: Partial<OperationRow> = {}): OperationRow => ({
      id: `op of ${client}`,
      client,
      actor_id: "7",
      guild_id: null,
      channel_id: "20",
      thread_id: null,
      message_id: null,
      parent_message_id: null,
      purpose: "answer",
      destination: "20",
      opened_at: at,
      expires_at: at + 900_000,
      ...more,
    });
    const source = (source_type: string, source_ref: string): AuditEntry => ({
      kind: "source",
      row: {
        id: "s",
        operation_id: "op of one",
        source_type,
        source_ref,
        source_hash: "",
        scope_type: "channel",
        scope_id: "11",
        loaded_by: "",
        loaded_at: at,
        token_count: 1,
        policy_decision_id: "",
      },
    });
    const decision = (target: string, allowed: boolean, effect = "read"): AuditEntry => ({
      kind: "decision",
      row: {
        id: "d",
        operation_id: "op of one",
        tool: "",
        effect,
        target,
        allowed,
        failed_check: null,
        reason: "",
        inputs_json: "{}",
        decided_at: at,
      },
    });
    const event = (name: string, detail: object): AuditEntry => ({
      kind: "event",
      row: { operation_id: "op of one", name, detail_json: JSON.stringify(detail), happened_at: at },
    });
    const entries: AuditEntry[] = [
      { kind: "operation", row: operation("one", { message_id: "100" }) },
      source("discord_message", "21/101"),
      source("discord_message", "21/102@2026-11-15T12:00:00.000Z"),
      source("discord_channel", "22"),
      source("discord_guild", "1"),
      decision("channel:23", true),
      decision("channel:24", false),
      decision("channel:25", true, "speak"),
      decision("tool:x", true),
      event("searched", { channel_ids: ["21", "26", "27", "not an id"] }),
      event("send_done", { channel_ids: ["28"], fact_refs: ["f2@1"] }),
      event("memory_read", { fact_refs: ["f1@3"] }),
      source("docs", "aa"),
      event("records_searched", { record_refs: ["docs bb", "crm cc", "crm discord/1/5/ab", "docs discord/1/5/ab"] }),
    ];
    const asked: unknown[] = [];
    await labels.restore(
      {
        async operationsSince(request) {
          asked.push(request);
          return [operation("one", { message_id: "100" })];
        },
        operation: async () => entries,
      },
      ["one", "two"],
    );
    expect(asked).toEqual([{ since: now() - KEPT_MS, clients: ["one", "two"] }]);
    const label = labels.of("one");
    expect([...label.channels.keys()].sort()).toEqual(["20", "21", "22", "23", "26", "27"]);
    expect([...label.disclosed.keys()].sort()).toEqual(["20", "21", "22", "23"]);
    expect([...label.guilds.keys()]).toEqual(["1" as GuildId]);
    expect([...label.facts.values()].map(({ factId, version, audiences }) => [factId, version, audiences])).toEqual([
      ["f1", 3, null],
    ]);
    expect([...label.records.values()].map(({ type, ref, audiences }) => [type, ref, audiences])).toEqual([
      ["docs", "aa", null],
      ["docs", "bb", null],
      ["crm", "cc", null],
      ["crm", "discord/1/5/ab", [{ kind: "guild", id: "1" }]],
      ["docs", "discord/1/5/ab", null],
    ]);
    expect([...label.messages.values()].map((one) => [one.channelId, one.messageId, one.text, one.readAt])).toEqual([
      ["20", "100", null, at],
      ["21", "101", null, at],
      ["21", "102", null, at],
    ]);
  });
});
