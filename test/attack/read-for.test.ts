import { describe, expect, it } from "vitest";
import { describeGuild } from "../support/describe-world.ts";
import type { PlainWorld } from "../support/plain-world.ts";
import { ADA, GUILD, PLACE, smallWorld } from "../support/small-world.ts";
import { ELENA, openTalkSystem, talkWorld } from "../support/talk-world.ts";
import { openSystem } from "./open-system.ts";

const ELSEWHERE = { guild: "1001", channel: "4100" };

/** Ada is in another server, too. */
function twoServers(): PlainWorld {
  const world = smallWorld();
  const [guild] = world.guilds;
  const [channel] = guild?.channels ?? [];
  if (guild && channel)
    world.guilds.push({
      ...guild,
      id: ELSEWHERE.guild,
      name: "elsewhere",
      roles: guild.roles.map((role) => (role.id === GUILD ? { ...role, id: ELSEWHERE.guild } : role)),
      channels: [{ ...channel, id: ELSEWHERE.channel, name: "harbour" }],
      threads: [],
    });
  return world;
}

describe("what is read for a channel", () => {
  it("does not depend on the language of another server, in which it was asked for", async () => {
    const search = async (preferred_locale: string) => {
      const { open, call, tell, world, directory, close } = openSystem({}, twoServers());
      const [, other] = world.guilds;
      if (other) tell("GUILD_UPDATE", { ...describeGuild(other), preferred_locale });
      expect(directory.guild(ELSEWHERE.guild as never)?.preferredLocale).toBe(preferred_locale);
      const operation = await open(ADA, ELSEWHERE.channel, {}, { isPrivate: true, for: PLACE.general });
      const answer = await call(operation, "search_messages", { query: "tide", since: "3/4" });
      await close();
      return answer;
    };
    expect(await search("ja")).toMatchObject({ code: "invalid" });
    expect(await search("de")).toEqual(await search("ja"));
  });

  it("does not depend on which bots were heard where those there cannot listen", async () => {
    const recall = async (isHeard: boolean) => {
      const { open, call, say, close } = await openTalkSystem(talkWorld(), { members: "asked" });
      const raw = { author: { id: ELENA, username: "Elena", bot: true }, member: { roles: [] } };
      if (isHeard) say(PLACE.staff, ELENA, "the tide is out", raw);
      const operation = await open(ADA, PLACE.general, {}, { isPrivate: true, for: PLACE.general });
      const answer = await call(operation, "recall_bot_conversation", { bot_name: "Ferdinand" });
      await close();
      return answer;
    };
    expect(await recall(true)).toEqual(await recall(false));
  });
});

describe("a bot that was heard in a hidden channel", () => {
  it("is not named where not everybody can read that channel", async () => {
    const { open, call, say, departures, asked, close } = await openTalkSystem(talkWorld(), { members: "asked" });
    const raw = { author: { id: ELENA, username: "Elena", bot: true }, member: { roles: [] } };
    say(PLACE.staff, ELENA, "the tide is out", raw);
    const operation = await open(ADA, PLACE.general, {}, { isPrivate: true });
    const answer = await call(operation, "recall_bot_conversation", { bot_name: "Ferdinand" });
    expect(JSON.stringify(answer)).toContain("Elena");
    const told = await call(operation, "discord.send", { channel_id: PLACE.general, text: "there is a bot Elena" });
    expect(told).toMatchObject({ code: "forbidden" });
    expect([asked, departures]).toEqual([[], []]);
    await close();
  });
});

describe("people who were heard in a hidden channel", () => {
  it("are not named where not everybody can read that channel, after an error has named them", async () => {
    const { open, call, say, departures, asked, close } = openSystem({ members: "asked" });
    for (const id of ["3201", "3202"])
      say(PLACE.staff, id, "the tide is out", {
        author: { id, username: "zelda" },
        member: { roles: [], nick: "Zelda" },
      });
    const operation = await open(ADA, PLACE.general, {}, { isPrivate: true });
    const answer = await call(operation, "search_messages", { query: "tide from:Zelda" });
    expect(answer).toMatchObject({ code: "invalid", message: expect.stringContaining("3202") });
    const told = await call(operation, "discord.send", {
      channel_id: PLACE.general,
      text: "there are two called Zelda",
    });
    expect(told).toMatchObject({ code: "forbidden" });
    expect([asked, departures]).toEqual([[], []]);
    await close();
  });
});
