import { describe, expect, it, onTestFinished, vi } from "vitest";
import { mentionsOf } from "../../sandbox/render/mentions.ts";
import { type ChannelId, type GuildId, idTime, type MessageId } from "../../src/domain/ids.ts";
import { COMMANDS } from "../../src/transports/discord/command-menu.ts";
import { openTestEdge } from "../support/edge.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { openAskingHarbour } from "./open-commands.ts";
import { buttonId, buttonsOf } from "./open-harbour.ts";

const OVER = "This answer is too old for that; use the command again.";
const ONLY_HERE = "-# Only what everyone here can see was searched; ask privately for more.";

const labelsOf = (message: Parameters<typeof buttonsOf>[0]) => buttonsOf(message).map(({ label }) => label);

describe("the commands", () => {
  it("are registered once, and the application's other commands stay", async () => {
    const { sandbox, edge } = await openAskingHarbour();
    const application = [...sandbox.world.applications.values()].find(({ botId }) => botId === edge.discord.botId);
    const shown = () => [...(application?.commands.values() ?? [])];
    expect(shown().map(({ name }) => name)).toEqual([
      "find",
      "catchup",
      "What led up to this?",
      "Remember this",
      "privacy",
      "memory",
    ]);
    expect(shown().map(({ contexts }) => contexts)).toEqual([[0, 1], [0, 1], [0], [0], [0, 1], [0, 1]]);
    const before = JSON.stringify(shown());
    const other = { kind: "typed", name: "other", about: "Something else", options: [] } as const;
    await edge.discord.offerCommands([other]);
    await edge.discord.offerCommands(COMMANDS);
    expect(JSON.stringify(shown().slice(0, 6))).toBe(before);
    expect(shown()).toHaveLength(7);
    await edge.discord.offerCommands([{ ...other, about: "Something better" }]);
    expect(shown().map(({ description }) => description)).toContain("Something better");
    expect(shown()).toHaveLength(7);
  });

  it("are registered although Discord refuses one of them, which is named with the field and not tried again", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const warned: unknown[] = [];
    const log = { debug() {}, info() {}, warn: (fields: object) => void warned.push(fields), error() {} };
    const { discord } = await openTestEdge(sandbox, { log });
    const [bad, good] = [
      { kind: "typed", name: "No spaces", about: "Refused", options: [] },
      { kind: "typed", name: "tide", about: "Taken", options: [] },
    ] as const;
    await discord.offerCommands([bad, good]);
    const [application] = sandbox.world.applications.values();
    expect([...(application?.commands.values() ?? [])].map(({ name }) => name)).toEqual(["tide"]);
    const reason = "Discord refuses it (status 400: name: Command name is invalid)";
    expect(discord.stats().missingCommands).toEqual([
      { name: "/No spaces", since: expect.any(Number), reason, isRefused: true },
    ]);
    expect(warned).toEqual([{ commands: ["/No spaces"], reason }]);
    await discord.offerCommands([{ ...bad, name: "no-spaces" }]);
    expect([...(application?.commands.values() ?? [])].map(({ name }) => name)).toEqual(["tide", "no-spaces"]);
  });
});

