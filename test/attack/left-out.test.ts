import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { openConsent } from "../../src/memory/consent.ts";
import { toFactRecord } from "../../src/transports/kit/fact-record.ts";
import { messageId } from "../support/random-community.ts";
import { ADA, BO, CEM, PLACE, STAFF, smallWorld } from "../support/small-world.ts";
import { openWithMemory, toBasis } from "../support/with-memory.ts";
import { openSystem } from "./open-system.ts";

describe("right after somebody was left out,", () => {
  it("a search does not tell those who cannot read the channel that they had written there", async () => {
    const told = async (isWriting: boolean) => {
      const world = smallWorld();
      const post = (authorId: string, index: number) => ({
        ...{
          id: messageId(100 + index),
          authorId,
          content: `tide ${index}`,
          edited: false,
          replyTo: null,
          file: false,
        },
      });
      const numbers = Array.from({ length: 12 }, (_, index) => index);
      world.messages.set(
        PLACE.general,
        numbers.slice(0, 4).map((index) => post(CEM, index)),
      );
      const staff = numbers.map((index) => post(index < 4 ? ADA : BO, 20 + index));
      world.messages.set(
        PLACE.staff,
        staff.filter(({ authorId }) => isWriting || authorId !== BO),
      );
      const quota = { messagesPerChannel: 8, totalBytes: 10_000_000 };
      const { open, call, consent, readAhead, close } = openSystem({ readsAhead: true, quota }, world);
      await readAhead();
      const operation = await open(CEM, PLACE.general);
      consent.set(BO, true);
      const { ok, value } = (await call(operation, "search_messages", { query: "tide", limit: 1 })) as {
        ok: boolean;
        value?: { cursor: string; coverage: unknown; still_reading: boolean };
      };
      await close();
      return { ok, cursor: value?.cursor, coverage: value?.coverage, isReading: value?.still_reading };
    };
    expect(await told(true)).toEqual(await told(false));
  });

  it("progress does not tell that there was no room for a message of theirs", async () => {
    const told = async (isWriting: boolean) => {
      const world = smallWorld();
      const more = { edited: false, replyTo: null, file: false };
      const post = (authorId: string, index: number) => {
        const content = authorId === BO ? "tide ".repeat(400) : "tide";
        return { ...more, id: messageId(100 + index), authorId, content };
      };
      const said = [CEM, BO, CEM].map(post);
      world.messages.set(
        PLACE.general,
        said.filter(({ authorId }) => isWriting || authorId !== BO),
      );
      const quota = { messagesPerChannel: 1_000, totalBytes: 20_000 };
      const { open, gate, consent, readAhead, close } = openSystem({ readsAhead: true, quota }, world);
      await readAhead();
      consent.set(BO, true);
      await readAhead();
      const operation = await open(CEM, PLACE.general);
      const heard: unknown[] = [];
      const call = { name: "search_messages", args: { query: "tide", channel: PLACE.general }, operation };
      await gate.callTool({ ...call, onProgress: (progress) => heard.push(progress) });
      await close();
      return heard;
    };
    expect(await told(true)).toEqual(await told(false));
  });
});

describe("a message of somebody who is left out,", () => {
  it("looked for by its id alone, leaves no trace in what a later refusal names", async () => {
    const told = async (isWriting: boolean) => {
      const world = smallWorld();
      const said = { id: messageId(300), authorId: BO, content: "tide", edited: false, replyTo: null, file: false };
      world.messages.set(PLACE.staff, isWriting ? [said] : []);
      const { open, call, consent, close } = openSystem({}, world);
      consent.set(BO, true);
      const operation = await open(ADA, PLACE.general, {}, { isPrivate: true });
      const looked = await call(operation, "get_message_context", { message_id: said.id });
      const refused = await call(operation, "discord.send", { channel: PLACE.general, text: "hello" });
      await close();
      return [looked, refused];
    };
    const [looked, refused] = await told(true);
    expect([looked, refused]).toEqual(await told(false));
    expect(refused).toMatchObject({ code: "forbidden" });
  });
});

describe("somebody who asks to be left out while they are being included again", () => {
  it("counts as left out from that moment on, without a moment in between", async () => {
    let goOn = () => {};
    const store = {
      load: async () => [],
      add: async () => {},
      remove: () =>
        new Promise<void>((resolve) => {
          goOn = resolve;
        }),
    };
    const clock = { now: () => 1 };
    const consent = await openConsent({
      store: store as never,
      markOf: (id) => `mark of ${id}`,
      byOperator: [],
      clock,
    });
    await consent.leaveOut(BO as UserId);
    const including = consent.include(BO as UserId);
    await new Promise((resolve) => setImmediate(resolve));
    const changes: boolean[] = [];
    const leaving = consent.leaveOut(BO as UserId);
    consent.listen(({ isLeftOut }) => changes.push(isLeftOut));
    goOn();
    await Promise.all([including, leaving]);
    expect(consent.stateOf(BO as UserId)).toBe("left_out");
    expect(changes).not.toContain(false);
  });
});

describe("a fact that rests on what somebody wrote who is left out", () => {
  it("is to its owner like one that rests on what they can no longer read", async () => {
    const listed: unknown[] = [];
    for (const why of ["left out", "out of reach"]) {
      const { keep, own, say, consent, join, directory } = await openWithMemory();
      const { id, content } = say(PLACE.staff, BO, "Ada may have berth four");
      join(ADA, [STAFF]);
      const basis = [toBasis({ channelId: PLACE.staff, id }, { words: content, authorId: BO })];
      await keep({ basis });
      const list = async () =>
        (await own.list(ADA as UserId)).map((one) => toFactRecord(one, { person: ADA as UserId, directory }));
      expect(await list()).toMatchObject([{ dormant: null, value: "Berlin" }]);
      if (why === "left out") consent.set(BO, true);
      else join(ADA, []);
      listed.push(
        (await list()).map(({ dormant, dormant_text, readable, value }) => [dormant, dormant_text, readable, value]),
      );
    }
    expect(listed[0]).toEqual(listed[1]);
    expect(listed[0]).toMatchObject([["source_out_of_reach", expect.any(String), false, null]]);
  });
});
