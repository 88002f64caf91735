import { openPrivatePostgres } from "./private-postgres.ts";

/** Before all tests: with `EARSHOT_TEST_ENGINE=postgres`, what they keep is in a server that lasts as long as the run. */
export default async function startEngine(): Promise<(() => void) | undefined> {
  const { env } = process;
  if (env["EARSHOT_TEST_ENGINE"] !== "postgres") return undefined;
  // Nothing has to survive a power cut, and nothing grows old.
  const fast = { fsync: "off", full_page_writes: "off", synchronous_commit: "off", autovacuum: "off", jit: "off" };
  const small = { wal_level: "minimal", max_wal_senders: "0", max_wal_size: "4GB", max_connections: "1000" };
  const { url, remove } = await openPrivatePostgres({ ...fast, ...small });
  env["EARSHOT_TEST_DATABASE_URL"] = url;
  return remove;
}
