import { describe, expect, it } from "vitest";
import { type Line, talk } from "../../../test/support/talk.ts";
import { runAtOnce, UNPACED } from "../steps/pace.ts";
import { findCandidates } from "./candidates.ts";
import { createState, placePost } from "./conversation-state.ts";
import { toForestPosts } from "./forest-posts.ts";
import { createWordFinder } from "./shared-words.ts";

/** The people whom Zoe names in the last of the lines, among these. */
function named(people: readonly string[], text: string, before: readonly string[] = []): string[] {
  const lines = [
    ...people.map((by) => ({ by, text: "…" })),
    ...[...before, text].map((one) => ({ by: "Zoe", text: one })),
  ];
  const posts = runAtOnce(
    toForestPosts(talk(lines.map((line, index): Line => ({ ...line, minutesAgo: lines.length - index }))), UNPACED),
  );
  return posts.at(-1)?.named.map((person) => people[person] ?? "?") ?? [];
}

describe("toForestPosts", () => {
  it("finds names at the start, after an @, and within a text, in any case", () => {
    for (const text of [
      "bodil: look",
      "Bodil, look",
      "@bodil look",
      "BODIL look",
      "thanks bodil!",
      "I think (Bodil) knows",
    ])
      expect(named(["Ada", "Bodil"], text), text).toEqual(["Bodil"]);
    expect(named(["Ada", "Bodil"], "bodily harm")).toEqual([]);
  });

  it("finds display names with spaces, accents and emoji, and by their first word", () => {
    const people = ["Ana María 🌊", "xx_storm_xx", "Δήμητρα"];
    expect(named(people, "ana maria: look")).toEqual(["Ana María 🌊"]);
    expect(named(people, "storm is coming")).toEqual([]);
    expect(named(people, "xx_Storm_xx is coming")).toEqual(["xx_storm_xx"]);
    expect(named(people, "ΔΉΜΗΤΡΑ, έλα")).toEqual(["Δήμητρα"]);
    expect(named(["Bodil Lind", "Ada"], "ask bodil")).toEqual(["Bodil Lind"]);
  });

  it("resolves mentions of authors, and ignores mentions of other people, roles and channels", () => {
    expect(named(["Ada", "Bodil"], "<@1001> and <@!1000>, look")).toEqual(["Bodil", "Ada"]);
    expect(named(["Ada", "Bodil"], "<@7> <@&1001> <#1000> <:bodil:1001> <t:1000:R>")).toEqual([]);
  });

  it("treats an ordinary word as a name only where it is marked as one", () => {
    for (const name of ["the", "k", "Help", "42", "me too"]) {
      expect(named(["Ada", name], `so ${name} it is`), name).toEqual([]);
      expect(named(["Ada", name], `${name} it is`), name).toEqual([]);
      expect(named(["Ada", name], `${name}: it is`), name).toEqual([name]);
      expect(named(["Ada", name], `so @${name} it is`), name).toEqual([name]);
    }
  });

  it("does not treat a frequently used word as a name", () => {
    const before = ["my boat leaks", "your boat too?", "a boat does", "every boat does"];
    expect(named(["Ada", "boat"], "which boat is it")).toEqual(["boat"]);
    expect(named(["Ada", "boat"], "which boat is it", before)).toEqual([]);
    expect(named(["Ada", "boat"], "boat: which is it", before)).toEqual(["boat"]);
  });

  it("finds nobody by an empty name, by punctuation, or the author themselves", () => {
    for (const name of ["", " ", "🌊", ".*", "[a-z]+", "(((", "\\"])
      expect(named([name], `hello ${name}: you`)).toEqual([]);
    expect(named(["Ada"], "Zoe: am I")).toEqual([]);
  });
});

describe("the work for one post", () => {
  it("is bounded, however long the post is and however many people share a name", () => {
    const words = Array.from({ length: 400 }, (_, index) => `word${index}`);
    const lines = Array.from({ length: 400 }, (_, index): Line => {
      const text = `${"a a a ".repeat(index % 40)} <@${1000 + index}> <@${1001 + index}> ${words.slice(index % 9).join(" ")}`;
      return { by: `a a ${"a ".repeat(index % 5)}${index % 3}`, text: text.repeat(20), minutesAgo: 400 - index };
    });
    const posts = runAtOnce(toForestPosts(talk(lines), UNPACED));
    const conversation = createState(posts);
    const findShared = createWordFinder(conversation);
    for (const post of posts) {
      const candidates = findCandidates(conversation, post, findShared(post));
      expect(candidates.length).toBeLessThanOrEqual(20);
      expect(new Set(candidates).size).toBe(candidates.length);
      expect(post.words.length).toBeLessThanOrEqual(24);
      expect(post.named.length).toBeLessThanOrEqual(4);
      expect(post.length).toBeLessThanOrEqual(300);
      placePost(conversation, post, candidates[0]?.index ?? null);
    }
  });
});
