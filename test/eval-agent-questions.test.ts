import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { layCommunity } from "../sandbox/community/lay-community.ts";
import { sampleCommunity } from "../sandbox/index.ts";
import { canView } from "../sandbox/world/permissions.ts";
import { World } from "../sandbox/world/world.ts";
import { tools } from "../src/tools/index.ts";

const KINDS = [
  ...["search_fact", "decision", "yes_no_why", "catch_up", "person", "thread", "facts", "bots", "follow_up"],
  ...["other_language", "typos", "pronouns", "pictures", "small_talk", "needs_model", "unanswerable"],
  ...["private_to_others", "help"],
];
const EXPECTATIONS = [
  ...["answer", "nothing_found", "needs_model", "reaction", "greeting", "help", "proposal", "refusal_absent"],
];

const sampleReference = z.strictObject({ channel: z.string(), starts: z.string().min(1).max(60) });
const roomReference = z.strictObject({ room: z.string(), index: z.int().min(0) });
const references = z.array(z.union([sampleReference, roomReference]));
const questionSchema = z.strictObject({
  id: z.string().regex(/^h\d{3}$/),
  kind: z.enum(KINDS),
  world: z.string().regex(/^(sample|replies:room-\d{3})$/),
  as: z.string().min(1),
  in: z.string().min(1),
  private: z.boolean().optional(),
  text: z.string(),
  after: z.string().optional(),
  tools: z.array(z.string()),
  gold: references,
  answer: z.string().min(1).max(40).optional(),
  outdated: references.optional(),
  expect: z.enum(EXPECTATIONS),
  forbidden: z.array(z.string().min(1)).optional(),
});

const file = z
  .strictObject({ note: z.string(), now: z.string(), questions: z.array(questionSchema) })
  .parse(JSON.parse(readFileSync(new URL("../eval/agent/held-out.json", import.meta.url), "utf8")));
const { questions } = file;
const ofSample = questions.filter(({ world }) => world === "sample");
const ofRooms = questions.filter(({ world }) => world !== "sample");

describe("the questions for the agent", () => {
  const now = Date.UTC(2031, 4, 23, 17);
  const world = new World({ now: () => now });
  const laid = layCommunity(world, sampleCommunity(), { now });
  const messagesOf = (key: string) => [...(world.channels.get(laid.channels.get(key) ?? "")?.messages ?? [])];

  it("are of every kind, and have ids in order", () => {
    expect([...new Set(questions.map(({ kind }) => kind))].sort()).toEqual(KINDS.toSorted());
    expect(questions.map(({ id }) => id)).toEqual(
      questions.map((_, index) => `h${String(index + 1).padStart(3, "0")}`),
    );
  });

  it("name tools that exist, or the recall of talks with bots", () => {
    const known = new Set<string>([...tools.map(({ name }) => name), "recall_bot_conversation"]);
    expect(questions.flatMap((question) => question.tools).filter((name) => !known.has(name))).toEqual([]);
  });

  it("follow only earlier questions of the same person in the same place", () => {
    const earlier = new Map<string, string>();
    for (const { id, after, as, in: place } of questions) {
      if (after !== undefined) expect(earlier.get(after), id).toBe(`${as} in ${place}`);
      earlier.set(id, `${as} in ${place}`);
    }
  });

  it("cite something exactly when an answer out of messages is expected", () => {
    const ofMessages = questions.filter(({ kind }) => kind !== "facts");
    for (const { id, gold, expect: expected, tools: accepted } of ofMessages) {
      const fromFacts = accepted[0] === "memory_read.get_user_facts";
      expect(gold.length > 0, id).toBe(expected === "answer" && !fromFacts);
    }
  });

  it("are asked by people of the sample where they can read, or in a DM", () => {
    const strays = ofSample.filter(({ as, in: place }) => {
      const person = laid.people.get(as);
      const channel = world.channels.get(laid.channels.get(place) ?? "");
      if (person === undefined || place === "dm") return person === undefined;
      const guild = world.guilds.get(channel?.guildId ?? "");
      return !channel || !guild || !canView(guild, channel, person);
    });
    expect(strays.map(({ id, as, in: place }) => `${id}: ${as} in ${place}`)).toEqual([]);
  });

  it("refer to exactly one message of the sample each", () => {
    const found = ofSample.flatMap(({ id, gold, outdated = [] }) =>
      [...gold, ...outdated].map((reference) => {
        const { channel, starts } = sampleReference.parse(reference);
        const start = starts.replace(/\{@(\w+)\}/g, (_, key: string) => `<@${laid.people.get(key)}>`);
        const hits = messagesOf(channel).filter(({ content }) => content.startsWith(start));
        return { id, channel, starts, hits: hits.length };
      }),
    );
    expect(found.filter(({ hits }) => hits !== 1)).toEqual([]);
  });

  it("forbid nothing that an expected answer contains", () => {
    for (const { id, answer = "", forbidden = [] } of questions) {
      expect(
        forbidden.filter((text) => answer.toLowerCase().includes(text.toLowerCase())),
        id,
      ).toEqual([]);
    }
  });

  const rooms = new URL("../../shared/data/discord-replies/rooms.jsonl", import.meta.url);
  it.skipIf(!existsSync(rooms))(
    "refer to messages of their room, which its authors ask (needs the shared data)",
    () => {
      const wanted = new Map(ofRooms.map(({ in: room }) => [room, [] as { author: string }[]]));
      for (const line of readFileSync(rooms, "utf8").split("\n")) {
        const room = line.slice(0, 40).match(/room-\d{3}/)?.[0] ?? "";
        if (wanted.has(room)) wanted.set(room, JSON.parse(line).messages);
      }
      for (const { id, as, in: room, world: where, gold, outdated = [] } of ofRooms) {
        const messages = wanted.get(room) ?? [];
        expect(where, id).toBe(`replies:${room}`);
        expect(
          messages.map(({ author }) => author),
          id,
        ).toContain(as);
        for (const reference of [...gold, ...outdated]) {
          const { index, ...named } = roomReference.parse(reference);
          expect(named.room, id).toBe(room);
          expect(messages.length, id).toBeGreaterThan(index);
        }
      }
    },
  );
});
