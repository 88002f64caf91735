import { describe, expect, it, onTestFinished } from "vitest";
import type { ChannelId } from "../../src/domain/ids.ts";
import type { FactQuery } from "../../src/ports/fact-store.ts";
import { type HeldOverview, listCoverage } from "../../src/transports/console/list-coverage.ts";
import type { LiveLine } from "../../src/transports/console/live-samples.ts";
import { LiveSamples } from "../../src/transports/console/live-samples.ts";
import {
  A_STATUS,
  builtPages,
  findBarriers,
  findMisfits,
  HAS_BROWSER,
  openPage,
  openTestConsole,
  signIn,
} from "../support/console.ts";
import { openTestGate } from "../support/gate.ts";
import { readLines } from "../support/read-lines.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { openTcpProxy } from "../support/tcp-proxy.ts";

const SAMPLE_MS = 5_000;
const CHECK_MS = 4_000;
const MINUTE_MS = 60_000;
const HOSTILE = "<img src=x onerror=alert(1)> \u202e 🦭 ".repeat(20);
const COVERAGE: HeldOverview = {
  servers: [
    {
      name: HOSTILE,
      sharedFacts: 3,
      channels: [
        {
          ...{ id: "1", name: "general", messages: 1_500 },
          intervals: [
            { from: 1_690_000_000_000, to: 1_695_000_000_000 },
            { from: 1_699_000_000_000, to: null },
          ],
        },
        { id: "2", name: HOSTILE, messages: 0, intervals: [] },
      ],
    },
  ],
  unnamed: { channels: 4, messages: 77 },
};

describe("the live stream", () => {
  it("tells the samples so far, then each new one, and ends with its session", async () => {
    const test = await openTestConsole();
    await test.pass(SAMPLE_MS);
    const { ask } = await signIn(test);
    const next = readLines<LiveLine>(await ask("/console/operator/live"));
    expect(await next()).toMatchObject({ kind: "history", history: { hour: [{}, { held: 1_863 }], day: [{}] } });
    test.state.status = { ...A_STATUS, messages: { ...A_STATUS.messages, held: 2_000 } };
    await test.pass(SAMPLE_MS);
    expect(await next()).toMatchObject({ kind: "sample", sample: { held: 2_000, at: test.clock.time } });
    await ask("/console/session/end");
    expect(await next()).toBeNull();
    expect([...test.repeated].map(({ milliseconds }) => milliseconds)).toEqual([SAMPLE_MS, CHECK_MS]);
  });

  it("is noted in the audit when it is opened and once a minute, until its reader is gone", async () => {
    const test = await openTestConsole();
    const { ask } = await signIn(test);
    test.audit.length = 0;
    const uses = () => test.audit.map(({ row }) => ("detail_json" in row ? row.detail_json : ""));
    const controller = new AbortController();
    const response = await ask("/console/operator/live", {}, controller.signal);
    expect(uses()).toEqual(['{"page":"live"}']);
    await test.pass(MINUTE_MS);
    await test.pass(MINUTE_MS);
    expect(uses()).toHaveLength(3);
    controller.abort();
    await response.text().catch(() => "");
    await expect.poll(() => [...test.repeated].map(({ milliseconds }) => milliseconds)).toEqual([SAMPLE_MS, CHECK_MS]);
  });

  it("holds an hour of samples and a day of coarser ones, and no more", () => {
    const samples = new LiveSamples();
    for (let index = 0; index < 20_000; index += 1) samples.add(A_STATUS, index * SAMPLE_MS);
    const lines: LiveLine[] = [];
    samples.listen((line) => void lines.push(line));
    const [line] = lines;
    if (line?.kind !== "history") throw new Error("history comes first");
    const { hour, day } = line.history;
    const spanOf = (all: typeof hour) => (all.at(-1)?.at ?? 0) - (all[0]?.at ?? 0);
    expect([hour.length, spanOf(hour)]).toEqual([720, 719 * SAMPLE_MS]);
    expect([day.length, spanOf(day)]).toEqual([720, 719 * 24 * SAMPLE_MS]);
  });
});

describe("what is held, for the operator", () => {
  it("names channels of servers, sums private conversations, and counts the facts that a server shares", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const inside = await openTestGate(sandbox);
    const { timelines } = inside;
    const { directory, botId } = inside.edge.discord;
    const id = (key: string) => sandbox.community.channels.get(key) as ChannelId;
    sandbox.as("sarah").say("general", "before it was read");
    await timelines.recent(id("general"), { limit: 100 });
    const hidden = sandbox.as("sarah").openDm(botId);
    sandbox.as("sarah").say(hidden.id, "for the bot alone");
    await timelines.recent(hidden.id as ChannelId, { limit: 10 });
    const { id: guildId } = sandbox.community.guild;
    const facts = { count: async (query: FactQuery) => (query.guildId === guildId ? 2 : 0) };
    const coverage = await listCoverage({ timelines, directory, facts });
    const [server] = coverage.servers;
    const general = server?.channels.find((channel) => channel.id === id("general"));
    expect(general).toMatchObject({ name: "general", intervals: [{ to: null }] });
    expect(general?.messages).toBe(sandbox.world.channels.get(id("general"))?.messages.size);
    expect(server?.sharedFacts).toBe(2);
    expect(coverage.unnamed).toEqual({ channels: 1, messages: 1 });
    expect(JSON.stringify(coverage)).not.toContain(hidden.id);
  });
});

