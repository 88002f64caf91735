/** Bit numbers in Discord's masks. */
export const MASK = {
  administrator: 1n << 3n,
  react: 1n << 6n,
  view: 1n << 10n,
  send: 1n << 11n,
  read: 1n << 16n,
  connect: 1n << 20n,
  manageThreads: 1n << 34n,
  createThreads: 1n << 35n,
  sendInThreads: 1n << 38n,
} as const;

export const TYPE = { text: 0, voice: 2, announcement: 5, publicThread: 11, privateThread: 12, forum: 15 } as const;
export const BOT = "999";

export interface PlainOverwrite {
  readonly id: string;
  /** 0 for a role, 1 for a member. */
  readonly type: 0 | 1;
  readonly allow: bigint;
  readonly deny: bigint;
}

interface PlainRole {
  readonly id: string;
  readonly name: string;
  permissions: bigint;
}

export interface PlainMember {
  readonly id: string;
  readonly bot: boolean;
  nick: string;
  roles: string[];
  /** Until when a moderator has silenced them. */
  timedOutUntil?: number;
}

export interface PlainChannel {
  readonly id: string;
  readonly type: number;
  name: string;
  topic: string | null;
  position: number;
  ageRestricted: boolean;
  overwrites: PlainOverwrite[];
}

export interface PlainThread {
  readonly id: string;
  readonly type: number;
  name: string;
  /** Who opened it; the owner of the server unless given. */
  readonly ownerId?: string;
  readonly parentId: string;
  /** Who has joined, the bot among them or not. */
  members: string[];
  /** Whether Discord says who is in it. */
  tellsMembers: boolean;
  /** Not told of at the start: found only by whoever asks for its id. */
  isArchived?: boolean;
}

export interface PlainMessage {
  readonly id: string;
  readonly authorId: string;
  content: string;
  edited: boolean;
  readonly replyTo: string | null;
  /** Whether a file hangs on it. */
  readonly file: boolean;
  /** Whatever else Discord says of it: embeds, forwarded messages, other files. */
  readonly raw?: Readonly<Record<string, unknown>>;
  /** The author is no person: a program that speaks under this name. */
  readonly webhook?: string;
}

export interface PlainGuild {
  readonly id: string;
  name: string;
  ownerId: string;
  /** The first is everyone's. */
  roles: PlainRole[];
  members: PlainMember[];
  channels: PlainChannel[];
  threads: PlainThread[];
  /** Discord itself cannot reach it. */
  isDown: boolean;
}

/** A whole Discord in plain lists. It knows no rule: who may do what is for others to say. */
export interface PlainWorld {
  guilds: PlainGuild[];
  dms: { readonly id: string; readonly personId: string }[];
  /** Of each channel, thread and DM, the oldest first. */
  messages: Map<string, PlainMessage[]>;
  /** Deleted channels and threads as they were last, in their servers as those are now. */
  deleted?: Map<string, PlainPlace>;
}

/** A channel, a thread in one, or a direct conversation. */
export interface PlainPlace {
  readonly id: string;
  readonly guild: PlainGuild | null;
  /** The channel itself, or the thread's parent. */
  readonly channel: PlainChannel | null;
  readonly thread: PlainThread | null;
  /** The other end of a DM. */
  readonly personId: string | null;
}

export function placesOf(world: PlainWorld): PlainPlace[] {
  const inGuilds = world.guilds.flatMap((guild): PlainPlace[] => [
    ...guild.channels.map((channel) => ofChannel(guild, channel)),
    ...guild.threads.flatMap((thread) => ofThread(guild, thread) ?? []),
  ]);
  return [...inGuilds, ...world.dms.map(ofDm)];
}

/** The same as one of all places, without making a list of them: properties ask for it all the time. */
export function placeOf(world: PlainWorld, id: string): PlainPlace | undefined {
  for (const guild of world.guilds) {
    const channel = guild.channels.find((one) => one.id === id);
    if (channel) return ofChannel(guild, channel);
    const thread = guild.threads.find((one) => one.id === id);
    const place = thread && ofThread(guild, thread);
    if (place) return place;
  }
  const dm = world.dms.find((one) => one.id === id);
  return dm && ofDm(dm);
}

function ofChannel(guild: PlainGuild, channel: PlainChannel): PlainPlace {
  return { id: channel.id, guild, channel, thread: null, personId: null };
}

/** Undefined for a thread whose channel is not there. */
function ofThread(guild: PlainGuild, thread: PlainThread): PlainPlace | undefined {
  const channel = guild.channels.find(({ id }) => id === thread.parentId);
  return channel && { id: thread.id, guild, channel, thread, personId: null };
}

function ofDm({ id, personId }: PlainWorld["dms"][number]): PlainPlace {
  return { id, guild: null, channel: null, thread: null, personId };
}

/** Deletes a channel with its threads, or a thread. */
export function removePlace(world: PlainWorld, id: string): void {
  const guild = placeOf(world, id)?.guild;
  if (!guild) return;
  world.deleted ??= new Map();
  for (const place of placesOf(world).filter((one) => one.id === id || one.thread?.parentId === id)) {
    const { channel, thread } = structuredClone({ channel: place.channel, thread: place.thread });
    world.deleted.set(place.id, { ...place, channel, thread });
    world.messages.delete(place.id);
  }
  guild.threads = guild.threads.filter((each) => each.id !== id && each.parentId !== id);
  guild.channels = guild.channels.filter((each) => each.id !== id);
}

/** Everything that may change is copied. By hand, which takes a tenth of the time of `structuredClone`. */
export function copyWorld(world: PlainWorld): PlainWorld {
  // Deleted places point to their servers, and the copies of both must do so too.
  if (world.deleted) return structuredClone(world);
  const messages = [...world.messages].map(([id, all]) => [id, all.map((one) => ({ ...one }))] as const);
  return { guilds: world.guilds.map(copyGuild), dms: [...world.dms], messages: new Map(messages) };
}

function copyGuild(guild: PlainGuild): PlainGuild {
  return {
    ...guild,
    roles: guild.roles.map((role) => ({ ...role })),
    members: guild.members.map((member) => ({ ...member, roles: [...member.roles] })),
    channels: guild.channels.map((channel) => ({ ...channel, overwrites: [...channel.overwrites] })),
    threads: guild.threads.map((thread) => ({ ...thread, members: [...thread.members] })),
  };
}

/** The one file of a message; its id is minted right after the message's. */
export function fileOf(channelId: string, { id }: Pick<PlainMessage, "id">): { id: string; url: string } {
  const fileId = String(BigInt(id) + 1n);
  return { id: fileId, url: `https://cdn.discordapp.com/attachments/${channelId}/${fileId}/note.txt` };
}
