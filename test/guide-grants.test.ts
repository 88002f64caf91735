import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { token } from "../src/cli/token.ts";
import { refuseTool } from "../src/policy/decide.ts";
import { type Grant, grantSchema, SCOPES } from "../src/policy/grant.ts";
import { rulesSchema } from "../src/policy/rules.ts";
import { tools } from "../src/tools/index.ts";
import { toWireName } from "../src/tools/tool-schema.ts";
import { createMethods, type MethodsDeps } from "../src/transports/rpc/methods.ts";

const FOLDER = resolve(import.meta.dirname, "../docs/guide");
const RULES = rulesSchema.parse({});

/** What pages show that is no method by its name: the tool that it takes. */
const SHOWN_OTHERWISE: Readonly<Record<string, string>> = {
  join_the_conversation: "context.window",
  catch_me_up: "discord.guild.channels",
  what_did_we_decide: "search_messages",
  start_over: "discord.send",
  "earshot://channel": "discord.channel.messages",
  "earshot://thread": "discord.channel.messages",
  "earshot://message": "get_message_context",
  "earshot://summary": "get_channel_summary",
  "**Direct messages** with the bot": "discord.dm.messages",
};
/** Shown so that it is refused. */
const SHOWN_REFUSED: Readonly<Record<string, readonly string[]>> = { "library.md": ["discord.send"] };

const isFor: MethodsDeps["gate"]["isFor"] = (tool, { grant }) => refuseTool({ tool, grant, rules: RULES }) === null;
const methods = createMethods({ gate: { tools, isFor } } as unknown as MethodsDeps);

interface Fence {
  readonly language: string;
  readonly text: string;
}

function readGuide(page: string) {
  const text = readFileSync(join(FOLDER, page), "utf8");
  const fences: Fence[] = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = "", inside = ""]) => {
    return { language, text: inside };
  });
  const prose = text.replaceAll(/^```.*?^```$/gms, "");
  const grants = fences.flatMap(({ language, text: inside }) => {
    if (language === "json") return grantsIn(JSON.parse(inside));
    const scopes = [...inside.matchAll(/grant: \{[^}]*scopes: (\[[^\]]*\])/g)];
    return scopes.map(([, list = ""]) => grantSchema.parse({ scopes: JSON.parse(list), guilds: "all" }));
  });
  return { prose, fences, grants };
}

function grantsIn(value: unknown): Grant[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "grant" ? [grantSchema.parse(inner)] : grantsIn(inner),
  );
}

/** The methods that a page shows. What stands on a command line is called by the operator. */
function shownIn(page: string): string[] {
  const { prose, fences } = readGuide(page);
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  const code = fences.filter(({ language }) => language === "ts").map(({ text }) => text);
  const shown = [...spans, ...code].join("\n");
  const named = new Set(shown.match(/[a-z]\w*(?:\.\w+)*/g));
  const chosen = [...shown.matchAll(/toolsets:? (\w+)/g)].map(([, name]) => name);
  const names = [...methods.values()].filter(
    ({ name, tool }) =>
      named.has(name) || named.has(toWireName(name)) || (tool !== null && chosen.includes(tool.toolset)),
  );
  const otherwise = Object.entries(SHOWN_OTHERWISE).filter(([words]) => prose.includes(words));
  const all = [...names.map(({ name }) => name), ...otherwise.map(([, name]) => name)];
  return [...new Set(all)].filter((name) => !SHOWN_REFUSED[page]?.includes(name));
}

/** What a client with this grant lacks for a method. */
function lackingFor(name: string, grant: Grant): string[] {
  const method = methods.get(name);
  if (!method) return [`${name} is no method`];
  const lacks = method.tool && !grant.scopes.includes(method.tool.scope) ? [`${name}: ${method.tool.scope}`] : [];
  return method.isFor({ name: "guide", grant }) ? lacks : [`${name} is refused`, ...lacks];
}

const pages = readdirSync(FOLDER).filter((page) => page.endsWith(".md"));
const granting = pages.filter((page) => readGuide(page).grants.length > 0);

describe("the grants in the guides", () => {
  it("are found, and so are the methods", () => {
    expect(granting).toEqual(["clients.md", "keeping-it-running.md", "library.md", "mcp.md"]);
    expect(shownIn("clients.md")).toEqual(expect.arrayContaining(["discord.send", "context.window", "operation.open"]));
    expect(shownIn("mcp.md")).toEqual(expect.arrayContaining(["search_user_messages", "discord.dm.messages"]));
  });

  it.each(granting)("cover every method and tool that %s shows", (page) => {
    for (const grant of readGuide(page).grants)
      expect(shownIn(page).flatMap((name) => lackingFor(name, grant))).toEqual([]);
  });

  it.each(granting)("hold every scope that %s speaks of, but for those that a table lists", (page) => {
    const { prose, grants } = readGuide(page);
    const sentences = prose.replaceAll(/^\|.*$/gm, "");
    const named = SCOPES.filter((scope) => sentences.includes(`\`${scope}\``));
    for (const { scopes } of grants) expect(named.filter((scope) => !scopes.includes(scope))).toEqual([]);
  });

  it("are what `earshot token` writes, in the guide that begins with it", async () => {
    const lines: string[] = [];
    const args = { positionals: ["brain"], values: {} };
    const context = { print: (line: string) => void lines.push(line), self: "earshot", origin: { file: null } };
    await token.run(args, context as unknown as Parameters<typeof token.run>[1]);
    const [entry = ""] = lines.join("\n").match(/^ {2}\{$.*?^ {2}\}$/ms) ?? [];
    expect(readGuide("clients.md").grants).toEqual(grantsIn(JSON.parse(entry)));
  });
});
