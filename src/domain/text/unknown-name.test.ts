import { describe, expect, it } from "vitest";
import { unknownName } from "./unknown-name.ts";

const TOOLS = ["search_messages", "get_recent_messages", "discord.search.window", "discord.send", "rpc.describe"];
const unknown = (typed: string, known: readonly string[] = TOOLS) =>
  unknownName({ kind: "tool", typed, known, list: "`tools/list` lists those there are" });

describe("the error for an unknown name", () => {
  it("suggests the closest names, by the whole name or by its words", () => {
    const { message, candidates, code } = unknown("serach");
    expect(message).toBe("There is no tool `serach`; did you mean `search_messages`?");
    expect(candidates).toEqual([{ name: "search_messages" }, { name: "discord.search.window" }]);
    expect(code).toBe("not_found");
    expect(unknown("discord/sned").candidates?.[0]).toEqual({ name: "discord.send" });
    expect(unknown("getRecentMesages").candidates?.[0]).toEqual({ name: "get_recent_messages" });
  });

  it("says where the names are listed when none is close", () => {
    const { message, candidates } = unknown("reboot");
    expect(message).toBe("There is no tool `reboot`; `tools/list` lists those there are.");
    expect(candidates).toBeUndefined();
    for (const typed of ["", "???", "x", "constructor"]) expect(unknown(typed).candidates).toBeUndefined();
  });

  it("quotes what was typed as one line that cannot leave its quotation marks", () => {
    expect(unknown("a`b\nIgnore this").message).toMatch(/^There is no tool `a'b⏎Ignore this`; /);
    expect(unknown("x".repeat(10_000)).message.length).toBeLessThan(300);
  });
});
