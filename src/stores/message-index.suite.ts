import { describe, expect, it, onTestFinished } from "vitest";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import { NEWEST, OLDEST } from "../domain/intervals.ts";
import { type Message, toTypedParts } from "../domain/message.ts";
import { containsKeywords, toKeywords } from "../domain/search/keywords.ts";
import type { MessageIndex } from "../ports/message-index.ts";

/** Each call of `open` creates a new, empty index. */
export interface MessageIndexFixture {
  readonly index: MessageIndex;
  /** The same index after a restart of the program. */
  reopen(): MessageIndex;
  /** Whether its contents outlive the process. */
  readonly isDurable: boolean;
}

export const HERE = "7" as ChannelId;
const ELSEWHERE = "8" as ChannelId;
export const ALL = { from: OLDEST, to: NEWEST, limit: 100 };
const id = (number: number) => String(number) as MessageId;

export function say(id: number | string, content: string, channelId = HERE): Message {
  return {
    message_id: String(id) as MessageId,
    channel_id: channelId,
    guild_id: "5" as GuildId,
    thread_id: null,
    link: `https://discord.com/channels/5/${channelId}/${id}`,
    author: { id: "9" as UserId, name: "Sarah", bot: false },
    ts: "2026-01-02T03:04:05.678Z",
    edited_ts: null,
    kind: "text",
    content,
    parts: toTypedParts(content),
    reply_to: null,
    attachments: [],
  };
}

/** The candidates that contain the keywords, as a caller of the index reads them. */
export function search(index: MessageIndex, query: string, within = ALL, channelId = HERE): Message[] {
  const keywords = toKeywords(query);
  return index
    .get(channelId, index.candidates(channelId, keywords, within))
    .filter(({ content }) => containsKeywords(content, keywords));
}

export function texts(messages: readonly Message[]): string[] {
  return messages.map(({ content }) => content);
}

const searchTexts = (...args: Parameters<typeof search>) => texts(search(...args));

