import { describe, expect, it } from "vitest";
import { similarNames } from "./similar-names.ts";

describe("similarNames", () => {
  it("returns the known names closest to a misspelt one, or none", () => {
    const names = ["search_messages", "search_user_messages", "get_recent_messages"];
    expect(similarNames("serach_messages", names)).toEqual(["search_messages"]);
    expect(similarNames("search_mesages", names)).toEqual(["search_messages"]);
    expect(similarNames("delete_everything", names)).toEqual([]);
    expect(similarNames("x".repeat(100_000), names)).toEqual([]);
    expect(similarNames("anything", [])).toEqual([]);
  });
});