describe("/find", () => {
  it("shows only the actor who said it, when, in which channel, and a link", async () => {
    const { sandbox, find, saidByBot, id, audited, settle } = await openAskingHarbour();
    const { id: message } = sandbox.as("mark").say("general", "the tide turns at four");
    await settle();
    const answer = await find("sarah", "tide");
    const link = `https://discord.com/channels/${sandbox.community.guild.id}/${id("general")}/${message}`;
    expect(answer.content.split("\n")).toEqual([
      "Found for “tide”:",
      `**mark** <t:${Math.floor(idTime(message as MessageId) / 1_000)}:R> <#${id("general")}> [open](${link})`,
      "> the tide turns at four",
    ]);
    expect(labelsOf(answer)).toEqual(["Share here"]);
    expect(saidByBot("general")).toEqual([]);
    const operation = audited.find(({ kind }) => kind === "operation");
    expect(operation?.row).toMatchObject({ client: "discord", actor_id: sandbox.as("sarah").id, destination: "actor" });
  });

  it("continues page by page, and shows no hit twice", async () => {
    const { sandbox, find, press, settle } = await openAskingHarbour();
    for (let index = 0; index < 12; index += 1) sandbox.as("mark").say("general", `boat ${index} is in`);
    await settle();
    const first = await find("sarah", "boat", { since: "2 hours" });
    expect(labelsOf(first)).toEqual(["More", "Share here"]);
    const second = await press("sarah", first, "More");
    const third = await press("sarah", second, "More");
    expect(labelsOf(third)).toEqual(["Share here"]);
    const pages = [first, second, third].map(({ content }) => content.match(/^> boat \d+/gm) ?? []);
    expect(pages.map(({ length }) => length)).toEqual([5, 5, 2]);
    expect(new Set(pages.flat()).size).toBe(12);
    // The page before stays where it was, and works.
    expect((await press("sarah", first, "More")).content).toBe(second.content);
  });

  it("searches only the given channel, person and time", async () => {
    const { sandbox, find, settle, id } = await openAskingHarbour();
    sandbox.as("mark").say("general", "the rope from mark");
    sandbox.as("mei").say("general", 'the rope from mei "unclosed');
    sandbox.as("mei").say("pier", "the rope on the pier");
    await settle();
    const texts = async (more: Record<string, string>, query = "rope") =>
      ((await find("sarah", query, more)).content.match(/^> .*$/gm) ?? []).sort();
    expect(await texts({})).toHaveLength(3);
    expect(await texts({ from: sandbox.as("mei").id }, '"rope')).toEqual([
      '> the rope from mei "unclosed',
      "> the rope on the pier",
    ]);
    expect(await texts({ in: "pier" })).toEqual(["> the rope on the pier"]);
    expect(await texts({ in: id("pier"), from: sandbox.as("mark").id })).toEqual([]);
    expect(await texts({ since: "yesterday" })).toHaveLength(3);
    const later = await find("sarah", "rope", { since: "the day of reckoning" });
    expect(later.content).toContain("is not a time that Earshot understands");
    expect((await find("sarah", "rope", { in: "nowhere-at-all" })).content).toContain("Could not find channel");
  });

  it("reads dates in numbers by the language of the actor's Discord, and says which day that is", async () => {
    const { sandbox, find, press, answer, saidByBot, settle } = await openAskingHarbour();
    sandbox.admin.setLocale("mei", "en-GB");
    sandbox.as("mark").say("general", "the rope from mark");
    await settle();
    const since = "3/4/2020";
    const asMarch = '"3/4/2020" was read as 2020-03-04; if 2020-04-03 was meant, give the date like that.';
    const asApril = '"3/4/2020" was read as 2020-04-03; if 2020-03-04 was meant, give the date like that.';
    const found = await find("sarah", "rope", { since });
    expect(found.content.split("\n").slice(2)).toEqual(["> the rope from mark", `-# ${asMarch}`]);
    expect((await find("mei", "rope", { since })).content).toContain(asApril);
    expect((await find("mei", "kraken", { since })).content).toBe(`Nothing found for “kraken”.\n-# ${asApril}`);
    expect((await find("mei", "rope", { since: "13/4/2020" })).content).not.toContain("was read as");
    await press("sarah", found, "Share here");
    expect(saidByBot("general")[0]?.content).toContain(`-# ${asMarch} Only what everyone here`);
    const summary = await answer(sandbox.as("mei").run("catchup", { since }, { in: "general" }));
    expect(summary.content.split("\n").at(-1)).toBe(`-# ${asApril}`);
    const { channelId } = sandbox.as("mei").dm("hello");
    expect((await find("mei", "rope", { since }, channelId)).content).toContain(asApril);
  });

  it("says in the same words that nothing was found, whether the message is absent or hidden from the actor", async () => {
    const { sandbox, find, settle, id } = await openAskingHarbour();
    sandbox.as("mei").say("pier", "the cargo is gold");
    sandbox.as("mei").say("staff-room", "the cargo is gold");
    await settle();
    const hidden = await find("mark", "cargo gold");
    const absent = await find("mark", "cargo lead");
    expect(hidden.content).toBe("Nothing found for “cargo gold”.");
    expect(absent.content).toBe("Nothing found for “cargo lead”.");
    expect([labelsOf(hidden), labelsOf(absent)]).toEqual([[], []]);
    const [named, made] = [await find("mark", "gold", { in: id("pier") }), await find("mark", "gold", { in: "1234" })];
    expect(named.content).toBe(made.content);
    const seen = await find("sarah", "cargo gold");
    expect(seen.content.match(/^> .*$/gm)).toEqual(["> the cargo is gold"]);
  });

  it("searches every server that actor and bot share when used in a direct message, and offers no sharing there", async () => {
    const { sandbox, answer, settle } = await openAskingHarbour();
    sandbox.as("mei").say("pier", "the cargo is gold");
    sandbox.as("mark").say("general", "what cargo?");
    const { channelId } = sandbox.as("sarah").dm("hello, any cargo?");
    await settle();
    const asked = async (who: string, channel: string) =>
      answer(sandbox.as(who).run("find", { query: "cargo" }, { in: channel }));
    const mine = await asked("sarah", channelId);
    expect(mine.content.match(/^> .*$/gm)?.sort()).toEqual(["> the cargo is gold", "> what cargo?"]);
    expect(labelsOf(mine)).toEqual([]);
    const marks = await asked("mark", sandbox.as("mark").dm("hello").channelId);
    expect(marks.content.match(/^> .*$/gm)).toEqual(["> what cargo?"]);
  });
});

