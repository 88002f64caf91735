import { describe, expect, it } from "vitest";
import type { MessageId } from "../../src/domain/ids.ts";
import type { Read } from "../../src/ports/timelines.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import { until } from "../support/edge.ts";
import { count, openTestTimelines } from "../support/timelines.ts";
import { openTimelinesAndSearch } from "../support/timelines-and-search.ts";

const texts = ({ messages }: Read) => messages.map(({ content }) => content);
const numbers = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => `number ${from - index}`);

async function arrive(messages: number) {
  const test = await openTestTimelines();
  const ids = count(test.sandbox, "general", messages);
  await test.heard();
  const general = test.channel("general");
  const cold = test.openAnother();
  /** Starts a read whose page shows how things are now, lets something happen, and then lets the page arrive. */
  const during = async (read: () => Promise<Read>, happening: () => unknown): Promise<Read> => {
    test.answers.hold();
    const reading = read();
    reading.catch(() => {});
    await test.answers.waiting(1);
    await happening();
    test.answers.letGo();
    return reading;
  };
  return { ...test, ids, general, cold, during, sarah: test.sandbox.as("sarah") };
}

describe("a page of history that arrives late", () => {
  it("does not bring back messages that were deleted meanwhile", async () => {
    const { cold, during, general, sarah, ids, heard, pages, sandbox } = await arrive(5);
    const read = await during(
      () => cold.recent(general, { limit: 10 }),
      async () => {
        sarah.delete(ids[4] as string);
        sandbox.admin.bulkDelete([ids[0] as string, ids[1] as string]);
        await heard();
      },
    );
    expect(texts(read)).toEqual(numbers(4, 3));
    expect(texts(await cold.contains(general, "number", { limit: 10 }))).toEqual(numbers(4, 3));
    expect(pages()).toBe(1);
  });

  it("does not undo an edit", async () => {
    const { cold, during, general, sarah, ids, heard } = await arrive(2);
    const read = await during(
      () => cold.contains(general, "number", { limit: 10 }),
      async () => {
        sarah.edit(ids[1] as string, "changed my mind");
        await heard();
      },
    );
    expect(texts(read)).toEqual(["number 1"]);
    expect(texts(await cold.recent(general, { limit: 10 }))).toEqual(["changed my mind", "number 1"]);
  });

  it("does not hide messages that were sent meanwhile, which then need no request", async () => {
    const { cold, during, general, sarah, heard, pages } = await arrive(2);
    await during(
      () => cold.recent(general, { limit: 1 }),
      async () => {
        const third = sarah.say("general", "number 3");
        const fourth = sarah.say("general", "number 4");
        sarah.edit(third, "number 3!");
        sarah.delete(fourth);
        await heard();
      },
    );
    expect(texts(await cold.recent(general, { limit: 10 }))).toEqual(["number 3!", "number 2", "number 1"]);
    expect(pages()).toBe(1);
  });

  it("is discarded once the bot may no longer read the channel", async () => {
    const { cold, during, general, sandbox, edge } = await arrive(2);
    const read = during(
      () => cold.recent(general, { limit: 1 }),
      async () => {
        sandbox.admin.setOverwrite("general", "person:earshot", { deny: ["ReadMessageHistory"] });
        await edge.find("access_lost");
      },
    );
    await expect(read).rejects.toMatchObject({ code: "not_found" });
    expect(cold.stats().messages).toBe(0);
  });

  it("is fetched again when events were missed meanwhile", async () => {
    const { cold, during, general, sandbox, sarah, ids, edge, pages, heard } = await arrive(3);
    const read = await during(
      () => cold.recent(general, { limit: 10 }),
      async () => {
        sandbox.faults.refuseResume();
        sandbox.faults.cutSocket();
        sarah.delete(ids[2] as string);
        sarah.edit(ids[1] as string, "unheard");
        await edge.find("gap");
        await heard();
      },
    );
    expect(texts(read)).toEqual(["unheard", "number 1"]);
    expect(pages()).toBe(2);
    expect(texts(await cold.recent(general, { limit: 10 }))).toEqual(["unheard", "number 1"]);
    expect(pages()).toBe(2);
  });

  it("does not make a read return messages that were deleted or edited during the wait", async () => {
    const { cold, general, answers, sarah, ids, heard } = await arrive(150);
    const reading = cold.contains(general, "number 9", {
      limit: 100,
      onProgress: ({ scanned }) => void (scanned === 100 && answers.hold()),
    });
    await answers.waiting(1);
    sarah.delete(ids[148] as string);
    sarah.edit(ids[138] as string, "number 9, edited");
    sarah.edit(ids[128] as string, "edited");
    await heard();
    answers.letGo();
    expect(texts(await reading).slice(0, 2)).toEqual(["number 9, edited", "number 119"]);
  });

  it("makes a read start over when events were missed between two pages", async () => {
    const { cold, general, answers, sandbox, sarah, ids, edge, heard } = await arrive(150);
    let begun = 0;
    const reading = cold.contains(general, "number 9", {
      limit: 100,
      onProgress({ scanned }) {
        if (scanned !== 100) return;
        begun += 1;
        if (begun === 1) answers.hold();
      },
    });
    await answers.waiting(1);
    sandbox.faults.refuseResume();
    sandbox.faults.cutSocket();
    sarah.delete(ids[148] as string);
    await edge.find("gap");
    await heard();
    answers.letGo();
    expect(texts(await reading).slice(0, 2)).toEqual(["number 139", "number 129"]);
    expect(begun).toBe(2);
  });

  it("is never undone by an older edit that arrives later", async () => {
    const { cold, general, sandbox, sarah, ids, heard, edge } = await arrive(1);
    // Before anything happens: on a slow machine the edits arrive before the first read is answered.
    const seen: Promise<Read>[] = [];
    edge.discord.listen(({ type }) => {
      if (type === "message_update") seen.push(cold.recent(general, { limit: 1 }));
    });
    sandbox.faults.delayEvents(150);
    sarah.edit(ids[0] as string, "second thoughts");
    await new Promise((resolve) => setTimeout(resolve, 5));
    sarah.edit(ids[0] as string, "third thoughts");
    expect(texts(await cold.recent(general, { limit: 1 }))).toEqual(["third thoughts"]);
    await heard();
    const shown = (await Promise.all(seen)).map(texts);
    expect(shown).toEqual([["third thoughts"], ["third thoughts"]]);
  });

  it("is newer than events that arrive later still", async () => {
    const { cold, general, sandbox, sarah, heard, pages } = await arrive(1);
    sandbox.faults.delayEvents(150);
    const second = sarah.say("general", "number 2");
    sarah.edit(second, "number 2, corrected");
    expect(texts(await cold.recent(general, { limit: 10 }))).toEqual(["number 2, corrected", "number 1"]);
    await heard();
    sandbox.faults.clear();
    expect(texts(await cold.recent(general, { limit: 10 }))).toEqual(["number 2, corrected", "number 1"]);
    expect(pages()).toBe(1);
  });

  it("may have duplicates or be out of order, and reads are still right", async () => {
    const { edge, general } = await arrive(130);
    const { botId, directory } = edge.discord;
    const discord = {
      botId,
      directory,
      listen: edge.discord.listen.bind(edge.discord),
      lastHeardAt: () => edge.discord.lastHeardAt(),
      async history(...request: Parameters<typeof edge.discord.history>) {
        const { messages, isFull } = await edge.discord.history(...request);
        return { messages: [...messages.slice(50), ...messages.slice(0, 50), ...messages.slice(40, 60)], isFull };
      },
    };
    const clock = { now: () => Date.now() };
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const timelines = openTimelinesAndSearch({}, { discord, openIndex: openMessageIndex, clock, log });
    expect(texts(await timelines.recent(general, { limit: 100 }))).toEqual(numbers(130, 31));
    const all = await timelines.contains(general, "number", { limit: 100, scan: 500 });
    expect(texts(all)).toEqual(numbers(130, 31));
    const rest = await timelines.contains(general, "number", { limit: 100, scan: 500, cursor: all.cursor as string });
    expect(texts(rest)).toEqual(numbers(30, 1));
    await timelines.close();
  });
});

