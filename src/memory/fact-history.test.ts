import { expect, it } from "vitest";
import type { StoredFact } from "../ports/fact-store.ts";
import { findFollowers, findLapsing, listFollowers } from "./fact-history.ts";

/** By id: the fact that supersedes it. Facts with a channel are limited to it. */
function toHistory(
  followers: Readonly<Record<string, string | null>>,
  channels: Readonly<Record<string, string>> = {},
) {
  return Object.entries(followers).map(([id, superseded_by]) => {
    const source = { type: "discord_channel", ref: channels[id] ?? "", hash: "", isOwn: false };
    const row = { id, superseded_by, audience_ref: "guild:1", subject_id: null, scope_id: "1" };
    return { row, sources: id in channels ? [source] : [] } as unknown as StoredFact;
  });
}

const toMap = (history: readonly StoredFact[]) => new Map(history.map((one) => [one.row.id, one]));

it("what follows a fact is listed up to the last, and one that is not there is named", () => {
  const byId = toMap(toHistory({ a: "b", b: "c", c: null, d: "gone" }));
  expect([...listFollowers("b", byId)]).toEqual(["b", "c"]);
  expect([...listFollowers("gone", byId)]).toEqual(["gone"]);
  expect([...listFollowers(null, byId)]).toEqual([]);
});

it("facts that follow each other in a circle are listed once each", () => {
  const byId = toMap(toHistory({ a: "b", b: "c", c: "b", d: "d" }));
  expect([...listFollowers("b", byId).take(9)]).toEqual(["b", "c"]);
  expect([...listFollowers("d", byId).take(9)]).toEqual(["d"]);
});

it("of facts that follow each other in a circle, one that stays is followed by another that stays, or by none", () => {
  const history = toHistory({ a: "b", b: "c", c: "a", d: "b" }, { b: "7", c: "7" });
  const ending = findLapsing(history, new Set(["b", "c"]));
  expect([...ending].sort()).toEqual(["b", "c"]);
  expect(findFollowers(history, ending)).toEqual(
    new Map([
      ["a", null],
      ["d", "a"],
    ]),
  );
});
