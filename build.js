import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describeSources, isBuilt } from "./bin/sources.js";

// Most of a start is spent on opening modules: one file stands for hundreds. tsc writes the declarations beside.
const ENTRIES = ["src/main", "src/index", "src/client/index", "sandbox/index"];

const root = import.meta.dirname;
/**
 * Packages that stay packages. All others that the sources use become part of the build, with the packages that those need, and are installed for development
 * alone. That is for packages of which we use a small part, and of which no type is part of ours: the installation is a third smaller.
 */
const { dependencies } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
const isDependency = (id) => Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`));

/** Whoever passes on a package passes on its license. */
const licenses = {
  name: "licenses",
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
    const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []);
    const source = [...new Set(folders)].sort().map(describeLicense).join("\n");
    this.emitFile({ type: "asset", fileName: "licenses.txt", source });
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
    external: isDependency,
    output: { dir: "dist", cleanDir: true, chunkFileNames: "chunks/[name]-[hash].js" },
    plugins: [licenses],
  });
  // Last: a build that was cut off, or during which a source changed, is not taken for one of these sources.
  writeFileSync(`${root}/dist/sources.txt`, sources);
}

if (!isBuilt(root)) await build();
