import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChannelPlan, type Community, type OverwritePlan, sampleCommunity } from "../../sandbox/index.ts";
import { describeWithheld } from "../../src/cli/describe-withheld.ts";
import type { GuildId } from "../../src/domain/ids.ts";
import { type EdgeOptions, openTestEdge } from "../support/edge.ts";
import { ordinaryCommunity } from "../support/ordinary-community.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const TALK = ["ViewChannel", "ReadMessageHistory", "SendMessages"] as const;
const closed: OverwritePlan[] = [
  { who: "everyone", deny: ["ViewChannel"] },
  { who: "person:earshot", allow: ["ViewChannel"] },
];
const room = (name: string, more: Partial<ChannelPlan> = {}): ChannelPlan => ({
  key: name,
  name,
  kind: "text",
  ...more,
});
const roomOf = (name: string, role: string) =>
  room(name, { overwrites: [...closed, { who: role, allow: ["ViewChannel"] }] });

/** Twenty-five people; the first so many hold each role. */
function community(holders: Readonly<Record<string, number>>, channels: readonly ChannelPlan[]): Community {
  const people = Array.from({ length: 25 }, (_, index) => ({
    key: `p${index}`,
    username: `person.${index}`,
    roles: Object.keys(holders).filter((role) => index >= 25 - (holders[role] ?? 0)),
  }));
  return {
    guild: { name: "Quay", owner: "p0", everyone: [...TALK] },
    people: [{ key: "earshot", username: "earshot", bot: true }, ...people],
    roles: Object.keys(holders).map((key) => ({ key, name: key })),
    channels,
    posts: [],
  };
}

async function silencesOf(plan: Community, everything = false, options: EdgeOptions = {}): Promise<string[]> {
  const sandbox = await openTestSandbox({ community: plan });
  const { discord } = await openTestEdge(sandbox, options);
  return describeWithheld(sandbox.community.guild.id as GuildId, discord, everything);
}

describe("the doctor's report on channels that cannot share content", () => {
  it("names the few people who can view one channel and cannot read another", async () => {
    const plan = community({ Members: 22, Crew: 23 }, [roomOf("lounge", "Members"), roomOf("deck", "Crew")]);
    expect(await silencesOf(plan)).toEqual([
      "✓ quoting between channels: possible for 1 of 2 pairs of channels",
      "! Answers in #deck never quote #lounge: somebody with only the role Crew can see #deck but cannot read #lounge",
    ]);
  });

  it("names a person whom an overwrite allows in", async () => {
    const guest: OverwritePlan = { who: "person:p1", allow: ["ViewChannel"] };
    const deck = roomOf("deck", "Members");
    const plan = community({ Members: 22 }, [
      roomOf("lounge", "Members"),
      { ...deck, overwrites: [...(deck.overwrites ?? []), guest] },
    ]);
    expect(await silencesOf(plan)).toContain(
      "! Answers in #deck never quote #lounge: person.1 without a role can see #deck but cannot read #lounge",
    );
  });

  it("counts the people when there are several", async () => {
    const plan = community({ Members: 20, Crew: 22 }, [roomOf("lounge", "Members"), roomOf("deck", "Crew")]);
    expect((await silencesOf(plan))[1]).toBe(
      "! Answers in #deck never quote #lounge: 2 people (somebody with only the role Crew, for one) can see #deck but cannot read #lounge",
    );
  });

  it("leaves out expected cases, unless everything is asked for", async () => {
    const plan = community({ Staff: 3 }, [room("general"), roomOf("office", "Staff")]);
    expect(await silencesOf(plan)).toEqual(["✓ quoting between channels: possible for 1 of 2 pairs of channels"]);
    expect(await silencesOf(plan, true)).toEqual([
      "✓ quoting between channels: possible for 1 of 2 pairs of channels",
      "! Answers in #general never quote #office: many people can see #general but cannot read #office",
    ]);
  });

  it("mentions announcements, age restrictions and channels without readable history", async () => {
    const mute: OverwritePlan = { who: "everyone", deny: ["ReadMessageHistory"] };
    const withBot: OverwritePlan = { who: "person:earshot", allow: ["ReadMessageHistory"] };
    const plan = community({}, [
      room("general"),
      room("news", { kind: "announcement" }),
      room("adults", { nsfw: true }),
      room("campfire", { overwrites: [mute, withBot] }),
    ]);
    const lines = await silencesOf(plan);
    expect(lines).toContain(
      "! Answers in #news never quote #general, #adults, #campfire: announcements can travel to other servers",
    );
    expect(lines).toContain(
      "! Answers in #general, #campfire never quote #adults: age-restricted channels are quoted only in age-restricted channels and in private",
    );
    expect(lines).toContain(
      "! Answers in #general, #adults never quote #campfire: most people who see it cannot read its history",
    );
  });

  it("says in one line in which channels answers cannot use the channel's own history", async () => {
    const mute = (who: string): OverwritePlan => ({ who, deny: ["ReadMessageHistory"] });
    const withBot: OverwritePlan = { who: "person:earshot", allow: ["ReadMessageHistory"] };
    const plan = community({}, [
      room("general"),
      room("campfire", { overwrites: [mute("everyone"), withBot] }),
      room("quay", { overwrites: [mute("person:p1")] }),
      room("owned", { overwrites: [mute("person:p0")] }),
      room("silent", { overwrites: [mute("person:p1"), { who: "everyone", deny: ["SendMessages"] }] }),
    ]);
    const lines = await silencesOf(plan);
    expect(lines.filter((line) => line.includes("ten minutes"))).toEqual([
      "! Answers in #campfire, #quay quote only the last ten minutes of the channel itself: some who see it cannot read its history",
    ]);
  });

  it("leaves out channels in which the bot cannot answer", async () => {
    const mute: OverwritePlan = { who: "everyone", deny: ["SendMessages"] };
    const plan = community({}, [room("general"), room("news", { kind: "announcement", overwrites: [mute] })]);
    expect(await silencesOf(plan)).toEqual(["✓ quoting between channels: possible for 1 of 1 pairs of channels"]);
  });

  it("says who could be affected when the member list is unknown", async () => {
    const plan = community({ Members: 25, Crew: 5 }, [roomOf("lounge", "Members"), roomOf("deck", "Crew")]);
    const [first, ...lines] = await silencesOf(plan, false, { features: { members: false } });
    expect(first).toBe("✓ quoting between channels: possible for 0 of 2 pairs of channels");
    expect(lines).toContain(
      "! Answers in #deck never quote #lounge: people with only the role Crew can see #deck but cannot read #lounge",
    );
    expect(lines.at(-1)).toMatch(/Server Members intent/);
  });

  it("is limited to twenty lines and says that there is more", async () => {
    const crews = Array.from({ length: 24 }, (_, index) => `Crew ${index}`);
    const holders = Object.fromEntries(crews.map((crew, index) => [crew, index + 2]));
    const plan = community(holders, [room("general"), ...crews.map((crew, index) => roomOf(`deck-${index}`, crew))]);
    const lines = await silencesOf(plan);
    expect(lines).toHaveLength(22);
    expect(lines.at(-1)).toMatch(/^! And \d+ more like these; doctor --all lists all of them$/);
    expect((await silencesOf(plan, true)).length).toBeGreaterThan(24);
  });

  it("stays short in ordinary servers", async () => {
    for (const one of [{ community: sampleCommunity() }, ...fc.sample(ordinaryCommunity, { seed: 3, numRuns: 10 })]) {
      expect((await silencesOf(one.community)).length).toBeLessThan(12);
    }
  });
});
