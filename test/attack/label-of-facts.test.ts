import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { ADA, PLACE } from "../support/small-world.ts";
import { openWithMemory, PRIVATELY } from "../support/with-memory.ts";

describe("what somebody's own list says of a fact", () => {
  it.each([
    ["told", "memory_read.get_user_facts", { key: "city" }],
    ["compared", "memory_read.search_context", { query: "elephant" }],
  ])("stays theirs when the same fact is %s afterwards", async (_, tool, args) => {
    const { own, remember, open, call, send } = await openWithMemory();
    const { id } = await remember(ADA, ["city", "Berlin"], "org");
    const operation = await open(ADA, PLACE.general, {}, PRIVATELY);
    own.noteRead(operation, [await own.show(ADA as UserId, id)]);
    expect(await send(operation, "Nobody has used it")).toMatchObject({ ok: false, code: "forbidden" });
    expect(await call(operation, tool, args)).toMatchObject({ ok: true });
    expect(await send(operation, "Nobody has used it")).toMatchObject({ ok: false, code: "forbidden" });
  });
});
