import { describe, expect, it } from "vitest";
import { generateCommunity } from "./generate.ts";
import type { PostPlan } from "./plan.ts";

function take(posts: Iterable<PostPlan>, count: number): PostPlan[] {
  const taken: PostPlan[] = [];
  for (const post of posts) {
    taken.push(post);
    if (taken.length === count) break;
  }
  return taken;
}

describe("a generated community", () => {
  const options = { seed: 7, messages: 5_000, people: 30, channels: 12, days: 30 };
  const community = generateCommunity(options);
  const posts = [...community.posts];

  it("is the same for the same options, also when iterated twice", () => {
    expect([...generateCommunity(options).posts]).toEqual(posts);
    expect([...community.posts]).toEqual(posts);
  });

  it("differs for another seed", () => {
    const other = take(generateCommunity({ ...options, seed: 8 }).posts, 100);
    expect(other.map(({ text }) => text)).not.toEqual(posts.slice(0, 100).map(({ text }) => text));
  });

  it("generates posts lazily", () => {
    const endless = generateCommunity({ seed: 1, messages: Number.MAX_SAFE_INTEGER });
    expect(take(endless.posts, 10)).toHaveLength(10);
  });

  it("has the requested number of messages, people and channels, within the requested days, oldest first", () => {
    expect(posts).toHaveLength(5_000);
    expect(community.people.filter(({ bot }) => bot !== true)).toHaveLength(30);
    expect(community.channels.filter(({ kind }) => kind === "text")).toHaveLength(12);
    const times = posts.map(({ minutesAgo }) => minutesAgo);
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    expect(times[0]).toBeLessThanOrEqual(30 * 24 * 60);
    expect(times.at(-1)).toBeGreaterThan(0);
    expect(times.filter((minutes) => !Number.isInteger(minutes * 60_000))).toEqual([]);
  });

  it("has replies in about three of ten posts, always to an earlier message in the same channel", () => {
    const places = new Map<string, string>();
    let replies = 0;
    for (const { key, replyTo, in: place } of posts) {
      if (replyTo !== undefined) {
        replies += 1;
        expect(places.get(replyTo)).toBe(place);
      }
      if (key !== undefined) places.set(key, place);
    }
    expect(replies / posts.length).toBeGreaterThan(0.25);
    expect(replies / posts.length).toBeLessThan(0.35);
  });

  it("opens threads before messages are sent in them", () => {
    const open = new Set(community.channels.map(({ key }) => key));
    for (const post of posts) {
      expect(open).toContain(post.in);
      if (post.thread) open.add(post.thread.key);
    }
    expect(posts.filter(({ in: place }) => place.startsWith("t")).length).toBeGreaterThan(50);
  });

  it("has messages in a closed channel only by people whom its overwrites allow in", () => {
    const closed = community.channels.filter(({ overwrites }) => overwrites !== undefined);
    expect(closed.length).toBeGreaterThanOrEqual(3);
    for (const { key, overwrites = [] } of closed) {
      const owner = overwrites.find(({ who, allow }) => allow && !who.startsWith("person:"))?.who ?? "nobody";
      const allowed = community.people.filter(({ roles }) => roles?.includes(owner)).map((person) => person.key);
      const speakers = new Set(posts.filter((post) => post.in === key).map(({ by }) => by));
      expect(speakers.size).toBeGreaterThan(0);
      expect([...speakers].filter((by) => !allowed.includes(by))).toEqual([]);
    }
  });

  it("has a few frequent words and people and many rare ones", () => {
    const words = new Map<string, number>();
    for (const word of posts.flatMap(({ text }) => text?.split(" ") ?? [])) words.set(word, (words.get(word) ?? 0) + 1);
    const counts = [...words.values()].sort((one, other) => other - one);
    expect(words.size).toBeGreaterThan(2_000);
    expect(counts[0]).toBeGreaterThan(20 * (counts[200] ?? 0));
    const lengths = posts.map(({ text }) => text?.length ?? 0).sort((one, other) => one - other);
    expect(lengths[2_500]).toBeGreaterThan(15);
    expect(lengths[2_500]).toBeLessThan(120);
    expect(lengths.at(-1)).toBeGreaterThan(300);
    expect(posts.filter(({ by }) => by === "p0").length).toBeGreaterThan(
      5 * posts.filter(({ by }) => by === "p29").length,
    );
    expect(posts.filter(({ reactions }) => reactions).length).toBeGreaterThan(100);
  });

  it.each([
    ["oldest", 0],
    [1_234, 1_234],
    [4_999, 4_999],
  ] as const)("contains one needle at %s, in an open channel", (at, index) => {
    const hidden = [
      ...generateCommunity({ ...options, needle: { text: "the brass sextant is under the stairs", at } }).posts,
    ];
    const found = hidden.flatMap(({ text }, place) =>
      text === "the brass sextant is under the stairs" ? [place] : [],
    );
    expect(found).toEqual([index]);
    expect(hidden[index]?.in).toBe("c0");
    expect(hidden).toHaveLength(5_000);
  });

  it("rejects a needle outside the range of messages", () => {
    for (const at of [-1, 5_000, 0.5]) {
      expect(() => generateCommunity({ ...options, needle: { text: "x", at } })).toThrow(RangeError);
    }
  });
});
