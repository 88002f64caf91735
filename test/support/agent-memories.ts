import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { FactHome } from "../../src/domain/audience.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../../src/domain/ids.ts";
import type { RememberRequest } from "../../src/domain/memory/remember-request.ts";
import { type Message, toTypedParts } from "../../src/domain/message.ts";
import { createTestConsent } from "./consent.ts";
import { openMemoryIn } from "./memory.ts";
import { reads, sees } from "./plain-oracle.ts";
import { BOT, type PlainMessage, type PlainPlace, type PlainWorld, placeOf, placesOf } from "./plain-world.ts";
import { canary, messageId, personId, WORDS } from "./random-community.ts";
import type { Scene, Visibility } from "./random-scene.ts";

/** Something that is remembered, in numbers. */
const plannedFact = fc.record({
  /** From 6 on the one who asks. */
  owner: fc.nat(11),
  key: fc.nat(5),
  /** 0: for its owner alone. 1 and 2: in a server. 3: in a channel. 4: in a server, resting on a message. 5: of a project. */
  kind: fc.nat(5),
  where: fc.nat(63),
  isElsewhere: fc.nat(2).map((value) => value === 0),
  /** Where it may not be known: another value in the other world, or only in one of the two. */
  difference: fc.constantFrom("other" as const, "here" as const, "there" as const),
});

/** A talk of the agent's with somebody, in numbers. */
const plannedTalk = fc.record({
  where: fc.nat(63),
  who: fc.nat(7),
  words: fc.nat(63),
  isAnywhere: fc.boolean(),
  /** Only in the other world, where it may not be known. */
  isOnlyThere: fc.boolean(),
});

export const memories = fc.record({
  facts: fc.array(plannedFact, { maxLength: 6 }),
  talks: fc.array(plannedTalk, { maxLength: 4 }),
});

type Memories = typeof memories extends fc.Arbitrary<infer Value> ? Value : never;
type PlannedFact = Memories["facts"][number];
type PlannedTalk = Memories["talks"][number];

/** What is remembered in each of two worlds, as it was decided and confirmed before. */
export interface PlannedMemory {
  readonly here: readonly (RememberRequest | null)[];
  readonly there: readonly (RememberRequest | null)[];
  /** How many differ. */
  readonly differences: number;
}

/** Marks what was remembered, and what was said in a talk. */
export const SHOWN_FACT = /\bfv\d/;
export const SHOWN_TALK = /\btk\d/;

/** The same in both worlds, but for what some reader of the answers may not know in either. */
export function planFacts(
  facts: readonly PlannedFact[],
  [first, second]: readonly [PlainWorld, PlainWorld],
  scene: Scene,
): PlannedMemory {
  const here: (RememberRequest | null)[] = [];
  const there: (RememberRequest | null)[] = [];
  let differences = 0;
  for (const [index, one] of facts.entries()) {
    const request = toRequest(one, index, { world: first, scene });
    const isHidden = [first, second].every((world) => request && isHiddenFrom(world, scene, request));
    if (isHidden) differences += 1;
    here.push(isHidden && one.difference === "there" ? null : request);
    const other = request && { ...request, value: `${request.value} other` };
    there.push(!isHidden ? request : one.difference === "here" ? null : other);
  }
  return { here, there, differences };
}

/** Whom it is about, or who told it. */
export function ownerOf({ owner }: PlannedFact, { actor }: Scene): string {
  return owner > 5 ? actor : personId(owner);
}

function toRequest(
  fact: PlannedFact,
  index: number,
  { world, scene }: { world: PlainWorld; scene: Scene },
): RememberRequest | null {
  const { key, kind, where, isElsewhere } = fact;
  const own = isElsewhere ? undefined : world.guilds.find(({ id }) => id === scene.origin.guild?.id);
  const guild = own ?? world.guilds[where % world.guilds.length];
  const channel = guild?.channels[where % Math.max(1, guild.channels.length)];
  if (!guild || !channel) return null;
  const subject = ownerOf(fact, scene) as UserId;
  const [message] = world.messages.get(channel.id) ?? [];
  const typed = { type: "typed", ref: "1", isOwn: true, authorId: null, words: "" } as const;
  const isOnMessage = kind === 4 && message !== undefined;
  const basis = isOnMessage
    ? {
        ...{ type: "discord_message" as const, ref: `${channel.id}/${message.id}`, isOwn: false },
        ...{ authorId: message.authorId as UserId, words: message.content },
      }
    : typed;
  const homes: readonly FactHome[] = [
    { kind: "person", id: subject },
    { kind: "guild", id: guild.id as GuildId },
    { kind: "channel", id: channel.id as ChannelId },
  ];
  const home = homes[kind === 0 ? 0 : kind === 3 || kind === 5 ? 2 : 1] as FactHome;
  const isProject = kind === 5;
  return {
    scope: isProject ? "project" : "user",
    scopeId: isProject ? channel.id : subject,
    subjectId: isProject ? null : subject,
    guildId: home.kind === "person" ? null : (guild.id as GuildId),
    visibility: home.kind === "person" ? "private" : home.kind === "guild" ? "org" : "project",
    home,
    name: WORDS[key] ?? "tide",
    value: `fv${index} ${WORDS[(key + where) % WORDS.length]}`,
    basis: [basis],
    createdBy: subject,
    verification: "user_confirmed",
    confidence: 1,
    expiresAt: null,
    ends: [],
  };
}

