import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { temporaryDatabase } from "../../test/support/agent.ts";
import { rawChannel, rawMember, rawOverwrite } from "../../test/support/raw-guild.ts";
import {
  BOT,
  GENERAL,
  GUILD,
  general,
  MARK,
  privateThread,
  SARAH,
  smallGuild,
  VIEW,
} from "../../test/support/small-guild.ts";
import { statesOf } from "../../test/support/source-watch-world.ts";
import { GuildDirectory } from "../discord/directory.ts";
import { toListener } from "../discord/message-events.ts";
import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import { type AnswerSources, createAnswerSources } from "../gate/effects/answer-sources.ts";
import type { PostedAnswer } from "../ports/answer-store.ts";
import type { ConsentChange } from "../ports/consent.ts";
import type { DiscordEvent, EventListener } from "../ports/discord.ts";
import { toMessageSource } from "../ports/stored-source.ts";
import { SourceWatch } from "../sources/source-watch.ts";
import { createAnswerStore } from "../stores/answer-store.ts";
import { openDurableDatabase } from "../stores/sqlite/open-sqlite.ts";
import { FollowSources } from "./follow-sources.ts";

const [PIER, CREW, DECK, CABIN, THREAD] = ["22", "23", "24", "25", privateThread.id] as const;
const people = [
  rawMember({ id: BOT, username: "earshot" }, { roles: ["2"] }),
  rawMember({ id: SARAH, username: "sarah" }, { roles: ["2"] }),
  rawMember({ id: MARK, username: "mark" }, { roles: ["2"] }),
  rawMember({ id: "93", username: "mei" }),
];
const hidden = rawOverwrite("role", GUILD, { deny: VIEW });
const closed = rawOverwrite("member", MARK, { deny: VIEW });
const letIn = (id: string) => rawOverwrite("member", id, { allow: VIEW });
const unseen = rawOverwrite("member", BOT, { deny: VIEW });

/** The channels of an answer, and of its sources. Only the member list tells that the deck may know what the crew says, and only the
 * thread's list that the cabin may know what the thread says. */
const ANSWERS = [
  [GENERAL, [PIER]],
  [GENERAL, [PIER, PIER, GENERAL]],
  [DECK, [CREW]],
  [DECK, [GENERAL, DECK]],
  [CABIN, [THREAD]],
  [THREAD, [GENERAL]],
  [THREAD, [THREAD]],
] as const;
const PLACES = [GENERAL, PIER, CREW, DECK, CABIN] as const;
/** Mark cannot look there. */
const WITHOUT_MARK: readonly string[] = [CABIN, THREAD];

type Step =
  | { readonly kind: "deleteSource" | "deleteQuestion" | "leaveOut"; readonly at: number }
  | { readonly kind: "deleteChannel" | "close" | "hide" | "open"; readonly place: (typeof PLACES)[number] }
  | { readonly kind: "drop" | "resume" | "newSession" | "outage" | "describe" | "members" | "check" | "settle" }
  | { readonly kind: "rest" | "withdrawing" | "threadMembers"; readonly isUp: boolean };

/** A community as it is, and what the bot has been told of it. Messages and channels are Discord's; the directory is the product's. */
class World {
  readonly channels = new Map<string, { overwrites: Set<object> }>(
    [...PLACES, THREAD].map((id) => [id, { overwrites: new Set<object>() }]),
  );
  readonly messages = new Map<string, string>();
  readonly leftOut = new Set<string>();
  readonly standing = new Set<MessageId>();
  isRestUp = true;
  isWithdrawing = true;
  /** Discord says who is in a private thread. */
  areMembersTold = true;
  /** Events that wait for the session to go on; null while they are heard at once. */
  waiting: [type: string, data: unknown][] | null = null;
  isDescribed = true;
  isOut = false;
  readonly directory: GuildDirectory;
  readonly #listeners = new Set<(event: DiscordEvent) => void>();
  readonly #consents = new Set<(change: ConsentChange) => void>();

