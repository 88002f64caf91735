import { describe, expect, it } from "vitest";
import { generateCommunity, type PostPlan, type Sandbox } from "../../sandbox/index.ts";
import type { ChannelId } from "../../src/domain/ids.ts";
import { until } from "../support/edge.ts";
import { openTestGate, type TestGateOptions } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

interface Found {
  readonly hits: readonly {
    readonly message: { readonly content: string };
    readonly channel: { readonly name: string | null; readonly tags: readonly string[] };
  }[];
  readonly coverage: { readonly scanned: number; readonly complete: boolean };
  readonly examined: string | null;
  readonly older: string;
  readonly still_reading: boolean;
}

/** Starts on a sandbox in which everything has been said already. */
async function arrive(prepare: (sandbox: Sandbox) => void = () => {}, options: TestGateOptions = {}) {
  const requests: string[] = [];
  const sandbox = await openTestSandbox({
    rateLimits: false,
    onResponse: ({ path }) => void requests.push(path),
  });
  sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
  prepare(sandbox);
  const test = await openTestGate(sandbox, options);
  const ask = async (name: string, args: object, where: { as?: string; in?: string } = {}) => {
    const operation = await test.open(where.as ?? "sarah", where.in ?? "general");
    return test.gate.callTool({ name, args, operation, wantsText: true }).then(
      ({ value, text }) => ({ ...(value as Found), text: text ?? "" }),
      (error: Error) => ({ text: error.message }) as Found & { text: string },
    );
  };
  return { ...test, ask, requests };
}

function archiveThread(sandbox: Sandbox, { by = "mark", name = "rigging", text = "" }): string {
  const thread = sandbox.as(by).openThread({ in: "general" }, name);
  sandbox.as(by).say(thread.id, text);
  sandbox.admin.updateThread(thread.id, { archived: true });
  return thread.id;
}

const contents = ({ hits = [] }: Partial<Found>) => hits.map(({ message }) => message.content);

