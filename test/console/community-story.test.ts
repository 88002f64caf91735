import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openSandbox, sampleCommunity } from "../../sandbox/index.ts";
import { openApp } from "../../src/app.ts";
import { toConfig } from "../../src/config.ts";
import { toSandboxCommunity } from "../../src/to-sandbox-community.ts";
import {
  builtPages,
  endConsoleTests,
  findBarriers,
  HAS_BROWSER,
  openPage,
  openTestConsole,
} from "../support/console.ts";

afterAll(endConsoleTests);

/** Said in #harbour-office, which only the staff reads. */
const STAFFS_WORDS = "a fuss budget, 150";
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

// Skipped without Debian's Chromium: apt-get install chromium.
describe.skipIf(!HAS_BROWSER)("the tour of three clicks", () => {
  it("shows the staff's words in the staff's channel and in a direct message, and to nobody in #general", async () => {
    const sandbox = await openSandbox({ community: sampleCommunity() });
    onTestFinished(() => sandbox.close());
    const { api, token } = sandbox;
    const dataDir = await mkdtemp(join(tmpdir(), "earshot-story-"));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const app = await openApp(toConfig({ discord: { api, token }, dataDir, server: { port: 0 } }), QUIET);
    onTestFinished(() => app.close());
    const community = toSandboxCommunity(sandbox);
    const test = await openTestConsole({ folder: await builtPages(), community });
    const { page, complaints } = await openPage();
    await page.goto(test.console.mintLink());
    await page.getByRole("link", { name: "Community" }).click();
    await page.getByLabel("You are").selectOption({ label: "Grace" });
    const answer = page
      .getByRole("article")
      .filter({ hasText: "Earshot" })
      .filter({ hasText: /Looked at|no model/ });
    await page.getByRole("button", { name: "1. Ask in #general" }).click();
    await page.getByRole("heading", { name: "#general" }).waitFor();
    await answer.last().waitFor();
    expect(await page.getByText(STAFFS_WORDS).count()).toBe(0);
    await page.getByRole("button", { name: "2. Ask in #harbour-office" }).click();
    await page.getByRole("heading", { name: "#harbour-office" }).waitFor();
    await answer.filter({ hasText: STAFFS_WORDS }).waitFor();
    await page.getByRole("button", { name: "3. Ask in a direct message" }).click();
    await page.getByRole("heading", { name: "Earshot", exact: true }).waitFor();
    await answer.filter({ hasText: STAFFS_WORDS }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
    const general = sandbox.community.channels.get("general") ?? "";
    const seesGeneral = (id: string) =>
      sandbox
        .as(id)
        .view.channels()
        .some((channel) => channel.id === general);
    for (const { id } of community.people().filter((person) => seesGeneral(person.id)))
      expect(JSON.stringify(community.messages(id, general))).not.toContain(STAFFS_WORDS);
    await page.getByLabel("You are").selectOption({ label: "Sarah" });
    await page.getByRole("region", { name: "As Sarah" }).getByRole("article").last().waitFor();
    expect(await page.getByText(STAFFS_WORDS).count()).toBe(0);
  }, 120_000);
});
