const MIN_LONG = 100;

/** Only of long lists of facts it is worth keeping what was made of them: of others it is made again in less time than a WeakMap and the collection of its garbage take. */
export function isLong(facts: readonly unknown[]): boolean {
  return facts.length >= MIN_LONG;
}
