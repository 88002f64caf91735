import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { toContextBudget } from "../src/agent/model/context-budget.ts";
import { offerTools } from "../src/agent/model/tool-offers.ts";
import { COMMANDS } from "../src/cli/commands.ts";
import { tools } from "../src/tools/index.ts";

const ROOT = resolve(import.meta.dirname, "..");
const GUIDES = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).filter((path) =>
  path.endsWith(".md"),
);
const PAGES = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...GUIDES.map((path) => join("docs", path)),
];

const packageFile = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const commands = Object.keys(COMMANDS);
const settings = new Set(
  ["src/config/environment.ts", "test/sandbox/foreign/run.ts", "test/support/start-engine.ts"].flatMap(
    (path) => readFileSync(join(ROOT, path), "utf8").match(/EARSHOT_[A-Z_]+/g) ?? [],
  ),
);

const read = (page: string) => readFileSync(join(ROOT, page), "utf8");
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? "");

/** As GitHub names the headings of a page in links. */
const headingsOf = (text: string) =>
  matches(text, /^#+ (.*)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

describe.each(PAGES)("%s", (page) => {
  const text = read(page);
  const folder = join(ROOT, page, "..");

  it("links only to files that exist", () => {
    const links = matches(text, /\]\(([^)\s]+)\)/g).filter((link) => !/^(https?:|#)/.test(link));
    expect(links.filter((link) => !existsSync(resolve(folder, link.replace(/#.*/, ""))))).toEqual([]);
  });

  it("links only to headings that exist", () => {
    const links = matches(text, /\]\(([^)\s]*#[^)\s]+)\)/g).filter((link) => !/^https?:/.test(link));
    const isThere = (link: string) => {
      const [path = "", anchor = ""] = link.split("#");
      return headingsOf(path === "" ? text : readFileSync(resolve(folder, path), "utf8")).includes(anchor);
    };
    expect(links.filter((link) => !isThere(link))).toEqual([]);
  });

  it("links only to what is in the package", () => {
    const packed = (path: string) =>
      packageFile.files.some((one: string) => path === one || path.startsWith(`${one}/`)) || path === "package.json";
    const links = matches(text, /\]\(([^)\s]+)\)/g).filter((link) => !/^(https?:|#)/.test(link));
    const paths = links.map((link) => relative(ROOT, resolve(folder, link.replace(/#.*/, ""))));
    expect(paths.filter((path) => !packed(path))).toEqual([]);
  });

  it("names only paths that exist", () => {
    const code = matches(text, /`([^`\n]+)`/g);
    const paths = code.filter(
      (name) =>
        /^(\.ci|src|web|sandbox|sample|test|bench|eval|docs|bin|examples)\/[\w./-]*$/.test(name) ||
        /^[\w.-]+\.(ts|md|json)$/.test(name),
    );
    const generated = [
      "earshot.config.jsonc",
      "earshot.config.json",
      "operator-access.json",
      "confirmer-access.json",
      "token-refused.json",
    ];
    expect(paths.filter((path) => !existsSync(join(ROOT, path)) && !generated.includes(path))).toEqual([]);
  });

  it("names only scripts that exist", () => {
    const scripts = [...matches(text, /npm run ([\w:-]+)/g), ...matches(text, /npm (start|test)\b/g)];
    expect(scripts.filter((name) => !(name in packageFile.scripts))).toEqual([]);
  });

  it("names only commands and settings that exist", () => {
    const named = matches(text, /(?:npx |`)earshot ([a-z]+)/g);
    expect(named.filter((name) => !commands.includes(name))).toEqual([]);
    expect((text.match(/EARSHOT_[A-Z_]+/g) ?? []).filter((name) => !settings.has(name))).toEqual([]);
  });
});

describe("the documents", () => {
  it("are checked against a list of commands that is not empty", () => {
    expect(commands).toContain("doctor");
    expect(settings.has("EARSHOT_DISCORD_TOKEN")).toBe(true);
  });

  it("state what a model is offered as the code has it", () => {
    const page = read("docs/guide/agent-in-five-minutes.md");
    for (const tokens of [4_096, 32_768]) {
      const budget = toContextBudget(tokens);
      const { length } = offerTools(tools, { kind: "search", isIsolated: false, budget });
      const cells = page
        .split("\n")
        .find((line) => line.startsWith(`| ${tokens.toLocaleString("en")}`))
        ?.split(" | ");
      expect(cells?.[1]).toMatch(budget.tier === "full" ? `all ${length}` : /^the five /);
      if (budget.tier === "small") expect(length).toBe(5);
      expect(cells?.at(-1)).toBe(`${budget.maxSteps} |`);
    }
    expect([16_383, 16_384].map((tokens) => toContextBudget(tokens).tier)).toEqual(["small", "full"]);
    expect(page).toContain("From 16,384 on, the model is offered all tools");
  });

  it("lead from each feature, and each folder below src, to a file in two steps", () => {
    const page = read("docs/where.md");
    const rows = page.split("\n").filter((line) => /^\| (?!Looking for|Folder|---)/.test(line));
    const startOf = (row: string) =>
      row
        .split(" | ")
        .at(-1)
        ?.match(/`((?:src|web|sandbox|test|eval|docs)\/[^`]+)`/)?.[1];
    expect(rows.filter((row) => !existsSync(join(ROOT, startOf(row) ?? "missing")))).toEqual([]);
    const folders = readdirSync(join(ROOT, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => `| \`src/${name}/\``).filter((start) => !page.includes(start))).toEqual([]);
  });

  it("include a README that is short", () => {
    expect(read("README.md").split("\n").length).toBeLessThan(200);
  });
});
