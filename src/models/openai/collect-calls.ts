export interface CollectedCall {
  readonly id: string;
  readonly tool: string;
  /** As the model wrote them. */
  readonly args: string;
}

interface CallDelta {
  readonly id: string | undefined;
  readonly index: number | undefined;
  readonly name: string;
  readonly args: string;
}

const MAX_CALLS = 100;

type CallInProgress = { -readonly [K in keyof CallDelta]: CallDelta[K] };

/**
 * Puts calls together from their deltas. Servers differ in how they tell parallel calls apart: some give every call the index 0, or no index, or no id,
 * or repeat the name, or a whole call, or give each delta an id of its own.
 */
export function createCallCollector() {
  const calls: CallInProgress[] = [];
  return {
    /** Takes `tool_calls` of a delta or of a whole message. Returns the number of characters in them. */
    add(given: unknown): number {
      let characters = 0;
      for (const entry of Array.isArray(given) ? given : []) {
        const delta = toDelta(entry);
        characters += delta.name.length + delta.args.length;
        const call = findCall(calls, delta);
        if (call && !isRepeated(call, delta)) {
          call.id ??= delta.id;
          call.name ||= delta.name;
          call.args += delta.args;
        }
        if (!call && calls.length < MAX_CALLS) calls.push({ ...delta });
      }
      return characters;
    },
    /** All calls, with ids that differ from each other and from those in `taken`. */
    finish(taken: ReadonlySet<string>): CollectedCall[] {
      const used = new Set(taken);
      const named = calls.filter(({ name }) => name !== "");
      const ids = named.map(({ id }) => {
        if (id === undefined || used.has(id)) return undefined;
        used.add(id);
        return id;
      });
      return named.map(({ name, args }, index) => {
        const text = args.trim();
        const whole = text === "" || text === "null" ? "{}" : args;
        const id = ids[index] ?? mintId(used);
        return { id, tool: name, args: whole };
      });
    },
  };
}

function toDelta(entry: unknown): CallDelta {
  const { id, index, function: called } = (entry ?? {}) as Record<string, unknown>;
  const { name, arguments: args } = (called ?? {}) as Record<string, unknown>;
  return {
    id: typeof id === "string" && id.trim() !== "" ? id : undefined,
    index: typeof index === "number" ? index : undefined,
    name: typeof name === "string" ? name.trim() : "",
    args: typeof args === "string" ? args : args === null || args === undefined ? "" : JSON.stringify(args),
  };
}

/** The call that the delta continues; undefined where it begins a new one. */
function findCall(calls: readonly CallInProgress[], delta: CallDelta): CallInProgress | undefined {
  const known = delta.id === undefined ? undefined : calls.findLast(({ id }) => id === delta.id);
  if (known) {
    const isSamePlace = delta.name === "" || delta.index === undefined || delta.index === known.index;
    return isSamePlace && (delta.name === "" || !beginsAnew(known, delta)) ? known : undefined;
  }
  const last = delta.index === undefined ? calls.at(-1) : calls.findLast(({ index }) => index === delta.index);
  if (!last || delta.name === "" || last.name === "") return last;
  if (last.name !== delta.name) return undefined;
  if (isUnfinished(last.args)) return last;
  // The name is repeated before the arguments begin, or the id comes late.
  const isStillEmpty = last.args === "" && last.index !== undefined;
  return isStillEmpty && (delta.id === undefined || last.id === undefined) ? last : undefined;
}

/** A server that gives several whole calls the same id. */
function beginsAnew(known: CallInProgress, delta: CallDelta): boolean {
  return delta.args !== "" && known.args !== "" && !isUnfinished(known.args) && !isRepeated(known, delta);
}

/** The whole call once more, as some servers send with the end of the answer. */
function isRepeated(call: CallInProgress, { id, name, args }: CallDelta): boolean {
  return id !== undefined && call.id === id && name !== "" && args !== "" && call.args === args;
}

function isUnfinished(args: string): boolean {
  if (args === "") return false;
  try {
    JSON.parse(args);
    return false;
  } catch {
    return true;
  }
}

/** An id that is not among `used`; adds it there. */
export function mintId(used: Set<string>): string {
  let number = used.size + 1;
  while (used.has(`call-${number}`)) number += 1;
  used.add(`call-${number}`);
  return `call-${number}`;
}
