import type { RESTGetAPIGuildMessagesSearchQuery } from "discord-api-types/v10";
import { expect, it } from "vitest";
import type { PostPlan } from "../../sandbox/index.ts";
import { journeys } from "../support/journeys.ts";
import { smallCommunity } from "../support/small-community.ts";

const POSTS: PostPlan[] = [
  ...Array.from({ length: 250 }, (_, index) => ({
    minutesAgo: 1000 - index,
    in: "general",
    by: index % 2 === 0 ? "sarah" : "mark",
    text: `line ${index}`,
  })),
  { minutesAgo: 5, in: "general", by: "mei", text: "the turtles came ashore at dawn" },
  { minutesAgo: 4, in: "staff-room", by: "mei", text: "turtles are a staff matter" },
];

journeys("the history of a channel", (arrive) => {
  it("is read page by page, newest first, each message once", async () => {
    const { sandbox, client } = await arrive({ community: smallCommunity(POSTS), rateLimits: false });
    const general = sandbox.community.channels.get("general") ?? "";
    const read: string[] = [];
    for (let before: string | undefined; ; ) {
      const page = await client.api.channels.getMessages(general, { limit: 100, ...(before && { before }) });
      read.push(...page.map(({ content }) => content));
      before = page.at(-1)?.id;
      if (page.length < 100) break;
    }
    const expected = POSTS.filter((post) => post.in === "general").map(({ text }) => text);
    expect(read).toEqual(expected.toReversed());
  });

  it("is read despite a rate limit that contradicts its own headers", async () => {
    const { sandbox, client } = await arrive({ community: smallCommunity(POSTS) });
    const general = sandbox.community.channels.get("general") ?? "";
    const pages = Array.from({ length: 7 }, () => client.api.channels.getMessages(general, { limit: 1 }));
    const contents = (await Promise.all(pages)).map(([message]) => message?.content);
    expect(contents).toEqual(Array.from({ length: 7 }, () => "the turtles came ashore at dawn"));
  });

  it("is searched within what the bot may read", async () => {
    const { sandbox, client } = await arrive({ community: smallCommunity(POSTS) });
    const search = (query: RESTGetAPIGuildMessagesSearchQuery) =>
      client.api.guilds.searchForMessages(sandbox.community.guild.id, query);
    const found = await search({ content: "turtles" });
    expect(found).toMatchObject({ total_results: 1, messages: [[{ content: "the turtles came ashore at dawn" }]] });
    const bySarah = await search({ author_id: [sandbox.as("sarah").id], limit: 5 });
    expect(bySarah).toMatchObject({ total_results: 125 });
    sandbox.admin.setSearchIndexReady(false);
    expect(await search({ content: "turtles" })).toMatchObject({ code: 110000 });
  });
});
