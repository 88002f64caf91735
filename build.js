import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describeSources, isBuilt } from "./bin/sources.js";
import { buildWeb } from "./web/build.js";

// Most of a start is spent on opening modules: one file stands for hundreds. tsc writes the declarations beside.
const ENTRIES = ["src/main", "src/index", "src/client/index", "sandbox/index"];

const root = import.meta.dirname;
/**
 * Packages that stay packages: pino starts threads from files of its own, zlib-sync is used only where somebody has installed it. All others become part of the
 * build, because opening their files takes a fifth of a start, and are installed for development alone; but those whose types are part of ours are dependencies.
 */
const PACKAGES = ["pino", "pino-pretty", "zlib-sync"];

/** A tenth of a start less. Names stay, so that a stack still says where something failed. */
const WITHOUT_SPACES = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

/** Folders of packages that became part of the build. Whoever passes on a package passes on its license. */
const packages = new Set();
const notePackages = {
  name: "note-packages",
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
    for (const id of modules)
      for (const folder of /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []) packages.add(folder);
  },
};

/** Plain text beside the build, so that somebody who speaks a language can edit its words. */
const languages = {
  name: "languages",
  generateBundle() {
    const folder = `${root}/src/language`;
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".txt")))
      this.emitFile({ type: "asset", fileName: `language/${name}`, source: readFileSync(`${folder}/${name}`) });
  },
};

function describeLicense(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return `${name} ${version} (${license})\n\n${file ? readFileSync(`${folder}/${file}`, "utf8") : ""}\n`;
}

async function build() {
  const rolldown = await import("rolldown").catch(() => null);
  if (!rolldown) return void process.stdout.write("Not built: that needs the development packages (npm ci).\n");
  const sources = describeSources(root);
  await rolldown.build({
    cwd: root,
    input: Object.fromEntries(ENTRIES.map((name) => [name, `${name}.ts`])),
    platform: "node",
    external: PACKAGES,
    // Only of modules can all parts be found: jsonc-parser's other build hands its require on.
    resolve: { mainFields: ["module", "main"] },
    output: { dir: "dist", cleanDir: true, chunkFileNames: "chunks/[name]-[hash].js", minify: WITHOUT_SPACES },
    plugins: [notePackages, languages],
  });
  await buildWeb(`${root}/dist/web`, [notePackages]);
  writeFileSync(`${root}/dist/licenses.txt`, [...packages].sort().map(describeLicense).join("\n"));
  // Last: a build that was cut off, or during which a source changed, is not taken for one of these sources.
  writeFileSync(`${root}/dist/sources.txt`, sources);
}

if (!isBuilt(root)) await build();
