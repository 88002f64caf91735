import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEarshot } from "../../src/index.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { databaseConfig } from "../support/test-database.ts";

describe("Earshot embedded in a program", () => {
  it("acts for people, within the grant that the program gave, until it is closed", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const folder = await mkdtemp(join(tmpdir(), "earshot-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const kept = await databaseConfig(folder);
    const earshot = await createEarshot({
      config: { ...kept, discord: { token: sandbox.token, api: sandbox.api }, dataDir: folder },
      grant: { scopes: ["directory:read"] },
    });
    onTestFinished(() => earshot.close());
    const { call, tools } = earshot.as(sandbox.as("sarah").id, "private");
    expect((await call("discord_guilds", {})).value).toMatchObject({ guilds: [{ name: "Quay" }] });
    expect(Object.keys(tools)).not.toContain("discord_send");
    await expect(call("discord_send", {})).rejects.toMatchObject({ code: "forbidden" });
    expect((await fetch(`${earshot.url}/healthz`)).status).toBe(200);
    await earshot.close();
    await expect(fetch(`${earshot.url}/healthz`)).rejects.toThrow();
  });

  it("reports every problem in its configuration", async () => {
    const opening = createEarshot({ config: { timeline: { megabytes: 0 }, logLevel: "loud" as never } });
    await expect(opening).rejects.toMatchObject({
      code: "misconfigured",
      message: expect.stringContaining("2 problems"),
    });
    await expect(opening).rejects.toThrow("timeline.megabytes");
  });
});
