import { describe, expect, it } from "vitest";
import type { Locale } from "../../src/domain/time/date-order.ts";
import type { Grant } from "../../src/policy/grant.ts";
import { openWorld, type TestGateOptions } from "../support/gate.ts";

async function arrive(options: TestGateOptions = {}) {
  const test = await openWorld({ botSees: ["staff-room"], ...options });
  /** The text that a model would be given, or the error's words. */
  const ask = async (name: string, args: object, where: { as?: string; in?: string; grant?: Partial<Grant> } = {}) => {
    const operation = await test.open(where.as ?? "sarah", where.in ?? "general", where.grant);
    return test.gate.callTool({ name, args, operation, wantsText: true }).then(
      ({ text }) => text ?? "",
      (error: Error) => error.message,
    );
  };
  const pathOf = (key: string) => `GET /channels/${test.id(key)}/messages`;
  return { ...test, ask, pathOf };
}

describe("the search tools", () => {
  it("find messages here and in other channels, with the messages around them, and nothing outside the audience of this channel", async () => {
    const { sandbox, ask } = await arrive();
    sandbox.as("mark").say("general", "anyone seen my paddle?");
    sandbox.as("sarah").say("general", "a turtle ate it");
    sandbox.as("mark").say("pier", "turtles nest below the pier");
    sandbox.as("mei").say("staff-room", "the turtle budget is secret");
    const everywhere = await ask("search_messages", { query: "what do we know about turtles?" });
    expect(everywhere).toContain("a turtle ate it");
    expect(everywhere).toContain("turtles nest below the pier");
    expect(everywhere).toMatch(/^#pier$/m);
    expect(everywhere).not.toContain("budget");
    expect(everywhere).not.toContain("staff-room");
    expect(everywhere).toContain("ask privately for more");
    const here = await ask("search_channel_messages", { query: "turtle" });
    expect(here).toContain("a turtle ate it");
    expect(here).not.toContain("nest");
    const inStaffRoom = await ask("search_messages", { query: "turtle" }, { as: "mei", in: "staff-room" });
    expect(inStaffRoom).toContain("budget");
  });

  it("say of a hit that has none of the words that it stands near them", async () => {
    const { sandbox, ask } = await arrive();
    sandbox.as("mark").say("pier", "somebody borrowed the walrus costume");
    sandbox.as("mei").say("pier", "that was me, sorry");
    sandbox.as("mark").say("pier", "the walrus smells of diesel, and so does the costume");
    const text = await ask("search_messages", { query: "walrus costume" });
    const lines = text.split("\n").filter((line) => /walrus|sorry|near/.test(line));
    expect(lines).toEqual([
      expect.stringMatching(/^m\d+ .*borrowed/),
      expect.stringMatching(/^m\d+ .*diesel/),
      "-: near the words, without them:",
      expect.stringMatching(/^m\d+ .*sorry/),
    ]);
  });

  it("say in the documented words that there are no results", async () => {
    const { sandbox, ask } = await arrive();
    const thread = sandbox.as("sarah").openThread({ in: "general" }, "rigging");
    expect(await ask("search_channel_messages", { query: "kraken" })).toContain("No messages found matching 'kraken'");
    expect(await ask("search_user_messages", { user_name: "nobody-like-that" })).toBe(
      "Could not find user 'nobody-like-that'",
    );
    expect(await ask("search_user_messages", { user_name: "mark", query: "kraken" })).toContain(
      "No messages found from mark about 'kraken'",
    );
    expect(await ask("search_user_messages", { user_name: "mark" })).toContain("No messages found from mark");
    expect(await ask("search_thread_messages", { query: "kraken" })).toBe(
      "This tool only works in threads. Use search_channel_messages instead.",
    );
    expect(await ask("search_thread_messages", { query: "kraken" }, { in: thread.id })).toContain(
      "No messages found matching 'kraken'",
    );
    expect(await ask("get_recent_messages", {}, { in: "pier" })).toBe("No recent activity in this channel.");
    expect(await ask("get_channel_summary", {}, { in: "pier" })).toBe("No recent activity in this channel.");
  });

  it("find people by any of their names, and ask back when several match", async () => {
    const { sandbox, ask, settle } = await arrive();
    for (const name of ["mark", "mei", "sarah"]) sandbox.as(name).say("general", `${name} was here`);
    expect(await ask("search_user_messages", { user_name: "Skipper" })).toContain("sarah was here");
    expect(await ask("search_user_messages", { user_name: "me" })).toContain("sarah was here");
    expect(await ask("search_user_messages", { user_name: "@MARK" })).toContain("mark was here");
    sandbox.admin.updateMember("mei", { nick: "Mark" });
    await settle();
    const several = await ask("search_user_messages", { user_name: "mark" });
    expect(several).toContain("Several could be meant by 'mark'");
    expect(several).toContain(sandbox.as("mei").id);
    expect(several).toContain("⟦untrusted");
    expect(several).not.toContain("was here");
  });

  it("say that a forum is searched by its posts, and find messages in them", async () => {
    const { sandbox, ask } = await arrive();
    const { thread } = sandbox.as("mark").post("help", "Loose rope", { what: "the rope came loose" });
    for (const tool of ["get_recent_messages", "get_channel_summary", "context.window"])
      expect(await ask(tool, { channel: "help" })).toContain("Nothing is said in a forum itself");
    expect(await ask("get_recent_messages", { channel: thread.id })).toContain("the rope came loose");
    expect(await ask("search_messages", { query: "rope" })).toMatch(/^#"Loose rope"$/m);
  });

  it("do not say that a name is unknown while the member list is still loading", async () => {
    const { ask, edge } = await arrive();
    const [guild] = edge.discord.directory.guilds();
    expect(await ask("search_user_messages", { user_name: "Zoltan" })).toBe("Could not find user 'Zoltan'");
    Object.assign(guild ?? {}, { membersComplete: false });
    expect(await ask("search_user_messages", { user_name: "Zoltan" })).toContain(
      "not all members of the server are known",
    );
  });

  it("let a client limited to the actor's own messages search nobody else's", async () => {
    const { sandbox, ask } = await arrive();
    for (const name of ["mark", "sarah"]) sandbox.as(name).say("general", `${name} was here`);
    const grant: Partial<Grant> = { scopes: ["context:read_user_recent_self"] };
    expect(await ask("search_user_messages", { user_name: "me" }, { grant })).toContain("sarah was here");
    const refusal = "Only the messages of the person asking may be looked for here.";
    expect(await ask("search_user_messages", { user_name: "mark" }, { grant })).toBe(refusal);
    const search: Partial<Grant> = { scopes: ["context:search"] };
    expect(await ask("search_messages", { query: "here from:mark" }, { grant: search })).toBe(refusal);
    expect(await ask("search_messages", { query: "here from:me" }, { grant: search })).toContain("sarah was here");
  });

  it("understand times in plain English, and say so when they do not", async () => {
    const { sandbox, ask } = await arrive();
    sandbox.as("mark").say("general", "a turtle today");
    expect(await ask("search_messages", { query: "turtle", since: "today" })).toContain("a turtle today");
    expect(await ask("search_messages", { query: "turtle", until: "yesterday" })).toContain("No messages found");
    expect(await ask("search_messages", { query: "turtle", since: "the day the music died" })).toContain(
      "is not a time that Earshot understands",
    );
  });

  it("read dates in numbers by the locale of the server where they were asked, and say which day that is", async () => {
    const { sandbox, ask, call, edge, settle, gate, open } = await arrive();
    sandbox.as("mark").say("general", "a turtle today");
    const args = { query: "turtle", since: "3/4/2020" };
    const both = '"3/4/2020" may be 2020-04-03 or 2020-03-04';
    const asApril = '"3/4/2020" was read as 2020-04-03; if 2020-03-04 was meant, give the date like that.';
    // Every server has en-US unless somebody has changed it.
    expect(await ask("search_messages", args)).toContain(both);
    expect(await ask("search_messages", { query: "turtle", since: "13/4/2020" })).toContain("a turtle today");
    const other = sandbox.admin.createGuild("Far shore", "sarah");
    sandbox.admin.addMember("earshot", other.id);
    const away = sandbox.admin.createChannel("away", "text", { guild: other.id });
    await edge.find("guild", ({ guildId }) => guildId === other.id);
    sandbox.admin.updateGuild({ preferredLocale: "de" });
    await settle();
    const text = await ask("search_messages", args);
    expect(text).toContain("a turtle today");
    expect(text).toContain(asApril);
    expect(await call("search_messages", args, { as: "sarah", in: "general" })).toMatchObject({
      note: expect.stringMatching(`^${asApril}.*ask privately`),
    });
    expect(await ask("search_messages", { query: "turtle during:3/4/2020" })).toContain(asApril);
    const summary = await ask("get_channel_summary", { timeframe: "since 3/4/2020" });
    expect(summary).toContain("a turtle today");
    expect(summary).toContain(asApril);
    // Neither in another server nor in direct messages.
    expect(await ask("search_messages", args, { in: away.id })).toContain(both);
    const { channelId } = sandbox.as("sarah").dm("hello");
    await settle();
    expect(await ask("search_messages", args, { in: channelId, grant: { directMessages: true } })).toContain(both);
    // The person's own locale comes first.
    const operation = await open("sarah", "general", {}, { locale: "en-US" as Locale });
    const own = await gate.callTool({ name: "search_messages", args, operation, wantsText: true });
    expect(own.text).toContain('"3/4/2020" was read as 2020-03-04');
  });

  it("find channels by name among those that the audience may know", async () => {
    const { sandbox, ask, settle } = await arrive();
    sandbox.as("mark").say("pier", "a turtle at the pier");
    expect(await ask("get_recent_messages", { channel: "#pier" })).toContain("a turtle at the pier");
    expect(await ask("search_messages", { query: "turtle in:pier" })).toContain("a turtle at the pier");
    const hidden = await ask("get_recent_messages", { channel: "staff-room" });
    expect(hidden).toBe("Could not find channel 'staff-room'");
    expect(await ask("get_recent_messages", { channel: "no-such-room" })).toBe("Could not find channel 'no-such-room'");
    sandbox.admin.createChannel("harbour-radio", "text");
    await settle();
    expect(await ask("get_recent_messages", { channel: "harbour-office" })).toBe(
      "Could not find channel 'harbour-office'",
    );
  });

  it("summarise what was missed, with sources", async () => {
    const { sandbox, ask } = await arrive();
    sandbox.as("sarah").say("general", "off to lunch");
    const decision = sandbox.as("mark").say("general", "we decided: the launch is on Friday");
    sandbox.as("mei").say("general", "who brings the rope?");
    const summary = await ask("get_channel_summary", { timeframe: "since I was last here" });
    expect(summary).toContain("launch is on Friday");
    expect(summary).toMatch(/ ⟦m\d+⟧$/m);
    expect(summary).toContain("Rests on 2 messages.");
    sandbox.as("mark").delete(decision);
    await expect.poll(() => ask("get_channel_summary", { timeframe: "1 hour" })).not.toContain("Friday");
  });

  it("say how far back a summary reaches when that is less than requested", async () => {
    const { sandbox, ask, call } = await arrive();
    for (let count = 0; count < 25; count += 1) sandbox.as("mark").say("pier", `crate ${count} is on the quay`);
    const short = await ask("get_channel_summary", { timeframe: "5 minutes" }, { in: "pier" });
    expect(short).toMatch(/Rests on the newest 20 messages; what was said before \d{4}-\S+Z is not in it\./);
    expect(short).toContain("More with cursor c1.");
    const where = { as: "sarah", in: "pier" };
    const { cursor } = (await call("get_channel_summary", { timeframe: "5 minutes" }, where)) as { cursor: string };
    expect(await ask("get_channel_summary", { timeframe: "5 minutes", cursor }, { in: "pier" })).toContain(
      "Rests on 5 messages.",
    );
    expect(await ask("get_channel_summary", { timeframe: "5 minutes", limit: 25 }, { in: "pier" })).toContain(
      "Rests on 25 messages.",
    );
    expect(await ask("get_channel_summary", { cursor: "1.2.x" }, { in: "pier" })).toContain(
      "The cursor does not belong",
    );
    const whole = await ask("get_channel_summary", { timeframe: "15 minutes" }, { in: "pier" });
    expect(whole).toContain("Rests on 25 messages.");
  });

  it("summarise 50 messages of a timeframe that has no number of its own, and the last hour where it is no timeframe", async () => {
    const { sandbox, ask } = await arrive();
    for (let count = 0; count < 120; count += 1) sandbox.as("mark").say("pier", `crate ${count} is on the quay`);
    const week = await ask("get_channel_summary", { timeframe: "2 hours" }, { in: "pier" });
    expect(week).toContain("Rests on the newest 50 messages");
    const unknown = await ask("get_channel_summary", { timeframe: "since the flood" }, { in: "pier" });
    expect(unknown).toContain("Rests on the newest 100 messages");
    expect(unknown).toMatch(/is not a time that Earshot understands; .* This is about the last hour instead\./);
  });

  it("find where the actor spoke last, however long ago, for a summary since then", async () => {
    const { sandbox, ask } = await arrive();
    sandbox.as("mei").say("pier", "before sarah came");
    sandbox.as("sarah").say("pier", "off to lunch");
    for (let count = 0; count < 130; count += 1) sandbox.as("mark").say("pier", `crate ${count} is on the quay`);
    const args = { timeframe: "since I was last here", limit: 600 };
    const summary = await ask("get_channel_summary", args, { in: "pier" });
    expect(summary).toContain("Rests on 130 messages.");
    expect(summary).not.toContain("about today");
    const stranger = await ask("get_channel_summary", args, { in: "pier", as: "olga" });
    expect(stranger).toContain("No earlier message of the person asking was found here, so this is about today.");
  });

  it("return all messages of a thread without a query, with times and bots applied before the limit", async () => {
    const { sandbox, ask, settle } = await arrive();
    const thread = sandbox.as("sarah").openThread({ in: "general" }, "rigging");
    sandbox.as("sarah").say(thread.id, "first rope");
    for (let count = 0; count < 8; count += 1) sandbox.as("earshot").say(thread.id, `beep ${count}`);
    await settle();
    for (const query of [undefined, "", "  "]) {
      const args = { ...(query === undefined ? {} : { query }), limit: 5 };
      const all = await ask("search_thread_messages", args, { in: thread.id });
      expect(all).toContain("beep 7");
      expect(all).not.toContain("first rope");
      const people = await ask("search_thread_messages", { ...args, include_bots: false }, { in: thread.id });
      expect(people).toContain("first rope");
      expect(people).not.toContain("beep");
    }
    const old = await ask("search_thread_messages", { until: "yesterday" }, { in: thread.id });
    expect(old).toContain("No messages found in this thread");
    const today = await ask("search_thread_messages", { since: "2 hours ago", limit: 100 }, { in: thread.id });
    expect(today).toContain("first rope");
  });

  it("limit the summaries per actor, and do not count empty ones", async () => {
    const { sandbox, ask } = await arrive({ rules: { limits: { summariesPerHour: { actor: 1 } } } });
    expect(await ask("get_channel_summary", {}, { in: "pier" })).toBe("No recent activity in this channel.");
    sandbox.as("mark").say("general", "we decided on Friday");
    expect(await ask("get_channel_summary", {})).toContain("Friday");
    expect(await ask("get_channel_summary", {})).toMatch(/^Too many summaries; try again in \d+ seconds\.$/);
    expect(await ask("get_channel_summary", {}, { as: "mark" })).toContain("Friday");
  });

  it("limit the messages scanned per actor", async () => {
    const { sandbox, ask } = await arrive({ rules: { limits: { scansPerMinute: { actor: 5 } } } });
    for (let count = 0; count < 12; count += 1) sandbox.as("mark").say("general", `line ${count}`);
    expect(await ask("search_channel_messages", { query: "line" })).toContain("line");
    expect(await ask("search_channel_messages", { query: "line" })).toMatch(/^Too many messages looked at; /);
    expect(await ask("search_channel_messages", { query: "line" }, { as: "mark" })).toContain("line");
  });

  it.each([400, 403, 404, 429, 500])("search the other channels when one answers %i, and say so", async (status) => {
    const { sandbox, ask, pathOf } = await arrive();
    sandbox.as("mark").say("general", "a turtle ate it");
    sandbox.as("mark").say("pier", "turtles nest below the pier");
    const match = pathOf("pier");
    if (status === 429) sandbox.faults.stormRest({ match, times: 100, retryAfter: 60 });
    else sandbox.faults.failRest({ match, times: 100, status });
    const partly = await ask("search_messages", { query: "turtle" });
    expect(partly).toContain("a turtle ate it");
    expect(partly).toContain("Some channels could not be read just now");
    expect(await ask("search_messages", { query: "zeppelin" })).toMatch(
      /^Some channels could not be read just now, or not in full; ask again later\. No messages found matching 'zeppelin'/,
    );
    expect(await ask("search_messages", { query: "turtle", channel: "pier" })).not.toContain("No messages found");
    expect(await ask("memory_read.search_context", { query: "zeppelin" }, { in: "pier" })).toMatch(
      /^Some channels could not be read just now.*\n(.*\n)?Nothing fits that\.$/,
    );
    expect(await ask("get_channel_summary", {}, { in: "pier" })).toMatch(
      /^Discord (does not|is rate-limiting|knows no such thing, or does not show it)/,
    );
    // Both are not asked again for a while.
    if (status === 429 || status === 403) return;
    sandbox.faults.clear();
    const whole = await ask("search_messages", { query: "turtle" });
    expect(whole).toContain("nest");
    expect(whole).not.toContain("could not be read");
  });

  it("answer from messages in memory when Discord's own search fails", async () => {
    const { sandbox, ask } = await arrive();
    for (let count = 0; count < 130; count += 1) sandbox.as("mark").say("general", `turtle ${count}`);
    for (const status of [400, 403, 404, 500]) {
      sandbox.faults.failRest({ match: "/messages/search", times: 100, status });
      const text = await ask("search_messages", { query: "turtle", scan: 100, limit: 5 });
      expect(text).toContain("turtle 129");
      expect(text).toContain("Older history could not be searched");
    }
  });

  it("read the posts of a forum, and never request messages of the forum itself", async () => {
    const { sandbox, ask, pathOf, settle } = await arrive();
    sandbox.as("mark").post("help", "Paddles", { what: "which paddle for turtles?" });
    sandbox.as("mark").say("general", "a turtle ate it");
    await settle();
    sandbox.faults.failRest({ match: pathOf("help"), times: 100, status: 400 });
    const everywhere = await ask("search_messages", { query: "turtle" });
    for (const words of ["which paddle", "ate it"]) expect(everywhere).toContain(words);
    expect(everywhere).not.toContain("could not be");
    const there = await ask("search_messages", { query: "turtle", channel: "help" });
    expect(there).toContain("which paddle");
    expect(there).not.toContain("ate it");
  });

  it("mark bots, and leave them out on request", async () => {
    const { sandbox, ask } = await arrive();
    sandbox.as("gabriel").say("general", "a turtle, says the bot");
    expect(await ask("search_messages", { query: "turtle" })).toMatch(/gabriel \(Bot\): a turtle/);
    expect(await ask("search_messages", { query: "turtle", include_bots: false })).toContain("No messages found");
  });

  it("are not offered when the operator switches them off", async () => {
    const { ask } = await arrive({ rules: { searchTools: false } });
    expect(await ask("search_messages", { query: "turtle" })).toBe(
      "search_messages is switched off here by the operator.",
    );
  });
});
