import { type Module, type Ref, readModule } from "./module-syntax.ts";

/** Of an interface that must not be held as a whole: all of it, or only some members. */
type Parts = "all" | ReadonlySet<string>;

const NOTHING: Parts = new Set();

/**
 * Which members of the root interfaces each file can reach through the types and values it names: through renamed, namespace and dynamic
 * imports, re-exports, aliases, `typeof`, and declarations of other files that mention the interface. `Pick<Root, "a">` and `Root["a"]` reach
 * the named member; everything else reaches the whole, reported as "all". Paths, and roots as `path#Name`, are relative to one folder.
 */
export function reachableParts(
  files: ReadonlyMap<string, string>,
  roots: readonly string[],
): Map<string, ReadonlySet<string>> {
  const modules = new Map([...files].map(([path, text]) => [path, readModule(path, text)]));
  const declared = new Map<string, Parts>();

  // What a declaration reaches depends on other declarations: repeated until nothing new is learned.
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false;
    for (const [path, { declarations }] of modules)
      for (const [name, refs] of declarations) {
        const key = `${path}#${name}`;
        const before = declared.get(key) ?? NOTHING;
        const after = union([before, ...refs.map(ofRef)]);
        if (sizeOf(after) === sizeOf(before)) continue;
        declared.set(key, after);
        hasChanged = true;
      }
  }
  return new Map([...modules].map(([path, module]) => [path, ofFile(module)]));

  /** A file reaches what it names anywhere: in types, in bodies, in re-exports. */
  function ofFile({ refs, exports, starExports }: Module): ReadonlySet<string> {
    const stars = starExports.map((path): Ref => ({ path, name: "*", members: null }));
    const all = union([...refs, ...exports.values(), ...stars].map(ofRef));
    return all === "all" ? new Set(["all"]) : all;
  }

  function ofRef(ref: Ref): Parts {
    return ref.members && isRoot(ref, 0) ? ref.members : ofName(ref, new Set());
  }

  function ofName({ path, name }: Ref, seen: ReadonlySet<string>): Parts {
    const key = `${path}#${name}`;
    const module = modules.get(path);
    if (roots.includes(key)) return "all";
    if (!module || seen.has(key)) return NOTHING;
    const within = new Set([...seen, key]);
    return union([declared.get(key) ?? NOTHING, ...targetsOf(module, name).map((target) => ofName(target, within))]);
  }

  /** The interface itself, under whichever name. */
  function isRoot({ path, name }: Ref, depth: number): boolean {
    const module = modules.get(path);
    if (roots.includes(`${path}#${name}`)) return true;
    if (!module || name === "*" || depth > 20) return false;
    return targetsOf(module, name).some((target) => target.members === null && isRoot(target, depth + 1));
  }
}

/** What a name stands for that a module imports or re-exports; all that it exports, for "*". */
function targetsOf({ imports, exports, starExports }: Module, name: string): Ref[] {
  const stars = starExports.map((path): Ref => ({ path, name, members: null }));
  if (name === "*") return [...exports.values(), ...stars];
  const target = exports.get(name) ?? imports.get(name);
  return target ? [target] : stars;
}

function union(all: readonly Parts[]): Parts {
  const parts = all.filter((one) => sizeOf(one) > 0);
  if (parts.length === 0) return NOTHING;
  return parts.includes("all") ? "all" : new Set(parts.flatMap((one) => [...one]));
}

function sizeOf(parts: Parts): number {
  return parts === "all" ? Number.POSITIVE_INFINITY : parts.size;
}
