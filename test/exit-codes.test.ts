import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { EXIT_CODES } from "../src/exit-codes.ts";

it("the reference lists every exit code, and the same to a supervisor", () => {
  const page = readFileSync(new URL("../docs/reference/exit-codes.md", import.meta.url), "utf8");
  const listed = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(listed).toEqual([0, ...Object.values(EXIT_CODES)]);
  const forPeople = Object.values(EXIT_CODES).filter((code) => code > 63 && code < 128);
  expect(page).toContain(`RestartPreventExitStatus=${forPeople.join(" ")}\``);
});
