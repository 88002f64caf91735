import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { admin } from "../../../test/support/admin.ts";
import { describeOnPostgres } from "../../../test/support/postgres.ts";
import type { Database } from "../database.ts";
import { describeKeyStore } from "../key-store.suite.ts";
import { openPostgresKeys } from "./open-postgres.ts";
import { openWrappedKeys, toWrappingSecret } from "./wrap-keys.ts";

let minted = 0;
const chance = { bytes: (count: number) => randomBytes(count), id: () => `store ${++minted}` };
const key = (byte: number) => new Uint8Array(32).fill(byte);

describeOnPostgres("wrapped keys", (schema) => {
  const own = toWrappingSecret("a secret of the operator's");
  let database: Database | null = null;
  const open = async (secret = own) => {
    database = await openPostgresKeys(schema.url);
    return openWrappedKeys(database, { secret, chance });
  };
  /** Connects only where the one before was closed. */
  const openEmpty = async () => {
    const isOpen = await database?.query("SELECT 1").catch(() => false);
    await schema.create();
    await admin("TRUNCATE store, keys", schema.url).catch(() => {});
    return isOpen && database ? openWrappedKeys(database, { secret: own, chance }) : open();
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
      close: async () => {},
    };
  });

  describe("in the database", () => {
    it("are not what they seal with, and are refused with another secret, in one sentence", async () => {
      const store = await openEmpty();
      await store.add(new Map([["a", key(1)]]));
      await store.close();
      const [row] = await admin("SELECT name, key FROM keys", schema.url);
      expect(Buffer.from(row?.["key"] as Buffer).includes(Buffer.from(key(1)))).toBe(false);
      await expect(open(toWrappingSecret("another secret"))).rejects.toMatchObject({
        code: "misconfigured",
        message:
          "EARSHOT_KEYS_SECRET is not the secret with which the keys in the database were wrapped. Set that one.",
      });
      const again = await open();
      expect(await again.find(["a"])).toEqual(new Map([["a", key(1)]]));
      await again.close();
    });

    it("are left in no memory but the caller's, who overwrites it", async () => {
      const store = await openEmpty();
      const secret = randomBytes(32);
      await store.add(new Map([["a", secret]]));
      const [found] = (await store.find(["a"])).values();
      expect(found).toEqual(new Uint8Array(secret));
      expect(found?.buffer.byteLength).toBe(secret.length);
      // Small buffers are parts of one that all share.
      expect(Buffer.from(Buffer.allocUnsafe(1).buffer).includes(secret)).toBe(false);
      await store.close();
    });

    it("open nothing under another name, and nothing once a bit of them is altered", async () => {
      const store = await openEmpty();
      await store.add(new Map([["a", key(1)] as const, ["b", key(2)] as const]));
      await admin("UPDATE keys SET key = (SELECT key FROM keys WHERE name LIKE 'a%') WHERE name LIKE 'b%'", schema.url);
      expect([...(await store.find(["a", "b"])).keys()]).toEqual(["a"]);
      await admin("UPDATE keys SET key = set_bit(key, 99, 1 - get_bit(key, 99)) WHERE name LIKE 'a%'", schema.url);
      expect(await store.find(["a"])).toEqual(new Map());
      await store.close();
    });
  });
});
