import { expect, it } from "vitest";
import { admin } from "../../../test/support/admin.ts";
import { describeOnPostgres } from "../../../test/support/postgres.ts";
import { createOptOutStore } from "../opt-out-store.ts";
import { openPostgres, openPostgresToRead } from "./open-postgres.ts";

describeOnPostgres("a database of PostgreSQL", (schema) => {
  const open = async () => openPostgres((await schema.create()).url);
  const refused = (problem: string) => ({ code: "misconfigured", message: expect.stringContaining(problem) });

  it("is used by one process at a time, and by the next one as soon as that ends", async () => {
    const first = await open();
    const words = "The database is used by another Earshot. Stop it first";
    await expect(open()).rejects.toMatchObject({ ...refused(words), obstacle: "folder_locked" });
    await first.transaction((change) => change.insert("left_guilds", [{ guild_id: "1", left_at: 1 }]));
    await first.close();
    const second = await open();
    expect(await second.query("SELECT * FROM left_guilds")).toEqual([{ guild_id: "1", left_at: 1 }]);
    await second.close();
  });

  it("does not take a transaction of an earlier process for one of its own whose end was lost", async () => {
    await schema.drop();
    await schema.create();
    const first = await openPostgres(schema.url);
    const before = createOptOutStore(first);
    await Promise.all([before.add("a", 1), before.add("b", 1)]);
    await first.close();
    // The connection ends while a row of "d" is committed, once.
    await admin(`CREATE SEQUENCE ${schema.name}.kills;
      CREATE FUNCTION ${schema.name}.kill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.hash = 'd' AND nextval('${schema.name}.kills') = 1 THEN
          PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1);
        END IF; RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER killed AFTER INSERT ON ${schema.name}.opt_outs DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION ${schema.name}.kill()`);
    const second = await openPostgres(schema.url);
    const after = createOptOutStore(second);
    await Promise.all([after.add("c", 1), after.add("d", 1)]);
    expect([...(await after.load())].sort()).toEqual(["a", "b", "c", "d"]);
    await second.close();
    await schema.drop();
  });

  it("is looked at while another process uses it, and not written", async () => {
    const first = await open();
    await first.transaction((change) => change.insert("left_guilds", [{ guild_id: "2", left_at: 2 }]));
    const reader = await openPostgresToRead(schema.url);
    expect(await reader.query("SELECT guild_id FROM left_guilds WHERE left_at = 2")).toEqual([{ guild_id: "2" }]);
    const writing = [
      () => reader.transaction((change) => change.run("DELETE FROM left_guilds")),
      () => reader.query("DELETE FROM left_guilds RETURNING guild_id"),
    ];
    for (const write of writing) await expect(write()).rejects.toThrow();
    expect(await first.query("SELECT guild_id FROM left_guilds WHERE left_at = 2")).toHaveLength(1);
    await reader.close();
    await first.close();
  });

  it("is refused in one sentence where it is empty and only to be read, of another version, or not there", async () => {
    await schema.drop();
    await schema.create();
    await expect(openPostgresToRead(schema.url)).rejects.toMatchObject({ code: "not_found" });
    await (await open()).close();
    await admin("UPDATE earshot_writers SET version = 1", schema.url);
    await expect(open()).rejects.toMatchObject(refused("another version of Earshot"));
    const elsewhere = new URL(schema.url);
    elsewhere.pathname = "/there_is_none";
    await expect(openPostgres(elsewhere.href)).rejects.toMatchObject(refused("no database of that name"));
    elsewhere.port = "1";
    elsewhere.password = "hidden";
    const problem = await openPostgres(elsewhere.href).catch((error: Error) => error);
    expect(problem).toMatchObject(refused("cannot be reached"));
    expect(String(problem)).not.toContain("hidden");
  });
});
