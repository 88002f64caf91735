import { expect, it, onTestFinished } from "vitest";
import { aDecision, anEvent, anOperation, aSource } from "../../../test/audit/entries.ts";
import { KEY, quiet } from "../../../test/audit/open-test-audit.ts";
import { describeOnPostgres, TestSchema } from "../../../test/support/postgres.ts";
import { openTcpProxy } from "../../../test/support/tcp-proxy.ts";
import { openAudit } from "../../policy/audit.ts";
import { verifyAudit } from "../../policy/verify-audit.ts";
import { createAuditStore } from "../audit-store.ts";
import { openPostgres } from "./open-postgres.ts";

describeOnPostgres("the audit on PostgreSQL", () => {
  async function open(options: { mostWaiting?: number } = {}) {
    const schema = await new TestSchema().create();
    let sent = "";
    const passes = (chunk: Buffer, isFromClient: boolean) => {
      if (isFromClient) sent += chunk.toString("latin1");
      return true;
    };
    const proxy = await openTcpProxy(() => schema.port, { passes });
    const database = await openPostgres(schema.through(proxy.port));
    const store = createAuditStore(database);
    const deps = { key: KEY, clock: { now: () => 50_000 }, log: quiet, mintId: () => "one", ...options };
    const audit = await openAudit(store, deps);
    onTestFinished(async () => {
      await audit.close();
      await database.close();
      proxy.close();
      await schema.drop();
    });
    const takeSent = () => {
      const text = sent;
      sent = "";
      return text;
    };
    return { audit, store, proxy, takeSent };
  }

  it("keeps the rows of a call in one round trip: everything is sent before the server says a word", async () => {
    const { audit, store, proxy, takeSent } = await open();
    // Connections are made, and statements prepared.
    audit.note(anOperation({ id: "before" }));
    await audit.settled();
    takeSent();
    const release = proxy.holdAnswers();
    const entries = [anOperation(), aDecision(), ...Array.from({ length: 50 }, () => aSource()), anEvent()];
    for (const entry of entries) audit.note(entry);
    let isKept = false;
    const kept = audit.settled().then(() => {
      isKept = true;
    });
    let text = "";
    await expect.poll(() => (text += takeSent())).toContain("COMMIT\0");
    expect(text.match(/COMMIT\0/g)).toHaveLength(1);
    expect(isKept).toBe(false);
    release();
    await kept;
    expect(takeSent()).toBe("");
    expect(await verifyAudit(store, { key: KEY })).toMatchObject({ ok: true, rows: entries.length + 1 });
  });

  it("refuses new requests while more than half of 20,000 rows wait for a database that is away, and keeps all of them later", async () => {
    const { audit, store, proxy } = await open();
    await proxy.cut();
    audit.note(anOperation());
    await expect(audit.settled()).rejects.toMatchObject({ code: "unavailable" });
    for (let index = 1; index < 10_000; index += 1) audit.note(aDecision({ id: `d${index}` }));
    expect(() => audit.note(anOperation({ id: "later" }))).toThrow(/cannot be reached/);
    // Requests that have begun still tell what was done.
    for (let index = 0; index < 10_000; index += 1) audit.note(anEvent({ detail_json: `${index}` }));
    await expect(audit.settled()).rejects.toMatchObject({ code: "unavailable" });
    await proxy.restore();
    await audit.settled();
    audit.note(anOperation({ id: "later" }));
    await audit.settled();
    expect(await verifyAudit(store, { key: KEY })).toMatchObject({ ok: true, rows: 20_001 });
  });
});
