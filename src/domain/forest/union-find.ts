/** Tracks which numbers are connected, directly or indirectly. */
export interface UnionFind {
  connect(one: number, other: number): void;
  areConnected(one: number, other: number): boolean;
  /** Equal for all connected numbers, until the next `connect`. */
  rootOf(index: number): number;
}

/** Over the numbers below `count`. */
export function createUnionFind(count: number): UnionFind {
  const parents = new Int32Array(count);
  for (let index = 0; index < count; index += 1) parents[index] = index;
  const rootOf = (index: number): number => {
    let at = index;
    while (parents[at] !== at) {
      const above = parents[parents[at] ?? at] ?? at;
      parents[at] = above;
      at = above;
    }
    return at;
  };
  return {
    connect(one, other) {
      parents[rootOf(one)] = rootOf(other);
    },
    areConnected: (one, other) => rootOf(one) === rootOf(other),
    rootOf,
  };
}
