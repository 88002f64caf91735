import { describe, expect, it } from "vitest";
import type { UserId } from "../domain/ids.ts";
import type { SignIn, SignInStore, SignInToken } from "../ports/sign-in-store.ts";

/** The store under test, and its clock. Each call of `open` creates a new, empty store. */
export interface SignInStoreFixture {
  readonly store: SignInStore;
  /** The same store after a restart of the program. */
  reopen(): Promise<SignInStore>;
  close(): Promise<void>;
}

const [SARAH, MARK] = ["11", "22"] as UserId[] as [UserId, UserId];
const toSignIn = (id: string, more: Partial<SignIn> = {}): SignIn => ({
  ...{ id, personId: SARAH, clientId: "editor", program: "An editor 'quoted'", redirectHost: "loopback" },
  ...{ allowed: ["read", "search"], createdAt: 1, usedAt: 1, expiresAt: null, ...more },
});
const toToken = (hash: string, signInId: string, more: Partial<SignInToken> = {}): SignInToken => ({
  ...{ hash, kind: "access", signInId, payload: '{"scope":"read"}', expiresAt: 100, consumedAt: null, ...more },
});
const OPEN = { max: 10, unusedBefore: 0 };

/** Every store of sign-ins passes this suite, on either engine. */
export function describeSignInStore(name: string, open: () => Promise<SignInStoreFixture>): void {
  describe(`${name} as a store of sign-ins`, () => {
    const using = async (work: (fixture: SignInStoreFixture) => Promise<void>) => {
      const fixture = await open();
      await work(fixture).finally(() => fixture.close());
    };

    it("keeps sign-ins and their tokens, also after a restart, until they expire", () =>
      using(async ({ store, reopen }) => {
        await store.add(toSignIn("a"));
        await store.add(toSignIn("b", { personId: MARK, expiresAt: 50 }));
        await store.add(toSignIn("never exchanged"));
        expect(await store.addToken(toToken("x", "a"), 7)).toBe(true);
        expect(await store.addToken(toToken("y", "b"), 8)).toBe(true);
        expect(await store.addToken(toToken("z", "a", { kind: "refresh", expiresAt: 1_000 }), 9)).toBe(true);
        const again = await reopen();
        const before = await again.load(49);
        expect(before.signIns).toEqual(
          expect.arrayContaining([
            toSignIn("a", { usedAt: 9 }),
            toSignIn("b", { personId: MARK, usedAt: 8, expiresAt: 50 }),
          ]),
        );
        expect(before.tokens).toEqual(expect.arrayContaining([toToken("x", "a"), toToken("y", "b")]));
        expect(before.tokens).toHaveLength(2);
        const after = await again.load(100);
        expect(after).toEqual({ signIns: [toSignIn("a", { usedAt: 9 })], tokens: [] });
        expect(await again.token("y")).toBeUndefined();
        expect(await again.token("z")).toEqual(toToken("z", "a", { kind: "refresh", expiresAt: 1_000 }));
      }));

    it("tells one of many that it consumed a token, whoever was first", () =>
      using(async ({ store }) => {
        await store.add(toSignIn("a"));
        await store.addToken(toToken("x", "a", { kind: "refresh" }), 1);
        const told = await Promise.all([1, 2, 3, 4].map((at) => store.consume("x", at)));
        expect(told.filter(Boolean)).toHaveLength(1);
        expect(await store.consume("x", 5)).toBe(false);
        expect(await store.consume("unknown", 5)).toBe(false);
        expect((await store.token("x"))?.consumedAt).not.toBeNull();
      }));

    it("keeps a consumed token for 30 days, and one that is not consumed until it expires", () =>
      using(async ({ store }) => {
        const day = 24 * 60 * 60_000;
        const refresh = { kind: "refresh", expiresAt: 1_000 * day } as const;
        await store.add(toSignIn("a"));
        for (const hash of ["old", "newer", "unused"]) await store.addToken(toToken(hash, "a", refresh), 1);
        await store.consume("old", day);
        await store.consume("newer", day + 1);
        await store.addToken(toToken("latest", "a", refresh), 31 * day);
        const kept = await Promise.all(["old", "newer", "unused", "latest"].map((hash) => store.token(hash)));
        expect(kept.map((token) => token !== undefined)).toEqual([false, true, true, true]);
      }));

    it("ends sign-ins with all their tokens, takes no token for one that has ended, and leaves others alone", () =>
      using(async ({ store, reopen }) => {
        for (const [id, personId] of [
          ["a", SARAH],
          ["b", SARAH],
          ["c", MARK],
          ["d", SARAH],
        ] as const) {
          await store.add(toSignIn(id, { personId }));
          await store.addToken(toToken(`x${id}`, id), 1);
        }
        await store.end(["a", "unknown"]);
        await store.end(["a"]);
        expect(await store.addToken(toToken("late", "a"), 1)).toBe(false);
        expect(await store.token("xa")).toBeUndefined();
        expect(await store.token("late")).toBeUndefined();
        await store.end(["b", "d"]);
        const { signIns, tokens } = await (await reopen()).load(2);
        expect([signIns.map(({ id }) => id), tokens.map(({ hash }) => hash)]).toEqual([["c"], ["xc"]]);
      }));

    it("keeps as many registrations as it may, and drops those that are old and were never used", () =>
      using(async ({ store, reopen }) => {
        const register = (clientId: string, createdAt: number, bounds = OPEN) =>
          store.register({ clientId, metadata: `{"name":"${clientId}"}`, createdAt }, bounds);
        expect(await register("old", 1)).toBe(true);
        expect(await register("used", 2)).toBe(true);
        expect(await register("young", 20)).toBe(true);
        await store.add(toSignIn("a", { clientId: "used" }));
        expect(await register("one more", 21, { max: 2, unusedBefore: 1 })).toBe(false);
        expect(await register("one more", 21, { max: 3, unusedBefore: 1 })).toBe(true);
        expect(await register("last", 21, { max: 3, unusedBefore: 20 })).toBe(true);
        const again = await reopen();
        expect(await again.registration("old")).toBeUndefined();
        expect(await again.registration("used")).toBe('{"name":"used"}');
        await again.endAll();
        expect(await again.registration("used")).toBeUndefined();
        expect(await again.load(1)).toEqual({ signIns: [], tokens: [] });
      }));
  });
}
