import { generateCommunity, openSandbox } from "../sandbox/index.ts";
import { printTable, type Row } from "../test/support/table.ts";

/** Opens a sandbox with a generated community of this size. */
async function measure(messages: number): Promise<Row> {
  const before = process.memoryUsage().heapUsed;
  const start = performance.now();
  const sandbox = await openSandbox({ community: generateCommunity({ seed: 1, messages }) });
  const seconds = (performance.now() - start) / 1000;
  globalThis.gc?.();
  const bytes = (process.memoryUsage().heapUsed - before) / messages;
  await sandbox.close();
  return {
    what: `${messages.toLocaleString("en")} messages`,
    figure: `${seconds.toFixed(1)} s`,
    note: `${Math.round(bytes)} B a message`,
  };
}

printTable("Opening a sandbox with a generated community", [
  await measure(10_000),
  await measure(100_000),
  await measure(1_000_000),
]);
process.exit(0);
