import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createDataFolder } from "../../../test/support/data-folder.ts";
import { describeOnPostgres } from "../../../test/support/postgres.ts";
import { ADA } from "../../../test/support/small-world.ts";
import { openTcpProxy, type TcpProxy } from "../../../test/support/tcp-proxy.ts";
import type { ChannelId, UserId } from "../../domain/ids.ts";
import { openAudit } from "../../policy/audit.ts";
import { verifyAudit } from "../../policy/verify-audit.ts";
import { createAnswerStore } from "../answer-store.ts";
import { createAuditStore } from "../audit-store.ts";
import { createSignInStore } from "../sign-in-store.ts";
import { openPostgres } from "./open-postgres.ts";

const KEY = new Uint8Array(32).fill(7);
const QUIET = { debug() {}, info() {}, warn() {}, error() {} } as never;
const WRITERS = 8;
const QUESTIONS = ["q0", "q1", "q2"];
const DEPS = { key: KEY, log: QUIET, clock: { now: () => 1 }, mintId: () => "one" };

const anyStep = fc.record({
  writer: fc.nat(WRITERS - 1),
  what: fc.constantFrom("claim", "again", "consume", "note", "note"),
  question: fc.constantFrom(...QUESTIONS),
  pauseMs: fc.nat(6),
});
/** When all connections are lost, and for how long. */
const anyCut = fc.record({ afterMs: fc.nat(60), forMs: fc.nat(40) });
const anyCuts = fc.array(anyCut, { maxLength: 3 });

async function loseConnections(
  proxy: TcpProxy,
  cuts: readonly { readonly afterMs: number; readonly forMs: number }[],
): Promise<void> {
  for (const { afterMs, forMs } of cuts) {
    await wait(afterMs);
    await proxy.cut();
    await wait(forMs);
    await proxy.restore();
  }
}

