import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Person } from "../../sandbox/index.ts";
import { canReadHistory } from "../../sandbox/world/permissions.ts";
import type { Answerer } from "../../src/agent/answerer.ts";
import { builtPages, findBarriers, findMisfits, HAS_BROWSER, openPage } from "../support/console.ts";
import { hostileSamples } from "../support/hostile-text.ts";
import { openPersonConsole } from "../support/person-console.ts";
import { applyDoors, randomDoors } from "../support/random-doors.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { openTcpProxy } from "../support/tcp-proxy.ts";

/** It takes a while where others work as well. */
vi.setConfig({ testTimeout: 120_000 });

interface Found {
  readonly result: {
    readonly hits: { message: { message_id: string; content: string }; around: { content: string }[] }[];
  };
}

const HOSTILE = [
  "<img src=x onerror=alert(1)>\u202e\u0000 \"'`</script> 🦭 zanzibar",
  `zanzibar ${"long-name".repeat(60)}`,
  "zanzibar **bold** [1](javascript:alert(1)) \u061c\u2066 ```",
];

/** The bot reads the staff's room, which most people do not. */
async function openStaffed() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
  return sandbox;
}

/** Never answers, until it is stopped. */
function createSlowAnswerer() {
  const asked: (AbortSignal | undefined)[] = [];
  const answerer: Answerer = {
    answer: (_question, { signal }) =>
      new Promise((_resolve, reject) => {
        asked.push(signal);
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
  };
  return { asked, answerer };
}

/** Each stands in one message; a search shows ten. */
const WORDS_AT_ONCE = 2;
const LETTERS = "bcdfghjklmnpqrst";
/** People who read the same channels differ in nothing else here, nor do channels of one type with the same readers. */
const MAX_ALIKE = 2;

function someOfEach<Item>(items: readonly Item[], toKey: (item: Item) => string): Item[] {
  return Object.values(Object.groupBy(items, toKey)).flatMap((alike = []) => alike.slice(0, MAX_ALIKE));
}

/** Says a word of its own in each channel that somebody cannot read, and has people of all rights search for all of them. */
async function searchForMarks(
  { sandbox, people, asMember, inside }: Awaited<ReturnType<typeof openPersonConsole>>,
  threads: readonly string[] = [],
) {
  const { world } = sandbox;
  const { botId } = inside.edge.discord;
  // By an independent reckoning: whether the sandbox would give this person the channel's messages.
  const reads = (person: string, channelId: string) => {
    const channel = world.channels.get(channelId);
    const guild = channel?.guildId ? world.guilds.get(channel.guildId) : undefined;
    return channel !== undefined && guild !== undefined && canReadHistory(guild, channel, person);
  };
  const marks = new Map<string, string>();
  const readers = (id: string) => people.map((one) => reads(one.id, id)).join();
  const channels = [...sandbox.community.channels.values(), ...threads];
  for (const id of someOfEach(channels, (one) => `${world.channels.get(one)?.type} ${readers(one)}`)) {
    const writer = world.channels.get(id)?.guildId && people.find((one) => canSay(sandbox.as(one.id), id));
    if (!writer) continue;
    const isHidden = people.some((one) => !reads(one.id, id));
    if (!isHidden && id !== sandbox.community.channels.get("general")) continue;
    // No two are alike, so that none is taken for another that was mistyped.
    const word = hash("sha256", id)
      .slice(0, 16)
      .replaceAll(/./g, (digit) => LETTERS[Number.parseInt(digit, 16)] ?? "");
    sandbox.as(writer.id).say(id, `the word here is ${word}`);
    marks.set(id, word);
  }
  let [found, hidden] = [0, 0];
  const all = [...marks];
  for (const { id: person } of someOfEach(people, (one) => all.map(([id]) => reads(one.id, id)).join())) {
    const { ask, status } = await asMember(person);
    const isMember = world.guilds.get(sandbox.community.guild.id)?.members.has(person);
    expect([person, status]).toEqual([person, isMember ? 200 : 403]);
    if (!isMember) continue;
    for (let start = 0; start < all.length; start += WORDS_AT_ONCE) {
      const some = all.slice(start, start + WORDS_AT_ONCE);
      const query = some.map(([, word]) => word).join(" ");
      const answer = (await (await ask("/console/me/search", { query })).json()) as Found;
      const hits = JSON.stringify(answer.result.hits);
      for (const [channelId, word] of some) {
        const isThere = hits.includes(word);
        expect([person, word, isThere]).toEqual([person, word, reads(person, channelId) && reads(botId, channelId)]);
        if (isThere) found += 1;
        else hidden += 1;
      }
    }
  }
  return { found, hidden };
}

describe("what a person finds through the console", () => {
  it("is what the sandbox lets them read, for people of all rights in the sample", async () => {
    const { found, hidden } = await searchForMarks(await openPersonConsole());
    expect(found).toBeGreaterThan(50);
    expect(hidden).toBeGreaterThan(50);
  }, 300_000);

  it("is what the sandbox lets them read in random communities, too", async () => {
    const counted = { found: 0, hidden: 0 };
    const property = fc.asyncProperty(randomDoors, async (doors) => {
      const sandbox = await openTestSandbox({ rateLimits: false });
      const thread = applyDoors(sandbox, doors);
      const { found, hidden } = await searchForMarks(await openPersonConsole({ sandbox }), [thread]);
      counted.found += found;
      counted.hidden += hidden;
    });
    await fc.assert(property, { numRuns: 6 });
    expect(Math.min(counted.found, counted.hidden)).toBeGreaterThan(0);
  });

  it("each request is an operation of its own, for that person alone, and audited", async () => {
    const { as, inside } = await openPersonConsole();
    const { ask, id } = await as("sarah");
    const before = inside.audited.length;
    await ask("/console/me/search", { query: "boat" });
    await ask("/console/me/ask", { question: "boat?" });
    const operations = inside.audited.slice(before).flatMap((one) => (one.kind === "operation" ? [one.row] : []));
    expect(operations).toMatchObject([
      { client: "console", actor_id: id, destination: "actor" },
      { client: "console", actor_id: id, destination: "actor" },
    ]);
  });

  it("could be told only where everybody may read its source", async () => {
    const sandbox = await openStaffed();
    const { as } = await openPersonConsole({ sandbox });
    const id = (key: string) => sandbox.community.channels.get(key) ?? "";
    const [open, closed] = [
      sandbox.as("mei").say("general", "the crane is blue"),
      sandbox.as("mei").say("staff-room", "the crane is broken"),
    ];
    const { ask } = await as("mei");
    const told = async (message: { id: string; channelId: string }) => {
      const body = { messages: [{ channel_id: message.channelId, message_id: message.id }] };
      const answer = await (await ask("/console/me/could-tell", body)).json();
      const { channels } = answer as { channels: { channel_id: string; could: boolean }[] };
      return new Map(channels.map((one) => [one.channel_id, one.could]));
    };
    const [ofOpen, ofClosed] = [await told(open), await told(closed)];
    expect([ofOpen.get(id("general")), ofOpen.get(id("staff-room"))]).toEqual([true, true]);
    expect([ofClosed.get(id("general")), ofClosed.get(id("staff-room"))]).toEqual([false, true]);
    const { ask: others } = await as("sarah");
    const hidden = { messages: [{ channel_id: closed.channelId, message_id: closed.id }] };
    expect((await others("/console/me/could-tell", hidden)).status).toBe(404);
  });

  it("an answer ends with its session, and two at once are enough", async () => {
    const { asked, answerer } = createSlowAnswerer();
    const { as } = await openPersonConsole({ answerer });
    const { ask, operator } = await as("sarah");
    const asking = [1, 2].map(() => ask("/console/me/ask", { question: "when?" }));
    await expect.poll(() => asked.length).toBe(2);
    expect((await ask("/console/me/ask", { question: "when?" })).status).toBe(429);
    await operator.ask("/console/session/end");
    for (const one of asking) expect((await one).ok).toBe(false);
    expect(asked.every((signal) => signal?.aborted)).toBe(true);
  });
});

// Skipped without Debian's Chromium: apt-get install chromium.
describe.skipIf(!HAS_BROWSER)("the search page in a browser", () => {
  const open = async (
    options: Parameters<typeof openPage>[0] = {},
    more: Parameters<typeof openPersonConsole>[0] = {},
  ) => {
    const test = await openPersonConsole({ folder: await builtPages(), ...more });
    const watched = await openPage(options);
    const { page } = watched;
    await page.goto(test.console.mintLink());
    await page.getByRole("link", { name: "Search" }).click();
    await page.getByLabel("You are").selectOption(test.sandbox.community.people.get("sarah") ?? "");
    await page.getByLabel("Channel").getByRole("option", { name: "#general" }).waitFor({ state: "attached" });
    return { ...test, ...watched };
  };

  it("finds messages with the conversation around them, filters, asks on a click alone, and shows what is behind it", async () => {
    const { page, url, complaints, hosts, answers } = await open();
    const requests = (path: string) => answers.filter((one) => one.path === path).length;
    await page.getByRole("searchbox").fill("tide board");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /found$/ }).waitFor();
    expect(await page.getByRole("listitem").filter({ hasText: "tideboard data" }).count()).toBeGreaterThan(0);
    expect(requests("/console/me/ask")).toBe(0);
    await page.getByRole("button", { name: "Has a link" }).click();
    await expect.poll(() => requests("/console/me/search")).toBe(2);
    await page.getByRole("button", { name: "Ask the agent" }).click();
    await page.getByRole("heading", { name: "Answer" }).waitFor();
    await page.getByRole("heading", { name: "Sources" }).waitFor();
    await page.getByRole("button", { name: "Where could this be told?" }).first().click();
    await page
      .getByText(/may know it/)
      .first()
      .waitFor();
    await page.getByLabel("Show what is behind it").check();
    await page.getByLabel("a model").check();
    await page.getByText("npx earshot call search_messages").waitFor();
    await page.getByText("#harbour-office").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(url).host]);
    expect(page.url()).toBe(`${url}/#/search`);
  });

  it("works by keyboard alone, and an answer can be stopped", async () => {
    const { asked, answerer } = createSlowAnswerer();
    const { page } = await open({}, { answerer });
    await page.getByLabel("You are").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.type("boat");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Stop" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Stopped.").waitFor();
    await expect.poll(() => asked.map((signal) => signal?.aborted)).toEqual([true]);
  });

  it("says that Earshot does not answer, keeps what is there, and goes on when it does", async () => {
    const test = await openPersonConsole({ folder: await builtPages() });
    const network = await openTcpProxy(() => Number(new URL(test.url).port));
    onTestFinished(() => network.close());
    const { page } = await openPage();
    await page.goto(`${test.console.mintLink().replace(test.url, `http://127.0.0.1:${network.port}`)}`);
    await page.getByRole("link", { name: "Search" }).click();
    await page.getByLabel("You are").selectOption(test.sandbox.community.people.get("sarah") ?? "");
    await page.getByRole("searchbox").fill("boat");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /found$/ }).waitFor();
    await network.cut();
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("alert").getByText("Earshot does not answer").waitFor();
    expect(await page.getByRole("heading", { name: /found$/ }).count()).toBe(1);
    expect(await findBarriers(page)).toEqual([]);
    await network.restore();
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("alert").getByText("Earshot does not answer").waitFor({ state: "detached" });
  });

  it("shows hostile text as text on screens of all widths in both themes, without barriers", async () => {
    const { page, complaints, sandbox } = await open();
    const samples = hostileSamples(30).map((text) => `zanzibar ${text}`.slice(0, 2_000));
    for (const text of [...samples, ...HOSTILE]) sandbox.as("mark").say("general", text);
    await page.getByRole("searchbox").fill("zanzibar");
    await page.keyboard.press("Enter");
    await page.getByText("onerror=alert(1)").first().waitFor();
    await page.getByRole("button", { name: "Ask the agent" }).click();
    await page.getByRole("heading", { name: "Answer" }).waitFor();
    expect(await findMisfits(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

/** Whether the sandbox lets somebody write there; it is tried. */
function canSay(person: Person, channelId: string): boolean {
  try {
    person.say(channelId, "hello");
    return true;
  } catch {
    return false;
  }
}
