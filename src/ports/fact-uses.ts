/** How often facts were used, as far as that is still known. */
export interface FactUses {
  /**
   * For each `<id>@<version>` of a fact, in how many operations it was handed out from one time until before another; those that were not are left out.
   * `isMinimum`: records of some reads of that time were erased, so there may have been more. Throws `unavailable`.
   */
  count(
    refs: readonly string[],
    time: { readonly from: number; readonly until: number },
  ): Promise<{ readonly times: ReadonlyMap<string, number>; readonly isMinimum: boolean }>;
}
