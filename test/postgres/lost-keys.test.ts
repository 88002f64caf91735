import { expect, it } from "vitest";
import { admin } from "../support/admin.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { describeOnPostgres } from "../support/postgres.ts";
import { ADA } from "../support/small-world.ts";

describeOnPostgres("keys in PostgreSQL that are lost", (schema) => {
  it("refuse the start in words that name the database and no file", async () => {
    await schema.create();
    const folder = createDataFolder({
      EARSHOT_DATABASE_URL: schema.url,
      EARSHOT_KEYS_SECRET: "a secret of the operator's",
    });
    const refusal = async (sql: string) => {
      await admin(sql, schema.url);
      return expect(folder.start()).rejects;
    };
    try {
      const earshot = await folder.start();
      await earshot.remember(ADA, ["boat", "Marlin"]);
      await earshot.close();
      const words = (text: string) => expect.objectContaining({ message: expect.stringContaining(text) });
      await (await refusal("UPDATE keys SET name = repeat(' ', 64) WHERE name LIKE 'fact:%'")).toEqual(
        words("The database for keys lacks the key of 1 fact"),
      );
      await (await refusal("DELETE FROM keys; DELETE FROM store")).toEqual(
        words("The database for keys is missing beside the facts and opt-outs"),
      );
      await (await refusal("DELETE FROM keys; INSERT INTO store VALUES ('one'), ('two')")).toEqual(
        words("The database for keys cannot be used: its keys are damaged"),
      );
    } finally {
      folder.remove();
    }
  });
});
