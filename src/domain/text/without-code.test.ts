import { expect, it } from "vitest";
import { withoutCode } from "./without-code.ts";

it("withoutCode leaves out blocks and spans of code, and nothing that is not closed", () => {
  expect(withoutCode("a `<@1>` b ``<@2> ` x`` c\n```ts\n<@3>\n``` d")).toBe("a   b   c\n  d");
  expect(withoutCode("a ` <@1> and `` <@2>")).toBe("a ` <@1> and `` <@2>");
  expect(withoutCode("`one` <@1> `two`")).toBe("  <@1>  ");
});
