import { describe, expect, it } from "vitest";
import { listAudit } from "../../../test/support/audit.ts";
import { type Loaded, toReads } from "./audit-rows.ts";

const GENERAL = { type: "channel", id: "7" } as const;
const AUDIT = listAudit();
const message = (id: string, content: string, more: Partial<Loaded> = {}): Loaded => {
  return { type: "discord_message", ref: `7/${id}`, content, scope: GENERAL, decisionId: "d1", ...more };
};
const pack = (...loaded: readonly Loaded[]) => {
  const decisions = [
    { id: "d1", target: "channel:7", inputs: { roles: ["1"] } },
    { id: "d2", target: "channel:8", inputs: { roles: ["1"] } },
  ];
  return toReads(decisions, loaded, AUDIT);
};

describe("the row of a call's reads", () => {
  it("has one group for each decision, type and scope, and repeats nothing that they have in common", () => {
    const channel = message("", "general", { type: "discord_channel", ref: "7" });
    const other = message("", "ahoy", { ref: "8/104", scope: { type: "channel", id: "8" }, decisionId: "d2" });
    const row = pack(message("101", "the tide is in"), channel, message("102", "ahoy"), other);
    const type = "discord_message";
    expect(JSON.parse(row.reads_json)).toEqual({
      g1: {
        ...{
          decision: "d1",
          target: "channel:7",
          inputs: { roles: ["1"] },
          type,
          scope_type: "channel",
          scope_id: "7",
        },
        ...{ prefix: "7/10", sources: { 1: expect.any(Number), 2: expect.any(Number) } },
      },
      g2: {
        ...{ decision: "d1", type: "discord_channel", scope_type: "channel", scope_id: "7", prefix: "7" },
        sources: { "": expect.any(Number) },
      },
      g3: {
        ...{ decision: "d2", target: "channel:8", type, scope_type: "channel", scope_id: "8", prefix: "8/104" },
        sources: { "": expect.any(Number) },
      },
    });
  });

  it("holds a keyed hash of all texts, of the sealed form where there is one, and no text", () => {
    const [one, two] = [message("1", "the tide is in"), message("2", "ahoy")];
    const row = pack(one, two);
    expect(row.texts_hash).toBe(AUDIT.hash(JSON.stringify(["the tide is in", "ahoy"])).slice(0, 32));
    const rows = [row, pack(one), pack(two), pack(two, one), pack({ ...one, sealed: "x" })];
    expect(new Set(rows.map(({ texts_hash }) => texts_hash)).size).toBe(rows.length);
    expect(JSON.stringify(rows)).not.toMatch(/tide|ahoy/);
  });
});
