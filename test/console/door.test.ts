import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  builtPages,
  findBarriers,
  findMisfits,
  HAS_BROWSER,
  openPage,
  openTestConsole,
  watch,
} from "../support/console.ts";

/** A page of another program on this machine. */
async function openOtherOrigin(): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>other</title><h1>other</h1>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// Skipped without Debian's Chromium: apt-get install chromium.
describe.skipIf(!HAS_BROWSER)("the console in a browser", () => {
  const open = async () => openTestConsole({ folder: await builtPages() });

  it("a link opens a session, is gone from the address, and the session survives a reload", async () => {
    const { url, console } = await open();
    const { page, complaints, hosts } = await openPage();
    await page.goto(console.mintLink());
    await page.getByRole("heading", { name: "Live" }).waitFor();
    expect(page.url()).toBe(`${url}/`);
    await page.reload();
    await page.getByRole("heading", { name: "Live" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(url).host]);
  });

  it("a second tab with a link of its own leaves the session of the first one open", async () => {
    const { console } = await open();
    const { page } = await openPage();
    await page.goto(console.mintLink());
    await page.getByRole("heading", { name: "Live" }).waitFor();
    const second = await page.context().newPage();
    await second.goto(console.mintLink());
    await second.getByRole("heading", { name: "Live" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Live" }).waitFor();
  });

  it("a tab without a link, and one with a used link, say which command prints another", async () => {
    const { url, console } = await open();
    const link = console.mintLink();
    const first = await openPage();
    await first.page.goto(link);
    await first.page.getByRole("heading", { name: "Live" }).waitFor();
    const { page } = await openPage();
    await page.goto(link);
    await page.getByRole("heading", { name: "This link no longer opens the console" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const bare = await openPage();
    await bare.page.goto(url);
    await bare.page.getByText("npx earshot console").waitFor();
    expect(await findBarriers(bare.page)).toEqual([]);
    expect(bare.complaints).toEqual([]);
  });

  it("signing out by keyboard ends the session on the server too", async () => {
    const { console, answers } = await open();
    const { page } = await openPage();
    await page.goto(console.mintLink());
    await page.getByRole("heading", { name: "Live" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    expect(answers.at(-1)).toMatchObject({ path: "/console/session/end", status: 200 });
    await page.reload();
    await page.getByRole("heading", { name: "Open the console with a link" }).waitFor();
  });

  it("says when Earshot does not answer", async () => {
    const { console } = await open();
    const { page } = await openPage();
    await page.goto(console.mintLink());
    await page.getByRole("heading", { name: "Live" }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Earshot does not answer" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.context().setOffline(false);
    // The page also tries again by itself, and may be first.
    const live = page.getByRole("heading", { name: "Live" }).waitFor();
    await Promise.race([live, page.getByRole("button", { name: "Try again now" }).click()]);
    await live;
  });

  it("a page of another port of this machine can neither read nor act, even in the same browser", async () => {
    const { url, console, answers } = await open();
    const other = await openOtherOrigin();
    const { page } = await openPage();
    await page.goto(console.mintLink());
    await page.getByRole("heading", { name: "Live" }).waitFor();
    const hostile = watch(await page.context().newPage());
    await hostile.page.goto(other);
    const outcomes = await hostile.page.evaluate(`(async () => {
      const send = (mode, headers) =>
        fetch("${url}/console/session/end", { method: "POST", mode, credentials: "include", headers }).then(
          (response) => response.type,
          () => "refused",
        );
      const frame = document.createElement("iframe");
      frame.src = "${url}";
      const framed = new Promise((resolve) => frame.addEventListener("load", resolve));
      document.body.append(frame);
      await framed;
      return [await send("cors", {}), await send("no-cors", {}), await send("cors", { "x-earshot-key": "guess" })];
    })()`);
    expect(outcomes).toEqual(["refused", "opaque", "refused"]);
    expect(hostile.complaints.join("\n")).toContain("frame-ancestors");
    const reached = answers.filter(({ path, site }) => path.startsWith("/console/") && site !== "same-origin");
    expect(reached.length).toBeGreaterThan(0);
    expect(reached.filter(({ status }) => status < 400)).toEqual([]);
    await page.reload();
    await page.getByRole("heading", { name: "Live" }).waitFor();
  });

  it("the page without a session fits screens of all widths in both themes, without barriers", async () => {
    const { url } = await open();
    const { page } = await openPage();
    await page.goto(url);
    await page.getByText("npx earshot console").waitFor();
    expect(await findMisfits(page)).toEqual([]);
  });
});
