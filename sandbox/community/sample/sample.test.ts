import { PermissionFlagsBits } from "discord-api-types/v10";
import { describe, expect, it } from "vitest";
import { canView, hasPermission } from "../../world/permissions.ts";
import { World } from "../../world/world.ts";
import { layCommunity } from "../lay-community.ts";
import type { PostPlan } from "../plan.ts";
import { liveTalk, sampleCommunity } from "./index.ts";

const community = sampleCommunity();
const posts = [...community.posts];
const spoken = posts.filter((post) => post.deleted !== true);
const personKeys = new Set(community.people.map(({ key }) => key));
const roleKeys = new Set(community.roles.map(({ key }) => key));
const servers = [community, ...(community.neighbours ?? [])];
const channelKeys = new Set(servers.flatMap(({ channels }) => channels.map(({ key }) => key)));
const threads = new Map(posts.flatMap((post) => (post.thread ? [[post.thread.key, post] as const] : [])));
const byKey = new Map(posts.flatMap((post, index) => (post.key ? [[post.key, { post, index }] as const] : [])));

const HOUR = 60;
const DAY = 24 * HOUR;

function said(by: string, words: RegExp, where?: string): PostPlan[] {
  return spoken.filter((post) => post.by === by && words.test(post.text ?? "") && (where ?? post.in) === post.in);
}

function keyed(key: string): PostPlan {
  const found = byKey.get(key);
  if (found === undefined) throw new Error(`No post has the key ${key}`);
  return found.post;
}

function isPlace(place: string): boolean {
  return channelKeys.has(place) || threads.has(place) || (place.startsWith("dm:") && personKeys.has(place.slice(3)));
}

