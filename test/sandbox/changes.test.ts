import { MessageType } from "discord-api-types/v10";
import { expect, it } from "vitest";
import { journeys } from "../support/journeys.ts";
import { smallCommunity } from "../support/small-community.ts";

journeys("an event about a message", (arrive) => {
  it("arrives when the message is edited", async () => {
    const { sandbox, client } = await arrive();
    const said = sandbox.as("sarah").say("general", "low watre");
    sandbox.as("sarah").edit(said, "low water");
    expect(await client.seen.find("edit")).toEqual({ kind: "edit", id: said.id, content: "low water" });
    const read = await client.api.channels.getMessage(said.channelId, said.id);
    expect(read.edited_timestamp).not.toBeNull();
  });

  it("arrives when only a link preview was added, which does not count as an edit", async () => {
    const { sandbox, client } = await arrive();
    const said = sandbox.as("sarah").say("general", "https://tides.example");
    sandbox.admin.previewLinks(said, [{ title: "Tides", url: "https://tides.example" }]);
    await client.seen.find("edit", ({ id }) => id === said.id);
    const read = await client.api.channels.getMessage(said.channelId, said.id);
    expect(read.edited_timestamp).toBeNull();
    expect(read.embeds).toHaveLength(1);
  });

  it("arrives when the message is deleted, cached or not", async () => {
    const { sandbox, client } = await arrive({
      community: smallCommunity([{ key: "old", minutesAgo: 60, in: "general", by: "sarah", text: "before you came" }]),
    });
    const said = sandbox.as("sarah").say("general", "oops");
    sandbox.as("sarah").delete(said);
    sandbox.as("sarah").delete("old");
    await client.seen.find("delete", ({ id }) => id === said.id);
    await client.seen.find("delete", ({ id }) => id === sandbox.community.messages.get("old"));
  });

  it("arrives when many messages are deleted at once", async () => {
    const { sandbox, client } = await arrive();
    const said = ["one", "two", "three"].map((text) => sandbox.as("mark").say("general", text));
    sandbox.admin.bulkDelete(said);
    const { ids } = await client.seen.find("bulk-delete");
    expect([...ids].sort()).toEqual(said.map(({ id }) => id));
  });

  it("arrives when somebody adds and removes a reaction", async () => {
    const { sandbox, client } = await arrive();
    const said = sandbox.as("sarah").say("general", "launched!");
    const mark = sandbox.as("mark");
    mark.react(said, "🎉");
    mark.unreact(said, "🎉");
    const reaction = { id: said.id, userId: mark.id, emoji: "🎉" };
    expect(await client.seen.find("react")).toEqual({ kind: "react", ...reaction });
    expect(await client.seen.find("unreact")).toEqual({ kind: "unreact", ...reaction });
  });

  it("arrives when somebody votes in its poll", async () => {
    const { sandbox, client } = await arrive();
    const poll = { question: "Which day?", answers: [{ text: "Mon" }, { text: "Tue" }] };
    const said = sandbox.as("mark").say("general", { poll });
    sandbox.as("sarah").vote(said, 2);
    const vote = { kind: "vote", id: said.id, userId: sandbox.as("sarah").id, answerId: 2 };
    expect(await client.seen.find("vote")).toEqual(vote);
  });

  it("arrives when the message is pinned, with a notice in the channel", async () => {
    const { sandbox, client } = await arrive();
    const said = sandbox.as("sarah").say("general", "the rules");
    sandbox.as("mei").pin(said);
    expect(await client.seen.find("pins")).toEqual({ kind: "pins", channelId: said.channelId });
    const notice = await client.seen.find("message", ({ type }) => type === MessageType.ChannelPinnedMessage);
    expect(notice.replyTo).toBe(said.id);
    const pins = await client.api.channels.getPins(said.channelId);
    expect(pins.map(({ id }) => id)).toEqual([said.id]);
  });

  it("arrives when somebody is typing", async () => {
    const { sandbox, client } = await arrive();
    const sarah = sandbox.as("sarah");
    sarah.type("general");
    const channelId = sandbox.community.channels.get("general");
    expect(await client.seen.find("typing")).toEqual({ kind: "typing", channelId, userId: sarah.id });
  });
});
