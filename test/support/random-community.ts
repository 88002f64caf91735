import fc from "fast-check";
import { NOW } from "./plain-discord.ts";
import {
  BOT,
  MASK,
  type PlainChannel,
  type PlainGuild,
  type PlainMessage,
  type PlainOverwrite,
  type PlainThread,
  type PlainWorld,
  placesOf,
  TYPE,
} from "./plain-world.ts";

const PEOPLE = 6;
const USUAL = MASK.view | MASK.read | MASK.send | MASK.react | MASK.connect | MASK.createThreads | MASK.sendInThreads;
const KINDS = [TYPE.text, TYPE.text, TYPE.text, TYPE.text, TYPE.voice, TYPE.announcement, TYPE.forum];
const EPOCH = 1_420_070_400_000;
const MINUTE = 60_000;

/** A program that speaks, and a person who is in no server. */
const HOOK = "8800";
const STRANGER = "3900";

export const WORDS = ["tide", "boat", "mast", "harbour", "Segel", "rope"];

export const personId = (index: number) => String(3_000 + (index % PEOPLE));

/** Words that stand in one place only, so that whoever says them has been there. */
export const canary = {
  text: (placeId: string) => `zq${placeId}x`,
  name: (placeId: string) => `nm${placeId}x`,
  topic: (placeId: string) => `tp${placeId}x`,
  guild: (guildId: string) => `gn${guildId}x`,
};

/** The id of the nth message of a world; there is room for others in between. */
export function messageId(index: number, offset = 0): string {
  return String((BigInt(NOW - EPOCH - (1_000 - index) * MINUTE) << 22n) + BigInt(offset));
}

const seldom = (of: number) => fc.nat(of).map((value) => value === 0);
const mask = fc.subarray([MASK.view, MASK.read, MASK.send, MASK.react, MASK.connect, MASK.manageThreads]).map(union);
const small = fc.nat(63);

const overwrite = fc.record({ who: small, allow: mask, deny: mask });
const said = fc.record({
  author: small,
  words: small,
  edited: seldom(4),
  mention: fc.option(fc.record({ kind: fc.nat(6), who: small }), { freq: 2 }),
  asks: seldom(3),
  isReply: seldom(3),
  file: seldom(3),
  /** 15: a webhook. 14: somebody who is no member. */
  speaker: fc.nat(15),
});
/** How much more was said there long ago: more than Discord gives at once, here and there. */
const past = fc.oneof(
  { weight: 30, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 150, max: 300 }) },
);
const says = fc.array(said, { maxLength: 5 });

const room = fc.record({
  kind: fc.nat(KINDS.length - 1),
  /** 0 to 2: open to all; 3 and 4: to the holders of a role; 5: as it happens. */
  door: fc.nat(5),
  key: small,
  overwrites: fc.array(overwrite, { maxLength: 3 }),
  ageRestricted: seldom(6),
  shutsBotOut: seldom(7),
  says,
  past,
});

const strand = fc.record({
  parent: small,
  isPrivate: fc.boolean(),
  members: small,
  hasBot: fc.nat(3).map((value) => value > 0),
  tellsMembers: fc.nat(4).map((value) => value > 0),
  isArchived: seldom(4),
  says,
});

const house = fc.record({
  everyone: fc.oneof({ weight: 5, arbitrary: fc.constant(USUAL) }, { weight: 1, arbitrary: mask }),
  roles: fc.array(fc.tuple(mask, seldom(8)), { minLength: 1, maxLength: 3 }),
  owner: small,
  members: fc.array(fc.option(small, { freq: 6 }), { minLength: PEOPLE, maxLength: PEOPLE }),
  otherBot: seldom(3),
  botManages: fc.boolean(),
  rooms: fc.array(room, { minLength: 2, maxLength: 4 }),
  strands: fc.array(strand, { maxLength: 3 }),
});

