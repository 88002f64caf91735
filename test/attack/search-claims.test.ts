import { describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { EarshotError } from "../../src/domain/errors.ts";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import { OWN_SCOPE } from "../../src/policy/grant.ts";
import { channelOf, toChannels } from "../search/said.ts";
import { openArchive } from "../support/archive.ts";
import { openTestGate } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

interface Answer {
  readonly text: string;
  readonly code?: string;
  readonly hits: readonly object[];
  readonly coverage: { readonly complete: boolean };
  readonly everything_since: string | null;
  readonly examined: string | null;
  readonly older: string;
  readonly cursor: string | null;
}

/** Starts on a sandbox in which everything has been said already. */
async function arrive(prepare: (sandbox: Sandbox) => void) {
  const requests: string[] = [];
  const sandbox = await openTestSandbox({ rateLimits: false, onResponse: ({ path }) => void requests.push(path) });
  prepare(sandbox);
  const test = await openTestGate(sandbox);
  const ask = async (name: string, args: object, grant: object = {}): Promise<Answer> => {
    const operation = await test.open("sarah", "general", grant);
    return test.gate.callTool({ name, args, operation, wantsText: true }).then(
      ({ value, text }) => ({ ...(value as Answer), text: text ?? "" }),
      (error: { message: string; code: string }) => ({ text: error.message, code: error.code }) as Answer,
    );
  };
  return { ...test, ask, requests };
}

function speakEverywhere(sandbox: Sandbox): void {
  for (const channel of ["general", "news", "pier"]) sandbox.as("olga").say(channel, "ahoy");
}

function sayMany(sandbox: Sandbox, by: string, count: number): void {
  for (let index = 0; index < count; index += 1) sandbox.as(by).say("general", `number ${index}`);
}

describe("the time since which a search claims to have examined everything", () => {
  it("does not tell when somebody wrote who opted out", async () => {
    const { sandbox, ask, consent, edge } = await arrive(speakEverywhere);
    consent.set(sandbox.community.people.get("mark") ?? "", true);
    const search = () => ask("search_messages", { query: "kraken", scan: 1 });
    const before = await search();
    const { id } = sandbox.as("mark").say("pier", "hello");
    await edge.find("message", ({ message }) => message.message_id === id);
    expect(await search()).toEqual(before);
  });

  it("does not tell how much others wrote where only the actor's own messages may be used", async () => {
    const { ask } = await arrive((sandbox) => {
      speakEverywhere(sandbox);
      sayMany(sandbox, "mark", 120);
    });
    const answer = await ask(
      "search_user_messages",
      { user_name: "me", query: "kraken", scan: 100 },
      { scopes: [OWN_SCOPE] },
    );
    expect(answer).toMatchObject({ coverage: { complete: false }, everything_since: null });
  });

  it("is not given while archived threads are unknown, which may be newer", async () => {
    const { sandbox, ask } = await arrive((world) => {
      speakEverywhere(world);
      sayMany(world, "mark", 120);
    });
    sandbox.faults.failRest({ match: "/threads/archived", times: 1_000, status: 403 });
    sandbox.faults.failRest({ match: "/messages/search", times: 1_000, status: 403 });
    const answer = await ask("search_messages", { query: "kraken", channel: "general", scan: 100 });
    expect(answer).toMatchObject({ coverage: { complete: false }, everything_since: null });
  });
});

it("a search that ends early because it has enough does not claim that only archived threads are missing", async () => {
  const { sandbox, ask } = await arrive((world) => {
    sayMany(world, "sarah", 120);
    sayMany(world, "mark", 5);
  });
  sandbox.faults.failRest({ match: "/threads/archived", times: 1_000, status: 403 });
  const answer = await ask("search_messages", { query: "from:mark", limit: 2 });
  expect(answer.hits).toHaveLength(2);
  expect(answer.text).not.toContain("all but archived threads");
  expect(answer.older).not.toBe("not_listed");
});

it("a message of which only the id is given is not called absent where Discord's search does not answer", async () => {
  let id = "";
  const { sandbox, ask } = await arrive((world) => {
    id = world.as("mark").say("pier", "the ferry is late").id;
  });
  sandbox.faults.failRest({ match: "/messages/search", times: 100, status: 403 });
  const answers = await Promise.all([id, "123"].map((each) => ask("get_message_context", { message_id: each })));
  expect(answers[0]).toMatchObject({ code: "unavailable" });
  expect(answers[1]).toEqual(answers[0]);
});

it("a changed cursor of a summary does not make one call read all of a channel", async () => {
  const { ask, requests } = await arrive((sandbox) => sayMany(sandbox, "mark", 450));
  const args = { timeframe: "today", limit: 10 };
  const { cursor } = await ask("get_channel_summary", args);
  const [from, to, , ...rest] = (cursor ?? "").split(".");
  const before = requests.length;
  await ask("get_channel_summary", { ...args, cursor: [from, to, "9223372036854775807", ...rest].join(".") });
  expect(requests.slice(before).filter((path) => path.includes("/messages")).length).toBeLessThan(2);
});

it("a search finds what is held for everybody while Discord does not give what is older", async () => {
  let isDown = false;
  const said = Array.from({ length: 250 }, (_, second) => ({
    channel: "a",
    second,
    by: "ann",
    text: `tide ${second}`,
  }));
  const { timelines, readAhead } = openArchive(toChannels(["a"], said), {
    ...{ readsAhead: true, backgroundIntervalMs: 0, messagesPerChannel: 120 },
    onHistory() {
      if (isDown) throw new EarshotError("unavailable", "Discord does not answer; try again later.");
    },
  });
  onTestFinished(() => timelines.close());
  await readAhead();
  isDown = true;
  const query = toQuery(parseQuery("tide"));
  const result = await timelines.find({ channelIds: [channelOf("a")], query, limit: 5, scan: 1_000 });
  expect(result).toMatchObject({ unreachable: true, coverage: { complete: false } });
  expect(result.hits).toHaveLength(5);
});
