import { ChannelType, MessageFlags, MessageType } from "discord-api-types/v10";
import { describe, expect, it } from "vitest";
import { layCommunity } from "../../sandbox/community/lay-community.ts";
import { generateCommunity, type PostPlan, sampleCommunity } from "../../sandbox/index.ts";
import { World } from "../../sandbox/world/world.ts";
import { smallCommunity } from "../support/small-community.ts";

const NOW = 1_790_000_000_000;

function lay(posts: readonly PostPlan[]) {
  const world = new World({ now: () => NOW });
  const laid = layCommunity(world, smallCommunity(posts), { now: NOW });
  const messagesOf = (key: string) => [...(world.channels.get(laid.channels.get(key) ?? "")?.messages ?? [])];
  return { world, laid, messagesOf };
}

describe("a community loaded into the sandbox", () => {
  it("gives each bot a token that begins with its id, the same whenever the sandbox starts", () => {
    const tokensAt = (now: number) => {
      const world = new World({ now: () => now });
      layCommunity(world, smallCommunity([]), { now });
      return [...world.applications.values()].map(({ token, botId }) => {
        const [head = "", ...rest] = token.split(".");
        expect([atob(head), head.includes("="), rest.length]).toEqual([botId, false, 2]);
        return token;
      });
    };
    const tokens = tokensAt(NOW);
    expect(new Set(tokens).size).toBe(2);
    expect(tokensAt(NOW + 86_400_000)).toEqual(tokens);
  });

  it("has Discord's tokens for mention keys", () => {
    const { laid, messagesOf } = lay([
      { minutesAgo: 1, in: "general", by: "sarah", text: "{@mark} see {#news}, {&crew} {unknown}" },
    ]);
    const [mark, news, crew] = [laid.people.get("mark"), laid.channels.get("news"), laid.roles.get("crew")];
    expect(messagesOf("general")[0]?.content).toBe(`<@${mark}> see <#${news}>, <@&${crew}> {unknown}`);
  });

  it("keeps the key of a deleted message, so that a reply to it has no original", () => {
    const { laid, messagesOf } = lay([
      { key: "gone", minutesAgo: 3, in: "general", by: "sarah", text: "oops", deleted: true },
      { minutesAgo: 2, in: "general", by: "mark", text: "what?", replyTo: "gone" },
    ]);
    const [reply, ...others] = messagesOf("general");
    expect(others).toEqual([]);
    expect(reply).toMatchObject({ type: MessageType.Reply });
    expect(reply?.more?.reference?.messageId).toBe(laid.messages.get("gone"));
  });

  it("has threads on messages, and the first messages of forum posts and private threads inside them", () => {
    const { world, laid, messagesOf } = lay([
      {
        key: "root",
        minutesAgo: 9,
        in: "general",
        by: "sarah",
        text: "paint?",
        thread: { key: "paint", name: "Paint" },
      },
      { minutesAgo: 8, in: "paint", by: "mark", text: "blue" },
      {
        minutesAgo: 7,
        in: "help",
        by: "mark",
        text: "creaks",
        thread: { key: "hinge", name: "Hinge", tags: ["tools"] },
      },
      {
        minutesAgo: 6,
        in: "general",
        by: "mei",
        text: "psst",
        thread: { key: "gift", name: "Gift", private: true, members: ["mark"] },
      },
    ]);
    expect(laid.channels.get("paint")).toBe(laid.messages.get("root"));
    expect(messagesOf("general").map(({ content }) => content)).toEqual(["paint?"]);
    expect((messagesOf("general")[0]?.flags ?? 0) & MessageFlags.HasThread).toBeTruthy();
    expect(messagesOf("paint").map(({ type }) => type)).toEqual([
      MessageType.ThreadStarterMessage,
      MessageType.Default,
    ]);
    expect(messagesOf("hinge")[0]?.id).toBe(laid.channels.get("hinge"));
    const gift = world.channels.get(laid.channels.get("gift") ?? "");
    expect(gift?.type).toBe(ChannelType.PrivateThread);
    const members = ["mei", "mark"].map((key) => laid.people.get(key));
    expect([...(gift?.thread?.members.keys() ?? [])]).toEqual(members);
    expect(messagesOf("gift").map(({ content }) => content)).toEqual(["psst"]);
  });

  it("has archived threads without messages for more than a week", () => {
    const { world, laid } = lay([
      { minutesAgo: 20_000, in: "general", by: "sarah", text: "old", thread: { key: "old", name: "Old" } },
      { minutesAgo: 100, in: "general", by: "sarah", text: "new", thread: { key: "new", name: "New" } },
    ]);
    const isArchived = (key: string) => world.channels.get(laid.channels.get(key) ?? "")?.thread?.archived;
    expect([isArchived("old"), isArchived("new")]).toEqual([true, false]);
  });

  it("is refused if its plan names something it does not contain", () => {
    expect(() => lay([{ minutesAgo: 1, in: "general", by: "nobody", text: "hi" }])).toThrow(
      'a person that it does not have: "nobody"',
    );
    expect(() => lay([{ minutesAgo: 1, in: "nowhere", by: "mark", text: "hi" }])).toThrow(
      'a channel that it does not have: "nowhere"',
    );
    expect(() => lay([{ minutesAgo: 1, in: "general", by: "mark", replyTo: "never" }])).toThrow(
      'was not said before: "never"',
    );
  });

  it.each([
    ["the sample", sampleCommunity],
    ["a generated one", () => generateCommunity({ seed: 7, messages: 3000 })],
  ])("is the same every time for the same time: %s", (_, community) => {
    const print = (): string[] => {
      const world = new World({ now: () => NOW });
      layCommunity(world, community(), { now: NOW });
      const messages = [...world.channels.values()].flatMap((channel) => [...channel.messages]);
      return [...world.applications.values()]
        .map(({ token }) => token)
        .concat(messages.map(({ id, authorId, content }) => `${id} ${authorId} ${content}`));
    };
    const printed = print();
    expect(printed.length).toBeGreaterThan(10);
    expect(print()).toEqual(printed);
  });

  it("has messages in order of time, and none in the future", () => {
    const world = new World({ now: () => NOW });
    layCommunity(world, generateCommunity({ seed: 1, messages: 2000 }), { now: NOW });
    for (const channel of world.channels.values()) {
      const times = [...channel.messages].map(({ timestamp }) => timestamp);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      expect(times.at(-1) ?? 0).toBeLessThanOrEqual(NOW);
    }
  });
});
