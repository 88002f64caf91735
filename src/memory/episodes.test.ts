import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTestConsent } from "../../test/support/consent.ts";
import { IS_ON_POSTGRES, openTestDatabase } from "../../test/support/test-database.ts";
import { toListener } from "../discord/message-events.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import { type Message, toTypedParts } from "../domain/message.ts";
import type { DiscordEvent, EventListener } from "../ports/discord.ts";
import { createEpisodeStore } from "../stores/episode-store.ts";
import { Episodes } from "./episodes.ts";

const AGENT = "99" as UserId;
const ADA = "11" as UserId;
const ELENA = "12" as UserId;
const CEM = "13" as UserId;
const HARBOUR = "21" as ChannelId;
const MINUTE = 60_000;
const START = Date.parse("2026-11-01T10:00:00.000Z");
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

async function open() {
  const folder = mkdtempSync(join(tmpdir(), "earshot-episodes-"));
  const database = await openTestDatabase(join(folder, "earshot.db"));
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
  const clock = { time: START, now: () => clock.time };
  const consent = createTestConsent();
  const store = createEpisodeStore(database);
  const archive = new Map<MessageId, Message>();
  const listeners = new Set<(event: DiscordEvent) => void>();
  const listen = (given: EventListener) => {
    const listener = toListener(given);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  let minted = 0;
  const start = () => {
    const episodes = new Episodes({
      ...{ store, botId: AGENT, consent, retentionMs: 90 * 86_400_000, clock, log: quiet },
      find: async ({ messageId }) => archive.get(messageId),
      mintId: () => `talk-${++minted}`,
    });
    return { episodes, stop: episodes.start(listen) };
  };
  let running = start();
  let said = 0;
  const tell = (event: DiscordEvent) => {
    for (const listener of listeners) listener(event);
  };
  const say = (authorId: UserId, typed: string, replyTo: Message | null = null, more: Partial<Message> = {}) => {
    said += 1;
    const message: Message = {
      message_id: String(1_000 + said) as MessageId,
      ...{ channel_id: HARBOUR, guild_id: "31" as GuildId, thread_id: null, link: "" },
      author: { id: authorId, name: authorId, bot: authorId === AGENT || authorId === ELENA },
      ts: new Date(clock.time).toISOString(),
      ...{ edited_ts: null, kind: "text", content: typed, parts: toTypedParts(typed), attachments: [] },
      reply_to: replyTo && { message_id: replyTo.message_id, state: "known" },
      ...more,
    };
    archive.set(message.message_id, message);
    const isToAgent = typed.includes(`<@${AGENT}>`) || replyTo?.author.id === AGENT;
    tell({ type: "message", message, addressed: authorId !== AGENT && isToAgent });
    return message;
  };
  const talks = async (person: UserId = ADA) => {
    await running.episodes.settled();
    return running.episodes.talksOf(person);
  };
  const lines = async (person: UserId = ADA) =>
    (await talks(person)).map((talk) => talk.lines.map(({ messageId }) => messageId));
  const restart = async () => {
    await running.stop();
    running = start();
  };
  return { ...{ say, tell, talks, lines, clock, consent, store, restart }, episodes: () => running.episodes };
}

const ask = `<@${AGENT}> where is the coin?`;

describe("the talks of the agent", () => {
  it("are kept when it answers somebody, each line with its author and what it answers, and without a word", async () => {
    const { say, talks } = await open();
    const question = say(ADA, ask);
    expect(await talks()).toEqual([]);
    const answer = say(AGENT, "under the mast", question);
    const [talk] = await talks();
    expect(talk).toMatchObject({ partnerId: ADA, isBot: false, channelId: HARBOUR, startedAt: START, lastAt: START });
    expect(talk?.lines).toEqual([
      { messageId: question.message_id, authorId: ADA, isBot: false, replyTo: null, sentAt: START },
      { messageId: answer.message_id, authorId: AGENT, isBot: true, replyTo: question.message_id, sentAt: START },
    ]);
  });

  it("are kept when somebody answers it, a bot as well as a person", async () => {
    const { say, lines, talks } = await open();
    const opening = say(AGENT, "the tide turns at nine");
    const reply = say(ELENA, "then I shall wait", opening);
    expect(await lines(ELENA)).toEqual([[reply.message_id]]);
    expect((await talks(ELENA))[0]).toMatchObject({ isBot: true, lines: [{ replyTo: opening.message_id }] });
  });

  it("do not have what was said to somebody else, nor what the agent said by itself", async () => {
    const { say, lines } = await open();
    const aside = say(ADA, "hello Cem");
    say(CEM, "hello Ada", aside);
    say(ADA, ask);
    say(AGENT, "good morning all");
    expect(await lines()).toEqual([]);
    expect(await lines(CEM)).toEqual([]);
  });

  it("keep nothing of a third person whose message was answered in passing", async () => {
    const { say, talks } = await open();
    const third = say(CEM, "I lost a coin");
    const question = say(ADA, ask, third);
    say(AGENT, "under the mast", question);
    expect((await talks())[0]?.lines[0]?.replyTo).toBeNull();
  });

  it("end after half an hour of silence", async () => {
    const { say, lines, clock } = await open();
    const first = say(AGENT, "yes", say(ADA, ask));
    clock.time += 30 * MINUTE;
    const second = say(ADA, "thanks", first);
    clock.time += 30 * MINUTE + 1;
    const third = say(ADA, "one more thing", first);
    expect((await lines()).map((talk) => talk.length)).toEqual([1, 3]);
    expect((await lines())[0]).toEqual([third.message_id]);
    expect((await lines())[1]).toContain(second.message_id);
  });

  it("end after fifty messages", async () => {
    const { say, lines } = await open();
    for (let count = 0; count < 26; count += 1) say(AGENT, "yes", say(ADA, ask));
    expect((await lines()).map((talk) => talk.length).sort()).toEqual([2, 50]);
  });

  it("go on after a restart, with questions that were asked before it", async () => {
    const { say, lines, restart } = await open();
    const question = say(ADA, ask);
    await restart();
    const answer = say(AGENT, "under the mast", question);
    await restart();
    const thanks = say(ADA, "thanks", answer);
    expect(await lines()).toEqual([[question.message_id, answer.message_id, thanks.message_id]]);
  });

  it("keep neither an isolated question nor its answer, also when the program was restarted in between", async () => {
    const { say, lines, restart } = await open();
    say(AGENT, "here it is", say(ADA, `🚫 ${ask}`));
    const question = say(ADA, `${ask} 🚫`);
    await restart();
    say(AGENT, "here it is", question);
    expect(await lines()).toEqual([]);
  });

  it("are kept although a link preview shows the sign of isolation", async () => {
    const { say, lines } = await open();
    const parts = [...toTypedParts(ask), { kind: "embed" as const, text: "🚫 no entry" }];
    say(AGENT, "here it is", say(ADA, ask, null, { parts }));
    expect(await lines()).toHaveLength(1);
  });

  it("are not kept with somebody who is left out, nor where the agent itself is", async () => {
    const { say, lines, consent } = await open();
    consent.set(ADA, true);
    say(AGENT, "yes", say(ADA, ask));
    expect(await lines()).toEqual([]);
    consent.set(ADA, false);
    consent.set(AGENT, true);
    say(AGENT, "yes", say(ADA, ask));
    expect(await lines()).toEqual([]);
  });

  it("are forgotten when the other asks to be left out, and do not come back when they take it back", async () => {
    const { say, lines, consent } = await open();
    say(AGENT, "yes", say(ADA, ask));
    say(AGENT, "yes", say(CEM, ask));
    expect(await lines()).toHaveLength(1);
    consent.set(ADA, true);
    consent.set(ADA, false);
    expect(await lines()).toEqual([]);
    expect(await lines(CEM)).toHaveLength(1);
  });

  it("are erased for a person, and the receipt counts them", async () => {
    const { say, lines, episodes, clock } = await open();
    say(AGENT, "yes", say(ADA, ask));
    clock.time += 60 * MINUTE;
    say(AGENT, "yes", say(ADA, ask));
    expect(await episodes().count(ADA)).toBe(2);
    expect(await episodes().erase(ADA)).toEqual({ talks: 2, isScrubbed: !IS_ON_POSTGRES });
    expect(await episodes().erase(ADA)).toEqual({ talks: 0, isScrubbed: true });
    expect(await lines()).toEqual([]);
  });

  it("lose deleted messages and channels, servers that are left, and what is older than the retention", async () => {
    const { say, lines, tell, clock, restart } = await open();
    const question = say(ADA, ask);
    const answer = say(AGENT, "yes", question);
    tell({ type: "message_delete", channelId: HARBOUR, messageIds: [question.message_id] });
    expect(await lines()).toEqual([[answer.message_id]]);
    tell({ type: "channel_deleted", channelId: HARBOUR, guildId: "31" as GuildId, lineage: [HARBOUR] });
    expect(await lines()).toEqual([]);
    say(AGENT, "yes", say(ADA, ask));
    tell({ type: "guild_removed", guildId: "31" as GuildId, channelIds: [HARBOUR] });
    expect(await lines()).toEqual([]);
    say(AGENT, "yes", say(ADA, ask));
    clock.time += 90 * 86_400_000;
    await restart();
    expect(await lines()).toHaveLength(1);
    clock.time += 1;
    await restart();
    expect(await lines()).toEqual([]);
  });
});
