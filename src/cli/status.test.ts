import { describe, expect, it } from "vitest";
import type { Status } from "../domain/status.ts";
import { describeHistory, describeMissing, describeStatus } from "./status.ts";

const STATUS: Status = {
  ...{ version: "1.2.3", uptime_seconds: 5, clients: { rpc: 0, mcp: 0 } },
  discord: {
    state: "ready",
    servers: 1,
    gaps: 0,
    rate_limit_waits: 0,
    missing_commands: [],
    lacks_archives: false,
    rate_limit_waited_seconds: 0,
    events: 0,
    requests: 0,
  },
  calls: { total: 0, failed: 0, milliseconds: 0 },
  memory: { resident_bytes: 0, heap_bytes: 0 },
  messages: {
    ...{ channels: 0, held: 0, bytes: 0, servers_read: 1, channels_unread: 0 },
    ...{ archives_unlisted: 0, reading_paused_until: null },
    ...{ unconfirmed: 0, unconfirmed_since: null, erase_at: null },
  },
  disk: { slow_writes: 0, slowest_write_ms: 0 },
  documents: { folders: 0, unreadable: 0, files: 0, passages: 0, skipped: {} },
  storage: [],
  model: null,
  profiles: null,
};

const lineOf = (model: Status["model"]) => describeStatus({ ...STATUS, model }).find((line) => /Model/.test(line));

describe("the status in words", () => {
  it("says what of the history is still to be read, and until when reading is paused", () => {
    const messages = {
      ...STATUS.messages,
      ...{ servers_read: 0, channels_unread: 3, archives_unlisted: 1 },
      reading_paused_until: "2026-11-16T10:03:20.000Z",
    };
    expect(describeHistory({ ...STATUS, messages })).toBe(
      "read back as far as memory allows in 0 of 1 server; still reading 3 channels; archived threads of 1 channel not listed yet; paused until 2026-11-16T10:03Z because Discord does not answer, or asked to wait",
    );
  });

  it("says that writes are slow, and nothing of fast ones", () => {
    const writesLine = (disk: Status["disk"]) =>
      describeStatus({ ...STATUS, disk }).find((line) => /Writes/.test(line));
    expect(writesLine(STATUS.disk)).toBeUndefined();
    expect(writesLine({ slow_writes: 12, slowest_write_ms: 1_340 })).toBe(
      "  Writes        slow: 12 writes took long since the start, the slowest 1,340 ms; answers wait for them",
    );
  });

  it("names the commands that Discord does not show, one line per reason", () => {
    const since = "2026-11-18T10:20:30.000Z";
    const outage = { since, reason: "Discord does not answer (status 503); try again later.", refused: false };
    const refusal = { since, reason: "Discord refuses it (status 400: name: Too long.)", refused: true };
    const missing = [
      { name: "/find", ...outage },
      { name: "/tide", ...refusal },
      { name: "/memory", ...outage },
    ];
    expect(describeMissing({ ...STATUS.discord, missing_commands: missing })).toEqual([
      "Discord does not show /find, /memory since 2026-11-18T10:20Z, trying again: Discord does not answer (status 503)",
      "Discord does not show /tide since 2026-11-18T10:20Z, not tried again before the next start: Discord refuses it (status 400: name: Too long.)",
    ]);
  });

  it("says what is held of documents, and what was left out, where there are any", () => {
    const lines = (documents: Status["documents"]) =>
      describeStatus({ ...STATUS, documents }).filter((line) => /Documents/.test(line));
    expect(lines(STATUS.documents)).toEqual([]);
    const skipped = { link: 2, not_text: 1 };
    expect(lines({ folders: 3, unreadable: 1, files: 12, passages: 1_080, skipped })).toEqual([
      "  Documents     12 files of 3 folders, 1,080 passages; 1 folder cannot be read; 3 left out (link: 2, not text: 1)",
    ]);
  });

  it("says what the model used today and since the start", () => {
    const today = { input_tokens: 12_345, output_tokens: 678, cost: null };
    const since = { input_tokens: 1, output_tokens: 0, cost: null };
    expect(lineOf({ today, since_start: since, last_failure: null })).toBe(
      "  Model         12,345 tokens in and 678 out today, 1 token in and 0 out since the start",
    );
  });

  it("says what that cost where prices are set, also less than a cent", () => {
    const today = { input_tokens: 12_345, output_tokens: 678, cost: 1_234.5 };
    const since = { input_tokens: 10, output_tokens: 2, cost: 0.00123 };
    expect(lineOf({ today, since_start: since, last_failure: null })).toBe(
      "  Model         12,345 tokens in and 678 out (cost 1,234.50) today, 10 tokens in and 2 out (cost 0.0012) since the start",
    );
  });

  it("says why the model gave no answer last", () => {
    const spent = { input_tokens: 0, output_tokens: 0, cost: null };
    const at = "2026-11-18T10:20:30.000Z";
    const linesOf = (status: number | null, reason: string) =>
      describeStatus({
        ...STATUS,
        model: { today: spent, since_start: spent, last_failure: { at, reason, status } },
      });
    expect(linesOf(401, "key_refused")).toContain(
      "                gave no answer at 2026-11-18T10:20Z (key refused, status 401), and none since; see earshot doctor",
    );
    expect(linesOf(null, "unreachable").join("\n")).toContain("(unreachable)");
  });

  it("says how often the profile service was asked, where there is one", () => {
    const profileLine = (profiles: Status["profiles"]) =>
      describeStatus({ ...STATUS, profiles }).find((line) => /Profiles/.test(line));
    expect(profileLine({ requests: 1_200, failures: 3, cached: 40 })).toBe(
      "  Profiles      1,200 requests to the service since the start, 3 failed; 40 cached",
    );
    expect(profileLine(null)).toBeUndefined();
  });

  it("says nothing of a model where none is configured", () => {
    expect(lineOf(null)).toBeUndefined();
  });
});
