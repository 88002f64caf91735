import { createSchemaAt } from "./admin.ts";

/** Of the databases that a program is given: it creates none itself. */
export async function createSchemas(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  for (const url of [env["EARSHOT_DATABASE_URL"], env["EARSHOT_KEYS_DATABASE_URL"]]) if (url) await createSchemaAt(url);
}

// Node loads it before a program that is a process of its own.
await createSchemas(process.env);
