import { describe, expect, it, onTestFinished } from "vitest";
import { openSandbox } from "../../sandbox/index.ts";
import { toSandboxCommunity } from "../../src/transports/console/to-sandbox-community.ts";
import { builtPages, findBarriers, findMisfits, HAS_BROWSER, openPage, openTestConsole } from "../support/console.ts";
import { hostileSamples } from "../support/hostile-text.ts";
import { smallCommunity } from "../support/small-community.ts";
import { openTcpProxy } from "../support/tcp-proxy.ts";

const HOSTILE = "<img src=x onerror=alert(1)>\u202e\"'`</script> **[x](javascript:alert(1))** ||🦭|| ".concat(
  "long".repeat(20),
);

// Skipped without Debian's Chromium: apt-get install chromium.
describe.skipIf(!HAS_BROWSER)("the community page in a browser", () => {
  const open = async (options: Parameters<typeof openPage>[0] = {}) => {
    const sandbox = await openSandbox({ community: smallCommunity() });
    onTestFinished(() => sandbox.close());
    const test = await openTestConsole({ folder: await builtPages(), community: toSandboxCommunity(sandbox) });
    const network = await openTcpProxy(() => Number(new URL(test.url).port));
    onTestFinished(() => network.close());
    const watched = await openPage(options);
    const origin = `http://127.0.0.1:${network.port}`;
    const { page } = watched;
    await page.goto(test.console.mintLink().replace(test.url, origin));
    const become = async (name: string) => {
      await page.getByLabel("You are").selectOption({ label: name });
      await page.getByRole("heading", { name: "#general" }).waitFor();
    };
    return { ...test, ...watched, sandbox, network, origin, become };
  };

  it("one chooses who to be, writes, replies, edits, reacts and deletes, and sees others live", async () => {
    const { page, sandbox, become, complaints, hosts, origin } = await open();
    await become("mark");
    await page.getByLabel("Write to general").fill("hello **all**");
    await page.keyboard.press("Enter");
    await page.locator("strong", { hasText: /^all$/ }).waitFor();
    const said = sandbox.as("sarah").say("general", "good morning");
    await page.getByText("good morning").waitFor();
    await page.getByRole("button", { name: "Actions for the message of Skipper" }).click();
    await page.getByRole("button", { name: "Reply" }).click();
    await page.getByLabel("Write to general").fill("a reply");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("↰ Skipper: good morning").waitFor();
    await page.getByRole("button", { name: "Actions for the message of Skipper" }).click();
    await page.getByRole("button", { name: "React with 🎉" }).click();
    await page.getByRole("button", { name: "🎉, 1" }).waitFor();
    await page.getByRole("button", { name: "Actions for the message of mark" }).last().click();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Edit").fill("a better reply");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("a better reply").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("button", { name: "Actions for the message of mark" }).last().click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("a better reply").waitFor({ state: "detached" });
    sandbox.as("sarah").delete(said);
    await page.getByText("good morning", { exact: true }).waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(origin).host]);
  });

  it("two people side by side see each other, and each only what is theirs", async () => {
    const { page, sandbox, become, complaints } = await open();
    await become("mark");
    await page.getByLabel("Side by side with somebody else").check();
    await page.getByLabel("Beside you").selectOption({ label: "mei" });
    const [mark, mei] = [page.getByRole("region", { name: "As mark" }), page.getByRole("region", { name: "As mei" })];
    await mei.getByLabel("Write to general").fill("from mei");
    await mei.getByRole("button", { name: "Send" }).click();
    await mark.getByText("from mei").waitFor();
    await mei.getByRole("button", { name: "staff-room" }).click();
    await mei.getByLabel("Write to staff-room").fill("the staff's words");
    await mei.getByRole("button", { name: "Send" }).click();
    await mei.getByText("the staff's words").waitFor();
    sandbox.as("mei").say("general", "done");
    await mark.getByText("done", { exact: true }).waitFor();
    expect(await mark.getByText("staff").count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("stays at the newest message when the list becomes narrower, and shows all actions of that message", async () => {
    const { page, sandbox, become } = await open();
    for (let index = 0; index < 30; index += 1) sandbox.as("mark").say("general", `${index}: ${"long ".repeat(60)}`);
    sandbox.as("mark").say("general", "the newest");
    await become("mark");
    const newest = page.getByRole("article").filter({ hasText: "the newest" });
    await newest.waitFor();
    await page.getByRole("button", { name: "Actions for the message of mark" }).last().click();
    const list = await page.getByRole("log").boundingBox();
    const last = await page.getByRole("button", { name: "Delete" }).boundingBox();
    expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual((list?.y ?? 0) + (list?.height ?? 0));
    await page.getByLabel("Side by side with somebody else").check();
    await page.waitForFunction(
      "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 2)(document.querySelector('.messages'))",
    );
  });

  it("shows no more of a channel once its permission is gone", async () => {
    const { page, sandbox, become } = await open();
    await become("mark");
    sandbox.as("sarah").say("general", "good morning");
    await page.getByText("good morning").waitFor();
    sandbox.admin.setOverwrite("general", "person:mark", { deny: ["ViewChannel"] });
    await page.getByRole("heading", { name: "You may not see this" }).waitFor();
    expect(await page.getByText("good morning").count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
  });

  it("says when the connection is lost, and goes on with what was said meanwhile", async () => {
    const { page, sandbox, network, become } = await open();
    await become("mark");
    await network.cut();
    await page.getByText("The connection is lost").waitFor();
    sandbox.as("sarah").say("general", "said meanwhile");
    expect(await findBarriers(page)).toEqual([]);
    await network.restore();
    await page.getByText("said meanwhile").waitFor();
    await page.getByText("The connection is lost").waitFor({ state: "detached" });
  });

  it("is used by keyboard alone", async () => {
    const { page, become } = await open();
    await become("mark");
    await page.getByLabel("Write to general").focus();
    await page.keyboard.type("by keyboard");
    await page.keyboard.press("Enter");
    await page.getByText("by keyboard").waitFor();
    await page.getByRole("button", { name: "Actions for the message of mark" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "React with 👍" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "👍, 1" }).waitFor();
  });

  it("scrolls back through thousands of messages while few of them are on the page", async () => {
    const { page, sandbox, become } = await open();
    for (let index = 0; index < 2_000; index += 1) sandbox.as("sarah").say("general", `number ${index}`);
    await become("mark");
    await page.getByText("number 1999", { exact: true }).waitFor();
    const list = page.getByRole("log");
    for (;;) {
      await list.press("Home");
      if ((await page.getByText("This is the beginning.").count()) > 0) break;
    }
    await page.getByText("number 0", { exact: true }).waitFor();
    expect(await page.getByRole("article").count()).toBeLessThan(500);
  });

  it("shows only some of what is said in a flood and says so, and all of the latest once it is calmer", async () => {
    const { page, sandbox, become, complaints } = await open();
    await become("mark");
    for (let index = 0; index < 300; index += 1) sandbox.as("sarah").say("general", `number ${index}`);
    await page.getByText("Much is being said here").waitFor();
    await page.getByText("number 299", { exact: true }).waitFor();
    expect(await page.getByText("number 250", { exact: true }).count()).toBe(0);
    await page.getByText("Much is being said here").waitFor({ state: "detached" });
    await page.getByText("number 250", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows all of the suite's hostile texts as text, in messages, names, topics, titles and file names", async () => {
    const { page, sandbox, become, complaints, hosts, origin } = await open({ viewport: { width: 360, height: 900 } });
    const refused: unknown[] = [];
    /** What Discord refuses cannot be there. */
    const attempt = (run: () => unknown) => {
      try {
        run();
      } catch (error) {
        refused.push(error);
      }
    };
    const texts = hostileSamples(60);
    for (const [index, text] of texts.entries()) {
      attempt(() => sandbox.admin.addMember(sandbox.admin.createPerson(`hostile${index}`, text.slice(0, 32))));
      attempt(() => sandbox.as(`hostile${index}`).say("general", text));
      attempt(() => sandbox.as("sarah").openThread({ in: "general" }, text.slice(0, 100)));
      const file = { filename: `${text.slice(0, 60)}.txt`, contentType: "text/plain", bytes: Buffer.from("x") };
      attempt(() => sandbox.as("sarah").say("general", { content: "with a file", attachments: [file] }));
    }
    attempt(() => sandbox.admin.updateChannel("general", { topic: texts.join(" ").slice(0, 1_024) }));
    expect(refused.length).toBeLessThan(texts.length);
    sandbox.as("sarah").say("general", "the end");
    await become("mark");
    await page.getByText("the end", { exact: true }).waitFor();
    for (let presses = 0; presses < 5; presses += 1) await page.getByRole("log").press("Home");
    expect(await page.locator('img, a[href^="javascript"]').count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(origin).host]);
  });

  it("fits screens of all widths in both themes with hostile and long names, without barriers", async () => {
    const { page, sandbox, become, complaints } = await open();
    sandbox.as("sarah").say("general", {
      content: HOSTILE,
      attachments: [{ filename: `${HOSTILE.slice(0, 60)}.txt`, contentType: "text/plain", bytes: Buffer.from("x") }],
    });
    sandbox.as("sarah").openThread({ in: "general" }, HOSTILE.slice(0, 100));
    await become("mark");
    await page.getByText("onerror=alert(1)").first().waitFor();
    expect(await page.locator('img, a[href^="javascript"]').count()).toBe(0);
    expect(await findMisfits(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
