import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import { type Message, toTypedParts } from "../domain/message.ts";
import type { BotTurn, BotTurnStore } from "../ports/bot-turn-store.ts";
import { type BotAskers, openBotAskers } from "./bot-askers.ts";

const AGENT = "99" as UserId;
const ELENA = "12" as UserId;
const GABRIEL = "13" as UserId;
const STRANGER = "14" as UserId;
const HOOK = "15" as UserId;
const ADA = "11" as UserId;
const GUILD = "31" as GuildId;
const HARBOUR = "21" as ChannelId;
const YARD = "22" as ChannelId;
const BOTS: readonly UserId[] = [AGENT, ELENA, GABRIEL, STRANGER];
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** A store in memory that outlives the askers, as a file outlives the program. */
function createTurns(): BotTurnStore {
  const turns = new Map<string, BotTurn>();
  return {
    load: async () => [...turns.values()],
    put: async (turn) => void turns.set(`${turn.channelId} ${turn.botId}`, turn),
    remove: async ({ channelId, botId }) => void turns.delete(`${channelId} ${botId}`),
  };
}

async function open() {
  const clock = { time: 1_800_000_000_000, now: () => clock.time };
  const store = createTurns();
  const member = (_: GuildId, id: UserId) =>
    id === ADA || BOTS.includes(id) ? { id, name: id, bot: id !== ADA, roles: new Set<never>() } : undefined;
  const start = () =>
    openBotAskers({
      ...{ store, botId: AGENT, answersBots: [ELENA, GABRIEL, HOOK, AGENT, ADA], directory: { member } },
      ...{ clock, log: quiet },
    });
  let askers = await start();
  let said = 0;
  const say = (authorId: UserId, typed: string, more: Partial<Message> = {}): Message => {
    said += 1;
    const message: Message = {
      message_id: String(1_000 + said) as MessageId,
      ...{ channel_id: HARBOUR, guild_id: GUILD, thread_id: null, link: "" },
      author: { id: authorId, name: authorId, bot: authorId !== ADA },
      ts: new Date(clock.time).toISOString(),
      ...{ edited_ts: null, kind: "text", content: typed, parts: toTypedParts(typed), reply_to: null, attachments: [] },
      ...more,
    };
    askers.listeners.message?.({ type: "message", message, addressed: true });
    return message;
  };
  const ask = (authorId: UserId = ELENA, more: Partial<Message> = {}) =>
    askers.mayAnswer(say(authorId, `<@${AGENT}> what is new?`, more));
  const restart = async () => {
    await askers.settled();
    askers = await start();
  };
  const wait = (ms: number) => {
    clock.time += ms;
  };
  return { say, ask, wait, restart, mayAnswer: (message: Message) => askers.mayAnswer(message) };
}

