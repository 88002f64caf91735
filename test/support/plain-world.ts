/** Bit numbers in Discord's masks. */
export const MASK = {
  administrator: 1n << 3n,
  react: 1n << 6n,
  view: 1n << 10n,
  send: 1n << 11n,
  read: 1n << 16n,
  connect: 1n << 20n,
  manageThreads: 1n << 34n,
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
    ...guild.channels.map((channel) => ({ id: channel.id, guild, channel, thread: null, personId: null })),
    ...guild.threads.flatMap((thread) => {
      const channel = guild.channels.find(({ id }) => id === thread.parentId);
      return channel ? [{ id: thread.id, guild, channel, thread, personId: null }] : [];
    }),
  ]);
  const direct = world.dms.map(({ id, personId }) => ({ id, guild: null, channel: null, thread: null, personId }));
  return [...inGuilds, ...direct];
}

export function placeOf(world: PlainWorld, id: string): PlainPlace | undefined {
  return placesOf(world).find((place) => place.id === id);
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

export function copyWorld(world: PlainWorld): PlainWorld {
  return structuredClone(world);
}

/** The one file of a message; its id is minted right after the message's. */
export function fileOf(channelId: string, { id }: Pick<PlainMessage, "id">): { id: string; url: string } {
  const fileId = String(BigInt(id) + 1n);
  return { id: fileId, url: `https://cdn.discordapp.com/attachments/${channelId}/${fileId}/note.txt` };
}
