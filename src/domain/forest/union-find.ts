/** Which things are connected, directly or by way of others. */
export interface UnionFind {
  connect(one: number, other: number): void;
  areConnected(one: number, other: number): boolean;
  /** The same for all that are connected, until more are. */
  rootOf(index: number): number;
}

/** A union-find over the numbers below the count. */
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
