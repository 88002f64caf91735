import { randomUUID } from "node:crypto";
import { afterAll, describe, it } from "vitest";
import type { Database } from "../../src/stores/database.ts";
import { openPostgres } from "../../src/stores/postgres/open-postgres.ts";
import { SCHEMA } from "../../src/stores/schema.ts";
import { admin, inSchema, SERVER } from "./admin.ts";

const TABLES = [...SCHEMA.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => String(name));
const isThere = await admin("SELECT 1").then(
  () => true,
  () => false,
);

/** A schema of its own for one test file, dropped afterwards. `url` leads into it. */
export class TestSchema {
  readonly name = `earshot_test_${randomUUID().replaceAll("-", "")}`;
  readonly url = this.urlAt(SERVER);
  #database: Database | null = null;

  /** The same through another port, such as a proxy's. */
  through(port: number): string {
    const address = new URL(SERVER);
    address.port = String(port);
    return this.urlAt(address.href);
  }

  get port(): number {
    return Number(new URL(SERVER).port || 5432);
  }

  urlAt(server: string): string {
    return inSchema(this.name, server);
  }

  async create(): Promise<this> {
    await admin(`CREATE SCHEMA IF NOT EXISTS ${this.name}`);
    return this;
  }

  /** One database for all tests of the file, without a row. */
  async emptyDatabase(): Promise<Database> {
    await this.create();
    this.#database ??= await openPostgres(this.url);
    await this.#database.transaction((change) =>
      Promise.all(TABLES.map((name) => change.run(`DELETE FROM ${name}`))).then(() => {}),
    );
    return this.#database;
  }

  async closeDatabase(): Promise<void> {
    await this.#database?.close();
    this.#database = null;
  }

  /** The same as after a restart. */
  async reopen(): Promise<Database> {
    await this.closeDatabase();
    this.#database = await openPostgres(this.url);
    return this.#database;
  }

  async drop(): Promise<void> {
    await this.closeDatabase();
    await admin(`DROP SCHEMA IF EXISTS ${this.name} CASCADE`);
  }
}

/** Runs on a real server; elsewhere says that it is skipped. */
export function describeOnPostgres(name: string, body: (schema: TestSchema) => void): void {
  if (!isThere)
    return void it.skip(`${name}: skipped, there is no PostgreSQL at EARSHOT_TEST_DATABASE_URL or on this machine`);
  describe(name, () => {
    const schema = new TestSchema();
    afterAll(() => schema.drop());
    body(schema);
  });
}

/** What the suites of stores are given. */
export function postgresFixture<Store>(schema: TestSchema, create: (database: Database) => Store) {
  return async () => ({
    canScrub: false,
    store: create(await schema.emptyDatabase()),
    reopen: async () => create(await schema.reopen()),
    close: async () => {},
  });
}
