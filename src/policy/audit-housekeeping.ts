import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Audit } from "./audit.ts";
import type { SizeBound } from "./thin-audit.ts";

export interface AuditBounds extends SizeBound {
  readonly retentionMs: number;
}

export interface AuditHousekeeping {
  /** Prunes old operations, thins the audit to its size, then notes the heads of other chains. Failures are logged. */
  run(): Promise<void>;
  close(): void;
}

const PRUNE_INTERVAL_MS = 86_400_000;
/** Checking the size takes microseconds. */
const THIN_INTERVAL_MS = 10_000;
/** Rows of another chain written since the last note can be cut off unnoticed. */
const NOTE_INTERVAL_MS = 60_000;

/** Keeps the audit within its maximum age and size from now on, and logs every erasure. */
export function startAuditHousekeeping(
  audit: Pick<Audit, "prune" | "thin" | "noteOthers">,
  bounds: AuditBounds,
  { clock, log }: { clock: Clock; log: Log },
): AuditHousekeeping {
  const { retentionMs, maxBytes } = bounds;
  let isThinning = false;
  let isTooLarge = false;

  async function prune(): Promise<void> {
    const before = clock.now() - retentionMs;
    const rows = await audit.prune(before);
    if (rows > 0)
      log.info({ rows, before: new Date(before).toISOString() }, "the audit was pruned: old rows are erased");
  }

  async function thin(): Promise<void> {
    if (isThinning) return;
    isThinning = true;
    try {
      const { rows, clients, bytes } = await audit.thin(bounds);
      if (rows > 0)
        log.info({ rows, clients, bytes, maxBytes }, "the audit was thinned: rows of reads are erased to save room");
      if (bytes > maxBytes && !isTooLarge)
        log.warn({ bytes, maxBytes }, "the audit is larger than audit.megabytes: what is left is kept for its days");
      isTooLarge = bytes > maxBytes;
    } finally {
      isThinning = false;
    }
  }

  const orLog = (work: () => Promise<void>) => () =>
    work().catch((error: Error) => log.error({ error: error.message }, "the audit could not be pruned or thinned"));
  const noteOthers = () => audit.noteOthers();
  const timers = [
    setInterval(orLog(prune), PRUNE_INTERVAL_MS),
    setInterval(orLog(thin), THIN_INTERVAL_MS),
    setInterval(orLog(noteOthers), NOTE_INTERVAL_MS),
  ];
  return {
    async run() {
      await orLog(prune)();
      await orLog(thin)();
      await orLog(noteOthers)();
    },
    close() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
