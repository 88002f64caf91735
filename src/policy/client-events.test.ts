import { describe, expect, it } from "vitest";
import { createTestConsent } from "../../test/support/consent.ts";
import type { Channel } from "../domain/guild.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import { type Message, toTypedParts } from "../domain/message.ts";
import type { Directory } from "../ports/directory.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import { Label } from "../sources/label.ts";
import { ClientEvents } from "./client-events.ts";
import { type Grant, grantSchema } from "./grant.ts";
import type { Operations } from "./operations.ts";
import { rulesSchema } from "./rules.ts";

const [HOME, AWAY] = ["1", "2"] as [GuildId, GuildId];
const [GENERAL, FOREIGN, LETTERS, GONE, ROOM] = ["11", "22", "33", "99", "98"] as ChannelId[] as [
  ChannelId,
  ChannelId,
  ChannelId,
  ChannelId,
  ChannelId,
];
const BEGAN = "501" as MessageId;
const OTHER = "502" as MessageId;

const placeOf = (id: ChannelId, guildId: GuildId | null) => ({ id, guildId, parentId: null }) as Channel;
const channels = new Map([
  [GENERAL, placeOf(GENERAL, HOME)],
  [FOREIGN, placeOf(FOREIGN, AWAY)],
  [LETTERS, placeOf(LETTERS, null)],
]);

const said = (more: Partial<Message> = {}): Message => ({
  message_id: BEGAN,
  channel_id: GENERAL,
  guild_id: HOME,
  thread_id: null,
  link: "",
  author: { id: "7" as UserId, name: "ann", bot: false },
  ts: "2026-07-18T12:00:00.000Z",
  edited_ts: null,
  kind: "text",
  content: "see https://tides.example/today",
  parts: toTypedParts("see https://tides.example/today"),
  reply_to: null,
  attachments: [],
  ...more,
});

interface Heard {
  readonly grant?: Partial<Grant>;
  readonly rules?: object;
  readonly before?: readonly DiscordEvent[];
}

/** The content that a client receives from an event, and the label that a confined client then has. */
function hear(event: DiscordEvent, { grant = {}, rules = {}, before = [] }: Heard = {}) {
  const operations = {
    openFor: () => ({ id: "op" }),
    beganWith: (id: MessageId) => id === BEGAN,
    hasBegun: (id: MessageId) => id === BEGAN,
  } as unknown as Operations;
  const directory = { channel: (id: ChannelId) => channels.get(id) } as Directory;
  const label = new Label();
  const confined = { of: () => label };
  const clock = { now: () => 5 };
  const parsed = rulesSchema.parse(rules);
  const consent = createTestConsent(parsed.optOut.people);
  const clientEvents = new ClientEvents({ directory, operations, rules: parsed, consent, confined, clock });
  const client = { name: "test", grant: grantSchema.parse({ guilds: "all", ...grant }) };
  for (const earlier of before) clientEvents.note(earlier);
  const mayStillPush = event.type === "message" && clientEvents.mayStillPush(event, client);
  return { told: clientEvents.toClientEvent(event, client), label, mayStillPush };
}

const ALL = { grant: { events: "all" as const } };
const message = (more: Partial<Message> = {}, addressed = true): DiscordEvent => ({
  type: "message",
  message: said(more),
  addressed,
});