describeOnPostgres("eight writers whose connections are lost at any moment", (schema) => {
  it("double nothing, lose nothing that was confirmed, claim each question once, and leave an audit that verifies", async () => {
    await schema.create();
    const property = fc.asyncProperty(
      fc.array(anyStep, { minLength: 20, maxLength: 60 }),
      anyCuts,
      async (steps, cuts) => {
        await schema.emptyDatabase();
        await schema.closeDatabase();
        const proxy = await openTcpProxy(() => schema.port);
        const database = await openPostgres(schema.through(proxy.port));
        const [answers, store] = [createAnswerStore(database), createAuditStore(database)];
        const audit = await openAudit(store, DEPS);
        const signIns = createSignInStore(database);
        const token = { kind: "refresh", signInId: "s", payload: "{}", expiresAt: 9, consumedAt: null } as const;
        const about = { id: "s", personId: "2" as UserId, clientId: "c", program: "p", redirectHost: "h", allowed: [] };
        await signIns.add({ ...about, createdAt: 1, usedAt: 1, expiresAt: null });
        for (const hash of QUESTIONS) await signIns.addToken({ ...token, hash }, 1);
        const won = new Map(QUESTIONS.map((id) => [id, 0]));
        const consumed = new Map(QUESTIONS.map((id) => [id, 0]));
        const again = new Map(QUESTIONS.map((id) => [id, { kept: 0, unknown: 0 }]));
        const settled = new Set<string>();
        const run = async ({ what, question, pauseMs }: (typeof steps)[number], name: string) => {
          await wait(pauseMs);
          if (what === "claim") {
            const claim = { questionId: question, channelId: "1" as ChannelId, actorId: "2" as UserId };
            const isWon = await answers.claim({ ...claim, operationId: name, claimedAt: 1 });
            if (isWon) won.set(question, (won.get(question) ?? 0) + 1);
          } else if (what === "consume") {
            if (await signIns.consume(question, 2)) consumed.set(question, (consumed.get(question) ?? 0) + 1);
          } else if (what === "again") {
            const counts = again.get(question) ?? { kept: 0, unknown: 0 };
            counts.unknown += 1;
            const job = await answers.find(question);
            const isBegun = job && (await answers.claimAgain(job, 1));
            counts.unknown -= 1;
            if (isBegun) counts.kept += 1;
          } else {
            audit.note({ kind: "event", row: { operation_id: "", name, detail_json: "{}", happened_at: 1 } });
            await audit.settled();
            settled.add(name);
          }
        };
        const writers = Array.from({ length: WRITERS }, async (_, writer) => {
          for (const [index, step] of steps.entries())
            if (step.writer === writer) await run(step, `${index}`).catch(() => {});
        });
        await Promise.all([...writers, loseConnections(proxy, cuts)]);
        await audit.settled();
        await audit.close();
        await database.close();
        proxy.close();
        // As after a restart.
        const later = await schema.reopen();
        const [kept, events] = [createAnswerStore(later), await createAuditStore(later).housekeeping(1_000)];
        for (const id of QUESTIONS) {
          const claim = await kept.find(id);
          expect(won.get(id)).toBeLessThanOrEqual(1);
          expect(consumed.get(id)).toBeLessThanOrEqual(1);
          if (consumed.get(id) === 1) expect((await createSignInStore(later).token(id))?.consumedAt).toBe(2);
          if (won.get(id) === 1) expect(claim).not.toBeNull();
          const { kept: sure, unknown } = again.get(id) ?? { kept: 0, unknown: 0 };
          expect((claim?.attempts ?? 1) - 1).toBeGreaterThanOrEqual(sure);
          expect((claim?.attempts ?? 1) - 1).toBeLessThanOrEqual(sure + unknown);
        }
        const names = events.map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
        for (const name of settled) expect(names).toContain(name);
        expect(names).toHaveLength(steps.filter(({ what }) => what === "note").length);
        expect(await verifyAudit(createAuditStore(later), { key: KEY })).toMatchObject({
          ok: true,
          rows: names.length,
        });
      },
    );
    await fc.assert(property, { numRuns: 15, endOnFailure: true });
  });

  it("leave of facts that replace each other the last that was confirmed, or one of which nobody can know", async () => {
    await schema.create();
    const anyFact = fc.record({ writer: fc.nat(WRITERS - 1), pauseMs: fc.nat(20) });
    const property = fc.asyncProperty(
      fc.array(anyFact, { minLength: 4, maxLength: 16 }),
      anyCuts,
      async (facts, cuts) => {
        await schema.emptyDatabase();
        await schema.closeDatabase();
        const proxy = await openTcpProxy(() => schema.port);
        const [url, secret] = [schema.through(proxy.port), "a secret of the operator's"];
        const folder = createDataFolder({ EARSHOT_DATABASE_URL: url, EARSHOT_KEYS_SECRET: secret });
        const { remember, close } = await folder.start();
        const confirmed: string[] = [];
        const unknown = new Set<string>();
        const writers = Array.from({ length: WRITERS }, async (_, writer) => {
          for (const [index, { pauseMs, writer: own }] of facts.entries()) {
            if (own !== writer) continue;
            await wait(pauseMs);
            const value = `city ${index}`;
            await remember(ADA, ["city", value]).then(
              () => confirmed.push(value),
              () => unknown.add(value),
            );
          }
        });
        await Promise.all([...writers, loseConnections(proxy, cuts)]);
        await close();
        const later = await folder.start();
        const kept = (await later.own.list(ADA as UserId)).map(({ fact }) => String(fact.value));
        await later.close();
        proxy.close();
        folder.remove();
        expect(kept.length).toBeLessThanOrEqual(1);
        if (confirmed.length > 0) expect(kept).toHaveLength(1);
        for (const value of kept) if (!unknown.has(value)) expect(value).toBe(confirmed.at(-1));
      },
    );
    await fc.assert(property, { numRuns: 8, endOnFailure: true });
  });
});
