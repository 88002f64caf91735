import { describe, expect, it } from "vitest";
import { readScenes } from "./scene.ts";

describe("the scene parser", () => {
  it("parses messages, replies, gaps and details", () => {
    const script = [
      "## yard 2h5m ago",
      "ada: hello",
      "  | and a second line",
      "  react 🎉 bo cy, 👍 ada",
      "+7 bo > ada: hi",
      "  edit 3m: hi there",
      "* cy joined",
    ].join("\n");
    const [first, second, third] = readScenes("test", script);
    expect(first).toEqual({
      key: first?.key,
      minutesAgo: 125,
      in: "yard",
      by: "ada",
      text: "hello\nand a second line",
      reactions: { "🎉": ["bo", "cy"], "👍": ["ada"] },
    });
    expect(second).toEqual({
      minutesAgo: 118,
      in: "yard",
      by: "bo",
      text: "hi",
      replyTo: first?.key,
      edit: { text: "hi there", minutesLater: 3 },
    });
    expect(first?.key).toBeDefined();
    expect(third).toMatchObject({ by: "cy", system: "join" });
    expect(third?.text).toBeUndefined();
  });

  it.each([
    [
      "a line without a speaker",
      "## yard 2h ago\nada: hello\nwhat is this",
      'test, line 3: expected "name: text", found "what is this"',
    ],
    ["talk before the first scene", "ada: hello", "test, line 1: expected a scene header"],
    ["a header without a time", "## yard ago", "test, line 1: a scene header reads"],
    ["a reply to someone silent", "## yard 2h ago\nada > bo: hello", "test, line 2: bo has said nothing"],
    ["a detail without a message", "## yard 2h ago\n  pinned", "test, line 2: nothing above this detail"],
    ["an unknown detail", "## yard 2h ago\nada: hello\n  sparkle", 'test, line 3: no such detail: "sparkle"'],
    ["a footer without an embed", "## yard 2h ago\nada: hello\n  footer end", "test, line 3: cannot read this detail"],
    ["a garbled detail", "## yard 2h ago\nada: hello\n  image hull.png", "test, line 3: cannot read this detail"],
    [
      "a scene that runs past now",
      "## yard 2m ago\nada: hello\n+9 ada: hello?",
      "test, line 3: the scene runs into the future",
    ],
    ["a message that says nothing", "## yard 2h ago\nada:", "test, line 2: ada says nothing here"],
  ])("rejects %s and names the line", (_, script, message) => {
    expect(() => readScenes("test", script)).toThrow(message);
  });
});
