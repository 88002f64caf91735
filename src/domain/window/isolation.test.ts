import { describe, expect, it } from "vitest";
import { removeIsolationSign, shouldSkipContext } from "./isolation.ts";

describe("an isolated answer", () => {
  it.each([
    ["🚫 what is two and two?", "what is two and two?"],
    ["what is 🚫 two and two?", "what is two and two?"],
    ["what is two and two?🚫", "what is two and two?"],
    ["🚫🚫", ""],
    ["🚫\ufe0f hello", "hello"],
    ["one\n🚫\ntwo", "one\n \ntwo"],
  ])("is requested by the emoji anywhere in the text: %s", (content, rest) => {
    expect(shouldSkipContext(content)).toBe(true);
    expect(removeIsolationSign(content)).toBe(rest);
  });

  it.each(["hello", "⛔ stop", "🈲", "no entry"])("is not requested by %s", (content) => {
    expect(shouldSkipContext(content)).toBe(false);
    expect(removeIsolationSign(content)).toBe(content);
  });
});
