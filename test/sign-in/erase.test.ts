import { expect, it } from "vitest";
import type { SignIn, SignInStore } from "../../src/ports/sign-in-store.ts";
import { createWorld, openRoutes, PEOPLE, temporaryFolder } from "./open-routes.ts";

const SARAH = PEOPLE["sarah"] as SignIn["personId"];
const asked = {
  ...{ personId: SARAH, clientId: "program", program: "Editor", redirectHost: "loopback" },
  ...{ allowed: ["read"] as const, expiresAt: null },
};

async function arrive(onAdd: (add: () => Promise<void>, erase: () => Promise<unknown>) => Promise<void>) {
  const opened = await openRoutes(createWorld(), `${temporaryFolder()}/earshot.db`);
  const { add } = opened.store;
  const ids: string[] = [];
  opened.store.add = (signIn: SignIn) => {
    ids.push(signIn.id);
    return onAdd(
      () => add(signIn),
      () => opened.signIns.erase(SARAH),
    );
  };
  /** Only a sign-in that is on the disk takes a token. */
  const isKept = async () => {
    const token = { kind: "refresh", payload: "{}", expiresAt: Date.now() + 1_000_000, consumedAt: null } as const;
    return (opened.store as SignInStore).addToken({ ...token, hash: "x", signInId: ids[0] ?? "" }, 1);
  };
  return { ...opened, isKept };
}

it("erasing leaves nothing on the disk of a sign-in of which the store did not say that it has it", async () => {
  const { signIns, isKept } = await arrive(async (add) => {
    await add();
    throw new Error("the connection was lost");
  });
  await expect(signIns.add(asked)).rejects.toThrow("the connection was lost");
  await signIns.erase(SARAH);
  expect(await isKept()).toBe(false);
});

it("erasing ends a sign-in that is being stored", async () => {
  const { signIns, isKept } = await arrive(async (add, erase) => {
    await erase();
    await add();
  });
  await expect(signIns.add(asked)).rejects.toMatchObject({ code: "cancelled" });
  expect([signIns.list(SARAH), await isKept()]).toEqual([[], false]);
});