describe("a client's events", () => {
  it("are none when its grant says none", () => {
    expect(hear(message(), { grant: { events: "none" } }).told).toBeNull();
    expect(hear({ type: "connection", state: "ready" }, { grant: { events: "none" } }).told).toBeNull();
  });

  it("are none when it confirms for people, whatever its grant says", () => {
    for (const events of ["addressed", "all"] as const) {
      expect(hear(message(), { grant: { ...ALL.grant, events, confirm: true } }).told).toBeNull();
      expect(hear({ type: "connection", state: "ready" }, { grant: { events, confirm: true } }).told).toBeNull();
    }
  });

  it("include messages that address the agent, with an operation, and other messages only when its grant says all", () => {
    expect(hear(message()).told).toEqual({ name: "discord.message", payload: said(), operation_id: "op" });
    expect(hear(message({}, false)).told).toBeNull();
    expect(hear(message({}, false), ALL).told).toEqual({ name: "discord.message", payload: said() });
  });

  it("count as read when it is confined, and not otherwise", () => {
    const update: DiscordEvent = { type: "message_update", message: said() };
    for (const event of [message(), update]) {
      expect([...hear(event).label.channels]).toEqual([]);
      const { label } = hear(event, { grant: { confined: true } });
      expect([...label.channels]).toEqual([GENERAL]);
      expect([...label.of("message").keys()]).toEqual([BEGAN]);
      expect([...label.of("server")]).toEqual([]);
      expect(label.hasLink("https://tides.example/today")).toBe(true);
    }
  });

  it.each<[string, DiscordEvent, Heard]>([
    ["a place its grant does not cover", message(), { grant: { guilds: [AWAY] } }],
    ["a channel its grant does not cover", message(), { grant: { channels: [FOREIGN] } }],
    ["a place that the operator denies", message(), { rules: { guilds: { deny: [HOME] } } }],
    ["direct messages it was not granted", message({ channel_id: LETTERS, guild_id: null }), {}],
    ["an unknown place", message({ channel_id: GONE }), {}],
  ])("include nothing from %s", (_, event, heard) => {
    expect(hear(event, heard).told).toBeNull();
    expect(hear(event, { ...heard, grant: { ...heard.grant, events: "all" } }).told).toBeNull();
  });

  it("include edits, deletions and reactions of the messages that began its operations, or of all messages when its grant says all", () => {
    const update = (message_id: MessageId, more: Partial<Message> = {}): DiscordEvent => ({
      type: "message_update",
      message: said({ message_id, ...more }),
    });
    expect(hear(update(BEGAN)).told).toEqual({ name: "discord.message_update", payload: said() });
    expect(hear(update(OTHER)).told).toBeNull();
    expect(hear(update(OTHER), ALL).told).toMatchObject({ payload: { message_id: OTHER } });
    expect(hear(update(BEGAN, { channel_id: FOREIGN }), { grant: { guilds: [HOME] } }).told).toBeNull();
    const remove = (messageIds: MessageId[]): DiscordEvent => ({
      type: "message_delete",
      channelId: GENERAL,
      messageIds,
    });
    const gone = (message_ids: MessageId[]) => ({ channel_id: GENERAL, message_ids });
    expect(hear(remove([BEGAN, OTHER])).told).toEqual({ name: "discord.message_delete", payload: gone([BEGAN]) });
    expect(hear(remove([OTHER])).told).toBeNull();
    expect(hear(remove([OTHER]), ALL).told).toEqual({ name: "discord.message_delete", payload: gone([OTHER]) });
    const both = { name: "discord.message_delete_bulk", payload: gone([BEGAN, OTHER]) };
    expect(hear(remove([BEGAN, OTHER]), ALL).told).toEqual(both);
    const react = (messageId: MessageId): DiscordEvent => ({
      type: "reaction",
      action: "add",
      channelId: GENERAL,
      messageId,
      userId: "7" as UserId,
      emoji: "🐢",
    });
    const payload = { action: "add", channel_id: GENERAL, message_id: BEGAN, user_id: "7", emoji: "🐢" };
    expect(hear(react(BEGAN)).told).toEqual({ name: "discord.reaction", payload });
    expect(hear(react(OTHER)).told).toBeNull();
    expect(hear(react(OTHER), ALL).told).toMatchObject({ payload: { message_id: OTHER } });
  });

  it.each<[DiscordEvent, object]>([
    [
      { type: "channel", channelId: GENERAL },
      { name: "discord.channel", payload: { channel_id: GENERAL } },
    ],
    [
      { type: "channel_deleted", channelId: GONE, guildId: HOME, lineage: [GONE, ROOM] },
      { name: "discord.channel_deleted", payload: { channel_id: GONE, guild_id: HOME } },
    ],
    [
      { type: "access_lost", channelId: GONE, guildId: HOME, lineage: [GONE, ROOM] },
      { name: "discord.access_lost", payload: { channel_id: GONE, guild_id: HOME } },
    ],
    [
      { type: "guild", guildId: HOME },
      { name: "discord.guild", payload: { guild_id: HOME } },
    ],
    [
      { type: "guild_removed", guildId: HOME, channelIds: [GENERAL] },
      { name: "discord.guild_removed", payload: { guild_id: HOME } },
    ],
  ])("include changes of channels and servers only when its grant says all: $type", (event, told) => {
    expect(hear(event).told).toBeNull();
    expect(hear(event, ALL).told).toEqual(told);
    const unknown = { ...ALL.grant, guilds: [AWAY] };
    expect(hear(event, { grant: unknown }).told).toBeNull();
    expect(hear(event, { ...ALL, rules: { guilds: { allow: [AWAY] } } }).told).toBeNull();
    expect(hear(event, { ...ALL, rules: { guilds: { deny: [HOME] } } }).told).toBeNull();
    expect(hear(event, { grant: { ...ALL.grant, guilds: [HOME] }, rules: { guilds: { allow: [HOME] } } }).told).toEqual(
      told,
    );
  });

  it.each(["channel_deleted", "access_lost"] as const)(
    "include a channel that is gone only when the allow and deny lists permit it: %s",
    (type) => {
      const event: DiscordEvent = { type, channelId: GONE, guildId: HOME, lineage: [GONE, ROOM] };
      const grant = { events: "all" as const };
      expect(hear(event, { grant: { ...grant, channels: [GENERAL] } }).told).toBeNull();
      for (const channel of [GONE, ROOM]) {
        expect(hear(event, { grant: { ...grant, channels: [channel] } }).told).not.toBeNull();
        expect(hear(event, { grant, rules: { channels: { deny: [channel] } } }).told).toBeNull();
      }
      const unknown = { ...event, lineage: [] };
      expect(hear(unknown, { grant: { ...grant, directMessages: true } }).told).toBeNull();
      expect(hear(event, { grant, rules: { channels: { allow: [GENERAL] } } }).told).toBeNull();
      expect(hear(event, { grant, rules: { channels: { allow: [GONE] } } }).told).not.toBeNull();
      expect(hear(event, { grant, rules: { channels: { deny: [GONE] } } }).told).toBeNull();
    },
  );

  it("include nothing of people and channels that opted out, except their own requests", () => {
    const other = "8" as UserId;
    const react = (userId: UserId): DiscordEvent => {
      return { type: "reaction", action: "add", channelId: GENERAL, messageId: BEGAN, userId, emoji: "🐢" };
    };
    const later: DiscordEvent[] = [
      { type: "message_update", message: said() },
      { type: "message_delete", channelId: GENERAL, messageIds: [BEGAN] },
      react(other),
    ];
    for (const rules of [{ optOut: { people: ["7"] } }, { optOut: { channels: [GENERAL] } }]) {
      const before = [message({}, false)];
      expect(hear(message({}, false), { ...ALL, rules }).told).toBeNull();
      for (const event of later) {
        expect(hear(event, { ...ALL, before }).told).not.toBeNull();
        expect(hear(event, { ...ALL, rules, before }).told).toBeNull();
      }
      expect(hear(message(), { rules }).told).toMatchObject({ operation_id: "op" });
    }
    const both: DiscordEvent = { type: "message_delete", channelId: GENERAL, messageIds: [BEGAN, OTHER] };
    const rules = { optOut: { people: ["7"] } };
    const left = { channel_id: GENERAL, message_ids: [OTHER] };
    expect(hear(both, { ...ALL, rules, before: [message({}, false)] }).told).toMatchObject({ payload: left });
    expect(hear(react("7" as UserId), { ...ALL, rules }).told).toBeNull();
    expect(hear(react(other), { ...ALL, rules }).told).not.toBeNull();
    expect(
      hear(message({ author: { id: other, name: "bo", bot: false } }, false), { ...ALL, rules }).told,
    ).not.toBeNull();
  });

  it("include nothing of a channel that opted out, also of messages that came before Earshot was there", () => {
    const rules = { optOut: { channels: [GENERAL] } };
    const userId = "8" as UserId;
    const later: DiscordEvent[] = [
      { type: "message_delete", channelId: GENERAL, messageIds: [OTHER] },
      { type: "reaction", action: "add", channelId: GENERAL, messageId: OTHER, userId, emoji: "🐢" },
    ];
    for (const event of later) {
      expect(hear(event, ALL).told).not.toBeNull();
      expect(hear(event, { ...ALL, rules }).told).toBeNull();
    }
  });

  it("may still include a message that waited only while grant and rules cover its channel", () => {
    expect(hear(message()).mayStillPush).toBe(true);
    expect(hear(message(), { grant: { events: "none" } }).mayStillPush).toBe(false);
    expect(hear(message(), { grant: { guilds: [AWAY] } }).mayStillPush).toBe(false);
    expect(hear(message(), { rules: { channels: { deny: [GENERAL] } } }).mayStillPush).toBe(false);
  });

  it("include nothing from an unknown place, whatever its grant", () => {
    const orphan = { ...placeOf("41" as ChannelId, HOME), parentId: GONE, thread: {} } as Channel;
    const everywhere: Heard = { grant: { events: "all", directMessages: true } };
    for (const channelId of [GONE, orphan.id]) {
      const events: DiscordEvent[] = [
        message({ channel_id: channelId }),
        message({ channel_id: channelId }, false),
        { type: "message_update", message: said({ channel_id: channelId }) },
        { type: "message_update", message: said({ channel_id: channelId, guild_id: null }) },
        { type: "message_delete", channelId, messageIds: [BEGAN] },
        { type: "reaction", action: "add", channelId, messageId: BEGAN, userId: null, emoji: null },
        { type: "channel", channelId },
      ];
      channels.set(orphan.id, orphan);
      for (const event of events) {
        expect(hear(event).told).toBeNull();
        expect(hear(event, everywhere).told).toBeNull();
      }
      channels.delete(orphan.id);
    }
  });

  it("include the connection state, and gaps of the servers that it may know", () => {
    const state = { name: "discord.connection", payload: { state: "ready" } };
    expect(hear({ type: "connection", state: "ready" }).told).toEqual(state);
    const gap: DiscordEvent = { type: "gap", from: "a", to: "b", reason: "restart", guildIds: [HOME, AWAY], shard: 0 };
    const told = (guild_ids: GuildId[]) => ({
      name: "discord.gap",
      payload: { from: "a", to: "b", reason: "restart", guild_ids },
    });
    expect(hear(gap).told).toEqual(told([HOME, AWAY]));
    expect(hear(gap, { grant: { guilds: [AWAY] } }).told).toEqual(told([AWAY]));
    expect(hear(gap, { grant: { guilds: [] } }).told).toBeNull();
    expect(hear(gap, { grant: { guilds: [], directMessages: true } }).told).toEqual(told([]));
    expect(hear({ ...gap, shard: 1 }, { grant: { guilds: [], directMessages: true } }).told).toBeNull();
  });
});
