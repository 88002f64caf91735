import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";

/** A node of the syntax tree. */
export type Node = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A name in a module. "*" is everything that the module exports. */
export interface Ref {
  readonly path: string;
  readonly name: string;
  /** Only these members of it, as in `Pick<Name, "a" | "b">` and `Name["a"]`. */
  readonly members: ReadonlySet<string> | null;
}

/** One file: what it names, and where those names come from. */
export interface Module {
  readonly imports: ReadonlyMap<string, Ref>;
  /** By exported name. Local names are refs to this module. */
  readonly exports: ReadonlyMap<string, Ref>;
  /** Paths of `export * from`. */
  readonly starExports: readonly string[];
  /** What each top-level declaration names where others can see it: not in bodies of functions that say what they return. */
  readonly declarations: ReadonlyMap<string, readonly Ref[]>;
  /** Everything that is named anywhere in it. */
  readonly refs: readonly Ref[];
}

/** Throws for what is no TypeScript. */
export function parseProgram(path: string, text: string): readonly Node[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  return program.body as unknown as readonly Node[];
}

export function readModule(path: string, text: string): Module {
  const imports = new Map<string, Ref>();
  const exports = new Map<string, Ref>();
  const starExports: string[] = [];
  const declared: { name: string; node: Node }[] = [];
  const own = (name: string): Ref => ({ path, name, members: null });
  const body = parseProgram(path, text);
  for (const node of body) {
    const from = isNode(node["source"]) ? resolveFrom(path, node["source"]) : null;
    const declaration = node.type.startsWith("Export") ? node["declaration"] : node;
    const names = declarationsIn(declaration);
    declared.push(...names);
    for (const one of nodesOf(node["specifiers"])) {
      const local = nameOf(one["local"]) ?? "";
      if (node.type === "ImportDeclaration") {
        const name = one.type === "ImportNamespaceSpecifier" ? "*" : (nameOf(one["imported"]) ?? "default");
        imports.set(local, { path: from ?? "", name, members: null });
      } else exports.set(nameOf(one["exported"]) ?? "", from === null ? own(local) : { ...own(local), path: from });
    }
    if (node.type === "ExportNamedDeclaration") for (const { name } of names) exports.set(name, own(name));
    if (node.type === "ExportDefaultDeclaration" && isNode(declaration)) {
      if (names.length === 0) declared.push({ name: "default", node: declaration });
      exports.set("default", own(names[0]?.name ?? "default"));
    }
    if (node.type === "ExportAllDeclaration" && from !== null) {
      const name = nameOf(node["exported"]);
      if (name === null) starExports.push(from);
      else exports.set(name, { path: from, name: "*", members: null });
    }
  }
  // A name that is exported under itself leads on to what it was imported as.
  for (const [name, ref] of exports) if (ref.path === path) exports.set(name, imports.get(ref.name) ?? ref);
  const scope = { path, imports };
  const names = new Set(declared.map(({ name }) => name));
  const refsOf = (node: unknown) =>
    distinct(refsIn(node, scope).filter((ref) => ref.path !== path || names.has(ref.name)));
  const declarations = new Map<string, Ref[]>();
  for (const { name, node } of declared)
    declarations.set(name, [...(declarations.get(name) ?? []), ...refsOf(signatureOf(node))]);
  return { imports, exports, starExports, declarations, refs: refsOf(body) };
}

function distinct(refs: readonly Ref[]): Ref[] {
  const keyOf = ({ path, name, members }: Ref) => `${path}#${name} ${members && [...members].join()}`;
  return [...new Map(refs.map((ref) => [keyOf(ref), ref])).values()];
}

interface Scope {
  readonly path: string;
  readonly imports: ReadonlyMap<string, Ref>;
}

/** Everything that a piece of syntax names. */
function refsIn(node: unknown, scope: Scope): Ref[] {
  if (Array.isArray(node)) return node.flatMap((one) => refsIn(one, scope));
  if (!isNode(node)) return [];
  const picked = pickIn(node);
  const from = picked && refOf(picked.from, scope);
  if (picked && from && from.name !== "*") return [{ ...from, members: picked.members }];
  if (node.type === "ImportExpression")
    return [{ path: resolveFrom(scope.path, node["source"]), name: "*", members: null }];
  const ref = refOf(node, scope);
  if (ref) return [ref, ...refsIn(node["typeArguments"], scope)];
  return childrenOf(node).flatMap((child) => refsIn(child, scope));
}

