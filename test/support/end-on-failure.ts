import fc from "fast-check";

/** A mutant that fails need not fail in the smallest way. */
fc.configureGlobal({ endOnFailure: true });
