import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { impurities } from "./support/impurities.ts";
import { reachableParts } from "./support/reachable-parts.ts";

const ROOT = resolve(import.meta.dirname, "..");

/** Which rooms may be imported from where: folders and files of `src/`, and the sandbox and the console's pages beside it. What is not listed here may import nothing of ours. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  language: [],
  domain: ["language"],
  ports: ["domain"],
  sources: ["domain", "ports"],
  discord: ["domain", "ports"],
  sandbox: [],
  stores: ["domain", "ports"],
  models: ["domain", "ports"],
  profiles: ["domain", "ports"],
  identity: ["domain", "ports"],
  timeline: ["domain", "ports"],
  search: ["domain", "ports", "timeline"],
  documents: ["domain", "ports"],
  policy: ["domain", "ports", "sources"],
  tools: ["domain", "ports", "policy"],
  summary: ["domain", "ports"],
  memory: ["domain", "ports"],
  gate: ["domain", "ports", "sources", "policy", "tools", "summary", "memory"],
  agent: ["language", "domain", "ports", "sources", "policy", "tools", "gate"],
  transports: ["domain", "ports", "sources", "policy", "tools", "gate", "agent"],
  // Of the sandbox and the transports types only, which a test of its own sees to.
  "transports/console": ["sandbox"],
  web: ["transports"],
  client: ["domain", "ports"],
  config: ["domain", "policy"],
  "exit-codes.ts": ["domain"],
  "version.ts": [],
  "log.ts": ["ports", "config"],
  "await-members.ts": ["ports"],
  storage: ["domain", "ports", "memory", "policy", "stores", "config"],
  app: [
    ...["domain", "ports", "discord", "timeline", "search", "documents", "models", "profiles", "identity", "memory"],
    ...["policy", "tools", "gate", "agent", "stores", "transports", "sandbox", "config", "storage", "version.ts"],
  ],
  cli: ["domain", "ports", "policy", "tools", "client", "config", "storage", "app", "await-members.ts"],
  "command-line.ts": ["domain", "ports", "cli", "config", "app", "exit-codes.ts", "version.ts"],
  "main.ts": ["cli", "config", "command-line.ts", "log.ts"],
  "library.ts": ["domain", "ports", "policy", "transports", "config", "app", "await-members.ts"],
  "index.ts": ["domain", "ports", "discord", "client", "transports", "library.ts"],
};

/** Packages with one home. Others may be used anywhere, except in `domain` and `ports`, which know only zod. */
const HOMES: readonly { readonly packages: RegExp; readonly home: readonly string[] }[] = [
  { packages: /^@discordjs\//, home: ["discord"] },
  { packages: /^discord\.js$/, home: [] },
  { packages: /^discord-api-types/, home: ["discord", "sandbox"] },
  { packages: /^(ws|hono|@hono\/.*)$/, home: ["sandbox", "transports"] },
  { packages: /^hono\//, home: ["transports", "web"] },
  { packages: /^(preact.*|@preact\/.*|uplot)$/, home: ["web"] },
  { packages: /^oidc-provider$/, home: ["transports"] },
  { packages: /^(prom-client|@modelcontextprotocol\/.*)$/, home: ["transports"] },
  { packages: /^pino/, home: ["log.ts"] },
  { packages: /^oauth4webapi$/, home: ["identity"] },
  { packages: /^jsonc-parser$/, home: ["config"] },
  { packages: /^@modelcontextprotocol\//, home: ["transports"] },
];
const PURE = ["domain", "ports", "client"];
/** Pure themselves. */
const PURE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "domain/time/time-span.ts": ["chrono-node/en"],
  "domain/time/other-languages.ts": "ar de en es fi fr id it ja nl pt ru sv uk vi zh"
    .split(" ")
    .map((language) => `chrono-node/${language}`),
};

/** Whoever holds the whole of one of these could read or speak past the gate. */
const WHOLES = [
  "ports/discord.ts#Discord",
  "ports/timelines.ts#Timelines",
  "ports/search.ts#Search",
  "ports/message-index.ts#MessageIndex",
  "ports/documents.ts#Documents",
];
/** Folders and files that make or use them. */
const HOLDERS = [
  "ports",
  "discord",
  "timeline",
  "search",
  "documents",
  "gate",
  "app/configured-documents.ts",
  "app/connect-discord.ts",
  "app/open-talks.ts",
  "app/app.ts",
  "app/open-sources.ts",
  "app/open-core.ts",
  "app/open-faces.ts",
  "app/serve.ts",
];
/** Single parts that others may hold. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  "transports/http/metrics.ts": ["stats", "state", "directory"],
  "transports/console/list-coverage.ts": ["held"],
  "transports/http/read-status.ts": ["stats", "state", "directory"],
  "transports/discord/commands.ts": [
    "directory",
    "offerCommands",
    "listenForPresses",
    "listenForCommands",
    "listenForTyping",
    "listenForForms",
  ],
  "transports/discord/agent-command.ts": [
    "botId",
    "directory",
    "offerCommands",
    "listenForPresses",
    "listenForCommands",
  ],
  ...Object.fromEntries(
    ["message-agent", "answering", "follow-sources", "missed-questions", "open-agent", "reply"].map((file) => [
      `agent/${file}.ts`,
      ["botId", "botName", "directory", "listen"],
    ]),
  ),
  "transports/discord/reviews.ts": ["directory", "listenForPresses"],
  "transports/discord/signed-in-programs.ts": ["listenForPresses"],
  "app/open-sign-ins.ts": ["directory", "applicationId"],
  // The store itself, and what its tests ask of it.
  "stores/sqlite/message-index.ts": ["all"],
  "stores/message-index.suite.ts": ["all"],
  // Above the composition root: they start all of it, or offer the edge by itself as a library.
  "cli/commands.ts": ["all"],
  "cli/diagnose.ts": ["all"],
  "cli/mcp.ts": ["all"],
  "cli/start.ts": ["all"],
  "command-line.ts": ["all"],
  "library.ts": ["all"],
  "index.ts": ["all"],
};

/** The clock, chance and the environment reach everybody else through parameters. */
const MAY_BE_IMPURE = ["app/app.ts", "storage/durable-parts.ts", "main.ts", "cli", "client", "web"];
/** The default of an entry point that programs open by themselves. */
const MAY_READ: Readonly<Record<string, readonly string[]>> = { "sandbox/server.ts": ["Date.now"] };

/** Folders whose parts know nothing of each other; what they share lies in a `kit`, or, for engines of stores, right beside them. */
const EXCHANGEABLE = ["transports", "stores", "models"];
interface Source {
  /** Below `src/`, or from the root: `gate/gate.ts`, `sandbox/server.ts`. */
  readonly path: string;
  readonly room: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const readFolder = (folder: string): Source[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".test.ts"))
    .map((path): Source => {
      const text = readFileSync(join(ROOT, folder, path), "utf8");
      const named = toPath(join(folder, path));
      return { path: named, room: roomOf(named), text, imports: importsOf(path, text) };
    });
const toPath = (fromRoot: string) => fromRoot.replace(/^src\//, "");
const roomOf = (path: string) => path.split("/")[0] ?? path;
const sources = ["src", "sandbox", "web"].flatMap(readFolder);

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
    .map((name) => {
      const folder = dirname(join(["sandbox", "web"].includes(source.room) ? "" : "src", source.path));
      return toPath(relative(ROOT, resolve(ROOT, folder, name)));
    });
const packages = (source: Source) =>
  source.imports.filter((name) => !name.startsWith(".") && !name.startsWith("node:"));

function violations(broken: (source: Source) => readonly string[]): string[] {
  return sources.flatMap((source) => broken(source).map((what) => `${source.path} → ${what}`));
}

/** The first circle that is found, with its first member repeated at the end. */
function circleOf(graph: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>();
  const visit = (name: string, trail: readonly string[]): string[] | null => {
    if (trail.includes(name)) return [...trail.slice(trail.indexOf(name)), name];
    if (done.has(name)) return null;
    for (const next of graph.get(name) ?? []) {
      const circle = visit(next, [...trail, name]);
      if (circle) return circle;
    }
    done.add(name);
    return null;
  };
  for (const name of graph.keys()) {
    const circle = visit(name, []);
    if (circle) return circle;
  }
  return null;
}

describe("the architecture", () => {
  it("is checked for every kind of import", () => {
    const text = `import a from "./a.ts"; import type { B } from "./b.ts"; export * from "./c.ts"; export type { D } from "./d.ts";
      const e = await import("./e.ts"); type F = import("./f.ts").F; // import "./not.ts"`;
    expect(importsOf("x.ts", text).sort()).toEqual(["./a.ts", "./b.ts", "./c.ts", "./d.ts", "./e.ts", "./f.ts"]);
  });

  it("has allowed imports for every folder", () => {
    expect([...new Set(sources.map(({ room }) => room))].filter((room) => !(room in ARROWS))).toEqual([]);
  });

  it("only has imports that point down", () => {
    expect(
      violations((source) =>
        ours(source).filter((path) => {
          const room = roomOf(path);
          return ![source.room, dirname(source.path)].some((from) => from === room || ARROWS[from]?.includes(room));
        }),
      ),
    ).toEqual([]);
  });

  it("lets only the gate read from and send to Discord", () => {
    const parts = reachableParts(new Map(sources.map(({ path, text }) => [path, text])), WHOLES);
    const excess = ({ room, path }: Source) =>
      [room, path].some((holder) => HOLDERS.includes(holder))
        ? []
        : [...(parts.get(path) ?? [])].filter((part) => !HARMLESS[path]?.includes(part));
    expect(violations(excess)).toEqual([]);
    expect(Object.keys(HARMLESS).filter((path) => !parts.get(path)?.size)).toEqual([]);
  });

  it("lets the console's pages import only types from the server, and its routes only types from the sandbox", () => {
    const values = ({ path, text, room }: Source) => {
      const found: string[] = [];
      const note = (source: { value: string } | null) => {
        if (source?.value.includes(room === "web" ? "/src/" : "/sandbox/")) found.push(source.value);
      };
      new Visitor({
        ImportDeclaration: (node) => (node.importKind === "type" ? undefined : note(node.source)),
        ExportNamedDeclaration: (node) => (node.exportKind === "type" ? undefined : note(node.source)),
        ExportAllDeclaration: (node) => (node.exportKind === "type" ? undefined : note(node.source)),
        ImportExpression: (node) => note(node.source.type === "Literal" ? { value: String(node.source.value) } : null),
      }).visit(parseSync(path, text).program);
      return found;
    };
    expect(values({ path: "x.ts", room: "web", text: `import { a } from "../src/a.ts";`, imports: [] })).toHaveLength(
      1,
    );
    expect(violations((source) => (["web", "transports"].includes(source.room) ? values(source) : []))).toEqual([]);
  });

  it("starts without what only sign-ins and PostgreSQL need", () => {
    const byPath = new Map(sources.map((source) => [source.path, source]));
    const loaded = new Set<string>();
    const load = (path: string) => {
      const source = byPath.get(path);
      if (!source || loaded.has(path)) return;
      loaded.add(path);
      for (const [, name = ""] of source.text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)";$/gm))
        if (name.startsWith("."))
          for (const one of ours({ ...source, imports: [name] })) load(one.replace(/^src\//, ""));
        else loaded.add(name);
    };
    load("app/app.ts");
    expect([...loaded]).toContain("hono");
    for (const late of ["oidc-provider", "oauth4webapi", "pg"]) expect([late, loaded.has(late)]).toEqual([late, false]);
  });

  it("has no import cycle of files", () => {
    expect(circleOf(new Map(sources.map((source) => [source.path, ours(source)])))).toBeNull();
  });

  it("has no import cycle of folders, at any depth", () => {
    const depths = Math.max(...sources.map(({ path }) => path.split("/").length));
    for (let depth = 1; depth < depths; depth += 1) {
      // A file of `src/` itself is a room of its own.
      const folder = (path: string) => (path.includes("/") ? dirname(path).split("/").slice(0, depth).join("/") : path);
      const arrowsOf = (from: string, files: readonly Source[]) =>
        files
          .flatMap(ours)
          .map(folder)
          .filter((to) => to !== from);
      const graph = [...Map.groupBy(sources, ({ path }) => folder(path))];
      expect(circleOf(new Map(graph.map(([from, files]) => [from, arrowsOf(from, files)])))).toBeNull();
    }
  });

  it("keeps transports, stores and models independent of each other", () => {
    const part = (path: string) => path.split("/").slice(0, 2).join("/");
    const siblings = (source: Source) =>
      ours(source).filter(
        (path) =>
          roomOf(path) === source.room &&
          ![part(source.path), `${source.room}/kit`].includes(part(path)) &&
          !/^stores\/[\w.-]+$/.test(path),
      );
    expect(violations((source) => (EXCHANGEABLE.includes(source.room) ? siblings(source) : []))).toEqual([]);
  });

  it("uses each package only in its own folder", () => {
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

  it("uses no platform modules in the pure folders", () => {
    expect(
      violations((source) =>
        PURE.includes(source.room) ? source.imports.filter((name) => name.startsWith("node:")) : [],
      ),
    ).toEqual([]);
  });

  it("reads clock, randomness and environment only at the top", () => {
    const excess = ({ room, path, text }: Source) =>
      [room, path].some((impure) => MAY_BE_IMPURE.includes(impure))
        ? []
        : impurities(path, text).filter((name) => !MAY_READ[path]?.includes(name));
    expect(violations(excess)).toEqual([]);
  });

  it("names limits MAX_ and MIN_, with the unit of times", () => {
    const limits = /^(?:export )?const ((?:MOST|LONGEST|LARGEST|DEEPEST|LEAST|FEWEST|SHORTEST|SMALLEST)(?:_\w+)?) =/gm;
    const unitless = /^(?:export )?const (\w*(?:TIMEOUT|INTERVAL|TTL|LIFETIME|PATIENCE)) =/gm;
    const named = ({ text }: Source) => [...text.matchAll(limits), ...text.matchAll(unitless)].map(([, name]) => name);
    expect(violations((source) => named(source).filter((name) => name !== undefined))).toEqual([]);
  });

  it("keeps benchmarks and evaluations apart", () => {
    const among = (folder: string, other: string) =>
      readdirSync(new URL(`../${folder}/`, import.meta.url), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .filter((name) =>
          readFileSync(new URL(`../${folder}/${name}`, import.meta.url), "utf8").includes(`"../${other}/`),
        );
    expect([...among("bench", "eval"), ...among("eval", "bench")]).toEqual([]);
  });

  it("keeps files short enough to read in one go", () => {
    expect(
      violations(({ text }) => (text.split("\n").length > 401 ? [`${text.split("\n").length} lines`] : [])),
    ).toEqual([]);
  });
});

describe("the check for access to Discord", () => {
  const files = {
    "ports/discord.ts": `export interface Discord { send(): void; history(): void; stats(): number } export interface Draft { text: string }`,
    "ports/all.ts": `export * from "./discord.ts"; export type { Discord as Whole } from "./discord.ts";`,
    "ports/space.ts": `export * as ports from "./discord.ts";`,
    "gate/gate.ts": `import type { Discord, Draft } from "../ports/discord.ts";
      export interface GateDeps { readonly discord: Discord; readonly draft: Draft }
      export interface Gate { call(): void }
      export type Outer = Readonly<GateDeps>;
      export function createGate(deps: GateDeps): Gate { return { call: () => deps.discord.send() }; }
      export class Fetcher { constructor(deps: Pick<Discord, "history">) { deps.history(); } }
      export const open = async () => ({}) as Discord;
      export function hidden(): number { const whole = {} as Discord; return whole.stats(); }`,
    "discord/edge.ts": `import type { Discord } from "../ports/discord.ts";
      export class Edge implements Discord { send() {} history() {} stats() { return 0; } }
      export default Edge;`,
  };
  const reached = (text: string, more: Readonly<Record<string, string>> = {}) => {
    const all = new Map(Object.entries({ ...files, ...more, "transports/x.ts": text }));
    return [...(reachableParts(all, ["ports/discord.ts#Discord"]).get("transports/x.ts") ?? [])].sort();
  };

  it.each([
    `import type { Discord } from "../ports/discord.ts"; type X = Discord;`,
    `import type { Discord as D } from "../ports/discord.ts"; function x(d: D) {}`,
    `import { type Discord as D } from "../ports/discord.ts"; const x = {} as D;`,
    `import type * as discord from "../ports/discord.ts"; let x: discord.Discord;`,
    `import type * as discord from "../ports/discord.ts"; type X = Partial<typeof discord>;`,
    `import * as discord from "../ports/discord.ts"; type X = typeof discord;`,
    `type X = import("../ports/discord.ts").Discord;`,
    `type X = typeof import("../discord/edge.ts");`,
    `const x = await import("../discord/edge.ts");`,
    `export * from "../ports/discord.ts";`,
    `export * as everything from "../ports/discord.ts";`,
    `export type { Discord } from "../ports/discord.ts";`,
    `export type { Discord as Harmless } from "../ports/discord.ts";`,
    `import type { Discord } from "../ports/discord.ts"; export type { Discord };`,
    `import type { Discord } from "../ports/all.ts"; type X = Discord[];`,
    `import type { Whole } from "../ports/all.ts"; type X = Whole;`,
    `import type { ports } from "../ports/space.ts"; type X = ports.Discord;`,
    `import type { Discord } from "../ports/discord.ts"; type X = Omit<Discord, "close">;`,
    `import type { Discord } from "../ports/discord.ts"; type X = Pick<Discord, keyof Discord>;`,
    `import type { Discord } from "../ports/discord.ts"; type K = "send"; type X = Pick<Discord, K>;`,
    `import type { Discord } from "../ports/discord.ts"; type X = Pick<Discord, "send"> & Discord;`,
    `import type { Discord } from "../ports/discord.ts"; type X = Discord[keyof Discord];`,
    `import type { Discord } from "../ports/discord.ts"; interface X extends Discord {}`,
    `import type { Discord } from "../ports/discord.ts"; class X implements Discord {}`,
    `import type { Discord } from "../ports/discord.ts"; type X = { [K in keyof Discord]: Discord[K] };`,
    `import type { Discord } from "../ports/discord.ts"; type X = Map<string, { whole: Promise<Discord> }>;`,
    `import { Edge } from "../discord/edge.ts"; const x = new Edge();`,
    `import Anything from "../discord/edge.ts"; const x = new Anything();`,
    `import { Edge } from "../discord/edge.ts"; type X = InstanceType<typeof Edge>;`,
    `import { open } from "../gate/gate.ts"; const x = await open();`,
    `import { open } from "../gate/gate.ts"; type X = Awaited<ReturnType<typeof open>>;`,
    `import type { GateDeps } from "../gate/gate.ts"; type X = GateDeps["discord"];`,
    `import type { GateDeps } from "../gate/gate.ts"; function x({ discord }: GateDeps) {}`,
    `import type { Outer } from "../gate/gate.ts"; type X = Outer["discord"];`,
    `import type { createGate } from "../gate/gate.ts"; type X = Parameters<typeof createGate>[0]["discord"];`,
    `import { createGate } from "../gate/gate.ts"; const x = createGate;`,
  ])("finds access to everything in: %s", (text) => {
    expect(reached(text)).toEqual(["all"]);
  });

  it("follows a name through files that re-export it", () => {
    const passing = {
      "transports/a.ts": `import type { Discord } from "../ports/discord.ts"; export type A = { inner: Discord };`,
      "transports/b.ts": `export { type A as B } from "./a.ts";`,
      "transports/c.ts": `export * from "./b.ts";`,
    };
    expect(reached(`import type { B } from "./c.ts"; type X = B["inner"];`, passing)).toEqual(["all"]);
  });

  it.each([
    [`import type { Discord } from "../ports/discord.ts"; type X = Pick<Discord, "send" | "stats">;`, "send stats"],
    [`import type { Discord as D } from "../ports/discord.ts"; type X = Pick<D, "send">;`, "send"],
    [`import type * as d from "../ports/discord.ts"; interface X { a: Pick<d.Discord, "send"> }`, "send"],
    [`type X = Pick<import("../ports/discord.ts").Discord, "send">;`, "send"],
    [`import type { Whole } from "../ports/all.ts"; type X = Pick<Whole, "send">;`, "send"],
    [`import type { Discord } from "../ports/discord.ts"; type Some = Pick<Discord, "send">; let x: Some;`, "send"],
    [`import type { Discord } from "../ports/discord.ts"; type X = Discord["stats"];`, "stats"],
    [`import type { Fetcher } from "../gate/gate.ts"; type X = ConstructorParameters<typeof Fetcher>[0];`, "history"],
    [`import type { Discord } from "../ports/discord.ts";`, ""],
    [`import type { Draft } from "../ports/discord.ts"; let x: Draft;`, ""],
    [`import type { Gate } from "../gate/gate.ts"; let x: Gate;`, ""],
    [`import { hidden } from "../gate/gate.ts"; hidden();`, ""],
    [`const Discord = "Discord"; // Discord`, ""],
  ])("finds access only to the picked members in: %s", (text, parts) => {
    expect(reached(text).join(" ")).toBe(parts);
  });
});

describe("the check for clock, randomness and environment", () => {
  it.each([
    `const x = Date.now();`,
    `const now = Date.now;`,
    `const x = Date["now"]();`,
    `const x = globalThis.Date.now();`,
    `const { now } = Date;`,
    `const D = Date; D.now();`,
    `const x = new Date();`,
    `const x = new Date;`,
    `const x = new globalThis.Date();`,
    `const x = Date();`,
    `const x = Math.random();`,
    `const x = Math[key]();`,
    `const x = process.env["HOME"];`,
    `const { env } = process;`,
    `import { env } from "node:process";`,
    `import process from "node:process"; const x = process.env;`,
    `import { randomUUID } from "node:crypto"; randomUUID();`,
    `import { randomBytes as bytes } from "node:crypto"; bytes(8);`,
    `import * as crypto from "node:crypto"; crypto.randomBytes(8);`,
    `const x = crypto.randomUUID();`,
    `crypto.getRandomValues(new Uint8Array(4));`,
    `const x = performance.now();`,
    `import { performance } from "node:perf_hooks";`,
    `const g = globalThis;`,
    `const x = (Date as never as { now(): number }).now();`,
  ])("rejects: %s", (text) => {
    expect(impurities("x.ts", text)).not.toEqual([]);
  });

  it.each([
    `const x = new Date(clock.now()).toISOString();`,
    `const x = Date.parse("2026-11-15") + Math.max(1, 2);`,
    `import { createHash } from "node:crypto"; createHash("sha256");`,
    `setTimeout(() => {}, 10); process.nextTick(() => {});`,
    `const x: Date | null = null; // Date.now()`,
    `const x = { now: () => 1 }; const y = x.now(); const z = "Math.random()";`,
  ])("accepts: %s", (text) => {
    expect(impurities("x.ts", text)).toEqual([]);
  });
});
