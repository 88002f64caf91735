import { describe, expect, it } from "vitest";
import { similarNames } from "./similar-names.ts";

describe("a misspelt name", () => {
  it("is taken for the one that it is most like, or for none", () => {
    const names = ["search_messages", "search_user_messages", "get_recent_messages"];
    expect(similarNames("serach_messages", names)).toEqual(["search_messages"]);
    expect(similarNames("search_mesages", names)).toEqual(["search_messages"]);
    expect(similarNames("delete_everything", names)).toEqual([]);
    expect(similarNames("x".repeat(100_000), names)).toEqual([]);
    expect(similarNames("anything", [])).toEqual([]);
  });
});
