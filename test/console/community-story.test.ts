import { describe, expect, it } from "vitest";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import { toSandboxCommunity } from "../../src/transports/console/to-sandbox-community.ts";
import { builtPages, findBarriers, HAS_BROWSER, openPage } from "../support/console.ts";
import { openPersonConsole } from "../support/person-console.ts";

/** Said in #harbour-office, which only the staff reads. */
const STAFFS_WORDS = "a fuss budget, 150";

// Skipped without Debian's Chromium: apt-get install chromium.
describe.skipIf(!HAS_BROWSER)("the tour of three clicks", () => {
  it("shows the staff's words in the staff's channel and in a direct message, and to nobody in #general", async () => {
    const test = await openPersonConsole({
      ...{ folder: await builtPages(), answerer: createBuiltinAnswerer(), settings: { enabled: true } },
    });
    const { sandbox } = test;
    const community = toSandboxCommunity(sandbox);
    const { page, complaints } = await openPage();
    await page.goto(test.console.mintLink());
    // With a sandbox, the community is where one arrives.
    await page.getByRole("heading", { name: "Community" }).waitFor();
    await page.getByLabel("You are").selectOption({ label: "Grace" });
    const answer = page
      .getByRole("article")
      .filter({ hasText: "Earshot" })
      .filter({ hasText: /Looked at|no model/ });
    await page.getByRole("button", { name: "1. Ask in #general" }).click();
    await page.getByRole("heading", { name: "#general" }).waitFor();
    await answer.last().waitFor();
    expect(await page.getByText(STAFFS_WORDS).count()).toBe(0);
    const steps = page.getByRole("group").filter({ hasText: "What the agent did" });
    await steps.getByText(/^Took \d/).waitFor();
    await steps.getByText(/^Searched \d+ channels$/).waitFor();
    expect(await steps.getByText("of #harbour-office").count()).toBe(0);
    expect(await steps.getByRole("definition").filter({ hasText: "#harbour-office" }).count()).toBe(1);
    await page.getByRole("button", { name: "2. Ask in #harbour-office" }).click();
    await page.getByRole("heading", { name: "#harbour-office" }).waitFor();
    await answer.filter({ hasText: STAFFS_WORDS }).waitFor();
    await steps.getByText(/^Read \d+ messages of #harbour-office$/).waitFor();
    await page.getByRole("button", { name: "3. Ask in a direct message" }).click();
    await page.getByRole("heading", { name: "Earshot", exact: true }).waitFor();
    await answer.filter({ hasText: STAFFS_WORDS }).waitFor();
    await steps.getByText("Nothing: only this person reads the answer.").waitFor();
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
    await steps.getByText("has not asked the agent here yet").waitFor();
    expect(await page.getByText(STAFFS_WORDS).count()).toBe(0);
  });
});
