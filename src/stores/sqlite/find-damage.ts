import { Worker } from "node:worker_threads";

/** SQLite works synchronously, and to read a whole file takes seconds: the thread keeps the program answering meanwhile. */
const CHECK = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(workerData, { readOnly: true });
  const result = database.prepare("PRAGMA quick_check(1)").get()?.quick_check;
  database.close();
  parentPort.postMessage(result !== "ok");
`;

export interface DamageSearch {
  /** Null when it was stopped, or could not look. */
  readonly isDamaged: Promise<boolean | null>;
  /** Safe to repeat. */
  stop(): Promise<void>;
}

/** Looks for damage in all of a database that is in use. */
export function findDamage(file: string): DamageSearch {
  const worker = new Worker(CHECK, { eval: true, workerData: file });
  worker.unref();
  return {
    isDamaged: new Promise((resolve) => {
      worker.once("message", resolve);
      // SQLite cannot even read it through; the next write says why.
      worker.once("error", () => resolve(null));
      worker.once("exit", () => resolve(null));
    }),
    stop: async () => void (await worker.terminate()),
  };
}
