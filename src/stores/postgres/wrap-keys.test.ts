import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { admin, describeOnPostgres } from "../../../test/support/postgres.ts";
import { describeKeyStore } from "../key-store.suite.ts";
import { openPostgresKeys } from "./open-postgres.ts";
import { openWrappedKeys } from "./wrap-keys.ts";

let minted = 0;
const chance = { bytes: (count: number) => randomBytes(count), id: () => `store ${++minted}` };
const key = (byte: number) => new Uint8Array(32).fill(byte);

describeOnPostgres("wrapped keys", (schema) => {
  const open = async (secret = "a secret of the operator's") =>
    openWrappedKeys(await openPostgresKeys(schema.url), { secret, chance });
  const openEmpty = async () => {
    await schema.create();
    await admin("DELETE FROM store; DELETE FROM keys", schema.url).catch(() => {});
    return open();
  };

  describeKeyStore("PostgreSQL", async () => {
    let store = await openEmpty();
    return {
      canScrub: false,
      store,
      async reopen() {
        await store.close();
        store = await open();
        return store;
      },
      close: () => store.close(),
    };
  });

  describe("in the database", () => {
    it("are not what they seal with, and are refused with another secret, in one sentence", async () => {
      const store = await openEmpty();
      await store.add(new Map([["a", key(1)]]));
      await store.close();
      const [row] = await admin("SELECT name, key FROM keys", schema.url);
      expect(Buffer.from(row?.["key"] as Buffer).includes(Buffer.from(key(1)))).toBe(false);
      await expect(open("another secret")).rejects.toMatchObject({
        code: "misconfigured",
        message:
          "EARSHOT_KEYS_SECRET is not the secret with which the keys in the database were wrapped. Set that one.",
      });
      const again = await open();
      expect(await again.find(["a"])).toEqual(new Map([["a", key(1)]]));
      await again.close();
    });

    it("open nothing under another name, and nothing once a bit of them is altered", async () => {
      const store = await openEmpty();
      await store.add(new Map([["a", key(1)] as const, ["b", key(2)] as const]));
      await admin("UPDATE keys SET key = (SELECT key FROM keys WHERE name LIKE 'a%') WHERE name LIKE 'b%'", schema.url);
      await expect(store.find(["b"])).rejects.toMatchObject({ code: "unavailable" });
      await admin("UPDATE keys SET key = set_bit(key, 99, 1 - get_bit(key, 99)) WHERE name LIKE 'a%'", schema.url);
      await expect(store.find(["a"])).rejects.toMatchObject({ code: "unavailable" });
      await store.close();
    });
  });
});