describe("/find of an actor in two servers", () => {
  it("searches the server where it is used, and both servers in a direct message", async () => {
    const { sandbox, find, answer, edge, settle } = await openAskingHarbour();
    const other = sandbox.admin.createGuild("Far shore", "sarah");
    sandbox.admin.addMember("earshot", other.id);
    const away = sandbox.admin.createChannel("away", "text", { guild: other.id });
    await edge.find("guild", ({ guildId }) => guildId === (other.id as GuildId));
    sandbox.as("sarah").say(away.id, "the anchor is there");
    sandbox.as("mark").say("general", "the anchor is here");
    await settle();
    expect((await find("sarah", "anchor")).content.match(/^> .*$/gm)).toEqual(["> the anchor is here"]);
    const { channelId } = sandbox.as("sarah").dm("hello");
    const both = await answer(sandbox.as("sarah").run("find", { query: "anchor" }, { in: channelId }));
    expect(both.content.match(/^> .*$/gm)?.sort()).toEqual(["> the anchor is here", "> the anchor is there"]);
  });
});

describe("sharing an answer", () => {
  it("posts the hits of the page that everybody in the channel may read, in the actor's name, without a ping", async () => {
    const { sandbox, find, press, saidByBot, settle, id } = await openAskingHarbour();
    const { id: markId } = sandbox.as("mark");
    sandbox.as("mark").say("general", `the gold is here, <@${markId}> @everyone`);
    sandbox.as("mei").say("pier", "the gold is hidden");
    await settle();
    const answer = await find("sarah", "gold");
    expect(answer.content.match(/^> .*$/gm)).toHaveLength(2);
    expect((await press("sarah", answer, "Share here")).content).toBe(`Shared in <#${id("general")}>.`);
    const [post, ...others] = saidByBot("general");
    expect(others).toEqual([]);
    const lines = post?.content.split("\n") ?? [];
    expect(lines[0]).toBe(`Shared by <@${sandbox.as("sarah").id}>, found for “gold”:`);
    expect(lines[1]).toContain(`[open](https://discord.com/channels/${sandbox.community.guild.id}/${id("general")}/`);
    expect(lines.slice(2)).toEqual([`> the gold is here, <@${markId}> @everyone`, ONLY_HERE]);
    expect(post?.content).not.toContain("hidden");
    expect(post && mentionsOf(sandbox.world, post)).toEqual({ users: [], roles: [] });
    expect(post?.more?.mentionEveryone ?? false).toBe(false);
    expect((await press("sarah", answer, "Share here")).content).toBe("This has been shared already.");
    expect(saidByBot("general")).toHaveLength(1);
  });

  it("posts nothing when the audience may read none of the hits, and answers as if nothing was found", async () => {
    const { sandbox, find, press, saidByBot, settle } = await openAskingHarbour();
    sandbox.as("mei").say("pier", "the gold is hidden");
    await settle();
    const there = await find("sarah", "gold", { in: "pier" });
    expect((await press("sarah", there, "Share here")).content).toBe("Nothing found for “gold”.");
    const answer = await find("sarah", "gold");
    expect(answer.content).toContain("hidden");
    expect((await press("sarah", answer, "Share here")).content).toBe("Nothing found for “gold”.");
    expect(saidByBot("general")).toEqual([]);
  });

  it("checks the actor's permissions at the moment of the click", async () => {
    const { sandbox, find, press, saidByBot, settle } = await openAskingHarbour();
    sandbox.as("mei").say("pier", "the gold is hidden");
    await settle();
    const answer = await find("sarah", "gold", {}, "pier");
    sandbox.admin.setOverwrite("pier", "person:sarah", { deny: ["ViewChannel"] });
    await settle();
    expect(() => sandbox.as("sarah").click(answer, buttonId(answer, "Share here"))).toThrow();
    sandbox.admin.setOverwrite("pier", "person:sarah", { allow: ["ViewChannel"], deny: ["SendMessages"] });
    await settle();
    expect((await press("sarah", answer, "Share here")).content).toBe(
      "You may not send messages here, so I may not for you.",
    );
    expect(saidByBot("pier")).toEqual([]);
  });

  it("posts no more than the page that was shown", async () => {
    const { sandbox, find, press, saidByBot, settle } = await openAskingHarbour();
    for (let index = 0; index < 8; index += 1) sandbox.as("mark").say("general", `boat ${index} is in`);
    await settle();
    const second = await press("sarah", await find("sarah", "boat"), "More");
    await press("sarah", second, "Share here");
    const shared = saidByBot("general")[0]
      ?.content.match(/^> .*$/gm)
      ?.sort();
    expect(shared).toEqual(second.content.match(/^> .*$/gm)?.sort());
    expect(shared).toHaveLength(3);
  });
});

