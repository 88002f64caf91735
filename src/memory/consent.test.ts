import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openTestDatabase } from "../../test/support/test-database.ts";
import { EarshotError } from "../domain/errors.ts";
import type { UserId } from "../domain/ids.ts";
import type { ConsentChange } from "../ports/consent.ts";
import type { OptOutStore } from "../ports/opt-out-store.ts";
import { createOptOutStore } from "../stores/opt-out-store.ts";
import { openConsent } from "./consent.ts";
import { deriveMark } from "./key-ring.ts";

const [ANN, BO, HOOK] = ["3001", "3002", "3003"] as UserId[] as [UserId, UserId, UserId];
const KEY = new Uint8Array(32).fill(7);

async function arrive(wrap: (store: OptOutStore) => OptOutStore = (store) => store) {
  const folder = mkdtempSync(join(tmpdir(), "earshot-consent-"));
  const file = join(folder, "earshot.db");
  let database = await openTestDatabase(file);
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
  const clock = { at: 1_000_000, now: () => clock.at };
  const markOf = (id: UserId) => deriveMark(KEY, id);
  const open = () => openConsent({ store: wrap(createOptOutStore(database)), markOf, byOperator: [HOOK], clock });
  return {
    clock,
    consent: await open(),
    async reopen() {
      database.close();
      database = await openTestDatabase(file);
      return open();
    },
    stored: () => createOptOutStore(database).load(),
  };
}

const BROKEN = new EarshotError(
  "unavailable",
  "The database cannot be written: the disk is full. Free some space, then try again.",
);

describe("consent", () => {
  it("leaves out those who asked for it, also after a restart, and nobody else", async () => {
    const { consent, reopen } = await arrive();
    await consent.leaveOut(ANN);
    for (const each of [consent, await reopen()])
      expect([each.isLeftOut(ANN), each.isLeftOut(BO), each.stateOf(ANN), each.stateOf(BO)]).toEqual([
        true,
        false,
        "left_out",
        "included",
      ]);
  });

  it("stores no id, only a keyed hash", async () => {
    const { consent, stored } = await arrive();
    await consent.leaveOut(ANN);
    expect(await stored()).toEqual([deriveMark(KEY, ANN)]);
    expect(JSON.stringify(await stored())).not.toContain(ANN);
  });

  it("includes somebody again, also after a restart", async () => {
    const { consent, reopen } = await arrive();
    await consent.leaveOut(ANN);
    await consent.include(ANN);
    expect([consent.isLeftOut(ANN), (await reopen()).isLeftOut(ANN)]).toEqual([false, false]);
  });

  it("keeps out those whom the operator leaves out, whatever they ask for themselves", async () => {
    const { consent } = await arrive();
    await consent.leaveOut(HOOK);
    await consent.include(HOOK);
    expect([consent.isLeftOut(HOOK), consent.stateOf(HOOK)]).toEqual([true, "left_out_by_operator"]);
  });

  it("tells listeners of every change once, and not after they stopped", async () => {
    const { consent } = await arrive();
    const heard: ConsentChange[] = [];
    const stop = consent.listen((change) => heard.push(change));
    await consent.leaveOut(ANN);
    await consent.leaveOut(ANN);
    await consent.leaveOut(HOOK);
    await consent.include(ANN);
    stop();
    await consent.leaveOut(BO);
    expect(heard).toEqual([
      { userId: ANN, isLeftOut: true },
      { userId: ANN, isLeftOut: false },
    ]);
  });

  it("takes effect before it is stored, and stays in effect when it cannot be stored", async () => {
    const { consent } = await arrive((store) => ({ ...store, add: () => Promise.reject(BROKEN) }));
    const leaving = consent.leaveOut(ANN);
    expect(consent.isLeftOut(ANN)).toBe(true);
    await expect(leaving).rejects.toThrow(BROKEN);
    expect(consent.isLeftOut(ANN)).toBe(true);
  });

  it("keeps somebody left out when it cannot be stored that they are included again", async () => {
    const { consent } = await arrive((store) => ({ ...store, remove: () => Promise.reject(BROKEN) }));
    await consent.leaveOut(ANN);
    await expect(consent.include(ANN)).rejects.toThrow(BROKEN);
    expect(consent.isLeftOut(ANN)).toBe(true);
  });

  it("includes somebody again at most once in ten minutes, because everything has to be read again for it", async () => {
    const { consent, clock } = await arrive();
    await consent.leaveOut(ANN);
    await consent.include(ANN);
    await consent.leaveOut(ANN);
    await expect(consent.include(ANN)).rejects.toMatchObject({ code: "rate_limited", retryAfter: 600 });
    expect(consent.isLeftOut(ANN)).toBe(true);
    clock.at += 600_000;
    await consent.include(ANN);
    expect(consent.isLeftOut(ANN)).toBe(false);
  });

  it("ends in the state that was asked for last when requests overlap", async () => {
    const { consent, reopen, clock } = await arrive();
    await consent.leaveOut(ANN);
    await Promise.all([consent.include(ANN), consent.leaveOut(ANN)]);
    expect(consent.isLeftOut(ANN)).toBe(true);
    clock.at += 600_000;
    await Promise.all([consent.leaveOut(ANN), consent.include(ANN)]);
    expect([consent.isLeftOut(ANN), (await reopen()).isLeftOut(ANN)]).toEqual([false, false]);
  });

  it("hears whom the operator leaves out from now on, and tells only of those for whom the answer changes", async () => {
    const { consent } = await arrive();
    await consent.leaveOut(ANN);
    const changes: ConsentChange[] = [];
    consent.listen((change) => void changes.push(change));
    consent.leaveOutByOperator([ANN, BO]);
    expect([HOOK, ANN, BO].map((id) => consent.stateOf(id))).toEqual([
      "included",
      "left_out_by_operator",
      "left_out_by_operator",
    ]);
    expect(changes).toEqual([
      { userId: BO, isLeftOut: true },
      { userId: HOOK, isLeftOut: false },
    ]);
    expect(consent.isMarkLeftOut(deriveMark(KEY, BO))).toBe(true);
    consent.leaveOutByOperator([]);
    expect([ANN, BO].map((id) => consent.stateOf(id))).toEqual(["left_out", "included"]);
  });
});
