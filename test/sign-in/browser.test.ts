import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { findMisfits, HAS_BROWSER, openPage, type Watched } from "../support/console.ts";
import { GENERATIONS, Keeper } from "./official-clients.ts";
import { openSigningIn } from "./open-sign-in.ts";

/** A program on the person's computer, waiting for its browser to come back. */
async function openReceiver(): Promise<string> {
  const server = createServer((_, response) => response.end("<!doctype html><title>Back</title>You can close this."));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
}

/** As a person does it: says at Discord who they are, reads our page, and allows what is ticked. */
async function allow({ page }: Watched, address: URL, person: string): Promise<void> {
  await page.goto(address.href);
  await page.getByRole("button", { name: person }).click();
  await page.getByRole("heading", { name: "May this program act for you?" }).waitFor();
  await page.getByRole("button", { name: "Allow" }).click();
}

describe.skipIf(!HAS_BROWSER)("signing in with Chromium", () => {
  it.each(Object.entries(GENERATIONS))("%s sends the person to the browser and gets them back", async (_, connect) => {
    const { app } = await openSigningIn();
    const tab = await openPage();
    const signed = await connect(new URL(app.signInUrl ?? ""), new Keeper(await openReceiver()), async (address) => {
      await allow(tab, address, "Sarah (sarah.okafor)");
      await tab.page.waitForURL("**/callback?**");
      return new URL(tab.page.url());
    });
    expect(await signed.tools()).toContain("search_messages");
    expect(tab.complaints).toEqual([]);
  });

  it.each(["https://editor.example/callback", "cursor://anysphere.cursor-retrieval/oauth/callback"])(
    "the page's policy lets the browser go on to %s",
    async (redirect) => {
      const { app, register, begin } = await openSigningIn();
      const { url } = begin(await register({ redirect_uris: [redirect] }), { redirect_uri: redirect });
      const tab = await openPage();
      await tab.page.route("https://editor.example/**", (route) => route.fulfill({ body: "Back" }));
      const debug = await tab.page.context().newCDPSession(tab.page);
      await debug.send("Network.enable");
      const sent = new Promise<URL>((resolve) =>
        debug.on("Network.requestWillBeSent", ({ request }) => {
          if (request.url.startsWith(redirect)) resolve(new URL(request.url));
        }),
      );
      await allow(tab, url, "Sarah (sarah.okafor)");
      expect((await sent).searchParams.get("iss")).toBe(app.url);
      expect(tab.complaints).toEqual([]);
    },
  );

  it("the page fits every width in both themes, bars nobody, and after a problem ticks nothing by itself", async () => {
    const { register, begin } = await openSigningIn();
    const { page, complaints } = await openPage();
    await page.goto(begin(await register({ client_name: "Editor".repeat(20) })).url.href);
    await page.getByRole("button", { name: "Sarah (sarah.okafor)" }).click();
    await page.getByRole("heading", { name: "May this program act for you?" }).waitFor();
    expect(await findMisfits(page)).toEqual([]);
    expect(await page.getByRole("radio", { name: "30 days" }).isChecked()).toBe(true);
    for (const box of await page.getByRole("checkbox").all()) await box.uncheck();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