  constructor() {
    const ask = <Answer>(answer: () => Answer) => {
      if (!this.isRestUp) return Promise.reject(new EarshotError("unavailable", "no answer"));
      return Promise.resolve(answer());
    };
    this.directory = new GuildDirectory({
      ...{ botId: BOT, hearsMembers: true, clock: { now: () => Date.now() } },
      isLeftOut: (id) => this.leftOut.has(id),
      ask: {
        channel: (id) => ask(() => this.#describeChannels().find((channel) => channel.id === id) ?? null),
        member: (_, id) => ask(() => people.find(({ user }) => user.id === id) ?? null),
        searchMembers: () => ask(() => []),
        threadMembers: (id) =>
          ask(() => (this.areMembersTold ? [BOT, SARAH].map((user_id) => ({ id, user_id })) : null)),
      },
    });
    this.directory.apply("READY", { guilds: [{ id: GUILD, unavailable: true }] });
    this.describe();
    this.completeMembers();
  }

  get discord() {
    const mustRead = (channelId: ChannelId) => {
      if (!this.isRestUp) throw new EarshotError("unavailable", "no answer");
      if (!this.directory.canRead(BOT, channelId) || !this.isSeen(channelId))
        throw new EarshotError("not_found", "no such channel");
    };
    const messagesIn = (channelId: ChannelId) =>
      [...this.messages].filter(([, place]) => place === channelId).map(([id]) => ({ message_id: id }) as Message);
    return {
      ...{ botId: BOT, directory: this.directory },
      listen: (given: EventListener) => {
        const listener = toListener(given);
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
      history: async (channelId: ChannelId, { after = "0" }: { after?: string }) => {
        mustRead(channelId);
        const messages = messagesIn(channelId).filter(({ message_id }) => BigInt(message_id) > BigInt(after));
        return { messages: messages.slice(0, 100), isFull: messages.length >= 100 };
      },
      message: async (channelId: ChannelId, id: MessageId) => {
        mustRead(channelId);
        return messagesIn(channelId).find(({ message_id }) => message_id === id) ?? null;
      },
    };
  }

  readonly consent = {
    isLeftOut: (id: string) => this.leftOut.has(id),
    listen: (listener: (change: ConsentChange) => void) => {
      this.#consents.add(listener);
      return () => void this.#consents.delete(listener);
    },
  };

  isSeen(id: string): boolean {
    const channel = this.channels.get(id);
    return channel !== undefined && !channel.overwrites.has(unseen) && (id !== THREAD || this.isSeen(GENERAL));
  }

  #describeChannels() {
    const own: Readonly<Record<string, readonly object[]>> = {
      [CREW]: [hidden, rawOverwrite("role", "2", { allow: VIEW })],
      [DECK]: [hidden, ...[BOT, SARAH, MARK].map(letIn)],
      [CABIN]: [hidden, ...[BOT, SARAH].map(letIn)],
    };
    return PLACES.filter((id) => this.channels.has(id)).map((id) => {
      const added = [...(this.channels.get(id)?.overwrites ?? [])] as ReturnType<typeof rawOverwrite>[];
      const before = (own[id] ?? []) as ReturnType<typeof rawOverwrite>[];
      const overwrites = [...before.filter((one) => added.every((each) => each.id !== one.id)), ...added];
      return id === GENERAL
        ? { ...general, permission_overwrites: overwrites }
        : rawChannel({ id, guildId: GUILD, name: `place-${id}`, overwrites });
    });
  }

  #apply(type: string, data: unknown): void {
    for (const event of this.directory.apply(type, data)) this.announce(event);
    if (type === "MESSAGE_DELETE")
      this.announce({ type: "message_delete", ...(data as object) } as unknown as DiscordEvent);
  }

