import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAuditCommand } from "../../src/cli/audit.ts";
import type { Config } from "../../src/config/config.ts";
import { verifyAudit } from "../../src/policy/verify-audit.ts";
import type { AuditReader } from "../../src/ports/audit-reader.ts";
import type { AuditEntry } from "../../src/ports/audit-store.ts";
import { toShown } from "../../src/ports/packed-reads.ts";
import { createAuditStore } from "../../src/stores/audit-store.ts";
import { openTestDatabaseToRead } from "../support/test-database.ts";
import { aConfirmation, aDecision, anEvent, anOperation, aSource } from "./entries.ts";
import { emptyFolder, KEY, openTestAudit, quiet } from "./open-test-audit.ts";

/** Over the file of a running program. */
async function arrive(entries: readonly AuditEntry[], names: ReadonlyMap<string, string> = new Map()) {
  const file = join(emptyFolder(), "earshot.db");
  const { keep, close, database, audit } = await openTestAudit(file);
  onTestFinished(close);
  await keep(entries);
  const openReader = async (): Promise<AuditReader> => {
    const reading = await openTestDatabaseToRead(file);
    const store = createAuditStore(reading);
    return {
      latest: (limit, filter) => store.latest(limit, filter),
      operation: (id) => store.operation(id),
      housekeeping: (limit) => store.housekeeping(limit),
      erasedReads: (id) => store.erasedReads(id),
      erasedOperations: () => store.erasedOperations(),
      restores: async () => [],
      verify: (head) => verifyAudit(store, head === undefined ? { key: KEY } : { key: KEY, head }),
      close: () => reading.close(),
    };
  };
  const askNames = async () => names;
  const command = createAuditCommand({ openReader, askNames });
  const run = async (positionals: string[], values: Record<string, string | boolean> = {}) => {
    const lines: string[] = [];
    const context = {
      config: { timeZone: "UTC" } as Config,
      log: quiet,
      signal: new AbortController().signal,
      self: "npx earshot",
      origin: { file: null, folder: "", variables: [] },
      readConfig: async () => ({ timeZone: "UTC" }) as Config,
      onReload() {},
      elapsedMs: () => 0,
      isTerminal: false,
      print: (line: string) => void lines.push(line),
      note() {},
      ask: async () => null,
    };
    const code = await command.run({ positionals, values }, context);
    return { code, lines, text: lines.join("\n") };
  };
  return { run, database, audit };
}

/** Without the line breaks that keep lines short. */
const unwrapped = (text: string) => text.replaceAll(/\s+/g, " ");

const STORY: readonly AuditEntry[] = [
  anOperation({ opened_at: 0, expires_at: 900_000, message_id: "100", parent_message_id: "99" }),
  aSource({ source_ref: "7/0" }, { target: "channel:7" }),
  ...Array.from({ length: 11 }, (_, index) => aSource({ source_ref: `7/${index + 1}` })),
  aDecision({
    id: "decision-2",
    effect: "read",
    target: "channel:8",
    allowed: false,
    failed_check: "disclose",
    reason: "not_for_everyone_there",
  }),
  aDecision({
    id: "decision-3",
    effect: "read",
    target: "channel:8",
    allowed: false,
    failed_check: "disclose",
    reason: "not_for_everyone_there",
  }),
  aConfirmation(),
  anEvent({ name: "confirmed", detail_json: '{"confirmation_id":"confirmation-1"}', happened_at: 60_000 }),
  anEvent({ name: "effect_begun", detail_json: '{"tool":"discord.send","target":"channel:8"}', happened_at: 61_000 }),
  anEvent({ name: "effect_done", detail_json: '{"message_ids":["555"]}', happened_at: 62_000 }),
];