describe("concurrent reads of the same interval", () => {
  it("share one request", async () => {
    const { cold, general, answers, pages, ids } = await arrive(150);
    answers.hold();
    const reads = [
      ...Array.from({ length: 5 }, () => cold.recent(general, { limit: 50 })),
      cold.contains(general, "number 9", { limit: 3 }),
      cold.before(general, ids[120] as MessageId, { limit: 20 }),
    ];
    await answers.waiting(1);
    answers.letGo();
    const [first, ...others] = await Promise.all(reads);
    expect(texts(first as Read)).toEqual(numbers(150, 101));
    expect(others).toHaveLength(6);
    expect(pages()).toBe(1);
  });

  it("do not cancel each other", async () => {
    const { cold, general, answers, pages } = await arrive(10);
    answers.hold();
    const controller = new AbortController();
    const hasty = cold.recent(general, { limit: 5, signal: controller.signal });
    hasty.catch(() => {});
    const patient = cold.recent(general, { limit: 5 });
    await answers.waiting(1);
    controller.abort();
    await expect(hasty).rejects.toMatchObject({ code: "cancelled" });
    answers.letGo();
    expect(texts(await patient)).toEqual(numbers(10, 6));
    expect(pages()).toBe(1);
  });

  it("cancel the request once all have been cancelled, and the next read makes a new one", async () => {
    const { cold, general, answers, pages } = await arrive(10);
    answers.hold();
    const controller = new AbortController();
    const reads = [1, 2].map(() => cold.recent(general, { limit: 5, signal: controller.signal }));
    for (const read of reads) read.catch(() => {});
    await answers.waiting(1);
    controller.abort();
    for (const read of reads) await expect(read).rejects.toMatchObject({ code: "cancelled" });
    const next = cold.recent(general, { limit: 5 });
    answers.letGo();
    expect(texts(await next)).toEqual(numbers(10, 6));
    expect(pages()).toBe(2);
  });

  it("all fail when Discord does not answer, and the failure is not cached", async () => {
    const { cold, general, sandbox } = await arrive(10);
    sandbox.faults.failRest({ match: "/messages", status: 503, times: 10 });
    const reads = await Promise.allSettled([1, 2].map(() => cold.recent(general, { limit: 5 })));
    for (const read of reads) expect(read).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
    sandbox.faults.clear();
    expect(texts(await cold.recent(general, { limit: 5 }))).toEqual(numbers(10, 6));
  });

  it("do not block reads of other channels", async () => {
    const { cold, general, answers, channel } = await arrive(3);
    answers.hold();
    const reads = [cold.recent(general, { limit: 1 }), cold.recent(channel("news"), { limit: 1 })];
    await answers.waiting(2);
    answers.letGo();
    await Promise.all(reads);
  });

  it("end when the timelines are closed", async () => {
    const { cold, general, answers, edge } = await arrive(3);
    answers.hold();
    const reading = cold.recent(general, { limit: 1 });
    reading.catch(() => {});
    await answers.waiting(1);
    await cold.close();
    answers.letGo();
    await expect(reading).rejects.toMatchObject({ code: expect.stringMatching(/cancelled|not_found/) });
    await expect(cold.recent(general, { limit: 1 })).rejects.toMatchObject({ code: "unavailable" });
    await until(() => edge.discord.state === "ready", "the edge suffers");
  });
});
