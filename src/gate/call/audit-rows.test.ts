import { describe, expect, it } from "vitest";
import { listAudit } from "../../../test/support/audit.ts";
import { type Loaded, toReadsRow } from "./audit-rows.ts";

const GENERAL = { type: "channel", id: "7" } as const;
const CALL = { operation: { id: "one" }, tool: "search_messages", now: 1_200, audit: listAudit() };
const message = (id: string, content: string, more: Partial<Loaded> = {}) => {
  return { id: `s${id}`, type: "discord_message", ref: `7/${id}`, content, scope: GENERAL, decisionId: "d1", ...more };
};
const pack = (loaded: readonly (Loaded & { readonly id: string })[]) => {
  const decisions = [
    { id: "d1", target: "channel:7", inputs: { roles: ["1"] } },
    { id: "d2", target: "channel:8", inputs: { roles: ["1"] } },
  ];
  return JSON.parse(toReadsRow({ decisions, loaded }, CALL).reads_json);
};

describe("the row of a call's reads", () => {
  it("has one group for each decision, type and scope, and repeats nothing that they have in common", () => {
    const channel = message("3", "general", { type: "discord_channel", ref: "7" });
    const other = message("4", "ahoy", { ref: "8/4", scope: { type: "channel", id: "8" }, decisionId: "d2" });
    const group = { scope_type: "channel", hash: expect.stringMatching(/^[0-9a-f]{32}$/) };
    expect(pack([message("1", "the tide is in"), channel, message("2", "ahoy"), other])).toEqual({
      g1: {
        ...{ decision: "d1", target: "channel:7", inputs: { roles: ["1"] }, type: "discord_message", scope_id: "7" },
        ...{ ...group, prefix: "7/", sources: { s1: ["1", expect.any(Number)], s2: ["2", expect.any(Number)] } },
      },
      g2: {
        decision: "d1",
        type: "discord_channel",
        scope_id: "7",
        ...group,
        prefix: "",
        sources: { s3: ["7", expect.any(Number)] },
      },
      g3: {
        ...{ decision: "d2", target: "channel:8", type: "discord_message", scope_id: "8", ...group, prefix: "8/" },
        sources: { s4: ["4", expect.any(Number)] },
      },
    });
  });

  it("holds a keyed hash of all texts of a group, of the sealed form where there is one, and no text", () => {
    const hashOf = (...loaded: Parameters<typeof pack>[0]) => pack(loaded).g1.hash;
    const [one, two] = [message("1", "the tide is in"), message("2", "ahoy")];
    expect(hashOf(one, two)).toBe(CALL.audit.hash(JSON.stringify(["the tide is in", "ahoy"])).slice(0, 32));
    const hashes = [hashOf(one), hashOf(two), hashOf(one, two), hashOf(two, one), hashOf({ ...one, sealed: "x" })];
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(JSON.stringify(pack([one, two]))).not.toMatch(/tide|ahoy/);
  });
});
