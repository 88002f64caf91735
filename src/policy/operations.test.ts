import { describe, expect, it } from "vitest";
import type { Channel } from "../domain/guild.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import { Label } from "../domain/label.ts";
import type { Message } from "../domain/message.ts";
import type { AuditEntry } from "../ports/audit-store.ts";
import type { Directory } from "../ports/directory.ts";
import { type Grant, grantSchema } from "./grant.ts";
import { Lookups } from "./lookups.ts";
import type { Client } from "./operation.ts";
import { createOperations } from "./operations.ts";
import { rulesSchema } from "./rules.ts";

const MINUTE = 60_000;
const SARAH = "1" as UserId;
const MARK = "2" as UserId;
const GENERAL = "11" as ChannelId;
const THREAD = "12" as ChannelId;
const STAFF = "13" as ChannelId;
const DM = "14" as ChannelId;
const OTHERS_DM = "15" as ChannelId;
const GUILD = "9" as GuildId;

const client = (name: string, grant: Partial<Grant> = {}): Client => ({
  name,
  grant: { ...grantSchema.parse({ guilds: "all", actors: "anyone" }), ...grant },
});

/** Two rooms that Sarah sees, one that she does not, and one message of hers. */
function arrive(rules: object = {}) {
  let now = 1_000_000;
  let minted = 0;
  let isReachable = true;
  const channels = new Map<string, Partial<Channel>>([
    [GENERAL, { id: GENERAL, guildId: GUILD, parentId: null, thread: null }],
    [
      THREAD,
      { id: THREAD, guildId: GUILD, parentId: GENERAL, thread: { ownerId: null, archived: false, members: null } },
    ],
    [STAFF, { id: STAFF, guildId: GUILD, parentId: null, thread: null }],
    [DM, { id: DM, kind: "dm", guildId: null, parentId: null, thread: null, recipients: [SARAH] }],
    [OTHERS_DM, { id: OTHERS_DM, kind: "dm", guildId: null, parentId: null, thread: null, recipients: [MARK] }],
  ]);
  const learnt: string[] = [];
  const directory = {
    channel: (id: ChannelId) => channels.get(id),
    canView: (user: UserId, id: ChannelId) => user === SARAH && id !== STAFF,
    learn: async (user: UserId, id: ChannelId) => void learnt.push(`${user} ${id}`),
    guilds: () => [{ id: GUILD, available: isReachable }],
    member: (_: GuildId, id: UserId) => (id === SARAH ? {} : undefined),
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
  const parsed = rulesSchema.parse(rules);
  const labels = new Map<string, Label>();
  const labelOf = (name: string) => {
    const label = labels.get(name) ?? new Label();
    labels.set(name, label);
    return label;
  };
  const operations = createOperations({
    directory,
    rules: parsed,
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
    cutOff: () => {
      isReachable = false;
    },
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe("an operation", () => {
  it("has its own label or a given one, and for a confined client always the client's label", async () => {
    const { operations, message, labelOf } = arrive();
    const request = { actor: SARAH, channelId: GENERAL };
    const given = new Label();
    const [one, other] = [await operations.open(client("one"), request), await operations.open(client("one"), request)];
    expect(one.label).not.toBe(other.label);
    expect((await operations.open(client("one"), request, given)).label).toBe(given);
    const tied = client("tied", { confined: true });
    const all = [
      await operations.open(tied, request),
      await operations.open(tied, request, given),
      await operations.open(tied, { actor: SARAH, isPrivate: true }),
      operations.openFor(tied, message),
    ];
    for (const { label } of all) expect(label).toBe(labelOf("tied"));
    expect((await operations.open(client("other", { confined: true }), request)).label).toBe(labelOf("other"));
  });

  it("belongs to the client that opened it and expires after fifteen minutes", async () => {
    const { operations, pass, learnt } = arrive();
    const { id } = await operations.open(client("one"), { actor: SARAH, channelId: GENERAL });
    expect(operations.find(id, client("one")).actor).toBe(SARAH);
    expect(() => operations.find(id, client("two"))).toThrow(
      expect.objectContaining({ code: "not_found", message: "There is no such operation, or it has expired." }),
    );
    expect(() => operations.find("another", client("one"))).toThrow("no such operation");
    pass(15 * MINUTE - 1);
    expect(operations.find(id, client("one")).id).toBe(id);
    pass(1);
    expect(() => operations.find(id, client("one"))).toThrow("no such operation");
    expect(learnt).toEqual([`${SARAH} ${GENERAL}`]);
  });

  it("fails to open with unavailable while the server is unavailable, for every channel id alike and only for members", async () => {
    const { operations, cutOff } = arrive();
    const open = (actor: UserId, channelId: ChannelId) =>
      operations.open(client("one"), { actor, channelId }).then(
        () => "opened",
        ({ code, message }) => `${code}: ${message}`,
      );
    cutOff();
    expect(await open(SARAH, STAFF)).toMatch(/^unavailable: /);
    expect(await open(SARAH, "777" as ChannelId)).toBe(await open(SARAH, STAFF));
    expect(await open(MARK, STAFF)).toMatch(/^not_found: /);
  });

  it("counts its request as read when it contains other people's text, and not when it was only typed", async () => {
    const { operations, message } = arrive();
    expect(operations.openFor(client("one"), message).label.integrity).toBe("trusted");
    const forward = { ...message, parts: [{ kind: "forward" as const, text: "see https://a.example" }] };
    const { label } = operations.openFor(client("one"), { ...forward, content: "see https://a.example" });
    expect(label.integrity).toBe("untrusted");
    expect([...label.messages.keys()]).toEqual([message.message_id]);
    expect(label.hasLink("https://a.example")).toBe(true);
  });

  it("is opened only for people the grant names, in channels that they can see and the operator allows", async () => {
    const { operations } = arrive({ channels: { deny: [THREAD] } });
    const words: string[] = [];
    const open = (grant: Partial<Grant>, actor: UserId, channelId: ChannelId) =>
      operations.open(client("one", grant), { actor, channelId }).then(
        () => "opened",
        ({ code, message }) => {
          words.push(message);
          return code;
        },
      );
    expect(await open({}, SARAH, GENERAL)).toBe("opened");
    expect(await open({ actors: [SARAH] }, SARAH, GENERAL)).toBe("opened");
    expect(await open({ actors: [MARK] }, SARAH, GENERAL)).toBe("forbidden");
    expect(await open({}, MARK, GENERAL)).toBe("not_found");
    expect(await open({}, SARAH, STAFF)).toBe("not_found");
    expect(await open({}, SARAH, THREAD)).toBe("not_found");
    expect(await open({ guilds: [] }, SARAH, GENERAL)).toBe("not_found");
    expect(await open({}, SARAH, "99" as ChannelId)).toBe("not_found");
    expect(new Set(words)).toEqual(
      new Set([
        "This client is not granted to act for that person.",
        "There is no such channel, or that person cannot see it.",
      ]),
    );
  });

  it("can begin with a message only if the actor wrote it in that channel", async () => {
    const { operations, message } = arrive();
    const open = (channelId: ChannelId, messageId: string) =>
      operations.open(client("one"), { actor: SARAH, channelId, messageId: messageId as MessageId });
    await expect(open(THREAD, "999")).rejects.toMatchObject({
      code: "not_found",
      message: "There is no such message, or that person did not write it.",
    });
    await expect(open(GENERAL, "101")).rejects.toMatchObject({ code: "not_found" });
    expect((await open(THREAD, "101")).origin).toEqual({
      guildId: GUILD,
      channelId: THREAD,
      threadId: THREAD,
      messageId: "101",
      parentMessageId: "100",
    });
    Object.assign(message, { reply_to: null });
    expect((await open(THREAD, "101")).origin.parentMessageId).toBeNull();
    Object.assign(message.author, { id: MARK });
    await expect(open(THREAD, "101")).rejects.toMatchObject({ code: "not_found" });
  });

  it("is opened for the author of a message that addresses the agent, with that channel as its destination", () => {
    const { operations, message } = arrive();
    const operation = operations.openFor(client("one"), message);
    expect(operation).toMatchObject({
      actor: SARAH,
      purpose: "answer",
      destination: { kind: "channel", channelId: THREAD },
      origin: { messageId: "101", parentMessageId: "100" },
    });
    expect(operation.label.integrity).toBe("trusted");
    expect(operation.nonce).toMatch(/^\d{15}$/);
    expect(operations.beganWith("101" as MessageId, client("one"))).toBe(true);
    expect(operations.beganWith("101" as MessageId, client("two"))).toBe(false);
    expect(operations.beganWith("100" as MessageId, client("one"))).toBe(false);
    expect(operations.hasBegun("101" as MessageId)).toBe(true);
    expect(operations.hasBegun("100" as MessageId)).toBe(false);
  });

  it("can be narrowed permanently to the actor alone, and that is audited once", async () => {
    const { operations, entries } = arrive();
    const request = { actor: SARAH, channelId: GENERAL };
    const operation = await operations.open(client("one"), request);
    expect(operation.destination).toEqual({ kind: "channel", channelId: GENERAL });
    operations.narrow(operation);
    operations.narrow(operation);
    expect(operation.destination).toEqual({ kind: "actor", channelId: GENERAL });
    expect(entries.map(({ kind, row }) => [kind, "name" in row ? `${row.name} ${row.detail_json}` : ""])).toEqual([
      ["operation", ""],
      ["event", "narrowed {}"],
    ]);
    const narrow = await operations.open(client("one"), { ...request, isPrivate: true });
    expect(narrow.destination).toEqual({ kind: "actor", channelId: GENERAL });
  });

  it("needs no channel when the answer is private", async () => {
    const { operations } = arrive();
    const operation = await operations.open(client("one"), { actor: SARAH, isPrivate: true });
    expect(operation).toMatchObject({
      destination: { kind: "actor", channelId: null },
      origin: { guildId: null, channelId: `dm of ${SARAH}`, messageId: null },
    });
    await expect(operations.open(client("one"), { actor: SARAH })).rejects.toMatchObject({
      message: "channel_id: is needed unless the answer is private.",
      code: "invalid",
    });
    const request = { actor: SARAH, isPrivate: true };
    await expect(operations.open(client("one", { actors: [] }), request)).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  it("is audited when it is opened", async () => {
    const { operations, entries, message } = arrive();
    operations.openFor(client("one"), message);
    await operations.open(client("two"), { actor: SARAH, channelId: GENERAL, isPrivate: true });
    expect(entries.map(({ row }) => row)).toMatchObject([
      {
        id: "an-unguessable-id-1",
        client: "one",
        actor_id: SARAH,
        guild_id: GUILD,
        channel_id: THREAD,
        thread_id: THREAD,
        message_id: "101",
        parent_message_id: "100",
        purpose: "answer",
        destination: THREAD,
        opened_at: 1_000_000,
        expires_at: 1_000_000 + 15 * MINUTE,
      },
      { client: "two", channel_id: GENERAL, thread_id: null, message_id: null, destination: "actor" },
    ]);
  });

  it("is evicted by later ones of the same client when that client opens too many, and never by another client's", () => {
    const { operations, message } = arrive();
    const others = operations.openFor(client("quiet"), message);
    const first = operations.openFor(client("flood"), message);
    for (let count = 1; count < 2_000; count += 1) operations.openFor(client("flood"), message);
    expect(operations.find(first.id, client("flood"))).toBe(first);
    operations.openFor(client("flood"), message);
    expect(() => operations.find(first.id, client("flood"))).toThrow("no such operation");
    expect(operations.find(others.id, client("quiet"))).toBe(others);
  });

  it("no longer counts towards its client's maximum once it has expired", () => {
    const { operations, message, pass } = arrive();
    for (let count = 0; count < 1_500; count += 1) operations.openFor(client("one"), message);
    pass(15 * MINUTE);
    const first = operations.openFor(client("one"), message);
    for (let count = 1; count < 1_500; count += 1) operations.openFor(client("one"), message);
    expect(operations.find(first.id, client("one"))).toBe(first);
  });

  it("is forgotten with everything that belongs to it when it has expired", () => {
    const { operations, message, pass } = arrive();
    operations.openFor(client("one"), message);
    operations.openFor(client("one"), message);
    pass(15 * MINUTE);
    operations.openFor(client("two"), message);
    expect(operations.beganWith("101" as MessageId, client("one"))).toBe(false);
    expect(operations.beganWith("101" as MessageId, client("two"))).toBe(true);
  });

  it("is evicted, oldest first, when there are more than 10,000 over all clients", () => {
    const { operations, message } = arrive();
    const first = operations.openFor(client("c0"), message);
    for (let count = 1; count < 10_000; count += 1) operations.openFor(client(`c${count % 50}`), message);
    expect(operations.find(first.id, client("c0"))).toBe(first);
    operations.openFor(client("c51"), message);
    expect(() => operations.find(first.id, client("c0"))).toThrow("no such operation");
  });
  it("ends at once with its client, and those of other clients go on", async () => {
    const { operations, pass } = arrive();
    const request = { actor: SARAH, channelId: GENERAL };
    const [first, second] = [
      await operations.open(client("one"), request),
      await operations.open(client("one"), request),
    ];
    const other = await operations.open(client("two"), request);
    const until = other.expiresAt;
    pass(MINUTE);
    operations.endOf(["one", "three"]);
    for (const ended of [first, second]) {
      expect(() => operations.find(ended.id, client("one"))).toThrow("no such operation");
      expect(ended.expiresAt).toBe(until - 14 * MINUTE);
    }
    expect(operations.find(other.id, client("two"))).toBe(other);
    expect(other.expiresAt).toBe(until);
  });

  it("is always private if it was opened so, and asks first only where that is wanted", async () => {
    const { operations } = arrive();
    const one = client("one", { directMessages: true });
    const open = (more: object) => operations.open(one, { actor: SARAH, channelId: GENERAL, ...more });
    expect(await open({})).toMatchObject({ isAlwaysPrivate: false, asksFirst: false });
    expect(await open({ isPrivate: true, asksFirst: true })).toMatchObject({ isAlwaysPrivate: true, asksFirst: true });
    expect(await open({ channelId: DM })).toMatchObject({ isAlwaysPrivate: true });
    expect(await open({ channelId: OTHERS_DM })).toMatchObject({ isAlwaysPrivate: false });
  });
});
