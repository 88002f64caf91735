import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { aConfirmation, aDecision, anEvent, anOperation, aSource } from "../../test/audit/entries.ts";
import { emptyFolder, KEY, openTestAudit } from "../../test/audit/open-test-audit.ts";
import type { AuditEntry } from "../ports/audit-store.ts";
import { verifyAudit } from "./verify-audit.ts";

const NOBODY_CONFINED = { clients: [], keptMs: 0 };

async function open() {
  const test = await openTestAudit(join(emptyFolder(), "earshot.db"));
  onTestFinished(() => test.close());
  const left = async (id: string) => (await test.store.operation(id)).map(({ kind }) => kind);
  return { ...test, left, verified: () => verifyAudit(test.store, { key: KEY }) };
}

/** An operation with this many reads, a refusal, a confirmation and a send. */
const story = (id: string, client: string, reads: number): AuditEntry[] => [
  anOperation({ id, client }),
  ...Array.from({ length: reads }, (_, index) => aSource({ operation_id: id, source_ref: `7/${index}` })),
  aDecision({ operation_id: id, allowed: false, failed_check: "see" }),
  aConfirmation({ operation_id: id }),
  anEvent({ operation_id: id, name: "send_done" }),
];
const KEPT = ["operation", "decision", "confirmation", "event"];

describe("an audit larger than its maximum size", () => {
  it("is thinned by erasing reads, and keeps refusals, confirmations and sends", async () => {
    const { audit, keep, left, verified } = await open();
    await keep([...story("one", "brain", 30), ...story("two", "brain", 30)]);
    expect(await audit.thin({ maxBytes: 1, confined: NOBODY_CONFINED })).toMatchObject({
      rows: 60,
      clients: ["brain"],
    });
    for (const id of ["one", "two"]) expect(await left(id)).toEqual(KEPT);
    expect(await verified()).toMatchObject({ ok: true, thinned: 60 });
  });

  it("is not thinned while it is small enough", async () => {
    const { audit, keep, left } = await open();
    await keep(story("one", "brain", 30));
    expect(await audit.thin({ maxBytes: 10_000_000, confined: NOBODY_CONFINED })).toMatchObject({ rows: 0 });
    expect(await left("one")).toHaveLength(34);
  });

  it("loses the oldest reads of the client that wrote most, and no more than needed", async () => {
    const { audit, store, keep, left, verified } = await open();
    const busy = Array.from({ length: 40 }, (_, index) => story(`busy-${index}`, "busy", 200)).flat();
    await keep([...story("quiet", "quiet", 200), ...busy]);
    const size = await store.size();
    const { rows, clients, bytes } = await audit.thin({ maxBytes: size - 1, confined: NOBODY_CONFINED });
    expect(clients).toEqual(["busy"]);
    expect(rows).toBeLessThan(8_000);
    expect(bytes).toBeLessThanOrEqual(size * 0.9);
    expect(await left("busy-0")).toEqual(KEPT);
    expect(await left("busy-39")).toHaveLength(204);
    expect(await left("quiet")).toHaveLength(204);
    expect(await verified()).toMatchObject({ ok: true, thinned: rows });
    expect(await store.housekeeping(1)).toMatchObject([{ name: "thinned" }]);
  });

  it("keeps open operations and recent reads of confined clients", async () => {
    const { audit, keep, left } = await open();
    const openStory = [anOperation({ id: "open", expires_at: 60_000 }), aSource({ operation_id: "open" })];
    await keep([...openStory, ...story("late", "confined", 5), ...story("late-too", "brain", 5)]);
    await audit.thin({ maxBytes: 1, confined: { clients: ["confined"], keptMs: 49_000 } });
    expect(await left("open")).toEqual(["operation", "source"]);
    expect(await left("late")).toHaveLength(9);
    expect(await left("late-too")).toEqual(KEPT);
  });

  it("can still be thinned, pruned and verified after a restart", async () => {
    const file = join(emptyFolder(), "earshot.db");
    const bound = { maxBytes: 1, confined: NOBODY_CONFINED };
    for (const round of [1, 2, 3]) {
      const { audit, store, keep, close } = await openTestAudit(file);
      await keep(story(`round-${round}`, "brain", 5));
      await audit.thin(bound);
      expect(await verifyAudit(store, { key: KEY })).toMatchObject({ ok: true, thinned: 5 * round });
      if (round === 3) {
        expect(await audit.prune(49_000)).toBe(9);
        expect(await verifyAudit(store, { key: KEY })).toMatchObject({ ok: true, thinned: 10 });
      }
      await close();
    }
  });
});