describe("archived threads and forum posts", () => {
  const prepare = (sandbox: Sandbox) => {
    archiveThread(sandbox, { text: "the halyard is frayed" });
    const { thread } = sandbox.as("mark").post("help", "Which paddle?", { what: "carbon or wood?" });
    sandbox.as("sarah").say(thread.id, "the halyard of paddles is carbon");
    sandbox.admin.updateThread(thread.id, { archived: true });
  };

  it("are mentioned by their ids, whether or not somebody has looked one up", async () => {
    let rigging = "";
    const { ask } = await arrive((sandbox) => {
      rigging = archiveThread(sandbox, { text: "the halyard is frayed" });
      sandbox.as("mark").say("general", `see <#${rigging}>`);
    });
    const read = () => ask("get_recent_messages", { limit: 1 }, { as: "sarah" });
    expect((await read()).text).toContain(`see <#${rigging}>`);
    expect((await ask("get_recent_messages", { channel: rigging }, { as: "mark" })).text).toContain("frayed");
    expect((await read()).text).toContain(`see <#${rigging}>`);
    const within = await ask("get_recent_messages", { channel: "general", limit: 1 }, { in: rigging });
    expect(within.text).toContain("see #rigging");
  });

  it("are found right after a start", async () => {
    const { ask } = await arrive(prepare);
    const found = await ask("search_messages", { query: "halyard" });
    expect(contents(found).sort()).toEqual(["the halyard is frayed", "the halyard of paddles is carbon"]);
    expect(found).toMatchObject({ older: "not_needed", coverage: { complete: true }, examined: null });
    expect(contents(await ask("search_messages", { query: "halyard", channel: "help" }))).toEqual([
      "the halyard of paddles is carbon",
    ]);
  });

  it("are found after the background has listed and read them, without another request", async () => {
    const { ask, timelines, requests } = await arrive(prepare, {
      bounds: { readsAhead: true, backgroundIntervalMs: 0 },
    });
    await until(() => timelines.stats().guildsRead > 0 && timelines.stats().unread === 0, "history was not read");
    expect(timelines.stats().unlisted).toBe(0);
    const before = requests.length;
    expect(contents(await ask("search_messages", { query: "halyard", scan: 0 }))).toHaveLength(2);
    expect(requests.slice(before)).toEqual([]);
  });

  it("costs Discord nothing where only what is held is wanted", async () => {
    const { ask, requests, sandbox, timelines } = await arrive(undefined, {
      bounds: { readsAhead: true, backgroundIntervalMs: 0 },
    });
    await until(() => timelines.stats().guildsRead > 0 && timelines.stats().unread === 0, "history was not read");
    sandbox.as("mark").say("general", "a halyard, just now");
    // Listed by nobody yet.
    archiveThread(sandbox, { text: "the halyard is frayed" });
    const before = requests.length;
    const search = () => ask("search_messages", { query: "halyard", held_only: true });
    await expect.poll(async () => contents(await search())).toEqual(["a halyard, just now"]);
    expect(requests.slice(before).filter((path) => /search|archived/.test(path))).toEqual([]);
    expect(await search()).toMatchObject({ coverage: { complete: false } });
  });

  it.each(["with archived threads", "without any"])(
    "keep an answer from being called complete until they have been listed, in a server %s",
    async (which) => {
      const { sandbox, ask } = await arrive(which === "without any" ? undefined : prepare);
      sandbox.faults.failRest({ match: "/threads/archived", times: 1_000, status: 503 });
      for (const args of [{}, { channel: "general" }, { channel: "help" }]) {
        const found = await ask("search_messages", { query: "kraken", ...args });
        expect(found).toMatchObject({ hits: [], older: "not_listed", coverage: { complete: false } });
        expect(found.text).toContain("all but archived threads that are not known");
      }
      sandbox.faults.clear();
      const found = await ask("search_messages", { query: "kraken" });
      expect(found).toMatchObject({ older: "not_needed", coverage: { complete: true } });
      expect(found.text).not.toContain("Examined");
    },
  );

  it("are missing on a server that has no list of them: it is asked once per session, everything else is read, and no answer is called complete", async () => {
    const { sandbox, ask, timelines, edge, requests } = await arrive(
      (prepared) => {
        prepare(prepared);
        prepared.faults.failRest({ match: "/threads/archived", times: 1_000, status: 404 });
      },
      { bounds: { readsAhead: true, backgroundIntervalMs: 0 } },
    );
    await until(() => timelines.stats().guildsRead > 0, "history was not read");
    expect(timelines.stats()).toMatchObject({ unread: 0, unlisted: 0, pausedUntil: null });
    expect(edge.discord.stats().lacksArchives).toBe(true);
    expect(requests.filter((path) => path.includes("/threads/archived/public"))).toHaveLength(1);
    for (const args of [{}, { channel: "general" }, { channel: "help" }]) {
      const found = await ask("search_messages", { query: "halyard", ...args });
      expect(found).toMatchObject({ hits: [], older: "not_listed", coverage: { complete: false } });
      expect(found.text).toContain("all but archived threads that are not known.");
    }
    sandbox.faults.clear();
    sandbox.faults.invalidateSession();
    await until(() => !edge.discord.stats().lacksArchives, "the list was not asked for again");
    await expect.poll(async () => contents(await ask("search_messages", { query: "halyard" }))).toHaveLength(2);
  });

  it("are not missing everywhere because one channel was deleted meanwhile", async () => {
    const { sandbox, edge } = await arrive(prepare);
    const general = sandbox.community.channels.get("general") as ChannelId;
    sandbox.faults.loseEvents(({ type }) => type === "CHANNEL_DELETE", 1);
    sandbox.admin.deleteChannel("general");
    await expect(edge.discord.archive(general, null)).rejects.toMatchObject({ code: "not_found" });
    expect(edge.discord.stats().lacksArchives).toBe(false);
  });

  it("are listed again after events may have been missed", async () => {
    const { sandbox, ask, edge } = await arrive();
    expect(await ask("search_messages", { query: "halyard" })).toMatchObject({ hits: [] });
    sandbox.faults.refuseResume();
    sandbox.faults.cutSocket();
    archiveThread(sandbox, { text: "the halyard is frayed" });
    await edge.find("gap", () => true);
    const found = async () => contents(await ask("search_messages", { query: "halyard" }));
    await expect.poll(found).toHaveLength(1);
  });

  it("are found by their titles and tags, which come with the hits", async () => {
    const { ask, rename } = await arriveWithPost();
    for (const query of ["catamaran", "solved"]) {
      const found = await ask("search_messages", { query, channel: "help" });
      expect(contents(found)).toEqual(["which one is it?"]);
      expect(found.hits[0]?.channel).toMatchObject({ name: "Catamaran or trimaran", tags: ["solved"] });
      expect(found.text).toContain("tagged");
    }
    expect(contents(await ask("search_messages", { query: "trimaran" }))).toEqual(["which one is it?"]);
    await rename();
    expect(contents(await ask("search_messages", { query: "trimaran" }))).toEqual([]);
    expect(contents(await ask("search_messages", { query: "monohull" }))).toEqual(["which one is it?"]);
  });

  async function arriveWithPost() {
    const post = { what: "which one is it?", tags: ["solved"] };
    let postId = "";
    const test = await arrive((sandbox) => {
      postId = sandbox.as("mark").post("help", "Catamaran or trimaran", post).thread.id;
    });
    const { sandbox, edge } = test;
    const rename = async () => {
      sandbox.admin.updateThread(postId, { name: "Monohull" });
      const { id: marker } = sandbox.as("olga").dm("settled?");
      await edge.find("message", ({ message }) => message.message_id === marker);
    };
    return { ...test, rename };
  }
});