/** Whether somebody reads the answers who may not know it. */
function isHiddenFrom(world: PlainWorld, scene: Scene, { home, basis }: RememberRequest): boolean {
  const origin = placeOf(world, scene.origin.id);
  const members = scene.isPrivate ? [] : (origin?.guild?.members ?? []);
  const others = members.filter(({ id, bot }) => !bot && origin && sees(origin, id)).map(({ id }) => id);
  const channels = basis.flatMap(({ type, ref }) => (type === "discord_message" ? [ref.split("/")[0] ?? ""] : []));
  const mayKnow = (person: string) => {
    const inChannel = (id: string) => {
      const place = placeOf(world, id);
      return place !== undefined && reads(place, person);
    };
    if (!channels.every(inChannel)) return false;
    if (home.kind === "person") return home.id === person;
    if (home.kind === "channel") return inChannel(home.id);
    return world.guilds.some(({ id, members: all }) => id === home.id && all.some((member) => member.id === person));
  };
  return ![scene.actor, ...others].every(mayKnow);
}

/** Adds talks to a world: where they may be known as often as where they may not. How many were added. */
export function addTalks(
  world: PlainWorld,
  talks: readonly PlannedTalk[],
  { isVisible, isWanted }: { isVisible: Visibility; isWanted(talk: PlannedTalk, place: PlainPlace): boolean },
): number {
  const all = placesOf(world);
  const visible = all.filter(({ id }) => isVisible(world, id));
  let count = 0;
  for (const [index, talk] of talks.entries()) {
    const places = talk.isAnywhere || visible.length === 0 ? all : visible;
    const place = places[talk.where % Math.max(1, places.length)];
    if (!place || !isWanted(talk, place)) continue;
    const partner = place.personId ?? partnerIn(place, talk.who);
    if (partner === undefined) continue;
    const word = WORDS[talk.words % WORDS.length];
    const line = (number: number, authorId: string, content: string, replyTo: string | null): PlainMessage => ({
      ...{ id: messageId(300 + index * 4 + number, talk.isOnlyThere ? 1 : 0), authorId, content },
      ...{ edited: false, replyTo, file: false },
    });
    const question = line(0, partner, `<@${BOT}> ${canary.text(place.id)} tk${index} ${word}?`, null);
    const answer = line(1, BOT, `tk${index} the ${word} is here`, question.id);
    world.messages.set(place.id, [...(world.messages.get(place.id) ?? []), question, answer]);
    count += 1;
  }
  return count;
}

/** Mostly the other bot, where there is one. */
function partnerIn({ guild }: PlainPlace, who: number): string | undefined {
  const others = guild?.members.filter(({ id }) => id !== BOT) ?? [];
  return (who < 6 ? others.find(({ bot }) => bot) : undefined)?.id ?? others[who % Math.max(1, others.length)]?.id;
}

/** The last person is a bot, in all servers. */
export function withOtherBot(world: PlainWorld): PlainWorld {
  const guilds = world.guilds.map((guild) => ({
    ...guild,
    members: guild.members.map((member) => (member.id === personId(5) ? { ...member, bot: true } : member)),
  }));
  return { ...world, guilds };
}

/** What the agent has heard of talks, the oldest first. Nobody is looked up for it. */
export function talkEvents(world: PlainWorld): { type: "message"; message: Message; addressed: true }[] {
  return placesOf(world)
    .flatMap((place) => (world.messages.get(place.id) ?? []).map((one) => ({ place, one })))
    .filter(({ one }) => one.webhook === undefined && (one.replyTo !== null || one.content.includes(`<@${BOT}>`)))
    .sort((a, b) => (BigInt(a.one.id) < BigInt(b.one.id) ? -1 : 1))
    .map(({ place, one }) => ({ type: "message", message: toMessage(place, one), addressed: true }));
}

/** What episodes need of a message. */
export function findMessage(world: PlainWorld, channelId: string, id: string): Message | undefined {
  const place = placeOf(world, channelId);
  const one = world.messages.get(channelId)?.find((each) => each.id === id);
  return place && one && toMessage(place, one);
}

function toMessage({ id, guild }: PlainPlace, one: PlainMessage): Message {
  const isBot = guild?.members.some((member) => member.id === one.authorId && member.bot) ?? one.authorId === BOT;
  const sentAt = Number(BigInt(one.id) >> 22n) + 1_420_070_400_000;
  return {
    message_id: one.id as MessageId,
    ...{ channel_id: id as ChannelId, guild_id: (guild?.id ?? null) as GuildId | null, thread_id: null, link: "" },
    author: { id: one.authorId as UserId, name: "", bot: isBot },
    ...{ ts: new Date(sentAt).toISOString(), edited_ts: null, kind: "text", attachments: [] },
    ...{ content: one.content, parts: toTypedParts(one.content) },
    reply_to: one.replyTo === null ? null : { message_id: one.replyTo as MessageId, state: "known" },
  };
}

/** A real memory in files of its own. Its clock is known only later. */
export async function openPlannedMemory() {
  const consent = createTestConsent();
  const parts = { clock: { now: () => 0 } };
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "earshot-agent-memory-"));
  const { memory, close } = await openMemoryIn(folder, { consent, clock: { now: () => parts.clock.now() } });
  return {
    memory,
    consent,
    /** Remembers, a second apart in both worlds whether or not there is something. */
    async fill(requests: readonly (RememberRequest | null)[], clock: { now(): number; ahead: number }): Promise<void> {
      parts.clock = clock;
      for (const request of requests) {
        clock.ahead += 1_000;
        if (request) await memory.remember(request);
      }
    },
    close() {
      close();
      rmSync(folder, { recursive: true });
    },
  };
}
