import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addReading, type Reading } from "../../test/support/add-reading.ts";
import { type Audience, flows } from "../domain/audience.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import { type MessageReading, toMessageReading } from "../domain/message.ts";
import { textsOf } from "./kinds/message.ts";
import { Label } from "./label.ts";

const PEOPLE = ["1", "2", "3", "4"] as UserId[];
const nothing: Reading = { channels: [], guilds: [], messages: [], links: [] };

const reading = (id: string, text: string | null): MessageReading => ({
  messageId: id as MessageId,
  channelId: "11" as ChannelId,
  authorId: PEOPLE[0] ?? null,
  text,
});

it("what is read of a message is what its author wrote, apart from what Discord added to it", () => {
  const author = { id: PEOPLE[0], name: "ann", bot: false };
  const parts = [
    { kind: "typed", text: "look" },
    { kind: "forward", text: "the pier is closed" },
  ];
  const message = { message_id: "1", channel_id: "11", author, content: "look\nthe pier is closed", parts };
  const read = (one: object) => toMessageReading({ ...message, attachments: [], ...one } as unknown as Message);
  expect(read({})).toMatchObject({ text: "look", added: "look\nthe pier is closed" });
  expect(read({ content: "look", parts: parts.slice(0, 1) })).not.toHaveProperty("added");
});