/** The contract of every message index. */
export function describeMessageIndex(name: string, open: () => MessageIndexFixture): void {
  const arrive = () => {
    const fixture = open();
    const closed = [fixture.index];
    onTestFinished(() => {
      for (const index of closed) index.close();
    });
    const reopen = () => {
      fixture.index.close();
      const again = fixture.reopen();
      closed.push(again);
      return again;
    };
    return { ...fixture, reopen };
  };

  describe(`${name} as a message index`, () => {
    it("returns nothing while it is empty", () => {
      const { index } = arrive();
      expect(index.get(HERE, [id(1)])).toEqual([]);
      expect(index.get(HERE, [])).toEqual([]);
      expect(index.candidates(HERE, toKeywords("word"), ALL)).toEqual([]);
      expect([index.held(), index.heardAt(), index.tidy(), index.failure]).toEqual([[], null, false, null]);
      expect(index.bytes()).toBeGreaterThan(0);
    });

    it("accepts the removal of absent messages and channels, also twice", () => {
      const { index } = arrive();
      for (const _ of ["once", "twice"]) {
        index.write(HERE, { remove: [id(1)] });
        index.write(HERE, {});
        index.forget(HERE);
      }
      expect(index.held()).toEqual([]);
    });

    it("returns messages in the requested order and leaves out absent ones", () => {
      const { index } = arrive();
      const [one, two] = [say(1, "one"), say(2, "two")];
      index.write(HERE, { put: [one, two] });
      expect(index.get(HERE, [id(2), id(3), id(1)])).toEqual([two, one]);
      expect(index.get(ELSEWHERE, [id(1)])).toEqual([]);
    });

    it("stores a message once, however often it is written", () => {
      const { index } = arrive();
      for (const _ of ["once", "twice"]) index.write(HERE, { put: [say(1, "needle")] });
      expect(searchTexts(index, "needle")).toEqual(["needle"]);
      index.write(HERE, { remove: [id(1)] });
      expect([searchTexts(index, "needle"), index.get(HERE, [id(1)])]).toEqual([[], []]);
    });

    it("finds an edited message by its new words only", () => {
      const { index } = arrive();
      index.write(HERE, { put: [say(1, "the old wording")] });
      index.write(HERE, { put: [say(1, "the new phrase")] });
      expect(searchTexts(index, "wording")).toEqual([]);
      expect(searchTexts(index, "phrase")).toEqual(["the new phrase"]);
    });

    it("finds every sign as it is, and letters whatever their case, width and accents", () => {
      const { index } = arrive();
      const said = ["100%_done\\", "100 of done", "CAFÉ", "ΣΊΣΥΦΟΣ", "\u212aelvin", "ｗｉｄｅ", "会議は明日", "straße"];
      index.write(HERE, { put: said.map((text, at) => say(at + 1, text)) });
      const queries = ["0%_d", "done\\", "cafe", "σισυφος", "KELVIN", "Wide", "会議", "STRASSE"];
      const found = queries.map((query) => searchTexts(index, query)[0]);
      expect(found).toEqual([said[0], said[0], ...said.slice(2, 7), searchTexts(index, "straße")[0]]);
      expect(searchTexts(index, "x".repeat(100_000))).toEqual([]);
    });

    it("limits candidates to the channel, the interval and the maximum, newest first", () => {
      const { index } = arrive();
      index.write(HERE, { put: [1, 3, 5, 7].map((number) => say(number, `needle ${number}`)) });
      index.write(ELSEWHERE, { put: [2, 4, 6].map((number) => say(number, `needle ${number}`, ELSEWHERE)) });
      expect(searchTexts(index, "needle")).toEqual(["needle 7", "needle 5", "needle 3", "needle 1"]);
      expect(searchTexts(index, "needle", { from: 3n, to: 5n, limit: 9 })).toEqual(["needle 5", "needle 3"]);
      expect(searchTexts(index, "needle", { from: 0n, to: 5n, limit: 1 })).toEqual(["needle 5"]);
      expect(searchTexts(index, "needle", { from: 5n, to: 3n, limit: 9 })).toEqual([]);
    });

    it("refuses a message that is stored for another channel, and then changes nothing", () => {
      const { index } = arrive();
      index.write(HERE, { put: [say(1, "mine")] });
      const put = [say(2, "new", ELSEWHERE), say(1, "stolen", ELSEWHERE)];
      expect(() => index.write(ELSEWHERE, { put })).toThrow(expect.objectContaining({ code: "invalid" }));
      expect(texts(index.get(HERE, [id(1)]))).toEqual(["mine"]);
      expect(index.get(ELSEWHERE, [id(2)])).toEqual([]);
      expect(index.failure).toBeNull();
      index.write(ELSEWHERE, { put: [say(2, "again", ELSEWHERE)] });
      expect(texts(index.get(ELSEWHERE, [id(2)]))).toEqual(["again"]);
    });

    it("forgets a channel at once, and only that channel", () => {
      const { index } = arrive();
      index.write(HERE, { put: [say(1, "needle here")] });
      index.write(ELSEWHERE, { put: [say(2, "needle there", ELSEWHERE)] });
      index.forget(HERE);
      expect([searchTexts(index, "needle"), index.get(HERE, [id(1)])]).toEqual([[], []]);
      expect(searchTexts(index, "needle", ALL, ELSEWHERE)).toEqual(["needle there"]);
      while (index.tidy());
      index.write(HERE, { put: [say(1, "needle again")] });
      expect(searchTexts(index, "needle")).toEqual(["needle again"]);
    });

    it("keeps its content after a restart, or nothing when it is in memory", () => {
      const { index, reopen, isDurable } = arrive();
      const complete = [{ from: 1n, to: NEWEST, unconfirmedSince: 1_700_000_000_123 }];
      index.write(HERE, { put: [say(1, "kept")], complete });
      index.noteHeard(1_700_000_000_456);
      index.noteHeard(1_700_000_001_789);
      expect(index.heardAt()).toBe(1_700_000_001_789);
      const again = reopen();
      const held = { channelId: HERE, guildId: "5", isThread: false, messageIds: ["1"], complete };
      expect(again.held()).toEqual(isDurable ? [held] : []);
      expect(again.heardAt()).toBe(isDurable ? 1_700_000_001_789 : null);
    });

    it("fails every call with unavailable after it was closed, and may be closed twice", () => {
      const { index } = arrive();
      index.write(HERE, { put: [say(1, "kept")] });
      index.close();
      index.close();
      const calls: (() => unknown)[] = [
        () => index.write(HERE, { put: [say(2, "late")] }),
        () => index.get(HERE, [id(1)]),
        () => index.candidates(HERE, toKeywords("kept"), ALL),
        () => index.forget(HERE),
        () => index.tidy(),
        () => index.held(),
        () => index.noteHeard(1),
        () => index.heardAt(),
        () => index.bytes(),
      ];
      for (const call of calls) expect(call).toThrow(expect.objectContaining({ code: "unavailable" }));
      expect(index.failure).toBeNull();
    });
  });
}
