import { childrenOf, isNode, type Node, nameOf, nodesOf, parseProgram } from "./module-syntax.ts";

/** Members of global objects, and of modules of the platform, that read the clock, chance or the environment. */
const IMPURE: Readonly<Record<string, readonly string[]>> = {
  Date: ["now"],
  Math: ["random"],
  performance: ["now", "timeOrigin", "mark", "measure"],
  process: ["env", "argv", "hrtime", "uptime"],
  crypto: ["randomUUID", "getRandomValues"],
  "node:process": ["env", "argv", "hrtime", "uptime"],
  "node:perf_hooks": ["performance"],
  "node:crypto": ["randomUUID", "randomBytes", "randomInt", "randomFill", "randomFillSync", "webcrypto"],
};
const GLOBALS = Object.keys(IMPURE).filter((name) => !name.startsWith("node:"));
/** By these every global object can be had. */
const ROOTS = ["globalThis", "global"];

/** Where a file reads the clock, chance or the environment, by itself or by a name that it gives to one of them. */
export function impurities(path: string, text: string): string[] {
  const found: string[] = [];
  const modules = new Map<string, string>();
  const body = parseProgram(path, text);
  for (const node of body) {
    const source = nameOf(node["source"]) ?? "";
    if (!(source in IMPURE) || node["importKind"] === "type") continue;
    for (const one of nodesOf(node["specifiers"])) {
      const name = nameOf(one["imported"]);
      if (name !== null && IMPURE[source]?.includes(name)) found.push(name);
      if (name === null || name === "default") modules.set(nameOf(one["local"]) ?? "", source);
    }
  }
  visit(body);
  return found;

  function visit(node: unknown): void {
    if (Array.isArray(node)) for (const one of node) visit(one);
    if (!isNode(node)) return;
    const { type } = node;
    // Types are harmless, but values stand within some of them: `value as Type`, `value!`.
    if (type.startsWith("TS")) {
      visit(node["expression"]);
      return;
    }
    if (type === "MemberExpression" && visitMember(node)) return;
    if (type === "VariableDeclarator" && visitPattern(node)) return;
    const isDate = isGlobal(node["callee"], "Date");
    if (type === "NewExpression" && isDate && nodesOf(node["arguments"]).length === 0) found.push("new Date()");
    if (type === "CallExpression" && isDate) found.push("Date()");
    const children = isDate ? [node["arguments"]] : childrenOf(node);
    // As a value it could be handed on under another name.
    const name = type === "Identifier" ? (nameOf(node) ?? "") : "";
    if (GLOBALS.includes(name) || name === "globalThis" || modules.has(name)) found.push(name);
    for (const child of children) visit(child);
  }

  /** `Date.now`, `globalThis.Date.now`, `Date["now"]`. True when there is nothing more to look at. */
  function visitMember({ object, property, computed }: Node): boolean {
    const isLiteral = computed !== true || (isNode(property) && property.type === "Literal");
    const source = sourceOf(object);
    if (source === null) return false;
    const name = isLiteral ? (nameOf(property) ?? "") : "";
    if (!isLiteral || IMPURE[source]?.includes(name)) found.push(`${source}.${name || "[…]"}`);
    if (!isLiteral) visit(property);
    return true;
  }

  /** `const { now } = Date`. */
  function visitPattern({ id, init }: Node): boolean {
    const source = sourceOf(init);
    if (source === null || !isNode(id) || id.type !== "ObjectPattern") return false;
    for (const one of nodesOf(id["properties"])) {
      const name = nameOf(one["key"]);
      if (name === null || IMPURE[source]?.includes(name)) found.push(`${source}.${name ?? "…"}`);
    }
    return true;
  }

  function sourceOf(node: unknown): string | null {
    if (!isNode(node)) return null;
    const imported = node.type === "Identifier" ? modules.get(nameOf(node) ?? "") : undefined;
    return imported ?? GLOBALS.find((name) => isGlobal(node, name)) ?? null;
  }
}

function isGlobal(node: unknown, name: string): boolean {
  if (!isNode(node)) return false;
  if (node.type === "Identifier") return nameOf(node) === name;
  const isOfRoot = node.type === "MemberExpression" && ROOTS.includes(nameOf(node["object"]) ?? "");
  return isOfRoot && nameOf(node["property"]) === name;
}
