import { expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { admin } from "../support/admin.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { describeOnPostgres } from "../support/postgres.ts";
import { ADA, BO } from "../support/small-world.ts";

const ALTER = "UPDATE keys SET key = set_byte(key, 20, get_byte(key, 20) # 1) WHERE name LIKE";

describeOnPostgres("a wrapped key of which a byte was altered", (schema) => {
  it("opens nothing, leaves all other facts as they are, and no opt-out is overlooked", async () => {
    await schema.create();
    const folder = createDataFolder({
      EARSHOT_DATABASE_URL: schema.url,
      EARSHOT_KEYS_SECRET: "a secret of the operator's",
    });
    try {
      let earshot = await folder.start();
      await earshot.remember(ADA, ["boat", "Marlin"]);
      await earshot.remember(ADA, ["home", "harbour"]);
      await earshot.consent.leaveOut(BO as UserId);
      expect(await earshot.hear(ADA, ADA)).toEqual(["Marlin", "harbour"]);
      await earshot.close();
      await admin(`${ALTER} (SELECT name FROM keys WHERE name LIKE 'fact:%' ORDER BY slot LIMIT 1)`, schema.url);
      earshot = await folder.start();
      expect(await earshot.hear(ADA, ADA)).toEqual(["harbour"]);
      expect(earshot.consent.isLeftOut(BO as UserId)).toBe(true);
      await earshot.close();
      await admin(`${ALTER} 'consent%'`, schema.url);
      await expect(folder.start()).rejects.toThrow("nobody's opt-out could be recognised");
    } finally {
      folder.remove();
    }
  });
});