describe("a message of which only the id is given", () => {
  it("is found in another channel by one search, where the actor and the readers of the answer may read it", async () => {
    let open = "";
    let secret = "";
    const { ask, requests, sandbox } = await arrive((world) => {
      open = world.as("mark").say("pier", "the ferry is late").id;
      secret = world.as("mei").say("staff-room", "the ferry is sold").id;
    });
    const before = requests.length;
    expect((await ask("get_message_context", { message_id: open })).text).toContain("the ferry is late");
    const made = requests.slice(before);
    expect(made.filter((path) => path.includes("/messages/search"))).toHaveLength(1);
    const pages = made.filter((path) => /\/channels\/\d+\/messages/.test(path));
    expect(pages.every((path) => path.includes(sandbox.community.channels.get("pier") ?? "?"))).toBe(true);
    expect((await ask("get_message_context", { message_id: secret })).text).toBe("Message not found");
    expect((await ask("get_message_context", { message_id: "123" })).text).toBe("Message not found");
    const staff = await ask("get_message_context", { message_id: secret }, { as: "mei", in: "staff-room" });
    expect(staff.text).toContain("the ferry is sold");
  });

  it("is looked for where the request was made when Discord has no search", async () => {
    let id = "";
    const { ask, sandbox } = await arrive((world) => {
      id = world.as("mark").say("general", "the ferry is late").id;
    });
    sandbox.faults.failRest({ match: "/messages/search", times: 10, status: 500 });
    expect((await ask("get_message_context", { message_id: id })).text).toContain("the ferry is late");
  });
});

describe("a community of 3,000 messages in 12 channels", () => {
  const NEEDLES = Array.from({ length: 8 }, (_, index) => `the halyardmoth number ${index} sleeps under the pile`);

  async function arriveAtCommunity() {
    const plan = generateCommunity({ seed: 4, messages: 3_000, channels: 12, people: 20, days: 60 });
    function* posts(): Generator<PostPlan> {
      for (const [index, text] of NEEDLES.entries())
        yield { minutesAgo: 61 * 1_440, in: `c${[0, 1, 2, 4][index % 4]}`, by: "p0", text };
      yield* plan.posts;
    }
    const sandbox = await openTestSandbox({
      community: { ...plan, posts: { [Symbol.iterator]: posts } },
      rateLimits: false,
    });
    sandbox.faults.failRest({ match: "/messages/search", times: Number.POSITIVE_INFINITY, status: 501 });
    const test = await openTestGate(sandbox, { bounds: { readsAhead: true, backgroundIntervalMs: 1 } });
    const ask = async (args: object) => {
      const operation = await test.open("p1", "c2");
      const call = { name: "search_messages", args, operation, wantsText: true };
      const { value, text } = await test.gate.callTool(call);
      return { ...(value as Found), text: text ?? "" };
    };
    return { ...test, ask };
  }

  it("is searched to its beginning with default arguments once its history has been read, and says so until then", async () => {
    const { ask, timelines } = await arriveAtCommunity();
    const early = await ask({ query: "halyardmoth" });
    expect(early).toMatchObject({ hits: [], still_reading: true, coverage: { complete: false } });
    expect(early.text).toMatch(
      /^No messages found matching 'halyardmoth'\nExamined [\d,]+ messages, not of every channel\.\n/,
    );
    expect(early.text).toContain("Older history is still being read");
    await until(() => timelines.stats().guildsRead > 0 && timelines.stats().unread === 0, "history was not read");
    const late = await ask({ query: "halyardmoth" });
    expect(contents(late).sort()).toEqual(NEEDLES);
    expect(late).toMatchObject({ still_reading: false, examined: null, coverage: { complete: true } });
    const none = await ask({ query: "kraken" });
    expect(none.text).toBe(
      "No messages found matching 'kraken'\nOnly what everyone here can see was searched; ask privately for more.",
    );
  });
});
