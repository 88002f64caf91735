import { describe, expect, it } from "vitest";
import { describeGuild } from "../support/describe-world.ts";
import type { PlainWorld } from "../support/plain-world.ts";
import { ADA, GUILD, PLACE, smallWorld } from "../support/small-world.ts";
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
});