describe("the buttons under an answer", () => {
  it("work only for the actor, and answer others the same whether or not they have expired", async () => {
    const { sandbox, find, answer, settle, edge, id, saidByBot } = await openAskingHarbour();
    for (let index = 0; index < 8; index += 1) sandbox.as("mei").say("pier", `gold bar ${index}`);
    await settle();
    const found = await find("sarah", "gold");
    const { id: mark } = sandbox.as("mark");
    const [more, share] = [buttonId(found, "More"), buttonId(found, "Share here")];
    const owner = sandbox.as("sarah").id;
    const buttons: [string, string][] = [
      [more, "Only the person who asked can do that."],
      [share, "Only the person who asked can do that."],
      [`answer:more:${owner}:made-up`, "Only the person who asked can do that."],
      [more.replace(owner, mark), OVER],
      [share.replace(owner, mark), OVER],
    ];
    for (const [button, words] of buttons) {
      const bait = await edge.discord.send(id("general") as ChannelId, {
        text: "press me",
        mentions: [],
        buttons: [{ id: button, label: "?" }],
      });
      const click = sandbox.as("mark").click({ id: bait.message_id, channelId: bait.channel_id }, button);
      expect((await answer(click)).content).toBe(words);
    }
    expect(saidByBot("general").filter(({ content }) => content !== "press me")).toEqual([]);
  });

  it("expire after an hour, and when the channels that may be searched have changed", async () => {
    const { sandbox, find, press, settle } = await openAskingHarbour();
    for (let index = 0; index < 8; index += 1) sandbox.as("mark").say("general", `boat ${index} is in`);
    await settle();
    const found = await find("sarah", "boat");
    sandbox.admin.setOverwrite("pier", "person:sarah", { deny: ["ViewChannel"] });
    await settle();
    expect((await press("sarah", found, "More")).content).toBe(OVER);
    const again = await find("sarah", "boat");
    expect((await press("sarah", again, "More")).content).toContain("boat");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61 * 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect((await press("sarah", again, "More")).content).toBe(OVER);
  });
});

describe("/catchup", () => {
  it("summarises what was said since the actor was last here, with links", async () => {
    const { sandbox, answer, press, saidByBot, settle, id } = await openAskingHarbour();
    sandbox.as("mark").say("general", "an old story about the lighthouse");
    sandbox.as("sarah").say("general", "back later");
    const { id: news } = sandbox.as("mark").say("general", "We decided to move the regatta to Sunday at noon.");
    await settle();
    const told = await answer(sandbox.as("sarah").run("catchup", {}, { in: "general" }));
    const lines = told.content.split("\n");
    expect(lines[0]).toMatch(new RegExp(`^What was said in <#${id("general")}>, from <t:\\d+:R> on:$`));
    const point = lines.find((line) => line.includes("regatta"));
    expect(point).toMatch(
      new RegExp(`^- .* \\[1\\]\\(https://discord\\.com/channels/\\d+/${id("general")}/${news}\\)$`),
    );
    expect(lines.at(-1)).toBe("-# Picked from one message.");
    expect(told.content).not.toContain("lighthouse");
    expect(labelsOf(told)).toEqual(["Share here"]);
    await press("sarah", told, "Share here");
    const [post] = saidByBot("general");
    expect(post?.content).toMatch(new RegExp(`^Shared by <@${sandbox.as("sarah").id}>\\. What was said`));
    expect(post?.content).toContain("regatta");
    expect(post?.content.split("\n").at(-1)).toBe(ONLY_HERE);
  });

  it("goes back to the given time, in other channels too, and shares nothing that the audience may not read", async () => {
    const { sandbox, answer, press, saidByBot, settle, id } = await openAskingHarbour();
    sandbox.as("mei").say("pier", "We decided to sell the gold on Sunday.");
    sandbox.as("sarah").say("pier", "Understood, the gold goes on Sunday then.");
    await settle();
    const run = (options: Record<string, string>, channel = "general") =>
      answer(sandbox.as("sarah").run("catchup", options, { in: channel }));
    expect((await run({ in: "pier" })).content).toBe(`Nothing new in <#${id("pier")}>.`);
    const told = await run({ in: "pier", since: "yesterday" });
    expect(told.content).toContain("gold");
    const refused = await press("sarah", told, "Share here");
    expect(refused.content).toBe(`Nothing new in <#${id("pier")}>.`);
    expect(saidByBot("general")).toEqual([]);
    const { channelId } = sandbox.as("sarah").dm("hello");
    expect((await run({}, channelId)).content).toContain("In direct messages \\`in\\` is needed");
    const inDm = await run({ in: "pier", since: "2 hours" }, channelId);
    expect(inDm.content).toContain("gold");
    expect(labelsOf(inDm)).toEqual([]);
  });
});

