/** For each line that counts the lines it answers; itself, if it begins a conversation. */
export type Answers = ReadonlyMap<number, readonly number[]>;

/** What people said of one log, and what was found. Both speak of the same lines. */
export interface Compared {
  readonly truth: Answers;
  readonly found: Answers;
}

/** In percent. */
export interface Measures {
  readonly link_f: number;
  readonly vi: number;
  readonly one_to_one: number;
  readonly exact_f: number;
}

/**
 * As in Kummerfeld et al. 2019, "A Large-Scale Corpus for Conversation Disentanglement": links include those of a line to itself; a
 * conversation is what links connect, counting only lines from the first annotated one on; all logs are taken together.
 */
export function measure(logs: readonly Compared[]): Measures {
  const groups = logs.map(({ truth, found }) => ({ truth: toGroups(truth), found: toGroups(found) }));
  return {
    link_f: measureLinks(logs),
    vi: measureInformation(groups),
    one_to_one: measureOverlap(groups),
    exact_f: measureExact(groups),
  };
}

/** Conversations, each a list of lines. */
export type Groups = readonly (readonly number[])[];

interface Grouped {
  readonly truth: Groups;
  readonly found: Groups;
}

function measureLinks(logs: readonly Compared[]): number {
  let [wanted, given, matched] = [0, 0, 0];
  for (const { truth, found } of logs) {
    for (const targets of truth.values()) wanted += targets.length;
    for (const [line, targets] of found) {
      given += targets.length;
      matched += targets.filter((target) => truth.get(line)?.includes(target)).length;
    }
  }
  return toF(matched, given, wanted);
}

/** Lines that links connect, also by way of lines before the first annotated one, which are then left out. */
export function toGroups(answers: Answers): number[][] {
  const parents = new Map<number, number>();
  const rootOf = (line: number): number => {
    const parent = parents.get(line) ?? line;
    if (parent === line) return line;
    const root = rootOf(parent);
    parents.set(line, root);
    return root;
  };
  for (const [line, targets] of answers)
    for (const target of [line, ...targets]) {
      parents.set(target, rootOf(target));
      parents.set(rootOf(target), rootOf(line));
    }
  const first = Math.min(...answers.keys());
  const groups = new Map<number, number[]>();
  for (const line of [...parents.keys()].filter((one) => one >= first).sort((a, b) => a - b))
    groups.set(rootOf(line), [...(groups.get(rootOf(line)) ?? []), line]);
  return [...groups.values()];
}

/** 100 if both are the same; less by how much knowing one leaves unknown of the other, in parts of the most there could be. */
function measureInformation(logs: readonly Grouped[]): number {
  const total = logs.reduce((sum, { truth }) => sum + truth.flat().length, 0);
  let variation = 0;
  for (const { truth, found } of logs)
    for (const { here, there, both } of overlaps(found, truth))
      variation -= (both / total) * (Math.log2(both / here) + Math.log2(both / there));
  return 100 * (1 - variation / Math.log2(total));
}

/** How many lines can be right at most if each conversation found stands for one true one. */
function measureOverlap(logs: readonly Grouped[]): number {
  const total = logs.reduce((sum, { truth }) => sum + truth.flat().length, 0);
  let right = 0;
  for (const { truth, found } of logs) {
    const gains = found.map(() => truth.map(() => 0));
    for (const { row, column, both } of overlaps(found, truth)) (gains[row] ?? [])[column] = both;
    right += bestAssignment(gains);
  }
  return (100 * right) / total;
}

/** Conversations of one line do not count. */
function measureExact(logs: readonly Grouped[]): number {
  let [wanted, given, matched] = [0, 0, 0];
  for (const { truth, found } of logs) {
    const keys = new Set(truth.filter(({ length }) => length > 1).map((lines) => lines.join()));
    const tries = found.filter(({ length }) => length > 1).map((lines) => lines.join());
    wanted += keys.size;
    given += tries.length;
    matched += tries.filter((key) => keys.has(key)).length;
  }
  return toF(matched, given, wanted);
}

function toF(matched: number, given: number, wanted: number): number {
  return matched === 0 ? 0 : (200 * matched) / (given + wanted);
}

function overlaps(found: Groups, truth: Groups) {
  const places = new Map(truth.flatMap((lines, column) => lines.map((line) => [line, column] as const)));
  return found.flatMap((lines, row) => {
    const counts = new Map<number, number>();
    for (const line of lines) {
      const column = places.get(line);
      if (column !== undefined) counts.set(column, (counts.get(column) ?? 0) + 1);
    }
    return [...counts].map(([column, both]) => {
      return { row, column, both, here: lines.length, there: truth[column]?.length ?? 0 };
    });
  });
}

/** The most that rows and columns, each used once, can gain together (Kuhn and Munkres, with potentials). */
export function bestAssignment(gains: readonly (readonly number[])[]): number {
  const size = Math.max(gains.length, gains[0]?.length ?? 0);
  const cost = (row: number, column: number) => -(gains[row - 1]?.[column - 1] ?? 0);
  const rowLevels = new Float64Array(size + 1);
  const columnLevels = new Float64Array(size + 1);
  const rowOf = new Int32Array(size + 1);
  for (let row = 1; row <= size; row += 1) {
    const slack = new Float64Array(size + 1).fill(Number.POSITIVE_INFINITY);
    const before = new Int32Array(size + 1);
    const used = new Uint8Array(size + 1);
    rowOf[0] = row;
    let column = 0;
    while (rowOf[column] !== 0) {
      used[column] = 1;
      const current = rowOf[column] ?? 0;
      let [nearest, least] = [0, Number.POSITIVE_INFINITY];
      for (let other = 1; other <= size; other += 1) {
        if (used[other]) continue;
        const reduced = cost(current, other) - (rowLevels[current] ?? 0) - (columnLevels[other] ?? 0);
        if (reduced < (slack[other] ?? 0)) {
          slack[other] = reduced;
          before[other] = column;
        }
        if ((slack[other] ?? 0) < least) [nearest, least] = [other, slack[other] ?? 0];
      }
      for (let other = 0; other <= size; other += 1) {
        if (used[other]) {
          const held = rowOf[other] ?? 0;
          rowLevels[held] = (rowLevels[held] ?? 0) + least;
          columnLevels[other] = (columnLevels[other] ?? 0) - least;
        } else slack[other] = (slack[other] ?? 0) - least;
      }
      column = nearest;
    }
    while (column !== 0) {
      const previous = before[column] ?? 0;
      rowOf[column] = rowOf[previous] ?? 0;
      column = previous;
    }
  }
  let total = 0;
  for (let column = 1; column <= size; column += 1) total -= cost(rowOf[column] ?? 0, column);
  return total;
}
