import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const execute = promisify(execFile);

/** As a build ends. */
const NOTE_SOURCES = `
  import { writeFileSync } from "node:fs";
  import { describeSources } from "./bin/sources.js";
  writeFileSync("dist/sources.txt", describeSources(process.cwd()));
`;

interface Checkout {
  readonly folder: string;
  noteSources(): Promise<unknown>;
  run(): Promise<string>;
}

/** One whose sources and build say which of them runs. */
async function openCheckout(): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-checkout-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(join(import.meta.dirname, "../../bin"), join(folder, "bin"), { recursive: true });
  for (const path of ["src/domain", "sandbox", "web", "dist/src"]) await mkdir(join(folder, path), { recursive: true });
  const put = (path: string, text: string) => writeFile(join(folder, path), text);
  await put("src/main.ts", 'console.log("sources" as string);');
  await put("src/domain/ids.ts", "export type Id = string;");
  await put("dist/src/main.js", 'console.log("built");');
  for (const name of ["package-lock.json", "build.js"]) await put(name, "");
  await put("package.json", '{ "type": "module" }');
  const noteSources = () => execute(process.execPath, ["--input-type=module", "--eval", NOTE_SOURCES], { cwd: folder });
  await noteSources();
  const program = join(folder, "bin/earshot.js");
  const run = async () => (await execute(process.execPath, [program])).stdout.trim();
  return { folder, noteSources, run };
}

it("a checkout runs what was built from it, and its sources as soon as one is changed, added or removed", async () => {
  const { folder, noteSources, run } = await openCheckout();
  expect(await run()).toBe("built");
  const file = join(folder, "src/domain/ids.ts");
  const { atime, mtime } = await stat(file);

  await writeFile(file, "export type Id = number;");
  await utimes(file, atime, new Date(mtime.getTime() - 60_000));
  expect(await run()).toBe("sources");
  await noteSources();
  expect(await run()).toBe("built");

  await writeFile(join(folder, "sandbox/more.ts"), "");
  expect(await run()).toBe("sources");
  await rm(join(folder, "sandbox/more.ts"));
  expect(await run()).toBe("built");
  await rm(file);
  expect(await run()).toBe("sources");
});

it("a checkout that was never built runs its sources, and a package without sources what was built", async () => {
  const { folder, run } = await openCheckout();
  await rm(join(folder, "dist/sources.txt"));
  expect(await run()).toBe("sources");
  await rm(join(folder, "src"), { recursive: true });
  expect(await run()).toBe("built");
});
