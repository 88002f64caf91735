import pg from "pg";

export const { EARSHOT_TEST_DATABASE_URL: SERVER = "postgres://postgres@127.0.0.1:5432/test" } = process.env;

/** One statement, beside everything that is tested. */
export async function admin(sql: string, url = SERVER): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** An address that leads into a schema. Tests end programs and connections, never the server it names: its disk is not waited for. */
export function inSchema(name: string, server = SERVER): string {
  const address = new URL(server);
  address.searchParams.set("options", `-c search_path=${name} -c synchronous_commit=off`);
  return address.href;
}

/** The schema that an address leads into. */
export async function createSchemaAt(url: string): Promise<void> {
  const name = /search_path=(\w+)/.exec(new URL(url).searchParams.get("options") ?? "")?.[1];
  await admin(`CREATE SCHEMA IF NOT EXISTS ${name}`, url);
}