describe("earshot audit", () => {
  it("prints one operation from start to end", async () => {
    const { run } = await arrive(STORY);
    const { code, lines } = await run(["operation-1"]);
    expect(code).toBe(0);
    expect(lines).toEqual([
      "Operation operation-1",
      "  asked by     11, with message 100 in reply to 99",
      "  in           channel 7 of server 5",
      "  client       brain",
      "  purpose      answer",
      "  answer for   all who see channel 7",
      "  opened       1970-01-01 00:00:00Z, until 1970-01-01 00:15:00Z",
      "",
      "Read",
      "  1970-01-01 00:00:01Z  12 messages of channel 7 by discord.channel.messages, 144 tokens",
      "                        allowed to read channel:7: all checks passed (decision decision-1)",
      "",
      "Refused",
      "  1970-01-01 00:00:01Z  discord.channel.messages wanted to read channel:8 (2 times)",
      '                        the check "disclose" said no: not for everyone there',
      "",
      "Confirmations",
      "  1970-01-01 00:00:01Z  discord.send into 8 waited for 11: confirmed at 1970-01-01 00:01:00Z",
      "",
      "What happened",
      "  1970-01-01 00:01:00Z  confirmed: confirmation id confirmation-1",
      "  1970-01-01 00:01:01Z  effect begun: tool discord.send, target channel:8",
      '  1970-01-01 00:01:02Z  effect done: message ids ["555"]',
    ]);
  });

  it("leaves out empty sections of an operation and names what is missing", async () => {
    const { run } = await arrive([
      anOperation({ destination: "actor", guild_id: null, message_id: null }),
      aSource({ policy_decision_id: "gone" }),
      aConfirmation({ expires_at: 120_000 }),
      anEvent({ detail_json: "not json" }),
    ]);
    const { text } = await run(["operation-1"]);
    expect(text).toContain("the person who asked, alone");
    expect(text).toContain("direct messages, channel 7");
    expect(text).toContain("1 message of channel 7");
    expect(text).toContain("no decision gone is kept");
    expect(unwrapped(text)).toContain("nobody decided; it was open until 1970-01-01 00:02:00Z");
    expect(text).toContain("confirmed: detail not json");
    expect(text).not.toContain("Refused");
  });

  it("escapes control characters and line breaks in stored text", async () => {
    const evil = "a\u001b[2J\nOperation forged\u202e";
    const { run } = await arrive([
      anOperation({ client: evil }),
      aDecision({ allowed: false, reason: evil, target: evil }),
      aSource({ scope_id: evil, loaded_by: evil }),
      anEvent({ name: evil, detail_json: JSON.stringify({ [evil]: evil }) }),
    ]);
    for (const { lines, text } of [await run(["operation-1"]), await run([])]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to look for
      expect(text).not.toMatch(/[\u001b\u202e]/);
      expect(lines.filter((line) => line.includes("\n") || line.startsWith("Operation forged"))).toEqual([]);
      expect(text).toContain("⏎Operation forged");
    }
  });

  it("lists the latest operations", async () => {
    const many = Array.from({ length: 25 }, (_, index) => anOperation({ id: `operation-${index + 1}` }));
    const { run } = await arrive([...many, ...STORY.slice(1)]);
    const { code, lines } = await run([]);
    expect(code).toBe(0);
    expect(lines).toHaveLength(2 * 20);
    expect(lines.slice(0, 2)).toEqual([
      "1970-01-01 00:00:01Z  operation-25  read nothing",
      "    11 in 7, via brain, to answer",
    ]);
    const all = await run([], { limit: "100" });
    expect(all.lines).toHaveLength(2 * 25);
    expect(all.lines.at(-2)).toBe("1970-01-01 00:00:01Z  operation-1  read 12 sources, 2 refusals");
    for (const limit of ["0", "x", "-1", "1e9"])
      await expect(run([], { limit })).rejects.toMatchObject({ code: "invalid" });
  });

  it("shows names beside ids, in lines of at most 100 columns", async () => {
    const [sarah, general, guild] = ["1028328909302661120", "1028328909520764928", "1028328909445267456"];
    const names = new Map([
      [sarah, "Sarah of the outer pontoon, who counts the turtles"],
      [general, "#general"],
      [guild, "Harbour\u001b[2Jside"],
    ]);
    const operation = { actor_id: sarah, channel_id: general, guild_id: guild };
    const { run } = await arrive(
      [
        anOperation({ ...operation, destination: general }),
        aDecision({ effect: "read", allowed: false, reason: "actor_cannot_read", target: `channel:${general}` }),
        aSource({ scope_id: general }),
      ],
      names,
    );
    const told = await run(["operation-1"]);
    for (const { lines } of [await run([]), told])
      for (const line of lines) {
        expect(line.length, line).toBeLessThanOrEqual(100);
        expect(line).not.toContain("\u001b");
      }
    expect((await run([])).text).toContain('"Sarah of the outer pontoon, who counts the turtles"');
    expect(told.text).toContain(`channel #general (${general})`);
    expect(unwrapped(told.text)).toContain(`wanted to read #general (${general})`);
  });

  it("lists only what was asked for: of one person, with one tool, refused, since a time", async () => {
    const { run } = await arrive([
      anOperation({ id: "a", actor_id: "11", opened_at: 0 }),
      aDecision({ operation_id: "a", tool: "search_messages" }),
      anOperation({ id: "b", actor_id: "12", opened_at: 86_400_000 }),
      aDecision({ operation_id: "b", id: "decision-2", allowed: false, reason: "actor_cannot_read" }),
    ]);
    const ids = async (values: Record<string, string | boolean>) =>
      (JSON.parse((await run([], { ...values, json: true })).text) as { operation: { id: string } }[]).map(
        ({ operation }) => operation.id,
      );
    expect(await ids({})).toEqual(["b", "a"]);
    expect(await ids({ person: "11" })).toEqual(["a"]);
    expect(await ids({ tool: "search_messages" })).toEqual(["a"]);
    expect(await ids({ refused: true })).toEqual(["b"]);
    expect(await ids({ since: "1970-01-02" })).toEqual(["b"]);
    expect(await ids({ since: "1970-01-01", person: "11", refused: true })).toEqual([]);
    expect((await run([], { person: "13" })).lines).toEqual(["No operations that are kept match."]);
    await expect(run([], { since: "whenever" })).rejects.toMatchObject({ code: "invalid" });
    await expect(run(["a"], { refused: true })).rejects.toMatchObject({ code: "invalid" });
  });

  it("reports when no operations are stored or the id is unknown, and rejects invalid arguments", async () => {
    const { run } = await arrive([]);
    expect((await run([])).lines).toEqual(["No operations have been kept."]);
    await expect(run(["operation-1"])).rejects.toMatchObject({ code: "not_found" });
    await expect(run(["a", "b"])).rejects.toMatchObject({ code: "invalid" });
    await expect(run(["a"], { head: "b" })).rejects.toMatchObject({ code: "invalid" });
  });

  it("verifies the chain while the program runs", async () => {
    const { run, database } = await arrive(STORY);
    const { code, lines } = await run(["verify"]);
    expect(code).toBe(0);
    expect(lines[0]).toBe(`✓ the chain is whole: ${STORY.length} rows`);
    const head = /head ([0-9a-f]{64})$/.exec(lines[1] ?? "")?.[1] ?? "";
    expect((await run(["verify"], { head })).code).toBe(0);
    expect((await run(["verify"], { head: head.toUpperCase() })).code).toBe(0);
    const another = await run(["verify"], { head: "0".repeat(64) });
    expect([another.code, another.text]).toEqual([1, expect.stringContaining("The head that was noted is not in")]);
    for (const head of ["abc", "00", "", "g".repeat(64), "0".repeat(65)])
      await expect(run(["verify"], { head }), head).rejects.toMatchObject({ code: "invalid" });
    await database.transaction((change) => change.run("UPDATE operations SET actor_id = '12'"));
    const broken = await run(["verify"]);
    expect(broken).toMatchObject({
      code: 1,
      lines: ["✗ the chain is broken at 1: What stands there is not what was written."],
    });
  });

  it("lists when rows were thinned and pruned", async () => {
    const { run, audit } = await arrive(STORY);
    const bound = { maxBytes: 1, confined: { clients: [], keptMs: 0 } };
    // The operation is open until 00:15:00, so it is not thinned; the clock stands at 00:00:50.
    expect(await audit.thin(bound)).toMatchObject({ rows: 0 });
    for (const entry of [anOperation({ id: "operation-2" }), aSource({ operation_id: "operation-2" })])
      audit.note(entry);
    await audit.settled();
    expect(await audit.thin(bound)).toMatchObject({ rows: 2, clients: ["brain"] });
    const { lines } = await run([]);
    expect(lines.slice(2)).toEqual([
      "",
      "Besides operations, newest first",
      "  1970-01-01 00:00:50Z  thinned to save room, via brain: operations that only read, 1 row in all",
      "  1970-01-01 00:00:50Z  thinned to save room, via brain: rows of reads, 1 row in all",
    ]);
    expect((await run(["verify"])).lines[0]).toBe(
      `✓ the chain is whole: ${STORY.length + 2} rows, and 2 thinned to save room`,
    );
    await audit.prune(2_000_000);
    expect((await run([])).text).toContain("pruned: everything before 1970-01-01 00:33:20Z");
  });

  it("prints how many read rows of an operation were erased, and prints unaffected operations unchanged", async () => {
    const ended = { opened_at: 0, expires_at: 40_000 };
    const others = [anOperation({ id: "operation-2", ...ended }), anEvent({ operation_id: "operation-2" })];
    const { run, audit } = await arrive([anOperation(ended), ...STORY.slice(1), ...others]);
    const untouched = await run(["operation-2"]);
    await audit.thin({ maxBytes: 1, confined: { clients: [], keptMs: 0 } });
    const { code, lines, text } = await run(["operation-1"]);
    expect(code).toBe(0);
    expect(lines.slice(7, 11)).toEqual([
      "",
      "Read",
      "  1970-01-01 00:00:50Z  12 rows of reads were erased to save room: not everything read is told here",
      "",
    ]);
    expect(text).toContain("Refused");
    // It stands between thinned rows, and lost none.
    expect(await run(["operation-2"])).toEqual(untouched);
    expect((await run([])).lines[0]).toContain("read nothing");
    const entries = JSON.parse((await run(["operation-1"], { json: true })).text);
    expect(entries.at(-1)).toEqual({ kind: "erased_reads", row: { rows: 12, erasedAt: 50_000 } });
  });

  it("reports for an unknown operation whether it may have been pruned or thinned", async () => {
    const { run, audit } = await arrive(STORY);
    const ask = () =>
      run(["somebody"]).then(
        () => "told",
        (error: Error) => error.message,
      );
    expect(await ask()).toBe("There is no such operation, and none has ever been erased: check the id.");
    for (const entry of [anOperation({ id: "operation-2" }), aSource({ operation_id: "operation-2" })])
      audit.note(entry);
    await audit.settled();
    await audit.thin({ maxBytes: 1, confined: { clients: [], keptMs: 0 } });
    expect(await ask()).toBe(
      "No such operation is kept. It may have been erased: 1 operation with nothing but reads was erased to save room.",
    );
    await audit.prune(2_000_000);
    expect(await ask()).toBe(
      "No such operation is kept. It may have been erased: those that ended before 1970-01-01 00:33:20Z were pruned.",
    );
  });

  it("prints JSON with --json", async () => {
    const { run } = await arrive(STORY);
    const json = async (...positionals: string[]) => JSON.parse((await run(positionals, { json: true })).text);
    expect(await json("operation-1")).toEqual(STORY.flatMap(toShown));
    expect(await json()).toEqual([{ operation: STORY[0]?.row, sources: 12, refusals: 2, isThinned: false }]);
    expect(await json("verify")).toMatchObject({ ok: true, rows: STORY.length });
  });
});