// Skipped without Debian's Chromium: apt-get install chromium.
describe.skipIf(!HAS_BROWSER)("the live page in a browser", () => {
  const open = async () => {
    const test = await openTestConsole({ folder: await builtPages(), coverage: async () => COVERAGE });
    for (let index = 1; index < 200; index += 1) {
      const { discord, calls } = A_STATUS;
      const more = { events: index * 40 + Math.round(30 * Math.sin(index / 9)), requests: index * 3 };
      test.state.status = {
        ...{ ...A_STATUS, discord: { ...discord, ...more } },
        calls: { ...calls, total: index * 2, milliseconds: index * 30 },
      };
      await test.pass(SAMPLE_MS);
    }
    return test;
  };

  it("shows figures and plots, and goes on by itself", async () => {
    const test = await open();
    const { page, complaints, hosts } = await openPage();
    await page.goto(test.console.mintLink());
    await page.getByRole("img", { name: /^Events per second: \d/ }).waitFor();
    // Three requests and two calls of 15 ms in five seconds.
    await page.getByRole("img", { name: "Requests to Discord per minute: 36 now, 36 at most." }).waitFor();
    await page.getByRole("img", { name: "Milliseconds per tool call: 15 now, 15 at most." }).waitFor();
    expect(await page.getByRole("img").count()).toBe(12);
    await page.getByRole("img", { name: /^#general: held since .*2023, intervals: 2$/ }).waitFor();
    await page.getByText("Shared facts: 3.").waitFor();
    await page.getByText("Direct messages and private threads: 77 messages of 4.").waitFor();
    test.state.status = { ...A_STATUS, messages: { ...A_STATUS.messages, held: 7_654_321 } };
    await test.pass(SAMPLE_MS);
    await page.getByText("7,654,321", { exact: true }).first().waitFor();
    await page.getByLabel("Last day").check();
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(test.url).host]);
  });

  it("names what needs attention as plain text, whatever it contains", async () => {
    const test = await open();
    test.state.status = {
      ...A_STATUS,
      storage: [{ store: "earshot.db", since: "2026-11-18T00:00:00Z", reason: HOSTILE }],
    };
    await test.pass(SAMPLE_MS);
    const { page, complaints } = await openPage({ viewport: { width: 360, height: 800 } });
    await page.goto(test.console.mintLink());
    await page.getByRole("heading", { name: "Needs attention" }).waitFor();
    await page.getByText("onerror=alert(1)").first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("says that the figures have stopped, keeps the last ones, and goes on when Earshot answers again", async () => {
    const test = await open();
    const network = await openTcpProxy(() => Number(new URL(test.url).port));
    onTestFinished(() => network.close());
    const { page } = await openPage();
    await page.goto(test.console.mintLink().replace(test.url, `http://127.0.0.1:${network.port}`));
    await page.getByRole("img", { name: /^Events/ }).waitFor();
    await network.cut();
    await page.getByText("The live figures have stopped").waitFor();
    expect(await page.getByRole("img").count()).toBe(12);
    expect(await findBarriers(page)).toEqual([]);
    await network.restore();
    await page.getByText("The live figures have stopped").waitFor({ state: "detached" });
  });

  it("is used by keyboard alone", async () => {
    const test = await open();
    const { page } = await openPage();
    await page.goto(test.console.mintLink());
    await page.getByRole("img", { name: /^Events/ }).waitFor();
    await page.getByRole("link", { name: "Live" }).focus();
    for (let presses = 0; presses < 10; presses += 1) {
      await page.keyboard.press("Tab");
      if (await page.getByLabel("Last hour").evaluate((element) => element === element.ownerDocument.activeElement))
        break;
    }
    await page.keyboard.press("ArrowDown");
    expect(await page.getByLabel("Last day").isChecked()).toBe(true);
  });

  it("leaves the page when its session ends on the server", async () => {
    const test = await open();
    const { page } = await openPage();
    await page.goto(test.console.mintLink());
    await page.getByRole("img", { name: /^Events/ }).waitFor();
    test.console.close();
    await page.getByRole("heading", { name: "Open the console with a link" }).waitFor();
    expect(await page.getByRole("img").count()).toBe(0);
  });

  it("fits screens of all widths in both themes, without barriers", async () => {
    const test = await open();
    const { page } = await openPage();
    await page.goto(test.console.mintLink());
    await page.getByRole("img", { name: /^Events/ }).waitFor();
    expect(await findMisfits(page)).toEqual([]);
  });
});
