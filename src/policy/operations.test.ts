import { describe, expect, it } from "vitest";
import {
  ARCHIVED_THREAD,
  client,
  createOperationsWorld,
  DM,
  GENERAL,
  GUILD,
  MARK,
  NINA,
  OTHERS_DM,
  SARAH,
  STAFF,
  THREAD,
} from "../../test/support/operations-world.ts";
import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import { Label } from "../sources/label.ts";
import type { Grant } from "./grant.ts";

const MINUTE = 60_000;
/** How many ids of channels one person may give in a minute. */
const LOOKUPS = 60;

describe("an operation", () => {
  it("has its own label or a given one, and for a confined client always the client's label", async () => {
    const { operations, message, labelOf } = createOperationsWorld();
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

  it("fails to open with unavailable while the server is unavailable, for every channel id alike and only for members", async () => {
    const { operations, cutOff } = createOperationsWorld();
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
    const { operations, message } = createOperationsWorld();
    expect(operations.openFor(client("one"), message).label.integrity).toBe("trusted");
    const forward = { ...message, parts: [{ kind: "forward" as const, text: "see https://a.example" }] };
    const { label } = operations.openFor(client("one"), { ...forward, content: "see https://a.example" });
    expect(label.integrity).toBe("untrusted");
    expect([...label.of("message").keys()]).toEqual([message.message_id]);
    expect(label.hasLink("https://a.example")).toBe(true);
    const commented = { ...message, parts: [...message.parts, ...forward.parts] };
    expect(operations.openFor(client("one"), commented).label.integrity).toBe("untrusted");
  });

  it("is opened only for people the grant names, in channels that they can see and the operator allows", async () => {
    const { operations } = createOperationsWorld({ channels: { deny: [THREAD] } });
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

  it("can be opened in a thread, and for a member, that only Discord knows as yet", async () => {
    const { operations, learnt } = createOperationsWorld();
    const open = (actor: UserId, channelId: ChannelId) => operations.open(client("one"), { actor, channelId });
    expect((await open(SARAH, ARCHIVED_THREAD)).origin).toMatchObject({ guildId: GUILD, threadId: ARCHIVED_THREAD });
    expect((await open(NINA, GENERAL)).actor).toBe(NINA);
    expect(learnt).toEqual([`${SARAH} ${ARCHIVED_THREAD}`, `${NINA} ${GENERAL}`]);
  });

  it("is refused alike for hidden and absent channels when Discord cannot be asked, and still opened where all is known", async () => {
    const { operations, failLearning } = createOperationsWorld();
    const open = (channelId: ChannelId) => operations.open(client("one"), { actor: SARAH, channelId });
    failLearning(new EarshotError("unavailable", "Discord cannot be asked."));
    expect((await open(GENERAL)).origin.channelId).toBe(GENERAL);
    for (const id of [STAFF, ARCHIVED_THREAD]) await expect(open(id)).rejects.toMatchObject({ code: "not_found" });
    const fault = new TypeError("a fault of ours");
    failLearning(fault);
    for (const id of [GENERAL, STAFF]) await expect(open(id)).rejects.toBe(fault);
  });

  it("for somebody named by name is refused once a client had Discord look for too many names, and for no other client", async () => {
    const { operations, learnt, pass } = createOperationsWorld();
    const find = (name: string) =>
      operations.findActor(client(name), "nobody").then(
        () => "found",
        ({ code }) => code,
      );
    for (let count = 0; count < 120; count += 1) expect(await find("one")).toBe("not_found");
    learnt.length = 0;
    expect([await find("one"), learnt]).toEqual(["rate_limited", []]);
    expect([await find("other"), learnt]).toEqual(["not_found", ["nobody"]]);
    pass(60_000);
    expect(await find("one")).toBe("not_found");
  });

  it("is refused alike for hidden and absent channels once the actor has given too many ids, of which Discord is asked no more", async () => {
    const { operations, learnt, pass } = createOperationsWorld();
    const open = (actor: UserId, channelId: ChannelId) =>
      operations.open(client("one"), { actor, channelId }).then(
        () => "opened",
        ({ code }) => code,
      );
    for (let count = 0; count < LOOKUPS; count += 1) {
      expect(await open(SARAH, "99" as ChannelId)).toBe("not_found");
      expect(await open(NINA, "99" as ChannelId)).toBe("not_found");
    }
    learnt.length = 0;
    for (const id of [STAFF, ARCHIVED_THREAD, "99" as ChannelId]) expect(await open(SARAH, id)).toBe("rate_limited");
    expect(learnt).toEqual([`${SARAH} ${STAFF}`]);
    expect(await open(SARAH, GENERAL)).toBe("opened");
    // That this channel exists is known: only who Nina is has to be asked.
    expect(await open(NINA, GENERAL)).toBe("opened");
    pass(MINUTE);
    expect(await open(SARAH, ARCHIVED_THREAD)).toBe("opened");
  });

  it("can begin with a message only if the actor wrote it in that channel", async () => {
    const { operations, message } = createOperationsWorld();
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
    const { operations, message } = createOperationsWorld();
    const operation = operations.openFor(client("one"), message);
    expect(operation).toMatchObject({
      actor: SARAH,
      purpose: "answer",
      destination: { kind: "channel", channelId: THREAD },
      origin: { messageId: "101", parentMessageId: "100" },
    });
    expect(operation.label.integrity).toBe("trusted");
    expect(operations.beganWith("101" as MessageId, client("one"))).toBe(true);
    expect(operations.beganWith("101" as MessageId, client("two"))).toBe(false);
    expect(operations.beganWith("100" as MessageId, client("one"))).toBe(false);
    expect(operations.hasBegun("101" as MessageId)).toBe(true);
    expect(operations.hasBegun("100" as MessageId)).toBe(false);
  });

  it("is opened for a message in a channel that is not known, as one of no server and not private", () => {
    const { operations, message } = createOperationsWorld();
    const operation = operations.openFor(client("one"), { ...message, channel_id: "99" as ChannelId });
    expect(operation).toMatchObject({
      origin: { guildId: null, channelId: "99", threadId: null },
      destination: { kind: "channel", channelId: "99" },
      isAlwaysPrivate: false,
    });
  });

  it("has a nonce of its own, always of fifteen digits", () => {
    const { operations, message } = createOperationsWorld();
    const nonces = Array.from({ length: 100 }, () => operations.openFor(client("one"), message).nonce);
    for (const nonce of nonces) expect(nonce).toMatch(/^\d{15}$/);
    expect(nonces.some((nonce) => nonce.startsWith("0"))).toBe(true);
    expect(new Set(nonces).size).toBe(nonces.length);
  });

  it("can be narrowed permanently to the actor alone, and that is audited once", async () => {
    const { operations, entries } = createOperationsWorld();
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
    const { operations } = createOperationsWorld();
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
    const { operations, entries, message } = createOperationsWorld();
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

  it("is always private if it was opened so, and asks first only where that is wanted", async () => {
    const { operations } = createOperationsWorld();
    const one = client("one", { directMessages: true });
    const open = (more: object) => operations.open(one, { actor: SARAH, channelId: GENERAL, ...more });
    expect(await open({})).toMatchObject({ isAlwaysPrivate: false, asksFirst: false });
    expect(await open({ isPrivate: true, asksFirst: true })).toMatchObject({ isAlwaysPrivate: true, asksFirst: true });
    expect(await open({ channelId: DM })).toMatchObject({ isAlwaysPrivate: true });
    expect(await open({ channelId: OTHERS_DM })).toMatchObject({ isAlwaysPrivate: false });
  });
});
