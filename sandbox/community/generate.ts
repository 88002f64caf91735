import type { ChannelPlan, Community, PersonPlan, PostPlan, RolePlan } from "./plan.ts";

export interface GenerateOptions {
  readonly seed: number;
  readonly messages: number;
  readonly people?: number;
  readonly channels?: number;
  readonly days?: number;
  /** A text to search for later: the oldest message of all, or the one with this index, counted from the oldest. */
  readonly needle?: { readonly text: string; readonly at: "oldest" | number };
}

/** A community of any size, the same for the same options. Its posts are generated lazily on every iteration, so that a million of them need no memory. */
export function generateCommunity(options: GenerateOptions): Community {
  const { seed, messages, days = 90 } = options;
  const needle = options.needle && { text: options.needle.text, index: toIndex(options.needle.at, messages) };
  const people = castOf(options.people ?? 40, days);
  const channels = roomsOf(options.channels ?? 12);
  const rooms = channels.filter(({ kind }) => kind === "text").map((channel) => toRoom(channel, people));
  const settings = { seed, messages, days, rooms, vocabulary: inventVocabulary(seed), ...(needle && { needle }) };
  return {
    guild: { name: `Generated ${seed}`, owner: "p0", everyone: ["ReadMessageHistory"] },
    people,
    roles: ROLES,
    channels,
    posts: { [Symbol.iterator]: () => generatePosts(settings) },
  };
}

interface Settings {
  readonly seed: number;
  readonly messages: number;
  readonly days: number;
  readonly rooms: readonly Room[];
  readonly vocabulary: readonly string[];
  readonly needle?: { readonly text: string; readonly index: number };
}

/** A channel and the people who may send in it, the most active first. */
interface Room {
  readonly channel: string;
  readonly speakers: readonly string[];
}

/** The state of a channel during one iteration. */
interface Talk {
  /** Keys of the latest posts that can be replied to. */
  readonly named: string[];
  thread?: { readonly key: string; readonly named: string[]; left: number };
}

const TEAMS = 4;
const MEMORY = 6;
const EMOJI = ["👍", "🎉", "😂", "❤️", "👀", "🐢"];

/** Highest first. */
const ROLES: readonly RolePlan[] = [
  { key: "staff", name: "Staff", permissions: ["ManageMessages", "ManageThreads", "ManageRoles"], hoist: true },
  ...Array.from({ length: TEAMS }, (_, index) => ({
    key: `team${index}`,
    name: `Team ${index + 1}`,
    mentionable: true,
  })),
  {
    key: "member",
    name: "Member",
    permissions: ["ViewChannel", "SendMessages", "SendMessagesInThreads", "CreatePublicThreads", "AddReactions"],
  },
];

function toIndex(at: "oldest" | number, messages: number): number {
  const index = at === "oldest" ? 0 : at;
  if (Number.isInteger(index) && index >= 0 && index < messages) return index;
  throw new RangeError(`The needle must lie among the ${messages} messages, not at ${index}`);
}

function castOf(count: number, days: number): PersonPlan[] {
  const bot = { key: "earshot", username: "earshot", displayName: "Earshot", bot: true, roles: ["member"] };
  const humans = Array.from({ length: count }, (_, index) => ({
    key: `p${index}`,
    username: `person.${index}`,
    displayName: `Person ${index}`,
    roles: ["member", `team${index % TEAMS}`, ...(index % 10 === 0 ? ["staff"] : [])],
    joinedDaysAgo: days + index,
  }));
  return [bot, ...humans];
}

/** Every fourth channel is private, in turn for a team and for the staff; the first is open to all. */
function roomsOf(count: number): ChannelPlan[] {
  const rooms = Array.from({ length: count }, (_, index): ChannelPlan => {
    const owner = index % 4 !== 3 ? undefined : index % 8 === 7 ? "staff" : `team${(index >> 3) % TEAMS}`;
    const room = {
      key: `c${index}`,
      name: index === 0 ? "general" : `room-${index}`,
      kind: "text",
      category: "rooms",
    } as const;
    if (owner === undefined) return room;
    return {
      ...room,
      overwrites: [
        { who: "everyone", deny: ["ViewChannel"] },
        { who: "member", deny: ["ViewChannel"] },
        { who: owner, allow: ["ViewChannel"] },
        { who: "person:earshot", allow: ["ViewChannel"] },
      ],
    };
  });
  return [{ key: "rooms", name: "Rooms", kind: "category" }, ...rooms];
}

function toRoom(channel: ChannelPlan, people: readonly PersonPlan[]): Room {
  const owners = (channel.overwrites ?? []).filter(
    ({ who, allow }) => allow !== undefined && !who.startsWith("person:"),
  );
  const owner = owners[0]?.who ?? "member";
  const speakers = people.filter(({ bot, roles }) => bot !== true && roles?.includes(owner)).map(({ key }) => key);
  return { channel: channel.key, speakers };
}

