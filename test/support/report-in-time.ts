import fc from "fast-check";

/** Sooner than a test is ended: what fails is reported with its seed, however long it would take to find a smaller case. */
fc.configureGlobal({ interruptAfterTimeLimit: 270_000, markInterruptAsFailure: true });
