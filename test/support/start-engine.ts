import { openPrivatePostgres } from "./private-postgres.ts";

/** Before all tests: with `EARSHOT_TEST_ENGINE=postgres`, what they keep is in a server that lasts as long as the run. */
export default async function startEngine(): Promise<(() => void) | undefined> {
  const { env } = process;
  if (env["EARSHOT_TEST_ENGINE"] !== "postgres") return undefined;
  // Nothing has to survive a power cut.
  const fast = { fsync: "off", full_page_writes: "off", synchronous_commit: "off", max_connections: "500" };
  const { url, remove } = await openPrivatePostgres(fast);
  env["EARSHOT_TEST_DATABASE_URL"] = url;
  return remove;
}
