import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import * as client from "../../src/client/index.ts";
import * as library from "../../src/index.ts";
import { COMPILE_CACHE } from "../support/program.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

/** Each exported function or class with an example: the name by which it is declared, and the example's lines. */
function readExamples(): ReadonlyMap<string, string> {
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter((path) =>
    /(?<!\.test|\.suite)\.ts$/.test(path),
  );
  const pattern =
    /\/\*\*(?:(?!\*\/)[\s\S])*? \* @example\n([\s\S]*?) \*\/\nexport (?:async )?(?:function|class) (\w+)/g;
  const found = files.flatMap((file) => [...readFileSync(join(ROOT, "src", file), "utf8").matchAll(pattern)]);
  return new Map(found.map(([, lines = "", name = ""]) => [name, lines.replace(/^ \* ?/gm, "")]));
}

/** As in a project of its own, in which the names lead to the package. */
function toProgram(example: string): string {
  const pathOf = (file: string) => JSON.stringify(join(ROOT, file));
  return example
    .replace('"earshot/client"', pathOf("src/client/index.ts"))
    .replace('"earshot/sandbox"', pathOf("sandbox/index.ts"))
    .replace('"earshot"', pathOf("src/index.ts"))
    .replace(/"\.\.\/(src\/[^"]+)"/, (_, file) => pathOf(file));
}

/** An empty folder with the packages of this one. */
function openProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "earshot-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

const examples = readExamples();
/** Exported under another name than the one of its declaration. */
const DECLARED: Readonly<Record<string, string>> = { buildThreadForest: "forestOf" };
const isFunction = ([, value]: [string, unknown]) => typeof value === "function";
const published = [...Object.entries(library), ...Object.entries(client)]
  .filter(isFunction)
  .map(([name]) => DECLARED[name] ?? name);

describe("the examples of published functions", () => {
  it.each([...new Set(published), "defineTool"])("exist: %s", (name) => {
    expect(examples.get(name)).toContain("console.log(");
  });

  it("compile", async () => {
    const folder = openProject();
    for (const [name, example] of examples) writeFileSync(join(folder, `${name}.mts`), toProgram(example));
    const config = {
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: { noEmit: true },
      include: ["*.mts", join(ROOT, "src/**/*.d.ts")],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    // Several checkers would each look at much of the same.
    const args = [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder, "--checkers", "1"];
    const compiled = run(process.execPath, args);
    await expect(compiled.catch(({ stdout }) => stdout)).resolves.toMatchObject({ stdout: "" });
  });

  it("print what their comments say", async () => {
    const folder = openProject();
    const write = (name: string, code: string) => writeFileSync(join(folder, `${name}.mts`), code);
    for (const [name, example] of examples)
      write(name, toProgram(example).replaceAll(`"${ROOT}`, `"${pathToFileURL(ROOT).href}`));
    // One after the other in one process, which loads the sources once.
    write(
      "all",
      [...examples.keys()].map((name) => `console.log("${name}");\nawait import("./${name}.mts");`).join("\n"),
    );
    const env = { ...process.env, ...COMPILE_CACHE };
    const { stdout } = await run(process.execPath, [join(folder, "all.mts")], { cwd: folder, env });
    const expected = [...examples].flatMap(([name, example]) => [
      name,
      ...[...example.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, printed]) => printed),
    ]);
    expect(expected.length).toBeGreaterThan(examples.size);
    expect(stdout.trimEnd().split("\n")).toEqual(expected);
  });
});
