import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { builtPages, findBarriers, findMisfits, HAS_BROWSER, openPage } from "../support/console.ts";
import { openPersonConsole } from "../support/person-console.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { openTcpProxy } from "../support/tcp-proxy.ts";

/** It takes a while where others work as well. */
vi.setConfig({ testTimeout: 120_000 });

const HOSTILE = "<img src=x onerror=alert(1)> \"'`</script> 🦭 **x** ".concat("long-name".repeat(40));

async function openMemories(options: Parameters<typeof openPersonConsole>[0] = {}) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const test = await openPersonConsole({ sandbox, ...options });
  const channelId = sandbox.community.channels.get("general") as ChannelId;
  const remember = (who: string, key: string, value: string) =>
    test.inside.ownMemory?.remember(sandbox.as(who).id as UserId, {
      ...{ key, value, visibility: "private", channelId, typedIn: "1" },
    });
  return { ...test, remember };
}

describe("what a person does with their memory through the console", () => {
  it("they see their own facts and who hears them, and forget one for good", async () => {
    const { as, remember } = await openMemories();
    await remember("mark", "boots", "green");
    const boat = await remember("sarah", "boat", "Petrel");
    const { ask } = await as("sarah");
    const list = async () => (await ask("/console/me/memory/list")).json();
    expect(await list()).toMatchObject({
      facts: [{ key: "boat", value: "Petrel", heard_by_text: "Who can hear it: only you." }],
      privacy: { state: "included" },
    });
    expect(await (await ask("/console/me/memory/why", { fact_id: boat?.id })).json()).toMatchObject({
      text: expect.stringContaining("It rests on:"),
    });
    const forgotten = await (await ask("/console/me/memory/forget", { fact_id: boat?.id })).json();
    expect(forgotten).toMatchObject({ facts: 1, text: expect.stringContaining("Forgotten.") });
    expect(await list()).toMatchObject({ facts: [] });
    const { ask: asMark } = await as("mark");
    expect((await asMark("/console/me/memory/forget", { fact_id: boat?.id })).status).toBe(404);
  });

  it("they export and erase only within five minutes of the operator's link, and leave themselves out at any time", async () => {
    const { as, remember, clock, inside } = await openMemories();
    await remember("sarah", "boat", "Petrel");
    const { ask, id } = await as("sarah");
    expect(await (await ask("/console/me/memory/export")).json()).toMatchObject({ facts: [{ key: "boat" }] });
    expect(await (await ask("/console/me/memory/erase", { confirm: false })).json()).toMatchObject({ erased: null });
    expect(await (await ask("/console/me/memory/erase", { confirm: true })).json()).toMatchObject({
      erased: { facts: 1 },
      text: expect.stringContaining("Erased:"),
    });
    clock.time += 300_000;
    for (const [path, body] of [
      ["export", {}],
      ["erase", { confirm: true }],
    ] as const)
      expect((await ask(`/console/me/memory/${path}`, body)).status).toBe(403);
    expect(await (await ask("/console/me/leave-out")).json()).toMatchObject({ state: "left_out" });
    expect(inside.consent.isLeftOut(id as UserId)).toBe(true);
  });
});

// Skipped without Debian's Chromium: apt-get install chromium.
describe.skipIf(!HAS_BROWSER)("the memory page in a browser", () => {
  const open = async (options: Parameters<typeof openPage>[0] = {}, value = "Petrel") => {
    const test = await openMemories({ folder: await builtPages() });
    await test.remember("sarah", "boat", value);
    const network = await openTcpProxy(() => Number(new URL(test.url).port));
    onTestFinished(() => network.close());
    const watched = await openPage(options);
    const { page } = watched;
    const url = `http://127.0.0.1:${network.port}`;
    await page.goto(test.console.mintLink().replace(test.url, url));
    await page.getByRole("link", { name: "My memory" }).click();
    await page.getByLabel("You are").selectOption(test.sandbox.community.people.get("sarah") ?? "");
    await page.getByRole("heading", { name: "boat" }).waitFor();
    return { ...test, ...watched, network, url };
  };

  it("tells why, forgets after a second press, leaves out, exports and erases, each with a receipt", async () => {
    const { page, complaints, hosts, url } = await open();
    await page.getByText("Who can hear it: only you.").waitFor();
    await page.getByRole("button", { name: "Why? boat" }).click();
    await page.getByText("It rests on:").waitFor();
    await page.getByRole("button", { name: "Forget boat" }).click();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("group", { name: "Forget boat" }).getByRole("button", { name: "Forget" }).click();
    await page.getByText("Forgotten.").waitFor();
    await page.getByText("Nothing is remembered about you.").waitFor();
    await page.getByRole("button", { name: "Leave me out" }).click();
    await page.getByRole("group").getByRole("button", { name: "Leave me out" }).click();
    await page.getByText("Your messages are left out from now on").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    expect((await download).suggestedFilename()).toBe("earshot-memory.json");
    await page.getByRole("button", { name: "Show what would go" }).click();
    await page.getByText("Nothing has been erased yet.").waitFor();
    await page.getByRole("button", { name: "Erase all of it now" }).click();
    await page.getByText("Erased:").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect([...hosts].filter((host) => host !== "")).toEqual([new URL(url).host]);
  });

  it("forgets by keyboard alone, and keeps the focus where one was", async () => {
    const { page } = await open();
    await page.getByRole("button", { name: "Forget boat" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Cancel");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Forget");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Cancel");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Forgotten.").waitFor();
  });

  it("says that Earshot does not answer and that nothing came of it, and keeps what is shown", async () => {
    const { page, network } = await open();
    await network.cut();
    await page.getByRole("button", { name: "Leave me out" }).click();
    await page.getByRole("group").getByRole("button", { name: "Leave me out" }).click();
    await page.getByRole("alert").getByText("Earshot does not answer").waitFor();
    expect(await page.getByRole("heading", { name: "boat" }).count()).toBe(1);
    expect(await findBarriers(page)).toEqual([]);
  });

  it("names the command for a new link where the last one was opened too long ago", async () => {
    const { page, clock } = await open();
    clock.time += 300_000;
    await page.reload();
    await page.getByText("npx earshot console").first().waitFor();
    expect(await page.getByRole("button", { name: "Download" }).count()).toBe(0);
  });

  it("shows hostile text as text on screens of all widths in both themes, without barriers", async () => {
    const { page, complaints } = await open({}, HOSTILE);
    await page.getByText("onerror=alert(1)").first().waitFor();
    expect(await findMisfits(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
