import type { Channel } from "../../src/domain/guild.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../../src/domain/ids.ts";
import type { Message } from "../../src/domain/message.ts";
import { type Grant, grantSchema } from "../../src/policy/grant.ts";
import { Lookups } from "../../src/policy/lookups.ts";
import type { Client } from "../../src/policy/operation.ts";
import { createOperations } from "../../src/policy/operations.ts";
import { rulesSchema } from "../../src/policy/rules.ts";
import type { AuditEntry } from "../../src/ports/audit-store.ts";
import type { Directory } from "../../src/ports/directory.ts";
import { Label } from "../../src/sources/label.ts";

export const SARAH = "1" as UserId;
export const MARK = "2" as UserId;
/** Sees what Sarah sees, but is known as a member only once Discord was asked. */
export const NINA = "3" as UserId;
export const GENERAL = "11" as ChannelId;
export const THREAD = "12" as ChannelId;
export const STAFF = "13" as ChannelId;
export const DM = "14" as ChannelId;
export const OTHERS_DM = "15" as ChannelId;
/** Known only once Discord was asked. */
export const ARCHIVED_THREAD = "16" as ChannelId;
export const GUILD = "9" as GuildId;

export const client = (name: string, grant: Partial<Grant> = {}): Client => ({
  name,
  grant: { ...grantSchema.parse({ guilds: "all", actors: "anyone" }), ...grant },
});

const thread = (id: ChannelId) => ({
  ...{ id, guildId: GUILD, parentId: GENERAL },
  thread: { ownerId: null, archived: false, members: null },
});

/** Two rooms that Sarah sees, one that she does not, and one message of hers. */
export function createOperationsWorld(rules: object = {}) {
  let now = 1_000_000;
  let minted = 0;
  let isReachable = true;
  let failure: Error | null = null;
  const channels = new Map<string, Partial<Channel>>([
    [GENERAL, { id: GENERAL, guildId: GUILD, parentId: null, thread: null }],
    [THREAD, thread(THREAD)],
    [STAFF, { id: STAFF, guildId: GUILD, parentId: null, thread: null }],
    [DM, { id: DM, kind: "dm", guildId: null, parentId: null, thread: null, recipients: [SARAH] }],
    [OTHERS_DM, { id: OTHERS_DM, kind: "dm", guildId: null, parentId: null, thread: null, recipients: [MARK] }],
  ]);
  const members = new Set([SARAH]);
  const learnt: string[] = [];
  const directory = {
    channel: (id: ChannelId) => channels.get(id),
    canView: (user: UserId, id: ChannelId) => members.has(user) && channels.has(id) && id !== STAFF,
    learn: async (user: UserId, id: ChannelId) => {
      learnt.push(`${user} ${id}`);
      if (failure) throw failure;
      if (id === ARCHIVED_THREAD) channels.set(id, thread(id));
      if (user === NINA && channels.has(id)) members.add(user);
    },
    guilds: () => [{ id: GUILD, available: isReachable }],
    people: () => [],
    isMeetingPeople: () => false,
    findPeople: async (_: GuildId, name: string) => {
      learnt.push(name);
      return [];
    },
    member: (_: GuildId, id: UserId) => (members.has(id) ? {} : undefined),
  } as unknown as Directory;
  const message = {
    message_id: "101" as MessageId,
    channel_id: THREAD,
    author: { id: SARAH },
    reply_to: { message_id: "100" as MessageId, state: "known" },
    content: "hello",
    parts: [{ kind: "typed", text: "hello" }],
    attachments: [],
  } as unknown as Message;
  const entries: AuditEntry[] = [];
  const clock = { now: () => now };
  const labels = new Map<string, Label>();
  const labelOf = (name: string) => {
    const label = labels.get(name) ?? new Label();
    labels.set(name, label);
    return label;
  };
  const operations = createOperations({
    directory,
    rules: rulesSchema.parse(rules),
    audit: { note: (entry) => void entries.push(entry) },
    clock,
    confined: { of: (name) => labelOf(name) },
    lookups: new Lookups(clock),
    mintId: () => `an-unguessable-id-${++minted}`,
    message: async (channelId, id) =>
      channelId === message.channel_id && id === message.message_id ? message : undefined,
    openDm: async (user) => `dm of ${user}` as ChannelId,
  });
  return {
    operations,
    entries,
    message,
    learnt,
    labelOf,
    /** The server becomes unavailable. */
    cutOff: () => {
      isReachable = false;
    },
    /** From now on, asking Discord fails with this. */
    failLearning: (error: Error) => {
      failure = error;
    },
    pass: (ms: number) => {
      now += ms;
    },
  };
}
