import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { buttonId } from "../discord-transport/open-harbour.ts";
import { openProgram } from "../discord-transport/open-privacy.ts";
import { admin } from "../support/admin.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/** More than the program has connections. */
const READS = 12;

describeOnPostgres("the program on PostgreSQL", (schema) => {
  it("erases a person while reads take all connections but the one that is kept for it", async () => {
    await schema.create();
    const database = { url: schema.url, keysUrl: schema.url, keysSecret: "a secret of the operator's" };
    const server = { port: 0, publicUrl: "https://earshot.example.org" };
    const { sandbox, answer, url } = await openProgram(() => ({ database, server }));
    const sarah = sandbox.as("sarah");
    const asked = await answer(sarah.run("memory remember", { key: "boat", value: "Petrel" }, { in: "general" }));
    sarah.click(asked, buttonId(asked, "Remember"));
    await expect.poll(() => asked.content).toContain("Remembered: **boat**");
    const preview = await answer(sarah.run("privacy erase", {}, { in: "general" }));

    const holder = new pg.Client({ connectionString: schema.url });
    onTestFinished(() => holder.end());
    await holder.connect();
    await holder.query("BEGIN; LOCK TABLE sign_in_programs");
    let ended = 0;
    const reads = Array.from({ length: READS }, async () => {
      await fetch(`${url()}/oauth/authorize?client_id=${"a".repeat(21)}&response_type=code`);
      ended += 1;
    });
    const blocked = async () =>
      (await admin("SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'sign_in_programs'::regclass", schema.url))
        .length;
    // All connections but one.
    await expect.poll(blocked).toBe(7);
    sarah.click(preview, buttonId(preview, "Erase"));
    await expect.poll(() => preview.content).toMatch(/Erased:|busy/);
    expect(preview.content).toContain("Erased:");
    expect([ended, await admin("SELECT 1 FROM memory_facts WHERE deleted_at IS NULL", schema.url)]).toEqual([0, []]);
    await holder.query("COMMIT");
    await Promise.all(reads);
  });
});
