import fc from "fast-check";
import type { InProcessOptions } from "./in-process.ts";

export type Quota = InProcessOptions["quota"];

/** How little is held in memory: in some runs so little that what was read has to be let go of again. */
export const quotas: fc.Arbitrary<Quota> = fc.constantFrom(
  undefined,
  undefined,
  { messagesPerChannel: 110, totalBytes: 200_000 },
  { messagesPerChannel: 1_000, totalBytes: 30_000 },
);