function* generatePosts(settings: Settings): Generator<PostPlan> {
  const chance = openChance(settings.seed);
  const talks = new Map<string, Talk>();
  for (let index = 0; index < settings.messages; index += 1) {
    const minutesAgo = timeOf(index + chance(), settings);
    const room = pick(index === settings.needle?.index ? settings.rooms.slice(0, 1) : settings.rooms, chance);
    const by = pick(room.speakers, chance);
    if (index === settings.needle?.index) {
      yield { minutesAgo, in: room.channel, by, text: settings.needle.text };
      continue;
    }
    const talk = talks.get(room.channel) ?? { named: [] };
    talks.set(room.channel, talk);
    yield speak({ index, minutesAgo, by, room, talk }, settings, chance);
  }
}

interface Turn {
  readonly index: number;
  readonly minutesAgo: number;
  readonly by: string;
  readonly room: Room;
  readonly talk: Talk;
}

function speak({ index, minutesAgo, by, room, talk }: Turn, settings: Settings, chance: Chance): PostPlan {
  const thread = talk.thread !== undefined && chance() < 0.3 ? talk.thread : undefined;
  const named = thread?.named ?? talk.named;
  const replyTo = named.length > 0 && chance() < 0.31 ? named[Math.floor(chance() * named.length)] : undefined;
  const opensThread = thread === undefined && talk.thread === undefined && chance() < 0.004;
  const key = opensThread || chance() < 0.2 ? `m${index}` : undefined;
  if (key !== undefined) named.push(key);
  if (named.length > MEMORY) named.shift();
  if (thread !== undefined) thread.left -= 1;
  if (thread?.left === 0) delete talk.thread;
  if (opensThread) talk.thread = { key: `t${index}`, named: [], left: 3 + Math.floor(chance() * 30) };
  const text = sentence(settings.vocabulary, chance);
  return {
    ...(key === undefined ? {} : { key }),
    minutesAgo,
    in: thread?.key ?? room.channel,
    by,
    text,
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(opensThread ? { thread: { key: `t${index}`, name: text.slice(0, 40) } } : {}),
    ...(chance() < 0.05 ? { reactions: { [pick(EMOJI, chance)]: [pick(room.speakers, chance)] } } : {}),
  };
}

/** Thirty-seconds of a minute are exact in binary and whole in milliseconds. */
function timeOf(position: number, { days, messages }: Settings): number {
  return Math.ceil(days * 1440 * (1 - position / messages) * 32) / 32;
}

function sentence(vocabulary: readonly string[], chance: Chance): string {
  const bell = chance() + chance() + chance() + chance() - 2;
  const length = Math.min(160, Math.max(1, Math.round(Math.exp(2 + bell * 1.5))));
  let text = pick(vocabulary, chance);
  for (let count = 1; count < length; count += 1) text += ` ${pick(vocabulary, chance)}`;
  return text;
}

type Chance = () => number;

/** Zipf: the item of rank r is about 1/r as frequent as the first. */
function pick<Item>(items: readonly Item[], chance: Chance): Item {
  const item = items[Math.floor((items.length + 1) ** chance()) - 1];
  if (item === undefined) throw new RangeError("There is nothing to pick from: too few people or channels");
  return item;
}

/** mulberry32: a small random generator with 32 bits of state, good enough for chat. */
function openChance(seed: number): Chance {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const COMMON =
  "the a to and i of it is that in you for on we this with have be not at so but was are they my as what if like just can do all there get no one or about up me out when would will now then know time more how your some think good see from make go really got had been here who them need boat work day still than want thing were yes right too could only by an very their well back take way did off over also even tide first should come much next today new after keep why her his two again".split(
    " ",
  );

function inventVocabulary(seed: number): readonly string[] {
  const chance = openChance(seed ^ 0x5eed);
  const part = (parts: readonly string[]) => parts[Math.floor(chance() * parts.length)] ?? "";
  const words = new Set(COMMON);
  while (words.size < 6_000) {
    const syllables = 1 + Math.floor(chance() * 3);
    let word = "";
    for (let count = 0; count < syllables; count += 1) word += part(ONSETS) + part(VOWELS);
    words.add(word + part(ENDINGS));
  }
  return [...words];
}

const ONSETS = [
  "b",
  "br",
  "c",
  "ch",
  "d",
  "dr",
  "f",
  "g",
  "gr",
  "h",
  "j",
  "k",
  "l",
  "m",
  "n",
  "p",
  "r",
  "s",
  "sh",
  "t",
  "v",
  "w",
];
const VOWELS = ["a", "e", "i", "o", "u", "ai", "ee", "oa"];
const ENDINGS = ["", "n", "r", "st", "ck", "ll", "ng", "t", "s", "m"];