export const communities: fc.Arbitrary<PlainWorld> = fc
  .record({ houses: fc.tuple(house, house), letters: fc.array(fc.record({ who: small, says }), { maxLength: 2 }) })
  .map(({ houses, letters }) => {
    const guilds = houses.map(buildGuild);
    const dms = letters.map(({ who }, index) => ({ id: String(6_000 + index * 2), personId: personId(who) }));
    const isFirst = (dm: (typeof dms)[number]) => dms.find(({ personId: who }) => who === dm.personId) === dm;
    const world: PlainWorld = { guilds, dms: dms.filter(isFirst), messages: new Map() };
    const texts = new Map<string, Said[]>();
    const pasts = new Map<string, number>();
    for (const [index, { rooms, strands }] of houses.entries()) {
      for (const [number, one] of rooms.entries()) texts.set(channelId(index, number), one.says);
      for (const [number, one] of rooms.entries()) pasts.set(channelId(index, number), one.past);
      for (const [number, one] of strands.entries()) texts.set(threadId(index, number), one.says);
    }
    for (const [index, one] of letters.entries()) texts.set(String(6_000 + index * 2), one.says);
    fillIn(world, texts);
    fillPast(world, pasts);
    return world;
  });

type House = typeof house extends fc.Arbitrary<infer Value> ? Value : never;
type Said = typeof said extends fc.Arbitrary<infer Value> ? Value : never;
type Overwrite = typeof overwrite extends fc.Arbitrary<infer Value> ? Value : never;

const channelId = (guild: number, index: number) => String(4_000 + guild * 100 + index * 4);
const threadId = (guild: number, index: number) => String(5_000 + guild * 100 + index * 4);
const roleId = (guild: number, index: number) => String(2_000 + guild * 100 + index);

function union(bits: readonly bigint[]): bigint {
  return bits.reduce((all, bit) => all | bit, 0n);
}

function buildGuild(raw: House, index: number): PlainGuild {
  const id = String(1_000 + index);
  const botRole = roleId(index, 50);
  const roles = raw.roles.map(([permissions, isAdmin], number) => ({
    id: roleId(index, number),
    name: `role${index}${number}`,
    permissions: isAdmin ? permissions | MASK.administrator : permissions,
  }));
  const isIn = (held: number, number: number) => ((held >> number) & 1) === 1;
  const members = raw.members.flatMap((held, number) =>
    held === null
      ? []
      : [
          {
            id: personId(number),
            bot: raw.otherBot && number === PEOPLE - 1,
            nick: `nick${index}${number}`,
            roles: roles.filter((_, role) => isIn(held, role)).map((role) => role.id),
          },
        ],
  );
  const botPermissions = raw.botManages ? USUAL | MASK.manageThreads : USUAL;
  return {
    id,
    name: canary.guild(id),
    ownerId: personId(raw.owner),
    roles: [
      { id, name: "@everyone", permissions: raw.everyone },
      ...roles,
      { id: botRole, name: "bots", permissions: botPermissions },
    ],
    members: [...members, { id: BOT, bot: true, nick: "earshot", roles: [botRole] }],
    channels: raw.rooms.map((one, number) => buildRoom(one, { index, number, roles: roles.length })),
    threads: raw.strands.map((one, number): PlainThread => {
      const inside = members.filter((_, member) => isIn(one.members, member)).map((member) => member.id);
      return {
        id: threadId(index, number),
        type: one.isPrivate ? TYPE.privateThread : TYPE.publicThread,
        name: canary.name(threadId(index, number)),
        ownerId: inside[0] ?? personId(raw.owner),
        parentId: channelId(index, one.parent % raw.rooms.length),
        members: one.hasBot ? [...inside, BOT] : inside,
        tellsMembers: one.tellsMembers,
        isArchived: one.isArchived,
      };
    }),
    isDown: false,
  };
}

function buildRoom(
  raw: House["rooms"][number],
  { index, number, roles }: { index: number; number: number; roles: number },
): PlainChannel {
  const id = channelId(index, number);
  const everyone = String(1_000 + index);
  const named = raw.overwrites.map((one) => buildOverwrite(one, index, roles));
  const locked = [
    { id: everyone, type: 0 as const, allow: 0n, deny: MASK.view },
    { id: roleId(index, raw.key % roles), type: 0 as const, allow: MASK.view, deny: 0n },
    { id: roleId(index, 50), type: 0 as const, allow: USUAL, deny: 0n },
  ];
  const overwrites = raw.door < 3 ? named.slice(0, raw.door) : raw.door < 5 ? [...locked, ...named.slice(0, 1)] : named;
  const shut = { id: BOT, type: 1 as const, allow: 0n, deny: raw.key % 2 ? MASK.view : MASK.read };
  return {
    id,
    type: KINDS[raw.kind] ?? TYPE.text,
    name: canary.name(id),
    topic: raw.key % 3 === 0 ? canary.topic(id) : null,
    position: raw.key % 5,
    ageRestricted: raw.ageRestricted,
    overwrites: withoutDoubles(raw.shutsBotOut ? [...overwrites, shut] : overwrites),
  };
}

