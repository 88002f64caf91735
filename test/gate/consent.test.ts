import { describe, expect, it } from "vitest";
import { openSystem } from "../attack/open-system.ts";
import { ADA, BO, PLACE } from "../support/small-world.ts";

const HIS = "the wharf key is under the third stone";

function textsOf(outcome: unknown): string[] {
  const { value } = outcome as {
    value?: { messages?: { content: string }[]; hits?: { message: { content: string } }[] };
  };
  return [...(value?.messages ?? []), ...(value?.hits ?? []).map(({ message }) => message)].map(
    ({ content }) => content,
  );
}

describe("when somebody is left out while the program runs,", () => {
  it("their messages are gone from what is read and searched, and are back when they are included again", async () => {
    const { open, call, say, consent } = openSystem();
    say(PLACE.general, BO, HIS);
    const operation = await open(ADA, PLACE.general);
    const look = async () => [
      textsOf(await call(operation, "get_recent_messages", {})).includes(HIS),
      textsOf(await call(operation, "search_messages", { query: "wharf key" })).includes(HIS),
      textsOf(
        await call(operation, "discord.search.window", { channel_id: PLACE.general, query: "third stone" }),
      ).includes(HIS),
    ];
    expect(await look()).toEqual([true, true, true]);
    consent.set(BO, true);
    expect(await look()).toEqual([false, false, false]);
    consent.set(BO, false);
    expect(await look()).toEqual([true, true, true]);
  });

  it("what they write meanwhile is read once they are included again", async () => {
    const { open, call, say, consent } = openSystem();
    const operation = await open(ADA, PLACE.general);
    await call(operation, "get_recent_messages", {});
    consent.set(BO, true);
    say(PLACE.general, BO, HIS);
    expect(textsOf(await call(operation, "get_recent_messages", {}))).not.toContain(HIS);
    consent.set(BO, false);
    expect(textsOf(await call(operation, "get_recent_messages", {}))).toContain(HIS);
  });

  it("nothing that rests on their messages is sent any more, not even an answer in progress", async () => {
    const { open, call, say, consent, departures } = openSystem();
    say(PLACE.general, BO, HIS);
    const operation = await open(ADA, PLACE.general);
    await call(operation, "get_recent_messages", {});
    consent.set(BO, true);
    const outcome = await call(operation, "discord.send", { channel_id: PLACE.general, text: "under the third stone" });
    expect(outcome).toMatchObject({ ok: false, code: "forbidden" });
    expect(departures).toEqual([]);
  });

  it("an answer that read only others is sent", async () => {
    const { open, call, consent, departures } = openSystem();
    const operation = await open(ADA, PLACE.general);
    consent.set(BO, true);
    await call(operation, "get_recent_messages", {});
    const outcome = await call(operation, "discord.send", { channel_id: PLACE.general, text: "hello" });
    expect(outcome).toMatchObject({ ok: true });
    expect(departures).toHaveLength(1);
  });

  it("a call under way that has fetched their messages does not return them", async () => {
    let isWaiting = false;
    let goOn = () => {};
    const pause = () =>
      new Promise<void>((resolve) => {
        isWaiting = true;
        goOn = resolve;
      });
    const { open, call, consent } = openSystem({ pause });
    const operation = await open(ADA, PLACE.general);
    const asked = call(operation, "get_recent_messages", {});
    let isOver = false;
    void asked.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      if (!isWaiting) continue;
      isWaiting = false;
      consent.set(BO, true);
      goOn();
    }
    const texts = textsOf(await asked);
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((text) => text.endsWith("tide 1"))).toEqual([]);
  });

  it("events about what they write are pushed to nobody, except their own request to the agent", async () => {
    const { listen, say, consent } = openSystem();
    const told = listen({ events: "all" });
    consent.set(BO, true);
    say(PLACE.general, BO, HIS);
    expect(told).toEqual([]);
    consent.set(BO, false);
    say(PLACE.general, BO, HIS);
    expect(told).toHaveLength(1);
  });

  it("others' messages stay held: reading them costs no request", async () => {
    const { open, call, say, consent, discord } = openSystem();
    for (let index = 0; index < 5; index += 1) say(PLACE.general, ADA, `post ${index}`);
    const operation = await open(ADA, PLACE.general);
    await call(operation, "get_recent_messages", {});
    let requests = 0;
    const history = discord.history.bind(discord);
    discord.history = (...args) => {
      requests += 1;
      return history(...args);
    };
    consent.set(BO, true);
    expect(textsOf(await call(operation, "get_recent_messages", { limit: 5 }))).toContain("post 4");
    expect(requests).toBe(0);
  });
});