  announce(event: DiscordEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  hear(type: string, data: unknown): void {
    // Discord sends no events of an undescribed server.
    if (this.waiting) this.waiting.push([type, data]);
    else if (this.isDescribed) this.#apply(type, data);
  }

  leaveOut(userId: UserId): void {
    this.leftOut.add(userId);
    for (const listener of this.#consents) listener({ userId, isLeftOut: true });
  }

  announceChannel(id: string): void {
    const channel = this.#describeChannels().find((one) => one.id === id);
    if (channel) this.hear("CHANNEL_UPDATE", channel);
  }

  drop(): void {
    this.waiting ??= [];
    this.directory.setTrusted([0, 1], false).forEach((event) => void this.announce(event));
  }

  resume(): void {
    const missed = this.waiting ?? [];
    this.waiting = null;
    for (const [type, data] of missed) this.hear(type, data);
    this.directory.setTrusted([0, 1], true).forEach((event) => void this.announce(event));
  }

  newSession(): void {
    this.waiting = null;
    this.isDescribed = false;
    this.#apply("READY", { guilds: [{ id: GUILD, unavailable: true }] });
    this.directory.setTrusted([0, 1], true).forEach((event) => void this.announce(event));
    const now = new Date().toISOString();
    this.announce({ type: "gap", from: now, to: now, reason: "session_expired", guildIds: [GUILD], shard: 0 });
  }

  outage(): void {
    if (this.waiting) return;
    this.isDescribed = false;
    this.#apply("GUILD_DELETE", { id: GUILD, unavailable: true });
  }

  /** Large servers are described with some of their members alone. */
  describe(): void {
    if (this.waiting) return;
    this.isDescribed = true;
    const threads = this.isSeen(GENERAL) ? [privateThread] : [];
    const members = people.slice(0, 1);
    this.#apply("GUILD_CREATE", {
      ...smallGuild({ channels: this.#describeChannels(), threads, members }),
      member_count: people.length,
    });
  }

  completeMembers(): void {
    const guild = this.directory.guild(GUILD);
    if (this.waiting || !this.isDescribed || !guild) return;
    for (const member of people.slice(1)) this.#apply("GUILD_MEMBER_UPDATE", { ...member, guild_id: GUILD });
    guild.membersComplete = true;
  }
}

function openAnswerSources(world: World): AnswerSources {
  const clock = { now: () => Date.now() };
  const sources = new SourceWatch({
    ...{ clock, botId: BOT, labelsKeptMs: 0, isLeftOut: (id) => world.leftOut.has(id) },
    ...statesOf(),
  });
  world.discord.listen((event) => sources.note(event));
  return createAnswerSources({ discord: world.discord as never, sources, memory: null, records: {}, clock });
}

/** Each answer with its question and its sources, all said by different people. */
function post(world: World): PostedAnswer[] {
  let next = 1_000;
  const say = (channelId: string): MessageId => {
    next += 1;
    world.messages.set(String(next), channelId);
    return String(next) as MessageId;
  };
  return ANSWERS.map(([channelId, places], at) => {
    const questionId = say(channelId);
    const sources = places.map((place) =>
      toMessageSource({ messageId: say(place), channelId: place as ChannelId }, String(500 + at) as UserId),
    );
    const answerId = say(channelId);
    world.standing.add(answerId);
    return {
      ...{ answerIds: [answerId], questionId, sources, channelId: channelId as ChannelId },
      ...{ actorId: MARK, operationId: "", postedAt: at },
    };
  });
}

/** By what is true in Discord alone. */
function isFounded(world: World, { questionId, channelId, sources }: PostedAnswer): boolean {
  const isThere = (id: string, place: string) => world.messages.has(id) && world.channels.has(place);
  const has = (place: string, overwrite: object) => world.channels.get(place)?.overwrites.has(overwrite) === true;
  const isClosedFor = (place: string) =>
    has(place, closed) && !has(channelId, closed) && !WITHOUT_MARK.includes(channelId);
  return (
    isThere(questionId, channelId) &&
    sources.every(({ ref, personId }) => {
      const [place = "", id = ""] = ref.split("/");
      return isThere(id, place) && !isClosedFor(place) && world.isSeen(place) && !world.leftOut.has(personId);
    })
  );
}

function take(world: World, follow: FollowSources, answers: readonly PostedAnswer[], step: Step): Promise<void> | void {
  const remove = (id: string | undefined) => {
    const channelId = id && world.messages.get(id);
    if (!channelId) return;
    world.messages.delete(id);
    world.hear("MESSAGE_DELETE", { messageIds: [id], channelId, guildId: GUILD });
  };
  const change = (place: string, apply: (overwrites: Set<object>) => void) => {
    const channel = world.channels.get(place);
    if (!channel) return;
    apply(channel.overwrites);
    world.announceChannel(place);
  };
  switch (step.kind) {
    case "deleteSource":
      return remove(answers[step.at % answers.length]?.sources.at(-1)?.ref);
    case "deleteQuestion":
      return remove(answers[step.at % answers.length]?.questionId);
    case "leaveOut":
      return world.leaveOut(String(500 + (step.at % answers.length)) as UserId);
    case "deleteChannel":
      if (step.place === GENERAL || !world.channels.delete(step.place)) return;
      return world.hear("CHANNEL_DELETE", { id: step.place, guild_id: GUILD });
    case "close":
      return change(step.place, (overwrites) => overwrites.add(closed));
    case "hide":
      return change(step.place, (overwrites) => overwrites.add(unseen));
    case "open":
      return change(step.place, (overwrites) => overwrites.clear());
    case "rest":
      world.isRestUp = step.isUp;
      return;
    case "withdrawing":
      world.isWithdrawing = step.isUp;
      return;
    case "threadMembers":
      world.areMembersTold = step.isUp;
      return;
    case "check":
      return void follow.checkAll();
    case "settle":
      return follow.settled();
    case "members":
      return world.completeMembers();
    default:
      return world[step.kind]();
  }
}

const at = fc.nat(ANSWERS.length - 1);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom("deleteSource" as const, "deleteQuestion" as const, "leaveOut" as const), at }),
    fc.record({
      kind: fc.constantFrom("deleteChannel" as const, "close" as const, "hide" as const, "open" as const),
      place: fc.constantFrom(...PLACES),
    }),
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constantFrom(
          "drop" as const,
          "resume" as const,
          "newSession" as const,
          "outage" as const,
          "describe" as const,
          "members" as const,
          "check" as const,
          "settle" as const,
        ),
      }),
    },
    fc.record({
      kind: fc.constantFrom("rest" as const, "withdrawing" as const, "threadMembers" as const),
      isUp: fc.boolean(),
    }),
  ),
  { maxLength: 14 },
);