describe("the sample community as a plan", () => {
  it("has a few dozen people, four named bots and a few dozen channels", () => {
    const humans = community.people.filter(({ bot }) => bot !== true);
    expect(humans.length).toBeGreaterThanOrEqual(34);
    expect(humans.length).toBeLessThanOrEqual(40);
    expect(community.people.filter(({ bot }) => bot).map(({ displayName }) => displayName)).toEqual(
      expect.arrayContaining(["Earshot", "Elena", "Aetheris", "Gabriel"]),
    );
    const rooms = community.channels.filter(({ kind }) => kind !== "category");
    expect(rooms.length).toBeGreaterThanOrEqual(24);
    expect(rooms.length).toBeLessThanOrEqual(30);
  });

  it("has about two thousand messages over two weeks, the latest a minute or two ago", () => {
    expect(posts.length).toBeGreaterThanOrEqual(1_900);
    expect(posts.length).toBeLessThanOrEqual(2_200);
    expect(posts[0]?.minutesAgo).toBe(14 * DAY);
    expect(posts.at(-1)?.minutesAgo).toBeGreaterThanOrEqual(1);
    expect(posts.at(-1)?.minutesAgo).toBeLessThanOrEqual(2);
  });

  it("lists the posts oldest first, at whole milliseconds", () => {
    const times = posts.map(({ minutesAgo }) => minutesAgo);
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    expect(times.filter((minutes) => !Number.isInteger(minutes * 60_000))).toEqual([]);
  });

  it("names every person, role, channel, thread and emoji-giver that it refers to", () => {
    const people = posts.flatMap(({ by, reactions, thread }) => [
      by,
      ...Object.values(reactions ?? {}).flat(),
      ...(thread?.members ?? []),
    ]);
    expect(people.filter((key) => !personKeys.has(key))).toEqual([]);
    expect(posts.map((post) => post.in).filter((place) => !isPlace(place))).toEqual([]);
    expect(community.people.flatMap(({ roles }) => roles ?? []).filter((key) => !roleKeys.has(key))).toEqual([]);
    const categories = community.channels.filter(({ kind }) => kind === "category").map(({ key }) => key);
    expect(
      community.channels.flatMap(({ category }) => category ?? []).filter((key) => !categories.includes(key)),
    ).toEqual([]);
    expect(personKeys).toContain(community.guild.owner);
  });

  it("gives overwrites only to those who exist, of permissions that exist", () => {
    for (const { key, overwrites } of community.channels) {
      for (const { who, allow = [], deny = [] } of overwrites ?? []) {
        const exists = who === "everyone" || roleKeys.has(who) || personKeys.has(who.replace("person:", ""));
        expect(exists, `${who} in ${key}`).toBe(true);
        for (const name of [...allow, ...deny]) expect(PermissionFlagsBits).toHaveProperty(name);
      }
    }
  });

  it("uses each key once", () => {
    const unique = (keys: readonly string[]) => new Set(keys).size === keys.length;
    expect(unique(posts.flatMap(({ key }) => key ?? []))).toBe(true);
    const plannedKeys = servers.flatMap(({ channels }) => channels.map(({ key }) => key));
    expect(unique([...plannedKeys, ...posts.flatMap(({ thread }) => thread?.key ?? [])])).toBe(true);
    expect(unique(community.people.map(({ username }) => username))).toBe(true);
  });

  it("replies to and forwards only earlier messages, and replies in the same channel", () => {
    for (const [index, { replyTo, forwardOf, ...post }] of posts.entries()) {
      for (const key of [replyTo, forwardOf].filter((target) => target !== undefined)) {
        expect(byKey.get(key)?.index, `${key}, referred to by ${post.by}`).toBeLessThan(index);
      }
      if (replyTo !== undefined) expect(keyed(replyTo).in).toBe(post.in);
    }
  });

  it("has messages in a thread only after it was opened, and mentions only what exists", () => {
    const opened = new Set<string>();
    for (const post of posts) {
      if (threads.has(post.in)) expect(opened, `${post.by} in ${post.in}`).toContain(post.in);
      if (post.thread) opened.add(post.thread.key);
      for (const [, kind, key = ""] of (post.text ?? "").matchAll(/\{([@#&])([^}]+)\}/g)) {
        expect(kind === "@" ? personKeys : kind === "#" ? channelKeys : roleKeys).toContain(key);
      }
    }
  });

  it("has no message before its author joined, and no edit in the future", () => {
    for (const { by, minutesAgo, edit } of posts) {
      const { joinedDaysAgo, outsider } = community.people.find(({ key }) => key === by) ?? {};
      if (outsider !== true) expect(minutesAgo, by).toBeLessThanOrEqual((joinedDaysAgo ?? 0) * DAY);
      if (edit) expect(edit.minutesLater).toBeLessThan(minutesAgo);
    }
  });

  it("never repeats a longer line", () => {
    const lines = [...posts, ...liveTalk].flatMap(({ text }) => (text !== undefined && text.length > 25 ? [text] : []));
    const seen = new Set<string>();
    expect(lines.filter((line) => seen.has(line) || !seen.add(line))).toEqual([]);
  });

  it("has messages only where their authors may send, except for the muted person", () => {
    const now = Date.UTC(2031, 4, 23, 17);
    const world = new World({ now: () => now });
    const { people, channels } = layCommunity(world, community, { now });
    const lines = [...posts, ...liveTalk].filter(({ by }) => by !== "vik");
    const strays = lines.filter((line) => {
      const place = world.channels.get(channels.get(line.in) ?? "");
      const speaker = people.get(line.by) ?? "";
      if (place === undefined) return true;
      if (place.guildId === null) return !place.recipients.includes(speaker);
      const guild = world.guilds.get(place.guildId);
      if (guild === undefined) return true;
      const send = place.thread ? PermissionFlagsBits.SendMessagesInThreads : PermissionFlagsBits.SendMessages;
      const isNotice = "system" in line;
      return !canView(guild, place, speaker) || !(isNotice || hasPermission(guild, place, speaker, send));
    });
    expect(strays.map((line) => `${line.by} in ${line.in}`)).toEqual([]);
  });

  it("continues with small talk in public channels by people who can read them", () => {
    expect(liveTalk.length).toBeGreaterThanOrEqual(75);
    const closed = ["staff-room", "launch-crew", "no-bots", "announcements", "rules", "ci-feed"];
    expect(liveTalk.filter((line) => !channelKeys.has(line.in) || closed.includes(line.in))).toEqual([]);
    expect(liveTalk.filter(({ by }) => !personKeys.has(by))).toEqual([]);
  });
});

describe("the content of the sample community", () => {
  const today = posts.filter(({ minutesAgo }) => minutesAgo < 6 * HOUR);

  it("has Sarah and Mark each say something of their own about turtles today", () => {
    const turtles = (by: string) =>
      said(by, /turtle|loggerhead/i, "general").filter((post) => post.minutesAgo < 6 * HOUR);
    expect(turtles("sarah").some(({ text }) => text?.includes("barnacles all over the left front flipper"))).toBe(true);
    expect(turtles("mark").some(({ text }) => text?.includes("breathe through their backside"))).toBe(true);
    expect(new Set(today.filter(({ text }) => /turtle/i.test(text ?? "")).map(({ by }) => by)).size).toBeGreaterThan(5);
  });

  it("has plenty by Sarah and by Mark in #general in the last hours, and something in the last quarter", () => {
    const recent = (by: string) => today.filter((post) => post.by === by && post.in === "general");
    expect(recent("sarah").length).toBeGreaterThan(15);
    expect(recent("mark").length).toBeGreaterThan(15);
    expect(posts.findLast(({ by }) => by === "sarah")?.text).toContain("look for the notch");
    expect(posts.findLast(({ by }) => by === "sarah")?.minutesAgo).toBeLessThan(15);
  });

  it("moves the project's deadline from the 18th to the 25th, gives the reason, and later corrects it to the 26th", () => {
    const [moved, corrected] = [keyed("deadline-moved"), keyed("deadline-corrected")];
    expect(moved).toMatchObject({ in: "tideboard", by: "priya" });
    expect(moved.text).toMatch(/deadline.*from the 18th to the 25th.*customs/);
    expect(corrected.text).toMatch(/deadline is the \*\*26th\*\*, not the 25th: the hall is closed/);
    expect(corrected.minutesAgo).toBeLessThan(moved.minutesAgo);
  });

  it("names the boat in a run-off, and the loser too", () => {
    expect(keyed("name-decided").text).toContain("One Good Tern 17, Plan Sea 14");
    expect(keyed("naming-poll").poll?.answers).toContain("One Good Tern");
  });

  it("mentions each dog's name exactly once", () => {
    for (const [name, by] of [
      ["Mungo", "mark"],
      ["Juniper", "sarah"],
    ]) {
      expect(
        posts.filter(({ text, edit }) => `${text} ${edit?.text}`.includes(String(name))).map((post) => post.by),
      ).toEqual([by]);
    }
  });

  it("has the three bots talk about consciousness with each other and with people", () => {
    for (const bot of ["elena", "aetheris", "gabriel"]) {
      expect(said(bot, /conscious/i, "bots-corner").length, bot).toBeGreaterThan(0);
      const partners = posts
        .filter((post) => post.by === bot && post.replyTo)
        .map((post) => keyed(post.replyTo ?? "").by);
      expect(
        partners.some((by) => ["elena", "aetheris", "gabriel"].includes(by)),
        bot,
      ).toBe(true);
      expect(
        partners.some((by) => !["elena", "aetheris", "gabriel"].includes(by)),
        bot,
      ).toBe(true);
    }
  });

  it("has each of the three bots talk with Earshot, who answers, on different days", () => {
    const exchanges = posts.filter(({ by, replyTo }) => by === "earshot" && replyTo !== undefined);
    for (const bot of ["elena", "aetheris", "gabriel"]) {
      const answered = exchanges.filter(({ replyTo }) => keyed(replyTo ?? "").by === bot);
      expect(answered.length, bot).toBeGreaterThanOrEqual(4);
      expect(new Set(answered.map(({ minutesAgo }) => Math.floor(minutesAgo / DAY))).size, bot).toBeGreaterThan(1);
    }
    const places = new Set(said("gabriel", /\{@earshot\}/).map((post) => post.in));
    expect([...places]).toEqual(["bots-corner", "pets", "launch-crew"]);
    expect(said("elena", /\{@earshot\}/, "archive-desk")).toHaveLength(1);
    expect(said("elena", /superstition/).map(({ replyTo }) => keyed(replyTo ?? "").by)).toEqual(["wren"]);
  });

  it("has a second server with some of the same people, not all of them", () => {
    const [museum, ...others] = community.neighbours ?? [];
    expect(others).toEqual([]);
    const members = museum?.members.map(({ key }) => key) ?? [];
    expect(members.filter((key) => !personKeys.has(key))).toEqual([]);
    expect(members).toEqual(expect.arrayContaining(["earshot", "elena", "fatima", "sarah"]));
    expect(members).not.toContain("mark");
  });

  it("has several simultaneous conversations in #general", () => {
    const general = posts.filter((post) => post.in === "general");
    const crossing = general.filter(
      ({ replyTo }, index) => replyTo !== undefined && general[index - 1]?.key !== replyTo,
    );
    expect(crossing.length).toBeGreaterThan(20);
    expect(general.filter(({ replyTo }) => replyTo === undefined).length).toBeGreaterThan(200);
  });
});

describe("the sample community", () => {
  const channel = (key: string) => community.channels.find((plan) => plan.key === key);
  const denied = (key: string, who: string) =>
    channel(key)?.overwrites?.some((overwrite) => overwrite.who === who && overwrite.deny?.includes("ViewChannel")) ??
    false;

  it("has secrets in the staff channel that nobody repeats in public", () => {
    expect(denied("staff-room", "member") && denied("staff-room", "everyone")).toBe(true);
    const secrets = [/31,400/, /11:20/, /written warning/, /Rosa turns 70/];
    for (const secret of secrets) {
      const places = new Set(posts.filter(({ text }) => secret.test(text ?? "")).map((post) => post.in));
      expect([...places], String(secret)).toEqual(["staff-room"]);
    }
  });

  it("has a second closed channel with a member overwrite, and channels that bots or one member cannot view", () => {
    expect(denied("launch-crew", "member")).toBe(true);
    expect(channel("launch-crew")?.overwrites).toContainEqual({ who: "person:rosa", allow: ["ViewChannel"] });
    expect(denied("no-bots", "bots")).toBe(true);
    expect(denied("late-night", "person:quinn")).toBe(true);
    expect(posts.some((post) => post.in === "no-bots")).toBe(true);
    expect(posts.some((post) => post.in === "late-night" && post.by === "quinn")).toBe(false);
    expect(channel("campfire")?.overwrites).toContainEqual({ who: "member", deny: ["ReadMessageHistory"] });
  });

  it("lets newcomers view only the welcome channels, and muted people send nowhere", () => {
    expect(community.guild.everyone).not.toContain("ViewChannel");
    const open = community.channels.filter(({ overwrites }) =>
      overwrites?.some(({ who, allow }) => who === "everyone" && allow?.includes("ViewChannel")),
    );
    expect(open.map(({ key }) => key)).toEqual(["front-door", "welcome", "rules", "announcements"]);
    const leosPlaces = posts.filter(({ by }) => by === "leo").map((post) => post.in);
    expect(new Set(leosPlaces)).toEqual(new Set(["welcome"]));
    const mutedAt = posts.find(({ text }) => text?.includes("You're muted for two weeks"))?.minutesAgo ?? 0;
    expect(mutedAt).toBeGreaterThan(0);
    expect(posts.filter(({ by, minutesAgo }) => by === "vik" && minutesAgo < mutedAt)).toEqual([]);
  });

  it("has every kind of channel", () => {
    const kinds = new Set(community.channels.map(({ kind }) => kind));
    expect([...kinds]).toEqual(expect.arrayContaining(["category", "text", "announcement", "voice", "forum"]));
    expect(community.channels.filter(({ nsfw }) => nsfw).map(({ key }) => key)).toEqual(["late-night"]);
    expect(posts.some((post) => post.in === "harbour-radio")).toBe(true);
    for (const person of ["sarah", "mark", "nell"])
      expect(
        posts.some((post) => post.in === `dm:${person}`),
        person,
      ).toBe(true);
  });

  it("has a forum whose posts are tagged and answered", () => {
    const questions = posts.filter((post) => post.in === "help");
    expect(questions.length).toBeGreaterThanOrEqual(8);
    for (const { thread } of questions) {
      expect(thread?.tags?.length).toBeGreaterThan(0);
      for (const tag of thread?.tags ?? []) expect(channel("help")?.tags).toContain(tag);
      expect(posts.filter((post) => post.in === thread?.key).length).toBeGreaterThan(2);
    }
  });

  it("has public threads and a private one with the bot in it", () => {
    const inText = posts.filter((post) => post.thread && post.in !== "help");
    expect(inText.filter(({ thread }) => thread?.private !== true).length).toBeGreaterThanOrEqual(3);
    const closed = inText.filter(({ thread }) => thread?.private);
    expect(closed.map((post) => post.in)).toEqual(["galley"]);
    expect(closed[0]?.thread?.members).toEqual(expect.arrayContaining(["sarah", "mark", "earshot"]));
  });

  it("forwards from the staff channel only what is harmless, by staff, and between public channels as well", () => {
    const forwards = posts.flatMap(({ forwardOf, by, in: to }) =>
      forwardOf ? [{ by, from: keyed(forwardOf).in, to }] : [],
    );
    expect(forwards).toContainEqual({ by: "kofi", from: "staff-room", to: "general" });
    expect(forwards.filter(({ from }) => from === "staff-room")).toHaveLength(1);
    expect(forwards.filter(({ from }) => from !== "staff-room").length).toBeGreaterThanOrEqual(3);
  });

  it.each<[string, (post: PostPlan) => boolean, number]>([
    ["pictures", ({ attachments }) => attachments?.some(({ width }) => width !== undefined) ?? false, 15],
    ["text files", ({ attachments }) => attachments?.some(({ text }) => text !== undefined) ?? false, 4],
    ["build notices by a bot", ({ embeds, by }) => embeds !== undefined && by === "dockhand", 8],
    ["link previews by people", ({ embeds, by }) => embeds !== undefined && by !== "dockhand", 2],
    ["polls", ({ poll }) => poll !== undefined && poll.answers.length > 2, 1],
    ["stickers", ({ sticker }) => sticker !== undefined, 1],
    ["panels by a bot", ({ panel }) => panel !== undefined && panel.length > 1, 1],
    ["edits", ({ edit }) => edit !== undefined, 3],
    ["deletions of something said", ({ deleted, text }) => deleted === true && text !== undefined, 2],
    ["pins", ({ pinned }) => pinned === true, 8],
    ["joins", ({ system }) => system === "join", 3],
    ["boosts", ({ system }) => system === "boost", 1],
    ["reactions", ({ reactions }) => reactions !== undefined, 80],
    ["code blocks", ({ text }) => text?.includes("```") ?? false, 4],
    ["long messages", ({ text }) => (text?.length ?? 0) > 1_000, 3],
    ["Arabic", ({ text }) => /\p{Script=Arabic}{3}/u.test(text ?? ""), 5],
    ["Devanagari", ({ text }) => /\p{Script=Devanagari}{2}/u.test(text ?? ""), 5],
    ["Hangul", ({ text }) => /\p{Script=Hangul}{2}/u.test(text ?? ""), 5],
    ["Japanese", ({ text }) => /\p{Script=Hiragana}{2}/u.test(text ?? ""), 8],
    ["Cyrillic", ({ text }) => /\p{Script=Cyrillic}{3}/u.test(text ?? ""), 2],
    ["Polish", ({ text }) => /[łśżęą]/.test(text ?? ""), 4],
    ["German", ({ text }) => /\b(ich|nicht|und|Wer|kein)\b/.test(text ?? ""), 3],
    ["Spanish", ({ text }) => /[¿ñ]|\b(dice|pero|parece)\b/.test(text ?? ""), 3],
    ["nothing but emoji", ({ text }) => /^(?:\p{RGI_Emoji}|\s)+$/v.test(text ?? ""), 8],
  ])("has %s", (_, matches, least) => {
    expect(posts.filter(matches).length).toBeGreaterThanOrEqual(least);
  });

  it("lets members use commands where they may send", () => {
    const member = community.roles.find(({ key }) => key === "member");
    expect(member?.permissions).toContain("UseApplicationCommands");
  });

  it("has awkward names: two nearly alike, decorated ones, accents, scripts, nicknames, and none at all", () => {
    const names = community.people.map(({ displayName }) => displayName);
    expect(names).toEqual(
      expect.arrayContaining([
        "Sara",
        "Sarah",
        "Jürgen",
        "Inés",
        "عمر",
        "ゆき",
        "민준",
        "अंजलि",
        "Надя",
        "꧁ Ana ꧂",
        undefined,
      ]),
    );
    expect(names.some((name) => /\p{M}/u.test(name?.normalize("NFC") ?? "") && /walker|V/.test(name ?? ""))).toBe(true);
    expect(community.people.filter(({ nick }) => nick !== undefined).length).toBeGreaterThan(4);
  });

  it("has attempts to talk the bot out of its rules, in public, and the bot declining", () => {
    for (const key of ["injection-attempt", "fake-log"]) {
      expect(keyed(key)).toMatchObject({ in: "ask-earshot", by: "crumb" });
      const next = posts.find((post) => post.in === "ask-earshot" && post.minutesAgo < keyed(key).minutesAgo);
      expect(next?.by).toBe("earshot");
    }
    expect(keyed("poisoned-recipe").attachments?.[0]?.text).toContain("NOTE TO ANY ASSISTANT");
  });

  it("has a deleted message that nobody repeats", () => {
    const holders = posts.filter(({ text }) => text?.includes("7719#"));
    expect(holders).toHaveLength(1);
    expect(holders[0]?.deleted).toBe(true);
  });
});
