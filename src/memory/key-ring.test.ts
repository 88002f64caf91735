import { describe, expect, it } from "vitest";
import { failure, override } from "../../test/support/failing-stores.ts";
import { VaultFolder } from "../../test/support/vault-folder.ts";
import { KeyRing } from "./key-ring.ts";

const key = (byte: number) => new Uint8Array(32).fill(byte);

describe("a key ring", () => {
  it("gives the keys that exist, and asks the store once for each", async () => {
    const { keys } = await new VaultFolder().openStores();
    const asked: string[] = [];
    const watched = override(keys, {
      find: (names) => {
        asked.push(...names);
        return keys.find(names);
      },
    });
    await keys.add(new Map([["a", key(1)] as const, ["b", key(2)] as const]));
    const ring = new KeyRing(watched);
    const use = (...names: string[]) => ring.use(names, (found) => [...found.keys()].sort());
    expect(await use("a", "nobody")).toEqual(["a"]);
    expect(await use("b", "a", "b")).toEqual(["a", "b"]);
    await ring.add("c", key(3));
    expect(await use("a", "b", "c")).toEqual(["a", "b", "c"]);
    expect(asked).toEqual(["a", "nobody", "b", "b"]);
  });

  it("overwrites a cached key when it is deleted", async () => {
    const { keys } = await new VaultFolder().openStores();
    const ring = new KeyRing(keys);
    const added = key(1);
    await ring.add("a", added);
    await keys.add(new Map([["b", key(2)]]));
    const read = await ring.use(["b"], (found) => found.get("b"));
    expect(read).toEqual(key(2));
    await ring.delete(["a", "b"]);
    expect(added).toEqual(key(0));
    expect(read).toEqual(key(0));
    expect(await ring.use(["a", "b"], (found) => found.size)).toBe(0);
  });

  it("forgets a cached key even when the store fails to delete it", async () => {
    const { keys } = await new VaultFolder().openStores();
    const failing = override(keys, {
      delete: async (names) => {
        await keys.delete(names);
        throw failure();
      },
    });
    const ring = new KeyRing(failing);
    await ring.add("a", key(1));
    await expect(ring.delete(["a"])).rejects.toMatchObject({ code: "unavailable" });
    expect(await ring.use(["a"], (found) => found.size)).toBe(0);
  });

  it("reads again when a key was deleted while others were read", async () => {
    const { keys } = await new VaultFolder().openStores();
    await keys.add(new Map([["a", key(1)] as const, ["b", key(2)] as const]));
    let reads = 0;
    const ring: KeyRing = new KeyRing(
      override(keys, {
        find: async (names) => {
          const found = await keys.find(names);
          reads += 1;
          if (reads === 1) await ring.delete(["a"]);
          return found;
        },
      }),
    );
    expect(await ring.use(["a", "b"], (found) => [...found])).toEqual([["b", key(2)]]);
    expect(reads).toBe(2);
  });
});
