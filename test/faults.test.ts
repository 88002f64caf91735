import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { faults } from "../faults/faults.ts";

const ROOT = resolve(import.meta.dirname, "..");

describe("the list of deliberate faults", () => {
  it("has a unique name for each fault", () => {
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
  });

  it.each(faults)("applies to the current code, and names tests that exist: $name", (fault) => {
    const { file, text, replacement, tests } = fault;
    expect(readFileSync(join(ROOT, file), "utf8").split(text)).toHaveLength(2);
    expect(replacement).not.toBe(text);
    expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(tests.length).toBeGreaterThan(0);
  });
});
