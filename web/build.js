import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Builds the console's pages into a folder: one page, and scripts and styles whose names hold a hash of their content. */
export async function buildWeb(folder, plugins = []) {
  const { build } = await import("rolldown");
  const root = join(import.meta.dirname, "..");
  const { output } = await build({
    cwd: root,
    input: { main: "web/main.tsx" },
    platform: "browser",
    tsconfig: "web/tsconfig.json",
    output: {
      dir: folder,
      cleanDir: true,
      minify: true,
      entryFileNames: "assets/[name]-[hash].js",
      chunkFileNames: "assets/[name]-[hash].js",
    },
    plugins,
  });
  mkdirSync(join(folder, "assets"), { recursive: true });
  const add = (name, ending, content) => {
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 8);
    writeFileSync(join(folder, "assets", `${name}-${hash}.${ending}`), content);
    return `/assets/${name}-${hash}.${ending}`;
  };
  const own = ["style.css", "pages/person.css", "pages/community.css"];
  const styles = ["node_modules/uplot/dist/uPlot.min.css", ...own.map((name) => `web/${name}`)];
  const page = readFileSync(join(root, "web/index.html"), "utf8")
    .replace("{{script}}", `/${output.find(({ isEntry }) => isEntry).fileName}`)
    .replace("{{style}}", add("style", "css", styles.map((path) => readFileSync(join(root, path), "utf8")).join("\n")))
    .replace("{{icon}}", add("icon", "svg", readFileSync(join(root, "web/icon.svg"))));
  writeFileSync(join(folder, "index.html"), page);
}