describe("bots that ask the agent", () => {
  it("are answered if the operator lists them and they type a mention of the agent", async () => {
    const { ask, say, mayAnswer } = await open();
    expect(ask(ELENA)).toBe(true);
    expect(mayAnswer(say(GABRIEL, `and you, <@!${AGENT}>?`))).toBe(true);
  });

  it("are not answered unless they are listed, whoever else is", async () => {
    const { ask } = await open();
    expect(ask(STRANGER)).toBe(false);
    // The operator may list anything: the agent itself is not answered, and people have another way.
    expect(ask(AGENT)).toBe(false);
    expect(ask(ADA)).toBe(false);
  });

  it("are not answered for a ping by a reply, nor for a mention in an embed or a forwarded message", async () => {
    const { say, mayAnswer } = await open();
    const reply = { reply_to: { message_id: "5" as MessageId, state: "known" as const } };
    expect(mayAnswer(say(ELENA, "I think so, too", reply))).toBe(false);
    for (const kind of ["embed", "forward", "component"] as const) {
      const text = `<@${AGENT}> what is new?`;
      expect(mayAnswer(say(ELENA, "", { content: text, parts: [{ kind, text }] }))).toBe(false);
    }
    expect(mayAnswer(say(ELENA, `<@&${AGENT}> <#${AGENT}> @everyone`))).toBe(false);
  });

  it("are not answered through a webhook, even under the id that is listed, nor in direct messages", async () => {
    const { ask } = await open();
    expect(ask(HOOK)).toBe(false);
    expect(ask(ELENA, { guild_id: null })).toBe(false);
  });

  it("get one answer a minute each in a channel", async () => {
    const { ask, wait } = await open();
    expect(ask(ELENA)).toBe(true);
    wait(59_999);
    expect(ask(ELENA)).toBe(false);
    expect(ask(GABRIEL)).toBe(true);
    expect(ask(ELENA, { channel_id: YARD })).toBe(true);
    wait(1);
    expect(ask(ELENA)).toBe(true);
  });

  it("get five answers, all of them together, until a person speaks there", async () => {
    const { ask, say, wait } = await open();
    const answers: boolean[] = [];
    for (const bot of [ELENA, GABRIEL, ELENA, GABRIEL, ELENA, GABRIEL, ELENA]) {
      wait(60_000);
      answers.push(ask(bot));
    }
    expect(answers).toEqual([true, true, true, true, true, false, false]);
    wait(86_400_000);
    expect(ask(ELENA)).toBe(false);
    say(ADA, "a word elsewhere", { channel_id: YARD });
    expect(ask(ELENA)).toBe(false);
    say(HOOK, "a webhook is no person", { author: { id: HOOK, name: "Ada", bot: false } });
    expect(ask(ELENA)).toBe(false);
    say(ADA, "hello");
    expect(ask(ELENA)).toBe(true);
    wait(60_000);
    expect(ask(GABRIEL)).toBe(true);
  });

  it("are counted once however often a message is asked about", async () => {
    const { say, mayAnswer, wait } = await open();
    const first = say(ELENA, `<@${AGENT}> hello`);
    for (let count = 0; count < 10; count += 1) expect(mayAnswer(first)).toBe(true);
    wait(60_000);
    expect(mayAnswer(say(ELENA, `<@${AGENT}> again`))).toBe(true);
  });

  it("find the same limits after a restart", async () => {
    const { ask, wait, restart } = await open();
    expect(ask(ELENA)).toBe(true);
    await restart();
    wait(59_000);
    expect(ask(ELENA)).toBe(false);
    for (let count = 0; count < 3; count += 1) {
      wait(60_000);
      expect(ask(ELENA)).toBe(true);
      await restart();
    }
    wait(60_000);
    expect(ask(ELENA)).toBe(false);
    await restart();
    wait(60_000);
    expect(ask(GABRIEL)).toBe(false);
  });

  it("never get more than five answers between two words of people, nor two within a minute, whatever happens", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            who: fc.constantFrom(ELENA, GABRIEL, STRANGER, HOOK, AGENT, ADA),
            where: fc.constantFrom(HARBOUR, YARD),
            isMention: fc.boolean(),
            waitMs: fc.constantFrom(0, 1_000, 30_000, 60_000, 3_600_000),
            isRestart: fc.boolean(),
          }),
          { maxLength: 60 },
        ),
        async (steps) => {
          const { say, mayAnswer, wait, restart } = await open();
          const answered: { who: UserId; where: ChannelId; at: number }[] = [];
          const sinceHuman = new Map<ChannelId, number>();
          let now = 0;
          for (const { who, where, isMention, waitMs, isRestart } of steps) {
            wait(waitMs);
            now += waitMs;
            if (isRestart) await restart();
            if (who === ADA) sinceHuman.set(where, 0);
            if (!mayAnswer(say(who, isMention ? `<@${AGENT}>` : "well", { channel_id: where }))) continue;
            expect([ELENA, GABRIEL]).toContain(who);
            expect(isMention).toBe(true);
            const isRecent = (one: (typeof answered)[number]) =>
              one.who === who && one.where === where && now - one.at < 60_000;
            expect(answered.some(isRecent)).toBe(false);
            answered.push({ who, where, at: now });
            sinceHuman.set(where, (sinceHuman.get(where) ?? 0) + 1);
            expect(sinceHuman.get(where)).toBeLessThanOrEqual(5);
          }
        },
      ),
      { numRuns: 60 },
    ));
});

describe("a talk among bots", () => {
  /** An agent as another program runs one: it answers whoever mentions it, by the same rules. */
  async function openAgent(botId: UserId, others: readonly UserId[], clock: { now(): number }): Promise<BotAskers> {
    const directory = { member: (_: GuildId, id: UserId) => ({ id, name: id, bot: true, roles: new Set<never>() }) };
    return openBotAskers({ store: createTurns(), botId, answersBots: others, directory, clock, log: quiet });
  }

  it("comes to rest between two agents and a bot that mentions them in every message", async () => {
    const clock = { time: 1_800_000_000_000, now: () => clock.time };
    const agents = new Map([
      [AGENT, await openAgent(AGENT, [ELENA, GABRIEL], clock)],
      [ELENA, await openAgent(ELENA, [AGENT, GABRIEL], clock)],
    ]);
    let answers = 0;
    let said = 0;
    const post = (authorId: UserId) => {
      said += 1;
      const typed = `<@${AGENT}> <@${ELENA}> and <@${GABRIEL}>?`;
      const message: Message = {
        message_id: String(said) as MessageId,
        ...{ channel_id: HARBOUR, guild_id: GUILD, thread_id: null, link: "" },
        author: { id: authorId, name: authorId, bot: true },
        ts: new Date(clock.time).toISOString(),
        ...{ edited_ts: null, kind: "text", content: typed, parts: toTypedParts(typed) },
        ...{ reply_to: null, attachments: [] },
      };
      clock.time += 61_000;
      for (const [id, askers] of agents) {
        if (id === authorId || !askers.mayAnswer(message)) continue;
        answers += 1;
        post(id);
      }
    };
    // The scripted bot goes on, and gets no further answers.
    for (let count = 0; count < 200; count += 1) post(GABRIEL);
    expect(answers).toBeGreaterThan(0);
    expect(answers).toBeLessThanOrEqual(10);
  });
});