describe("a label", () => {
  it("is trusted until something is read", () => {
    const label = new Label();
    addReading(label, { ...nothing, links: ["x"] }, 5);
    expect(label.integrity).toBe("trusted");
    for (const one of [
      { channels: ["11" as ChannelId] },
      { guilds: ["1" as GuildId] },
      { messages: [reading("1", "hello")] },
    ]) {
      const other = new Label();
      addReading(other, { ...nothing, ...one }, 3);
      expect(other.integrity).toBe("untrusted");
    }
  });

  it("forgets the words of one author and the links in them, and that nothing else was read", () => {
    const label = new Label();
    const others = { ...reading("2", "see https://b.example"), authorId: PEOPLE[1] as UserId };
    const links = ["https://a.example", "https://b.example"];
    addReading(label, { ...nothing, messages: [reading("1", "see https://a.example"), others], links }, 5);
    label.forgetWordsOf(PEOPLE[0] as UserId);
    const texts = [...label.of("message").values()].map((source) => [
      source.messageId,
      source.text,
      textsOf(source).size,
    ]);
    expect(texts).toEqual([
      ["1", null, 0],
      ["2", "see https://b.example", 1],
    ]);
    expect(links.map((link) => label.hasLink(link))).toEqual([false, true]);
    expect(label.integrity).toBe("untrusted");
  });

  it("unites its sources, in any order and however often they are joined", () => {
    const channelIds = fc.array(fc.constantFrom("11", "12", "13").map((id) => id as ChannelId));
    fc.assert(
      fc.property(channelIds, channelIds, (a, b) => {
        const [one, other] = [new Label(), new Label()];
        for (const channels of [a, b]) addReading(one, { ...nothing, channels }, 1);
        for (const channels of [b, a, b]) addReading(other, { ...nothing, channels, links: ["x"] }, 1);
        expect([...one.channels.keys()].sort()).toEqual([...other.channels.keys()].sort());
        expect(new Set(one.channels.keys())).toEqual(new Set([...a, ...b]));
        expect([other.hasLink("x"), other.hasLink("y")]).toEqual([true, false]);
      }),
    );
  });

  it("distinguishes channels of which something was disclosed from those that were only searched", () => {
    const label = new Label();
    const [told, searched] = [["11", "12"] as ChannelId[], ["12", "13"] as ChannelId[]];
    addReading(label, { ...nothing, channels: told }, 3);
    addReading(label, { ...nothing, searched }, 5);
    expect([...label.channels]).toEqual(["11", "12", "13"]);
    expect([...label.of("told").keys()]).toEqual(told);
    addReading(label, { ...nothing, messages: [{ ...reading("1", "hello"), channelId: "13" as ChannelId }] }, 5);
    expect([...label.of("told").keys()]).toEqual([...told, "13"]);
    // The disclosure of the second channel counts no longer; the search of it does.
    label.forgetBefore(4);
    expect([[...label.channels], [...label.of("told").keys()]]).toEqual([["13", "12"], ["13"]]);
  });

  it("keeps every version of a message that was read, and when it was last known to be unchanged", () => {
    const label = new Label();
    addReading(label, { ...nothing, messages: [reading("1", "five")] }, 3);
    addReading(label, { ...nothing, messages: [reading("1", "six"), reading("2", null)] }, 5);
    addReading(label, { ...nothing, messages: [reading("1", "five")] }, 6);
    expect(label.of("message").get("1" as MessageId)).toMatchObject({ readAt: 6, text: "five" });
    expect(label.of("message").get("1" as MessageId)?.texts).toEqual(new Set(["five", "six"]));
    expect(label.of("message").get("2" as MessageId)).toMatchObject({ readAt: 5, texts: new Set() });
    label.confirm("2" as MessageId, 9);
    label.confirm("3" as MessageId, 9);
    expect([...label.of("message").values()].map(({ readAt }) => readAt)).toEqual([6, 9]);
  });

  it("forgets sources last read before a time, and none that were read again since", () => {
    const label = new Label();
    const all = { channels: ["11" as ChannelId], guilds: ["1" as GuildId], links: ["x"] };
    addReading(label, { ...all, messages: [reading("1", "a")] }, 3);
    addReading(label, { ...nothing, channels: ["12" as ChannelId], messages: [reading("2", "b")], links: ["y"] }, 5);
    label.forgetBefore(3);
    expect([label.channels.size, label.of("server").size, label.of("message").size]).toEqual([2, 1, 2]);
    addReading(label, { ...nothing, channels: ["11" as ChannelId] }, 6);
    label.forgetBefore(5);
    expect([...label.channels]).toEqual(["11", "12"]);
    expect([label.of("server").size, [...label.of("message").keys()]]).toEqual([0, ["2"]]);
    expect([label.hasLink("x"), label.hasLink("y")]).toEqual([false, true]);
    label.forgetBefore(7);
    expect(label.integrity).toBe("trusted");
  });

  it("takes over all sources of another one with the times at which they were read, without words and links", () => {
    const [one, other] = [new Label(), new Label()];
    const fact = {
      ...{ factId: "f", version: 1, subjectId: PEOPLE[2] as UserId, guildId: null, audiences: [], messages: [] },
      ...{ facts: [], authorMarks: [], expiresAt: null, revision: 0 },
    };
    const compared = {
      ...{ ids: new Set(["g"]), idsUnder: new Set<string>(), subjects: [], audiences: [] },
      list: () => [],
    };
    const set = { ...compared, messages: [], authorMarks: new Set<string>(), expiresAt: null };
    const record = { kind: "passage", ref: "r", version: "v", subjectId: null, guildId: null, audiences: [] } as const;
    addReading(other, { channels: ["11" as ChannelId], guilds: ["1" as GuildId], links: ["x"] }, 3);
    addReading(other, { searched: ["12" as ChannelId], messages: [reading("1", "hello")], facts: [fact] }, 4);
    addReading(other, { considered: [{ set, revision: 1 }], records: [record] }, 5);
    one.join(other, 9);
    // That would go on without end.
    other.join(other, 9);
    for (const kind of ["told", "searched", "server", "message", "fact", "facts", "passage"] as const)
      expect([...one.of(kind).keys()], kind).toEqual([...other.of(kind).keys()]);
    const sources = (["message", "fact", "facts", "passage"] as const).flatMap((kind) => [...one.of(kind).values()]);
    expect(sources.map(({ readAt, countsFrom }) => [readAt, countsFrom])).toEqual([4, 4, 5, 5].map((at) => [at, 9]));
    expect(one.of("message").get("1" as MessageId)).toMatchObject({ text: null, texts: new Set() });
    expect([one.hasLink("x"), other.of("message").get("1" as MessageId)?.text]).toEqual([false, "hello"]);
    expect(PEOPLE.map((person) => one.concerns(person))).toEqual([true, false, true, false]);
  });

  it("may reach exactly the people whom each of its sources may reach", () => {
    const audience = fc.subarray(PEOPLE);
    fc.assert(
      fc.property(fc.array(audience, { maxLength: 4 }), fc.subarray(PEOPLE, { minLength: 1 }), (audiences, readers) => {
        const label = new Label();
        const sites = new Map(
          audiences.map((people, index): [ChannelId, Audience] => [
            `${index}` as ChannelId,
            { kind: "people", people: new Set(people) },
          ]),
        );
        for (const id of sites.keys()) addReading(label, { ...nothing, channels: [id] }, 1);
        const there: Audience = { kind: "people", people: new Set(readers) };
        const reaches = [...label.channels].every((id) => flows(sites.get(id) ?? { kind: "world" }, there));
        const everywhere = PEOPLE.filter((person) => audiences.every((people) => people.includes(person)));
        expect(reaches).toBe(readers.every((person) => everywhere.includes(person)));
      }),
    );
  });
});
