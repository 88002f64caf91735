import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { addReading } from "../../test/support/add-reading.ts";
import { client, createOperationsWorld, GENERAL, MARK, SARAH } from "../../test/support/operations-world.ts";
import type { MessageId, UserId } from "../domain/ids.ts";
import { Label } from "../sources/label.ts";
import type { Client } from "./operation.ts";

const MINUTE = 60_000;
const AGENT: Client = { ...client("agent"), postsAnswers: true };

/** The heap after a garbage collection. It runs a turn later: a WeakRef holds its target for the turn in which it is made. */
async function heapAfterCollection(): Promise<number> {
  await nextTurn();
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

describe("an operation", () => {
  it("of the agent's takes no memory once nobody works within it, however much was read", async () => {
    const { operations, message, entries } = createOperationsWorld();
    const answer = () => {
      const { label } = operations.openFor(AGENT, message);
      const read = Array.from({ length: 200 }, (_, index) => `${index} ${entries.length}`);
      for (const text of read)
        addReading(
          label,
          { messages: [{ messageId: text as MessageId, channelId: GENERAL, authorId: MARK, text }] },
          0,
        );
    };
    answer();
    const before = await heapAfterCollection();
    for (let count = 0; count < 100; count += 1) answer();
    expect(((await heapAfterCollection()) - before) / 100).toBeLessThan(20_000);
  });

  it("belongs to the client that opened it and expires after fifteen minutes", async () => {
    const { operations, pass, learnt } = createOperationsWorld();
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

  it("is evicted by later ones of the same client when that client opens too many, and never by another client's", () => {
    const { operations, message } = createOperationsWorld();
    const others = operations.openFor(client("quiet"), message);
    const first = operations.openFor(client("flood"), message);
    for (let count = 1; count < 2_000; count += 1) operations.openFor(client("flood"), message);
    expect(operations.find(first.id, client("flood"))).toBe(first);
    operations.openFor(client("flood"), message);
    expect(() => operations.find(first.id, client("flood"))).toThrow("no such operation");
    expect(operations.find(others.id, client("quiet"))).toBe(others);
  });

  it("no longer counts towards its client's maximum once it has expired", () => {
    const { operations, message, pass } = createOperationsWorld();
    for (let count = 0; count < 1_500; count += 1) operations.openFor(client("one"), message);
    pass(15 * MINUTE);
    const first = operations.openFor(client("one"), message);
    for (let count = 1; count < 1_500; count += 1) operations.openFor(client("one"), message);
    expect(operations.find(first.id, client("one"))).toBe(first);
  });

  it("counts as begun with its message while any operation of that client with that message is kept", async () => {
    const { operations, message, pass } = createOperationsWorld();
    const begun = () => [
      ...["one", "two"].map((name) => operations.beganWith(message.message_id, client(name))),
      operations.hasBegun(message.message_id),
    ];
    const dropExpired = () => operations.open(client("three"), { actor: SARAH, channelId: GENERAL });
    operations.openFor(client("one"), message);
    operations.openFor(client("two"), message);
    pass(10 * MINUTE);
    operations.openFor(client("one"), message);
    pass(5 * MINUTE);
    await dropExpired();
    expect(begun()).toEqual([true, false, true]);
    pass(10 * MINUTE);
    await dropExpired();
    expect(begun()).toEqual([false, false, false]);
  });

  it("does not count as begun with its message once its client has ended, unlike those of other clients", () => {
    const { operations, message } = createOperationsWorld();
    for (const name of ["one", "one", "two"]) operations.openFor(client(name), message);
    operations.endOf(["one"]);
    expect(operations.beganWith(message.message_id, client("one"))).toBe(false);
    expect(operations.beganWith(message.message_id, client("two"))).toBe(true);
    operations.endOf(["two"]);
    expect(operations.hasBegun(message.message_id)).toBe(false);
  });

  it("forgets what an erased author wrote, also if it was read before under a given label", async () => {
    const { operations, message } = createOperationsWorld();
    const read = (label: Label, id: string, authorId: UserId) =>
      addReading(label, { messages: [{ messageId: id as MessageId, channelId: GENERAL, authorId, text: "hello" }] }, 1);
    const given = new Label();
    read(given, "102", SARAH);
    await operations.open(client("one"), { actor: MARK, isPrivate: true }, given);
    const { label } = operations.openFor(client("two"), message);
    read(label, "103", SARAH);
    read(label, "104", MARK);
    operations.forgetWordsOf(SARAH);
    const texts = [given, label].flatMap((one) => [...one.of("message").values()].map(({ text }) => text));
    expect(texts).toEqual([null, null, "hello"]);
  });

  it("is evicted, oldest first, when there are more than 10,000 over all clients", () => {
    const { operations, message } = createOperationsWorld();
    const first = operations.openFor(client("c0"), message);
    for (let count = 1; count < 10_000; count += 1) operations.openFor(client(`c${count % 50}`), message);
    expect(operations.find(first.id, client("c0"))).toBe(first);
    operations.openFor(client("c51"), message);
    expect(() => operations.find(first.id, client("c0"))).toThrow("no such operation");
  });

  it("ends at once with its client, and those of other clients go on", async () => {
    const { operations, pass } = createOperationsWorld();
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
});
