import { describe, expect, it } from "vitest";
import { ADA, CEM, PLACE } from "../support/small-world.ts";
import { openWithProposals } from "../support/with-proposals.ts";

const FOR_STAFF = {
  basis: [{ type: "discord_channel", ref: PLACE.staff, isOwn: false, authorId: null, words: "" }] as const,
};

describe("a newer value that somebody may not hear", () => {
  it("does not make the older one vanish for them, however many follow", async () => {
    const { keep, hear } = await openWithProposals();
    await keep({ value: "Berlin" });
    for (let count = 0; count < 22; count += 1) await keep({ value: `hidden ${count}`, ...FOR_STAFF });
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(["city=Berlin"]);
  });

  it("is not noticed by an operation that has read the older one, as one that they may hear is", async () => {
    const { keep, begin, call, send } = await openWithProposals();
    await keep({ value: "Berlin" });
    const operation = await begin(CEM);
    await call(operation, "memory_read.get_user_facts", { user: ADA });
    await keep({ value: "hidden", ...FOR_STAFF });
    expect(await send(operation, "Ada is in Berlin")).toMatchObject({ ok: true });
    await keep({ value: "Kiel" });
    expect(await send(operation, "Ada is in Berlin")).toMatchObject({ ok: false, code: "forbidden" });
  });
});
