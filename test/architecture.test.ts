import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { describe, expect, it } from "vitest";

const SRC = resolve(import.meta.dirname, "../src");

/** Which folders and top-level files may be imported from where. What is not listed here may import nothing of ours. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  ports: ["domain"],
  discord: ["domain", "ports"],
  sandbox: ["domain", "ports"],
  stores: ["domain", "ports"],
  models: ["domain", "ports"],
  timeline: ["domain", "ports"],
  policy: ["domain", "ports"],
  tools: ["domain", "ports", "policy"],
  gate: ["domain", "ports", "policy", "tools"],
  transports: ["domain", "ports", "policy", "tools", "gate"],
  client: ["domain", "ports", "tools"],
  "config.ts": ["domain", "policy"],
  "version.ts": [],
  "log.ts": ["ports", "config.ts"],
  "app.ts": [
    "domain",
    "ports",
    "timeline",
    "policy",
    "tools",
    "gate",
    "discord",
    "sandbox",
    "stores",
    "models",
    "transports",
    "config.ts",
    "version.ts",
  ],
  cli: ["domain", "ports", "client", "config.ts", "app.ts"],
  "main.ts": ["domain", "cli", "config.ts", "log.ts", "version.ts"],
  "library.ts": ["domain", "ports", "policy", "transports", "config.ts", "app.ts"],
  "index.ts": ["domain", "ports", "discord", "client", "transports", "library.ts"],
};

/** Packages with one home. Others may be used anywhere, except in `domain` and `ports`, which know only zod. */
const HOMES: readonly { readonly packages: RegExp; readonly home: readonly string[] }[] = [
  { packages: /^@discordjs\//, home: ["discord"] },
  { packages: /^discord\.js$/, home: [] },
  { packages: /^discord-api-types/, home: ["discord", "sandbox"] },
  { packages: /^(ws|hono|@hono\/.*)$/, home: ["sandbox", "transports"] },
  { packages: /^(prom-client|@modelcontextprotocol\/.*)$/, home: ["transports"] },
  { packages: /^pino/, home: ["log.ts"] },
  { packages: /^(ai|@ai-sdk\/.*)$/, home: ["models"] },
  { packages: /^kysely/, home: ["stores"] },
  { packages: /^@modelcontextprotocol\//, home: ["transports"] },
];
const PURE = ["domain", "ports", "client"];
/** Pure themselves. */
const PURE_PACKAGES: Readonly<Record<string, readonly string[]>> = { "domain/time/time-span.ts": ["chrono-node/en"] };

/** Whoever holds the whole of Discord or of the timelines could read or speak past the gate. */
const HOLDERS = ["ports", "discord", "timeline", "gate", "app.ts"];
const NAMES_A_HOLDING =
  /import (?:type )?\{[^}]*\b(?:Discord|Timelines)\b[^}]*\} from "[^"]*ports\/(?:discord|timelines)\.ts"/;