/** What a name points to: `Discord`, `ports.Discord`, `import("…").Discord`. Null for syntax that is no name. */
function refOf(node: unknown, scope: Scope): Ref | null {
  if (!isNode(node)) return null;
  switch (node.type) {
    case "TSTypeReference":
      return refOf(node["typeName"], scope);
    case "Identifier": {
      const name = nameOf(node) ?? "";
      // A parameter's name stands beside its type.
      if (isNode(node["typeAnnotation"])) return null;
      return scope.imports.get(name) ?? { path: scope.path, name, members: null };
    }
    case "TSImportType": {
      const source = { path: resolveFrom(scope.path, node["source"]), members: null };
      return { ...source, name: nameOf(node["qualifier"]) ?? "*" };
    }
    case "TSQualifiedName":
    case "MemberExpression": {
      const container = refOf(node["left"] ?? node["object"], scope);
      const name = nameOf(node["right"] ?? node["property"]);
      if (container?.name !== "*" || name === null || node["computed"] === true) return null;
      return { ...container, name };
    }
    default:
      return null;
  }
}

/** `Pick<From, "a" | "b">` and `From["a"]`, where the members are spelled out. */
function pickIn(node: Node): { from: unknown; members: ReadonlySet<string> } | null {
  const isIndexed = node.type === "TSIndexedAccessType";
  const isPick = node.type === "TSTypeReference" && nameOf(node["typeName"]) === "Pick";
  const given = isNode(node["typeArguments"]) ? nodesOf(node["typeArguments"]["params"]) : [];
  const [from, keys] = isIndexed ? [node["objectType"], node["indexType"]] : given;
  const members = isIndexed || isPick ? literalsIn(keys) : null;
  return members && { from, members };
}

function literalsIn(node: unknown): ReadonlySet<string> | null {
  if (!isNode(node)) return null;
  if (node.type === "TSUnionType") {
    const each = nodesOf(node["types"]).map(literalsIn);
    return each.includes(null) ? null : new Set(each.flatMap((one) => [...(one ?? [])]));
  }
  const value = node.type === "TSLiteralType" && isNode(node["literal"]) ? node["literal"]["value"] : null;
  return typeof value === "string" ? new Set([value]) : null;
}

function declarationsIn(node: unknown): { name: string; node: Node }[] {
  if (!isNode(node)) return [];
  const variables = nodesOf(node["declarations"]);
  if (variables.length > 0)
    return variables.flatMap((one) => boundNames(one["id"]).map((name) => ({ name, node: one })));
  const name = nameOf(node["id"]);
  return name === null ? [] : [{ name, node }];
}

function boundNames(pattern: unknown): string[] {
  if (Array.isArray(pattern)) return pattern.flatMap(boundNames);
  if (!isNode(pattern)) return [];
  return pattern.type === "Identifier" ? [String(pattern["name"])] : childrenOf(pattern).flatMap(boundNames);
}

/** Without the bodies of constructors and of functions that say what they return: nobody reaches into them by the name. */
function signatureOf(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(signatureOf);
  if (!isNode(node)) return node;
  const hasReturn = isNode(node["returnType"]);
  const children = Object.entries(node).filter(([key]) => !(key === "body" && hasReturn));
  const isConstructor = node.type === "MethodDefinition" && node["kind"] === "constructor";
  const bare = (value: unknown) => (isConstructor && isNode(value) ? { ...value, body: null } : value);
  return Object.fromEntries(children.map(([key, child]) => [key, signatureOf(key === "value" ? bare(child) : child)]));
}

/** Without what are only keys, and the names that are declared. */
export function childrenOf(node: Node): unknown[] {
  if (node.type === "ImportDeclaration" || (node.type.startsWith("Export") && isNode(node["source"]))) return [];
  const isName = (key: string, child: unknown) =>
    (key === "key" && node["computed"] !== true) ||
    (key === "property" && node["computed"] !== true) ||
    (key === "id" && isNode(child) && child.type === "Identifier" && !isNode(child["typeAnnotation"]));
  const children: unknown[] = [];
  for (const [key, child] of Object.entries(node))
    if (typeof child === "object" && child !== null && !isName(key, child)) children.push(child);
  return children;
}

function resolveFrom(path: string, source: unknown): string {
  const name = nameOf(source) ?? "";
  return name.startsWith(".") ? join(dirname(path), name) : name;
}

export function nameOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === "Identifier") return String(node["name"]);
  return node.type === "Literal" ? String(node["value"]) : null;
}

export function nodesOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