it("however sessions end and servers are described, an answer goes when something that it rests on went, and no other does", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
  // A file, since a network waits by the time that stands still here.
  const database = await openDurableDatabase(temporaryDatabase());
  try {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const world = new World();
        const store = createAnswerStore(database);
        const log = { debug() {}, info() {}, warn() {}, error() {} };
        const follow = new FollowSources({
          ...{ store, discord: world.discord, consent: world.consent, log, live: { stop: () => null } },
          answerSources: openAnswerSources(world),
          answers: {
            async withdraw({ messageId, channelId }: { messageId: MessageId; channelId: ChannelId }) {
              if (!world.isWithdrawing || !world.isSeen(channelId)) throw new EarshotError("unavailable", "no answer");
              world.standing.delete(messageId);
            },
          } as never,
        });
        const answers = post(world);
        for (const answer of answers) await follow.note(answer);
        expect(world.standing.size).toBe(answers.length);
        const always = new Set(answers);
        const look = () => {
          for (const answer of always) if (!isFounded(world, answer)) always.delete(answer);
        };
        for (const step of taken) {
          await take(world, follow, answers, step);
          look();
        }
        world.isRestUp = true;
        world.isWithdrawing = true;
        world.resume();
        if (!world.isDescribed) world.describe();
        world.completeMembers();
        for (let round = 0; round < 4; round += 1) {
          await vi.advanceTimersByTimeAsync(1_000_000);
          await follow.settled();
        }
        follow.close();
        const isUp = ({ answerIds }: PostedAnswer) => answerIds.every((id) => world.standing.has(id));
        const wronglyGone = answers.filter((answer) => always.has(answer) && !isUp(answer));
        const canGo = ({ channelId }: PostedAnswer) => world.isSeen(channelId);
        const wronglyThere = answers.filter((answer) => canGo(answer) && !isFounded(world, answer) && isUp(answer));
        for (const id of answers.flatMap(({ answerIds }) => answerIds)) await store.removeAnswer(id);
        expect({ wronglyGone, wronglyThere }).toEqual({ wronglyGone: [], wronglyThere: [] });
      }),
      { numRuns: 50 },
    );
  } finally {
    vi.useRealTimers();
    database.close();
  }
});
