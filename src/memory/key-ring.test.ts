import { describe, expect, it } from "vitest";
import { failure, override } from "../../test/support/failing-stores.ts";
import { VaultFolder } from "../../test/support/vault-folder.ts";
import { KeyRing } from "./key-ring.ts";

const key = (byte: number) => new Uint8Array(32).fill(byte);

describe("a key ring", () => {
  it("gives the keys that exist, read at once", async () => {
    const { keys } = await new VaultFolder().openStores();
    const asked: (readonly string[])[] = [];
    const watched = override(keys, {
      find: (names) => {
        asked.push(names);
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
    expect(asked).toHaveLength(3);
  });

  it("overwrites keys after their use, also when the work fails", async () => {
    const { keys } = await new VaultFolder().openStores();
    await keys.add(new Map([["a", key(1)]]));
    const ring = new KeyRing(keys);
    const used: (Uint8Array | undefined)[] = [];
    const work = ring.use(["a"], (found) => {
      used.push(found.get("a")?.slice(), found.get("a"));
      throw failure();
    });
    await expect(work).rejects.toMatchObject({ code: "unavailable" });
    expect(used).toEqual([key(1), key(0)]);
    expect(await ring.use(["a"], (found) => found.get("a")?.slice())).toEqual(key(1));
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
    expect(await ring.use(["a", "b"], (found) => [...found].map(([name, one]) => [name, one.slice()]))).toEqual([
      ["b", key(2)],
    ]);
    expect(reads).toBe(2);
  });
});
