/**
 * Runs bots of other libraries against the sandbox. Installs the libraries that are missing into a folder outside of the project.
 *
 *   npm run foreign-bots
 *   EARSHOT_FOREIGN_BOTS=<folder of the libraries> npm run foreign-bots
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isPython, LIBRARIES, type Library, whyMissing } from "./libraries.ts";

const folder = resolve(process.env["EARSHOT_FOREIGN_BOTS"] ?? join(tmpdir(), "earshot-foreign-bots"));
mkdirSync(folder, { recursive: true });
// Without one, npm installs into the nearest folder above that has one.
if (!existsSync(join(folder, "package.json"))) writeFileSync(join(folder, "package.json"), "{}\n");

for (const library of LIBRARIES) if (whyMissing(folder, library)) install(library);

const vitest = ["vitest", "run", "test/sandbox/foreign", "--disable-console-intercept"];
const env = { ...process.env, EARSHOT_FOREIGN_BOTS: folder };
process.exitCode = spawnSync("npx", vitest, { stdio: "inherit", env }).status ?? 1;

function install(library: Library): void {
  const [command, args] = isPython(library)
    ? ["python3", ["-m", "pip", "install", "--quiet", "--target", join(folder, "python"), library.package]]
    : ["npm", ["install", "--no-audit", "--no-fund", "--prefix", folder, library.package]];
  console.log(`Installing ${library.package} into ${folder}`);
  const { status } = spawnSync(command, args as string[], { stdio: ["ignore", "ignore", "ignore"], cwd: folder });
  const why = status === 0 ? whyMissing(folder, library) : `${command} cannot install it`;
  if (why) console.log(`The bot with ${library.name} is skipped: ${why}.`);
}