/** Single parts that others may hold. The prompts for a review say the same words whatever is to be reviewed. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  "transports/http/metrics.ts": ["stats", "state", "directory"],
  "transports/discord/commands.ts": [
    "directory",
    "offerCommands",
    "listenForPresses",
    "listenForCommands",
    "listenForTyping",
  ],
  "transports/discord/reviews.ts": ["directory", "send", "edit", "openDm", "listenForPresses"],
  "transports/discord/review-prompts.ts": ["send", "edit", "openDm"],
};

/** The clock, chance and the environment reach everybody else through parameters. */
const IMPURE = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\.env\b|\brandomUUID\(/;
const MAY_BE_IMPURE = ["app.ts", "main.ts", "cli", "client"];

interface Source {
  readonly path: string;
  readonly room: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map((path): Source => {
    const text = readFileSync(join(SRC, path), "utf8");
    return { path, room: path.split("/")[0] ?? path, text, imports: importsOf(path, text) };
  });

/** Every module a file names: imports, re-exports, `import()` of values and of types. */
function importsOf(path: string, text: string): string[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const found: string[] = [];
  const note = (source: unknown) => {
    if (typeof source === "object" && source !== null && "value" in source) found.push(String(source.value));
  };
  new Visitor({
    ImportDeclaration: (node) => note(node.source),
    ExportNamedDeclaration: (node) => note(node.source),
    ExportAllDeclaration: (node) => note(node.source),
    ImportExpression: (node) => note(node.source),
    TSImportType: (node) => note(node.source),
  }).visit(program);
  return found;
}

const ours = (source: Source) =>
  source.imports
    .filter((name) => name.startsWith("."))
    .map((name) => relative(SRC, resolve(SRC, dirname(source.path), name)));
const packages = (source: Source) =>
  source.imports.filter((name) => !name.startsWith(".") && !name.startsWith("node:"));

function violations(broken: (source: Source) => readonly string[]): string[] {
  return sources.flatMap((source) => broken(source).map((what) => `${source.path} → ${what}`));
}

describe("the architecture", () => {
  it("reads every kind of import", () => {
    const text = `import a from "./a.ts"; import type { B } from "./b.ts"; export * from "./c.ts"; export type { D } from "./d.ts";
      const e = await import("./e.ts"); type F = import("./f.ts").F; // import "./not.ts"`;
    expect(importsOf("x.ts", text).sort()).toEqual(["./a.ts", "./b.ts", "./c.ts", "./d.ts", "./e.ts", "./f.ts"]);
  });

  it("has an arrow for every folder", () => {
    expect([...new Set(sources.map(({ room }) => room))].filter((room) => !(room in ARROWS))).toEqual([]);
  });

  it("points its imports down only", () => {
    expect(
      violations((source) =>
        ours(source).filter((path) => {
          const room = path.split("/")[0] ?? path;
          return room !== source.room && !ARROWS[source.room]?.includes(room);
        }),
      ),
    ).toEqual([]);
  });

  it("lets nobody but the gate read from and speak to Discord", () => {
    expect(
      violations(({ room, path, text }) => {
        if (HOLDERS.includes(room) || !NAMES_A_HOLDING.test(text)) return [];
        const parts = [...text.matchAll(/\bPick<(?:Discord|Timelines), (?<names>[^>]+)>/g)];
        const named = parts.flatMap(({ groups }) => groups?.["names"]?.match(/\w+/g) ?? []);
        const uses =
          text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|"[^"\n]*"|`[^`]*`/g, "").match(/\b(?:Discord|Timelines)\b/g) ?? [];
        const imports = text.match(new RegExp(NAMES_A_HOLDING, "g")) ?? [];
        const isWhole = uses.length > parts.length + imports.length;
        return [...named.filter((name) => !HARMLESS[path]?.includes(name)), ...(isWhole ? ["all of it"] : [])];
      }),
    ).toEqual([]);
  });

  it("has no circles", () => {
    const graph = new Map(sources.map((source) => [source.path, ours(source)]));
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]): string[] | null => {
      if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
      if (done.has(path)) return null;
      for (const next of graph.get(path) ?? []) {
        const circle = visit(next, [...trail, path]);
        if (circle) return circle;
      }
      done.add(path);
      return null;
    };
    expect([...graph.keys()].map((path) => visit(path, [])).find((circle) => circle !== null) ?? null).toBeNull();
  });

  it("keeps each package in its home", () => {
    expect(
      violations((source) =>
        packages(source).filter((name) => {
          if (PURE.includes(source.room)) return name !== "zod" && !PURE_PACKAGES[source.path]?.includes(name);
          const rule = HOMES.find(({ packages: pattern }) => pattern.test(name));
          return rule !== undefined && !rule.home.includes(source.room);
        }),
      ),
    ).toEqual([]);
  });

  it("keeps the platform out of the pure folders", () => {
    expect(
      violations((source) =>
        PURE.includes(source.room) ? source.imports.filter((name) => name.startsWith("node:")) : [],
      ),
    ).toEqual([]);
  });

  it("reads clock, chance and environment only at the top", () => {
    expect(
      violations((source) => (MAY_BE_IMPURE.includes(source.room) ? [] : (IMPURE.exec(source.text) ?? []))),
    ).toEqual([]);
  });

  it("keeps files short enough to read in one go", () => {
    expect(
      violations(({ text }) => (text.split("\n").length > 401 ? [`${text.split("\n").length} lines`] : [])),
    ).toEqual([]);
  });
});
