import { randomBytes } from "node:crypto";
import type { ChannelId, GuildId, UserId } from "../src/domain/ids.ts";
import type { FactBasis } from "../src/domain/memory/fact.ts";
import {
  hashKeyName,
  hashSources,
  type SourceWithWords,
  subjectOf,
  toFactKeyName,
  toSubjectKeyName,
} from "../src/memory/key-ring.ts";
import { KEY_BYTES, NONCE_BYTES, toStoredFact } from "../src/memory/seal.ts";
import type { FactRow, FactStore, StoredFact } from "../src/ports/fact-store.ts";
import type { KeyStore } from "../src/ports/key-store.ts";
import { NOW } from "../test/support/plain-discord.ts";
import { BOT, MASK, type PlainWorld, TYPE } from "../test/support/plain-world.ts";
import { messageId } from "../test/support/random-community.ts";

/** The server in which calls are made; there are others, of which only facts are known. */
const GUILD = "1000";
const GUILDS = 50;
const MEMBERS = 5_000;
const CHANNELS = 20;
const MESSAGES = 50;
/** Facts that anybody in the server may hear. */
export const VISIBLE = 2_000;
/** In channels of the staff. */
const HIDDEN = 500;
/** Current ones of a person: private and shared. */
const PRIVATE = 11;
const SHARED = 3;
/** Earlier values of private ones. */
const SUPERSEDED = 2;
const PER_PERSON = PRIVATE + SHARED + SUPERSEDED;
/** Of people, projects and servers, so that there are so many facts for each person. */
export const FACTS_PER_PERSON = 20;
const BATCH = 100_000;

export const mintId = () => randomBytes(18).toString("hex");
export const idOf = (person: number) => String(800_000_000_000_000_000n + BigInt(person)) as UserId;
const channelOf = (guild: number, index: number) => String(4_000 + guild * 1_000 + index) as ChannelId;
/** One that nobody can read any more. */
const goneChannelOf = (person: number) => String(9_000_000 + person);
const staffChannelOf = (guild: number) => channelOf(guild, CHANNELS);
const guildOf = (guild: number) => String(Number(GUILD) + guild) as GuildId;
export const HERE = { guildId: guildOf(0), channelId: channelOf(0, 0) };
/** One of the members, who may ask here. */
export const memberAt = (index: number) => idOf((index * 7_919) % MEMBERS);

const THINGS = ["berth", "regatta", "engine", "crew", "harbour", "kitchen", "budget", "meeting", "key", "sail"];
const PLACES = ["north pier", "club house", "boat shed", "slipway", "office", "fuel dock", "marina", "workshop"];
const pick = (from: readonly string[], index: number) => from[index % from.length] ?? "";

/** A sentence of the usual length. */
export function sentenceOf(index: number): string {
  return `the ${pick(THINGS, index)} number ${index % 977} is at the ${pick(PLACES, index >> 3)}, ask person ${index % 499}`;
}

export function saidIn(channel: number, index: number): { readonly id: string; readonly content: string } {
  return {
    id: messageId(channel * MESSAGES + index),
    content: `about the ${pick(THINGS, index)}: ${sentenceOf(index)}`,
  };
}

/** A server with so many members, open channels in which things were said, and one of the staff. */
export function describeHarbour(): PlainWorld {
  const usual = MASK.view | MASK.read | MASK.send;
  const describeChannel = (id: string, isOpen: boolean) => ({
    ...{ id, type: TYPE.text, name: `channel-${id}`, topic: null, position: 0, ageRestricted: false },
    overwrites: isOpen
      ? []
      : [
          { id: GUILD, type: 0 as const, allow: 0n, deny: MASK.view },
          { id: BOT, type: 1 as const, allow: MASK.view, deny: 0n },
        ],
  });
  const open = Array.from({ length: CHANNELS }, (_, index) => describeChannel(channelOf(0, index), true));
  const people = Array.from({ length: MEMBERS }, (_, index) => idOf(index) as string);
  const messages = open.map(({ id }, channel) => {
    const said = Array.from({ length: MESSAGES }, (_, index) => saidIn(channel, index));
    const written = said.map((one, index) => ({
      ...one,
      authorId: idOf(index),
      edited: false,
      replyTo: null,
      file: false,
    }));
    return [id, written] as const;
  });
  return {
    guilds: [
      {
        ...{ id: GUILD, name: "harbour", ownerId: "3000", threads: [], isDown: false },
        roles: [{ id: GUILD, name: "@everyone", permissions: usual }],
        members: ["3000", ...people, BOT].map((id) => ({ id, bot: id === BOT, nick: `nick${id}`, roles: [] })),
        channels: [...open, describeChannel(staffChannelOf(0), false)],
      },
    ],
    dms: [],
    messages: new Map(messages),
  };
}

interface Draft {
  readonly scope: Pick<FactRow, "scope_type" | "scope_id">;
  readonly place: Pick<FactRow, "guild_id" | "audience_ref" | "visibility">;
  readonly createdBy: UserId;
  readonly sources: readonly SourceWithWords[];
  readonly name: string;
  readonly index: number;
  /** How many earlier values it has. */
  readonly superseded?: number;
}

const PRIVATELY = { guild_id: null, audience_ref: null, visibility: "private" } as const;
const typed = (index: number): SourceWithWords => toSource("typed", `${10 ** 6 + index}`, "", true);