describe('the command "What led up to this?"', () => {
  it("shows only the actor the messages before, in order, and none after", async () => {
    const { sandbox, answer, settle, saidByBot } = await openAskingHarbour();
    for (let index = 0; index < 12; index += 1) sandbox.as("mark").say("general", `turn ${index}`);
    const target = sandbox.as("mei").say("general", "so be it");
    sandbox.as("mark").say("general", "afterwards");
    await settle();
    const told = await answer(sandbox.as("sarah").menu("What led up to this?", target));
    const lines = told.content.split("\n").slice(1);
    expect(lines.map((line) => line.replace(/^.*:R> /, ""))).toEqual(
      Array.from({ length: 10 }, (_, index) => `turn ${index + 2}`),
    );
    expect(saidByBot("general")).toEqual([]);
    const first = sandbox.as("mei").say("pier", "the very first");
    await settle();
    expect((await answer(sandbox.as("mei").menu("What led up to this?", first))).content).toBe(
      "Nothing was said here before this.",
    );
  });
});

describe("autocompletion of a channel option", () => {
  it("suggests only channels that the actor can read", async () => {
    const { sandbox, settle } = await openAskingHarbour();
    const suggested = async (who: string, typed: string, channel = "general") => {
      const typing = sandbox.as(who).suggest("find", { in: typed }, { in: channel, focused: "in" });
      const answer = await typing.answered;
      return answer.kind === "choices" ? answer.choices.map(({ name }) => name) : answer.kind;
    };
    expect(await suggested("sarah", "#pi")).toEqual(["#pier"]);
    expect(await suggested("mark", "pi")).toEqual([]);
    expect(await suggested("mark", "")).toEqual(["#general", "#news", "#help"]);
    const { channelId } = sandbox.as("sarah").dm("hello");
    expect(await suggested("sarah", "pi", channelId)).toEqual(["Quay › #pier"]);
    sandbox.admin.setOverwrite("pier", "person:sarah", { deny: ["ViewChannel"] });
    await settle();
    expect(await suggested("sarah", "pi")).toEqual([]);
  });
});

describe("a flood of commands by one person", () => {
  it("gets three answers at once and a refusal for the rest, while others are served", async () => {
    const { sandbox, answer, find, settle } = await openAskingHarbour();
    sandbox.as("mark").say("general", "the tide turns at four");
    await settle();
    sandbox.faults.slowRest({ match: "/callback", ms: 500, times: 3 });
    const flood = Array.from({ length: 10 }, () =>
      sandbox.as("mark").run("find", { query: "tide" }, { in: "general" }),
    );
    expect((await find("sarah", "tide")).content).toContain("the tide turns");
    const answers = await Promise.all(flood.map(answer));
    const found = answers.filter(({ content }) => content.includes("the tide turns"));
    expect(found).toHaveLength(3);
    const refused = answers.filter(({ content }) => content.startsWith("You have three commands running"));
    expect(refused).toHaveLength(7);
  });

  it("is held to the rate limit of calls, with a message that says when to try again", async () => {
    const budget = { actor: 2 };
    const { find } = await openAskingHarbour({ rules: { limits: { callsPerMinute: budget } } });
    await find("sarah", "tide");
    await find("sarah", "tide");
    expect((await find("sarah", "tide")).content).toMatch(/^Too many calls; try again in \d+ seconds\.$/);
  });
});
