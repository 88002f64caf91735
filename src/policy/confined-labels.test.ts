import { describe, expect, it } from "vitest";
import { addReading } from "../../test/support/add-reading.ts";
import type { ChannelId, GuildId } from "../domain/ids.ts";
import type { OperationRow, ShownEntry } from "../ports/audit-store.ts";
import { ConfinedLabels } from "./confined-labels.ts";

const KEPT_MS = 60_000;
const nothing = { channels: [], guilds: [], messages: [], links: [] };

function arrive() {
  let now = 1_000_000;
  const labels = new ConfinedLabels({ keptMs: KEPT_MS }, { now: () => now });
  const pass = (ms: number) => {
    now += ms;
  };
  const read = (client: string, id: string) =>
    addReading(labels.of(client), { ...nothing, channels: [id as ChannelId] }, now);
  return { labels, read, now: () => now, pass };
}

const AT = 1_000_000 - 10;
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
  opened_at: AT,
  expires_at: AT + 900_000,
  ...more,
});
const source = (source_type: string, source_ref: string): ShownEntry => ({
  kind: "source",
  row: {
    id: "s",
    operation_id: "op of one",
    source_type,
    source_ref,
    scope_type: "channel",
    scope_id: "11",
    loaded_by: "",
    loaded_at: AT,
    token_count: 1,
    policy_decision_id: "",
  },
});
const decision = (target: string, allowed: boolean, effect = "read"): ShownEntry => ({
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
    decided_at: AT,
  },
});
const event = (name: string, detail: object): ShownEntry => ({
  kind: "event",
  row: { operation_id: "op of one", name, detail_json: JSON.stringify(detail), happened_at: AT },
});

/** Restores the label of reads before a restart. */
async function restore(labels: ConfinedLabels, row: OperationRow, entries: readonly ShownEntry[]) {
  const asked: unknown[] = [];
  const store = {
    async operationsSince(request: unknown) {
      asked.push(request);
      return [row];
    },
    operation: async () => entries,
  };
  await labels.restore(store, ["one", "two"]);
  return { label: labels.of("one"), asked };
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
    const entries: ShownEntry[] = [
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
    const { label, asked } = await restore(labels, operation("one", { message_id: "100" }), entries);
    expect(asked).toEqual([{ since: now() - KEPT_MS, clients: ["one", "two"] }]);
    expect([...label.channels].sort()).toEqual(["20", "21", "22", "23", "26", "27"]);
    expect([...label.of("told").keys()].sort()).toEqual(["20", "21", "22", "23"]);
    expect([...label.of("server").keys()]).toEqual(["1" as GuildId]);
    expect(
      [...label.of("fact").values()].map(({ factId, version, audiences }) => [factId, version, audiences]),
    ).toEqual([["f1", 3, null]]);
    expect(label.records().map(({ kind, ref, audiences }) => [kind, ref, audiences])).toEqual([
      ["passage", "aa", null],
      ["passage", "bb", null],
      ["passage", "discord/1/5/ab", null],
      ["profile", "cc", null],
      ["profile", "discord/1/5/ab", [{ kind: "guild", id: "1" }]],
    ]);
    expect(
      [...label.of("message").values()].map((one) => [one.channelId, one.messageId, one.text, one.readAt]),
    ).toEqual([
      ["20", "100", null, AT],
      ["21", "101", null, AT],
      ["21", "102", null, AT],
    ]);
  });
  it("is restored with the facts that were told or compared, of which nobody knows who may hear them", async () => {
    const { labels } = arrive();
    const { label } = await restore(labels, operation("one"), [
      source("memory_fact", "f5@2"),
      event("facts_compared", { facts: 3 }),
      event("memory_read", { fact_refs: ["f6@1"] }),
    ]);
    const unknown = { subjectId: null, guildId: null, audiences: null, expiresAt: null, revision: 0 };
    const nothingUnder = { messages: [], facts: [], authorMarks: [] };
    expect([...label.of("fact").values()]).toMatchObject([
      { factId: "f5", version: 2, ...unknown, ...nothingUnder, readAt: AT },
      { factId: "compared", version: 1, ...unknown, ...nothingUnder, readAt: AT },
      { factId: "f6", version: 1, ...unknown, ...nothingUnder, readAt: AT },
    ]);
    expect(label.channels.size + label.of("message").size + label.records().length).toBe(0);
  });

  it("is restored with records; for whom one is, is known only of what Discord says about a member", async () => {
    const { labels } = arrive();
    const { label } = await restore(labels, operation("one"), [
      source("crm", "discord/12/345/ab"),
      source("crm", "my discord/12/345/ab"),
      source("crm", "discord/999999999999999999999/345/ab"),
      event("records_searched", { record_refs: ["crm discord/67/89/cd", "docs"] }),
      event("send_done", { record_refs: ["docs ee"] }),
      event("records_searched", {}),
    ]);
    const told = label
      .records()
      .map(({ kind, ref, subjectId, guildId, audiences, readAt }) => [
        ...[kind, ref, subjectId, guildId, readAt],
        audiences?.map(({ id }) => id),
      ]);
    expect(told).toEqual([
      ["passage", "", null, null, AT, undefined],
      ["profile", "discord/12/345/ab", "345", "12", AT, ["12"]],
      ["profile", "my discord/12/345/ab", null, null, AT, undefined],
      ["profile", "discord/999999999999999999999/345/ab", "345", null, AT, undefined],
      ["profile", "discord/67/89/cd", "89", "67", AT, ["67"]],
    ]);
    expect(label.channels.size + label.of("fact").size).toBe(0);
  });

  it("is restored without what only looks like a channel or a message", async () => {
    const { labels } = arrive();
    const { label } = await restore(labels, operation("one"), [
      { kind: "operation", row: operation("one") },
      decision("my channel:29", true),
      decision("channel:29 and more", true),
      source("discord_message", "x21/101"),
      source("discord_channel", "general"),
      event("searched", {}),
    ]);
    expect([...label.channels]).toEqual([]);
    expect(label.of("message").size + label.of("searched").size).toBe(0);
  });

  it("counts what was restored from when its operation expired, or from now", async () => {
    const { labels, now, pass } = arrive();
    const entries = [source("discord_channel", "22"), source("memory_fact", "f5@2"), source("docs", "aa")];
    const { label } = await restore(labels, operation("one", { expires_at: now() - 20_000 }), entries);
    await restore(labels, operation("two", { expires_at: now() + 900_000 }), entries);
    const left = (client: string) => {
      const label = labels.of(client);
      return [label.channels.size, label.of("fact").size, label.records().length];
    };
    expect([label.channels.size, left("two")]).toEqual([1, [1, 1, 1]]);
    pass(KEPT_MS - 20_000);
    expect(left("one")).toEqual([1, 1, 1]);
    pass(1);
    expect([left("one"), left("two")]).toEqual([
      [0, 0, 0],
      [1, 1, 1],
    ]);
    pass(20_000);
    expect(left("two")).toEqual([0, 0, 0]);
  });
});