export function buildOverwrite({ who, allow, deny }: Overwrite, guild: number, roles: number): PlainOverwrite {
  const isMember = who % 2 === 0;
  const number = who >> 1;
  if (isMember) return { id: personId(number), type: 1, allow, deny };
  const id = number % (roles + 1) === roles ? String(1_000 + guild) : roleId(guild, number % (roles + 1));
  return { id, type: 0, allow, deny };
}

/** Discord keeps one overwrite for each role or person. */
function withoutDoubles(overwrites: readonly PlainOverwrite[]): PlainOverwrite[] {
  return [...new Map(overwrites.map((one) => [one.id, one])).values()];
}

/** Says what is said, all over the world in turns, so that ids of different places lie close together. */
function fillIn(world: PlainWorld, texts: ReadonlyMap<string, readonly Said[]>): void {
  const places = placesOf(world);
  let count = 0;
  for (let turn = 0; turn < 5; turn += 1) {
    for (const { id, guild, personId: other } of places) {
      const raw = texts.get(id)?.[turn];
      if (!raw) continue;
      const there = world.messages.get(id) ?? [];
      const speakers = guild ? guild.members.map((member) => member.id) : [other ?? BOT, BOT];
      const isHook = guild !== null && raw.speaker === 15;
      const isStranger = guild !== null && raw.speaker === 14;
      const member = speakers[raw.author % speakers.length] ?? BOT;
      const message: PlainMessage = {
        id: messageId(count),
        authorId: isHook ? HOOK : isStranger ? STRANGER : member,
        ...(isHook && { webhook: "hook" }),
        content: `${canary.text(id)} ${toText(raw, world)}`,
        edited: raw.edited,
        // The bot mostly answers.
        replyTo: raw.isReply || (member === BOT && raw.speaker % 4 > 0) ? (there.at(-1)?.id ?? null) : null,
        file: raw.file,
      };
      count += 1;
      world.messages.set(id, [...there, message]);
    }
  }
}

/** Says much more, of long before. */
function fillPast(world: PlainWorld, pasts: ReadonlyMap<string, number>): void {
  for (const [index, { id, guild }] of placesOf(world).entries()) {
    const speakers = guild?.members.map((member) => member.id) ?? [BOT];
    const older = Array.from(
      { length: pasts.get(id) ?? 0 },
      (_, number): PlainMessage => ({
        id: messageId(-1 - index - number * 32),
        authorId: speakers[number % speakers.length] ?? BOT,
        content: `${canary.text(id)} ${WORDS[number % WORDS.length]} past${number}`,
        edited: false,
        replyTo: null,
        file: number % 50 === 0,
      }),
    );
    if (older.length > 0) world.messages.set(id, [...older.reverse(), ...(world.messages.get(id) ?? [])]);
  }
}

/** Of each place the newest, and some of the others: what is worth being named. */
export function notableMessages(world: PlainWorld): { id: string; one: PlainMessage }[] {
  return [...world.messages].flatMap(([id, list]) =>
    list.filter((_, index) => index >= list.length - 6 || index % 50 === 0).map((one) => ({ id, one })),
  );
}

function toText({ words, mention, asks }: Said, world: PlainWorld): string {
  const text = `${WORDS.filter((_, bit) => (words >> bit) & 1).join(" ")}${asks ? "?" : ""}`;
  if (!mention) return text;
  // A question put to the bot, or a statement to it.
  if (mention.kind > 4) return `<@${BOT}> ${mention.kind === 5 ? "where is the" : "it is the"} ${text}`;
  const places = placesOf(world);
  const place = places[mention.who % places.length]?.id ?? "4000";
  const kinds = [
    `<#${place}>`,
    `<@${personId(mention.who)}>`,
    `<@&${roleId(mention.who % 2, 0)}>`,
    `https://example.org/${mention.who}`,
    `https://discord.com/channels/1000/${place}/${messageId(mention.who)}`,
  ];
  return `${text} ${kinds[mention.kind] ?? ""}`;
}
