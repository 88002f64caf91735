import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Community, generateCommunity, sampleCommunity } from "../../sandbox/index.ts";
import { type Audience, flows } from "../../src/domain/audience.ts";
import type { ChannelId } from "../../src/domain/ids.ts";
import { openTestEdge } from "../support/edge.ts";
import {
  type IntendedCommunity,
  type Intention,
  isExpected,
  ordinaryCommunity,
} from "../support/ordinary-community.ts";
import { openTestSandbox } from "../support/sandbox.ts";

/** Whom the channels of the sample are for, as its people would say. */
function sample(): IntendedCommunity {
  const community = sampleCommunity();
  const special: Readonly<Record<string, Partial<Intention>>> = {
    welcome: { audience: "all" },
    rules: { audience: "all" },
    announcements: { audience: "all", isAnnouncement: true },
    "late-night": { isAgeRestricted: true },
    campfire: { isFleeting: true },
    "staff-room": { audience: "staff" },
    "launch-crew": { audience: "team0", hasGuest: true },
  };
  const rooms = community.channels.filter(({ kind }) => kind !== "category");
  const intentions = rooms.map(({ key }): Intention => ({ key, audience: "members", ...special[key] }));
  return { community, intentions, staffSeesTeams: true };
}

function generated(seed: number): IntendedCommunity {
  const community = generateCommunity({ seed, messages: 10, channels: 24 });
  const rooms = community.channels.filter(({ kind }) => kind !== "category");
  const intentions = rooms.map(({ key, overwrites = [] }): Intention => {
    const owner = overwrites.find(({ who, allow }) => allow && !who.startsWith("person:"))?.who;
    return { key, audience: (owner as Intention["audience"] | undefined) ?? "members" };
  });
  return { community, intentions, staffSeesTeams: false };
}

/** How many of the pairs that people would expect to flow do, with the list of members and by roles alone. */
async function measure({ community, intentions, staffSeesTeams }: IntendedCommunity) {
  const sites = await sitesOf(community);
  const counts = { expected: 0, exact: 0, algebra: 0 };
  for (const from of intentions) {
    for (const to of intentions) {
      const [source, destination] = [sites.get(from.key), sites.get(to.key)];
      if (from === to || !source || !destination || !isExpected(from, to, staffSeesTeams)) continue;
      counts.expected += 1;
      counts.exact += flows(source, destination) ? 1 : 0;
      counts.algebra += flows(unlisted(source), unlisted(destination)) ? 1 : 0;
    }
  }
  return counts;
}

/** The channels that the bot can read, as it sees them. */
async function sitesOf(community: Community): Promise<Map<string, Audience>> {
  const sandbox = await openTestSandbox({ community });
  const { directory, botId } = (await openTestEdge(sandbox)).discord;
  const ids = [...sandbox.community.channels].map(([key, id]) => [key, id as ChannelId] as const);
  return new Map(
    ids.filter(([, id]) => directory.canRead(botId, id)).map(([key, id]) => [key, directory.audience(id)]),
  );
}

function unlisted(site: Audience): Audience {
  return site.kind === "guild" ? { ...site, membersByRoles: null } : site;
}

async function expectUseful(communities: readonly IntendedCommunity[]): Promise<void> {
  const all: Awaited<ReturnType<typeof measure>>[] = [];
  for (const community of communities) all.push(await measure(community));
  const sum = (part: "expected" | "exact" | "algebra") => all.reduce((total, counts) => total + counts[part], 0);
  expect(sum("expected")).toBeGreaterThan(500);
  expect(sum("exact") / sum("expected")).toBeGreaterThanOrEqual(0.92);
  // Without the list of members much is refused that would be right, but never most of it.
  expect(sum("algebra") / sum("expected")).toBeGreaterThanOrEqual(0.7);
}

describe("content that a sensible person would expect to be usable in another channel", () => {
  it("is usable in the sample community", () => expectUseful([sample()]));

  it("is usable in generated communities", () => expectUseful([1, 2, 3].map(generated)));

  it("is usable in ordinary servers, some of them untidy", async () => {
    await expectUseful(fc.sample(ordinaryCommunity, { seed: 7, numRuns: 60 }));
  });
});
