import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Message, toTypedParts } from "../../src/domain/message.ts";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import { GUILD, openArchive } from "../support/archive.ts";
import type { TimelinesAndSearch } from "../support/timelines-and-search.ts";
import { arbitraryTalk, BOT, channelOf, type Said, toChannels, toMessage, WORDS } from "./said.ts";

const ROOMS = ["a", "b"];
const ask = (timelines: TimelinesAndSearch, text: string) =>
  timelines.find({ channelIds: ROOMS.map(channelOf), query: toQuery(parseQuery(text)), limit: 10, scan: 2_000 });

type Happening =
  | { readonly kind: "say"; readonly said: Said; readonly back: number | null }
  | { readonly kind: "edit"; readonly at: number; readonly text: string }
  | { readonly kind: "delete"; readonly at: number }
  | { readonly kind: "gap" }
  | { readonly kind: "ask"; readonly text: string };

const text = fc
  .tuple(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }), fc.constantFrom("", "", " ?", " is"))
  .map(([words, end]) => `${words.join(" ")}${end}`);
const at = fc.nat({ max: 60 });
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({
        room: fc.constantFrom(...ROOMS),
        text,
        by: fc.constantFrom("ann", "bob", BOT),
        mentionsBot: fc.boolean(),
        back: fc.option(fc.integer({ min: 1, max: 5 })),
      })
      .map(({ room, text, by, mentionsBot, back }) => ({
        kind: "say" as const,
        said: { channel: room, second: 0, by, text, mentionsBot },
        back,
      })),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("edit" as const), at, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("gap" as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("ask" as const), text }) },
);

describe("search amid changes", () => {
  it("search gives the same results after any changes as on a first look", async () => {
    const talk = fc.tuple(arbitraryTalk("a", 25), arbitraryTalk("b", 25));
    await fc.assert(
      fc.asyncProperty(
        talk,
        fc.array(happening, { maxLength: 25 }),
        fc.constantFrom(5_000, 20),
        fc.boolean(),
        async (talks, happenings, most, indexesAhead) => {
          const channels = toChannels(ROOMS, talks.flat());
          const live = openArchive(channels, { messagesPerChannel: most, indexesAhead });
          let clock = 1_000_000;
          const all = () => [...channels.values()].flat();
          for (const each of happenings) {
            clock += 100;
            if (each.kind === "say") {
              const there = channels.get(channelOf(each.said.channel)) ?? [];
              const answered = each.back === null ? undefined : there.at(-each.back)?.message_id;
              const message: Message = {
                ...toMessage({ ...each.said, second: clock }),
                ...(answered && { kind: "reply", reply_to: { message_id: answered, state: "known" } }),
              };
              channels.get(message.channel_id)?.push(message);
              live.tell({ type: "message", message, addressed: false });
            } else if (each.kind === "gap") {
              const now = new Date(0).toISOString();
              live.tell({ type: "gap", from: now, to: now, reason: "restart", guildIds: [GUILD], shard: 0 });
            } else if (each.kind === "ask") {
              const cold = openArchive(new Map([...channels].map(([id, room]) => [id, [...room]])));
              expect(await ask(live.timelines, each.text)).toEqual(await ask(cold.timelines, each.text));
              await cold.timelines.close();
            } else {
              const old = all()[each.at % Math.max(1, all().length)];
              const room = old && channels.get(old.channel_id);
              if (!room) continue;
              if (each.kind === "delete") {
                room.splice(room.indexOf(old), 1);
                live.tell({ type: "message_delete", channelId: old.channel_id, messageIds: [old.message_id] });
              } else {
                const message: Message = {
                  ...old,
                  content: each.text,
                  parts: toTypedParts(each.text),
                  edited_ts: new Date(clock * 1_000).toISOString(),
                };
                room[room.indexOf(old)] = message;
                live.tell({ type: "message_update", message });
              }
            }
          }
          await live.timelines.close();
        },
      ),
      { numRuns: 120 },
    );
  });

  it("search forgets the words of a channel that is lost", async () => {
    const { timelines, tell } = openArchive(toChannels(["a"], [{ channel: "a", second: 1, by: "ann", text: "zog" }]));
    const query = toQuery(parseQuery("zog"));
    await timelines.find({ channelIds: [channelOf("a")], query, limit: 5, scan: 100 });
    expect(timelines.stats().bytes).toBeGreaterThan(0);
    tell({ type: "access_lost", channelId: channelOf("a"), guildId: GUILD, lineage: [] });
    expect(timelines.stats().bytes).toBe(0);
    await timelines.close();
  });

  it("search serves nothing from disk that was not confirmed since the start", async () => {
    const folder = mkdtempSync(join(tmpdir(), "earshot-search-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const channels = toChannels(
      ["a"],
      ["zog one", "zog two"].map((text, second) => ({ channel: "a", second, by: "ann", text })),
    );
    const disk = { folder, channels: [channelOf("a")], retentionDays: 100_000 };
    const request = { channelIds: [channelOf("a")], query: toQuery(parseQuery("zog")), limit: 5 };
    const first = openArchive(channels, { disk });
    expect((await first.timelines.find({ ...request, scan: 100 })).hits).toHaveLength(2);
    await first.timelines.close();
    channels.get(channelOf("a"))?.shift();
    const second = openArchive(channels, { disk });
    onTestFinished(() => second.timelines.close());
    expect(await second.timelines.find({ ...request, scan: 0 })).toMatchObject({
      hits: [],
      coverage: { complete: false },
    });
    const confirmed = await second.timelines.find({ ...request, scan: 100 });
    expect(confirmed.hits.map(({ message }) => message.content)).toEqual(["zog two"]);
  });
});
