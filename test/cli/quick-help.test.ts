import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";

const SRC = resolve(import.meta.dirname, "../../src");
/** Each of these takes hundreds of milliseconds to load. */
const HEAVY = [
  ...["app/app.ts", "storage/durable-parts.ts", "app/open-models.ts"],
  ...["tools/index.ts", "domain/time/time-span.ts"],
];

/** Every file of ours that is loaded with a file: what it imports at once, not what it loads when it runs. */
function loadedWith(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  const { staticImports, staticExports } = parseSync(file, readFileSync(file, "utf8")).module;
  const imported = staticImports.filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType));
  const reexported = staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) => (moduleRequest && !isType ? [moduleRequest.value] : [])),
  );
  for (const path of [...imported.map(({ moduleRequest }) => moduleRequest.value), ...reexported])
    if (path.startsWith(".")) loadedWith(join(dirname(file), path), known);
  return known;
}

describe("help that comes at once", () => {
  it("finds what a file loads", () => {
    const loaded = loadedWith(join(SRC, "cli/diagnose.ts"));
    for (const file of HEAVY.slice(1, 4)) expect(loaded).toContain(join(SRC, file));
  });

  it.each(["main.ts", ...Object.keys(COMMANDS).map((name) => `cli/${name}.ts`)])("%s loads nothing heavy", (file) => {
    const loaded = loadedWith(join(SRC, file));
    expect(HEAVY.filter((each) => loaded.has(join(SRC, each)))).toEqual([]);
  });
});