function toSource(type: FactBasis["type"], ref: string, words = "", isOwn = false): SourceWithWords {
  return { type, ref, words, isOwn };
}

/** Of people, each with some that are private, some that are shared in their server, and earlier values. */
function* draftPeople(people: number): Generator<Draft> {
  for (let person = 0; person < people; person += 1) {
    const [id, guild] = [idOf(person), 1 + (person % (GUILDS - 1))];
    const about = { scope: { scope_type: "user", scope_id: id }, createdBy: id } as const;
    for (let index = 0; index < PRIVATE; index += 1) {
      const more =
        index % 3 === 0 ? [toSource("discord_message", `${goneChannelOf(person)}/${index}`, "words", true)] : [];
      const superseded = index === 0 ? SUPERSEDED : 0;
      const sources = [typed(index), ...more];
      yield { ...about, place: PRIVATELY, sources, name: `private ${index}`, index: person + index, superseded };
    }
    for (let index = 0; index < SHARED; index += 1) {
      const channel = channelOf(guild, index);
      const place = { guild_id: guildOf(guild), audience_ref: `channel:${channel}`, visibility: "project" } as const;
      const sources = [typed(index), toSource("discord_channel", channel)];
      yield { ...about, place, sources, name: `shared ${index}`, index: person + index };
    }
  }
}

/** Of one server and the projects in it; every fifth was in a channel of the staff when that is wanted. */
function* draftGuild(guild: number, { open, hidden }: { open: number; hidden: number }): Generator<Draft> {
  const guild_id = guildOf(guild);
  for (let index = 0; index < open + hidden; index += 1) {
    const createdBy = idOf(index % 50);
    const isOfServer = index % 4 === 0 && index < open;
    const channel = index < open ? index % CHANNELS : CHANNELS;
    const home = channelOf(guild, channel);
    const said = saidIn(channel, Math.floor(index / CHANNELS) % MESSAGES);
    const onMessage =
      index % 10 === 3 && index < open ? [toSource("discord_message", `${home}/${said.id}`, said.content)] : [];
    yield {
      scope: isOfServer ? { scope_type: "org", scope_id: guild_id } : { scope_type: "project", scope_id: home },
      place: isOfServer
        ? { guild_id, audience_ref: `guild:${guild_id}`, visibility: "org" }
        : { guild_id, audience_ref: `channel:${home}`, visibility: "project" },
      createdBy,
      sources: [typed(index), ...(isOfServer ? [] : [toSource("discord_channel", home)]), ...onMessage],
      name: `${pick(THINGS, index)} ${index}`,
      index,
      superseded: index % 10 === 0 ? 1 : 0,
    };
  }
}

function* draftAll(people: number): Generator<Draft> {
  yield* draftPeople(people);
  yield* draftGuild(0, { open: VISIBLE, hidden: HIDDEN });
  const others = people * (FACTS_PER_PERSON - PER_PERSON) - (VISIBLE + HIDDEN) * 1.1;
  for (let guild = 1; guild < GUILDS; guild += 1)
    yield* draftGuild(guild, { open: Math.max(0, Math.round(others / (GUILDS - 1) / 1.1)), hidden: 0 });
}

/** Sealed with real keys, past the vault, which writes one fact at a time; how many there are. */
export async function fillStores(
  people: number,
  { facts, keys }: { facts: FactStore; keys: KeyStore },
): Promise<number> {
  const subjects = new Map<string, Uint8Array>();
  let newKeys = new Map<string, Uint8Array>();
  let add: StoredFact[] = [];
  let count = 0;
  const write = async () => {
    // In their order, so that SQLite does not jump about in a file that is larger than its cache.
    await keys.add(new Map([...newKeys].sort(([one], [other]) => (one < other ? -1 : 1))));
    await facts.change({ add });
    count += add.length;
    [newKeys, add] = [new Map(), []];
  };
  const seal = (draft: Draft, version: number) => {
    const { scope, place, sources, name, index } = draft;
    const subjectName = toSubjectKeyName(subjectOf({ ...scope, ...place }));
    const subjectKey = subjects.get(subjectName) ?? randomBytes(KEY_BYTES);
    if (!subjects.has(subjectName)) newKeys.set(subjectName, subjectKey);
    subjects.set(subjectName, subjectKey);
    const [id, key] = [mintId(), randomBytes(KEY_BYTES)];
    newKeys.set(toFactKeyName(id), key);
    const createdAt = NOW - 10 ** 9 + count + add.length;
    const row = {
      ...{
        ...scope,
        ...place,
        id,
        subject_id: scope.scope_type === "user" ? (scope.scope_id as UserId) : null,
      },
      ...{ key: hashKeyName(subjectKey, name), created_by: draft.createdBy, confidence: 1, version },
      ...{ verification_status: "user_confirmed" as const, expires_at: null },
      created_at: createdAt,
    };
    const content = { name, value: sentenceOf(index), authorMarks: sources.map(() => null) };
    const secrets = { key, storeId: keys.storeId, nonce: randomBytes(NONCE_BYTES) };
    add.push(toStoredFact({ row, sources: hashSources(key, sources), content }, secrets));
  };
  for (const draft of draftAll(people)) {
    for (let version = 1; version <= 1 + (draft.superseded ?? 0); version += 1) seal(draft, version);
    if (add.length >= BATCH) await write();
  }
  await write();
  return count;
}
