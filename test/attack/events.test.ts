import { describe, expect, it } from "vitest";
import { ADA, BO, CEM, GUILD, PLACE } from "../support/small-world.ts";
import { openSystem } from "./open-system.ts";

const react = (channelId: string, messageId: string, userId: string) => ({
  user_id: userId,
  channel_id: channelId,
  message_id: messageId,
  guild_id: GUILD,
  emoji: { id: null, name: "👍" },
});

describe("pushed events respect opt-outs:", () => {
  it("a reaction of a person who opted out is not pushed to a client with `events: addressed`", () => {
    const { listen, say, tell } = openSystem({ rules: { optOut: { people: [BO] } } });
    const told = listen({ events: "addressed" });
    const all = listen({ events: "all" }, "all");
    const asked = say(PLACE.general, ADA, "<@999> what is new?", { mentions: [{ id: "999" }] });
    tell("MESSAGE_REACTION_ADD", react(PLACE.general, asked.id, BO));
    expect(all.map(({ name }) => name)).toEqual(["discord.message"]);
    expect(told.map(({ name }) => name)).toEqual(["discord.message"]);
  });

  it("edits and deletions of older messages in an opted-out channel are not pushed", () => {
    const { listen, tell, world } = openSystem({ rules: { optOut: { channels: [PLACE.general] } } });
    const [old, other] = world.messages.get(PLACE.general) ?? [];
    const told = listen({ events: "all" });
    tell("MESSAGE_REACTION_ADD", react(PLACE.general, old?.id ?? "", CEM));
    tell("MESSAGE_DELETE", { id: other?.id, channel_id: PLACE.general, guild_id: GUILD });
    expect(told).toEqual([]);
  });

  it("the deletion of an opted-out person's message is not pushed, even if no client was connected when it was written", () => {
    const { listen, say, remove } = openSystem({ rules: { optOut: { people: [BO] } } });
    const said = say(PLACE.general, BO, "between us");
    const told = listen({ events: "all" });
    remove(PLACE.general, said.id);
    expect(told).toEqual([]);
  });
});

describe("events outside the grant are not pushed:", () => {
  it("a gap that concerns only other servers is pushed to nobody", () => {
    const { listen, announce, clock } = openSystem();
    const told = listen({ guilds: ["1234"] as never, directMessages: false, events: "all" });
    announce({
      type: "gap",
      from: clock.now() - 1_000,
      to: clock.now(),
      reason: "not_resumed",
      guildIds: [GUILD],
      shard: 0,
    } as never);
    expect(told).toEqual([]);
  });
});
