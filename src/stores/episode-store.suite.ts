import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Episode, EpisodeLine, EpisodeStore } from "../ports/episode-store.ts";

/** The store under test. Each call of `open` creates a new, empty one. */
export interface EpisodeStoreFixture {
  readonly store: EpisodeStore;
  /** The same store after a restart of the program. */
  reopen(): Promise<EpisodeStore>;
  /** False if deleted data may stay on the disk for a while. */
  readonly canScrub?: boolean;
  close(): Promise<void>;
}

const ADA = "11" as UserId;
const ELENA = "12" as UserId;
const AGENT = "99" as UserId;
const HARBOUR = "21" as ChannelId;
const YARD = "22" as ChannelId;
const LETTERS = "23" as ChannelId;
const GUILD = "31" as GuildId;

const talk = (id: string, partnerId: UserId, more: Partial<Episode> = {}): Episode => ({
  ...{ id, partnerId, isBot: partnerId === ELENA, channelId: HARBOUR, guildId: GUILD, startedAt: 1_000, lastAt: 1_000 },
  ...more,
});
const line = (messageId: string, authorId: UserId, sentAt: number, replyTo: string | null = null): EpisodeLine => ({
  messageId: messageId as MessageId,
  authorId,
  isBot: authorId !== ADA,
  replyTo: replyTo as MessageId | null,
  sentAt,
});

/** The contract of every store of talks. */
export function describeEpisodeStore(name: string, open: () => Promise<EpisodeStoreFixture>): void {
  describe(`${name} as a store of talks`, () => {
    const using = async (work: (fixture: EpisodeStoreFixture) => Promise<void>) => {
      const fixture = await open();
      await work(fixture).finally(() => fixture.close());
    };

    it("keeps a talk with its lines, each with its author and what it answers, also after a restart", () =>
      using(async ({ store, reopen }) => {
        expect(await store.latest(ELENA, HARBOUR)).toBeNull();
        const [asked, answered] = [line("1", ELENA, 1_000), line("2", AGENT, 2_000, "1")];
        await store.add(talk("a", ELENA), [asked]);
        await store.add(talk("a", ELENA, { lastAt: 2_000 }), [asked, answered]);
        const kept = { ...talk("a", ELENA, { lastAt: 2_000 }), lines: [asked, answered] };
        expect(await store.talksOf(ELENA)).toEqual([kept]);
        const again = await reopen();
        expect(await again.talksOf(ELENA)).toEqual([kept]);
        expect(await again.latest(ELENA, HARBOUR)).toEqual({
          episode: talk("a", ELENA, { lastAt: 2_000 }),
          lines: 2,
        });
        expect(await again.line("2" as MessageId)).toEqual(answered);
        expect(await again.line("3" as MessageId)).toBeNull();
      }));

    it("finds the latest talk with somebody in a channel, not the one elsewhere or with another", () =>
      using(async ({ store }) => {
        await store.add(talk("a", ELENA), [line("1", ELENA, 1_000)]);
        await store.add(talk("b", ELENA, { startedAt: 5_000, lastAt: 5_000 }), [line("2", ELENA, 5_000)]);
        await store.add(talk("c", ELENA, { channelId: YARD, lastAt: 9_000 }), [line("3", ELENA, 9_000)]);
        await store.add(talk("d", ADA, { lastAt: 9_000 }), [line("4", ADA, 9_000)]);
        expect((await store.latest(ELENA, HARBOUR))?.episode.id).toBe("b");
        expect(await store.latest(ADA, YARD)).toBeNull();
      }));

    it("gives the lines of some partners in some channels, the newest first, and no more than were asked for", () =>
      using(async ({ store }) => {
        await store.add(talk("a", ELENA), [line("1", ELENA, 1_000), line("2", AGENT, 2_000, "1")]);
        await store.add(talk("b", ELENA, { channelId: YARD }), [line("3", ELENA, 3_000)]);
        await store.add(talk("c", ADA), [line("4", ADA, 4_000)]);
        const ids = async (partnerIds: UserId[], channelIds: ChannelId[], limit = 10) =>
          (await store.lines({ partnerIds, channelIds }, limit)).map(({ messageId }) => messageId);
        expect(await ids([ELENA], [HARBOUR, YARD])).toEqual(["3", "2", "1"]);
        expect(await ids([ELENA], [HARBOUR, YARD], 2)).toEqual(["3", "2"]);
        expect(await ids([ELENA, ADA], [HARBOUR])).toEqual(["4", "2", "1"]);
        expect(await ids([ELENA], [])).toEqual([]);
        expect(await store.channelsWith([ELENA])).toEqual([HARBOUR, YARD]);
        expect(await store.channelsWith([])).toEqual([]);
        const [newest] = await store.lines({ partnerIds: [ELENA], channelIds: [YARD] }, 1);
        expect(newest).toEqual({ ...line("3", ELENA, 3_000), partnerId: ELENA, channelId: YARD });
      }));

    it("erases every talk with a person and says how many there were", () =>
      using(async ({ canScrub = true, store, reopen }) => {
        await store.add(talk("a", ADA), [line("1", ADA, 1_000), line("2", AGENT, 2_000, "1")]);
        await store.add(talk("b", ADA, { channelId: LETTERS, guildId: null }), [line("3", ADA, 3_000)]);
        await store.add(talk("c", ELENA), [line("4", ELENA, 4_000)]);
        expect(await store.count(ADA)).toBe(2);
        expect(await store.erase(ADA)).toBe(2);
        expect(await store.erase(ADA)).toBe(0);
        expect(await store.scrub()).toBe(canScrub);
        const again = await reopen();
        expect(await again.count(ADA)).toBe(0);
        expect(await again.line("2" as MessageId)).toBeNull();
        expect(await again.count(ELENA)).toBe(1);
      }));

    it("forgets deleted messages, and a talk with the last of them", () =>
      using(async ({ store }) => {
        await store.add(talk("a", ADA), [line("1", ADA, 1_000), line("2", AGENT, 2_000, "1")]);
        await store.add(talk("b", ELENA), [line("3", ELENA, 3_000)]);
        await store.removeMessages(["1", "77"] as MessageId[]);
        expect((await store.talksOf(ADA))[0]?.lines).toEqual([line("2", AGENT, 2_000, "1")]);
        await store.removeMessages(["2"] as MessageId[]);
        expect(await store.count(ADA)).toBe(0);
        expect(await store.count(ELENA)).toBe(1);
      }));

    it("forgets what was said in a channel or a server that is gone, and what is too old", () =>
      using(async ({ store }) => {
        await store.add(talk("a", ADA), [line("1", ADA, 1_000)]);
        await store.add(talk("b", ADA, { channelId: YARD, lastAt: 5_000 }), [line("2", ADA, 5_000)]);
        await store.add(talk("c", ADA, { channelId: LETTERS, guildId: null, lastAt: 6_000 }), [line("3", ADA, 6_000)]);
        await store.forgetBefore(1_001);
        expect((await store.talksOf(ADA)).map(({ id }) => id)).toEqual(["c", "b"]);
        await store.removeChannel(YARD);
        await store.removeGuild(GUILD);
        expect((await store.talksOf(ADA)).map(({ id }) => id)).toEqual(["c"]);
        expect(await store.line("2" as MessageId)).toBeNull();
      }));
  });
}
