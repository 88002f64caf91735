import { describe, expect, it, onTestFinished } from "vitest";
import { connectEarshot } from "../../src/client/index.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { hashToken } from "../../src/policy/authenticate.ts";
import { openTestMemory } from "../support/memory.ts";
import { openAskingHarbour } from "./open-commands.ts";
import { buttonId, buttonsOf, whispered } from "./open-harbour.ts";
import { openProgram } from "./open-privacy.ts";

const HEARS_ALL = { guilds: "all", events: "all", scopes: ["context:read_channel_recent"] };
const FULL_DISK = new Error("the disk is full");

async function openRemembering(options: Parameters<typeof openAskingHarbour>[0] = {}) {
  const harbour = await openAskingHarbour({ ...options, openMemory: openTestMemory });
  const { sandbox, ownMemory, id, answer } = harbour;
  if (!ownMemory) throw new Error("nothing is remembered");
  const sarah = sandbox.as("sarah").id as UserId;
  const request = { visibility: "private", channelId: id("general") as ChannelId, typedIn: "1" } as const;
  const remember = (value: string) => ownMemory.remember(sarah, { ...request, key: "boat", value });
  const erase = () => answer(sandbox.as("sarah").run("privacy erase", {}, { in: "general" }));
  return { ...harbour, own: ownMemory, sarah, remember, erase };
}

describe("/privacy erase", () => {
  it("names what goes and what stays, and erases nothing before the person has agreed", async () => {
    const { own, sarah, remember, erase, sandbox } = await openRemembering();
    await remember("Petrel");
    const shown = await erase();
    expect(shown.content).toContain("**Nothing has been erased yet.**");
    expect(shown.content).toContain("every fact that is remembered about you, with its history and its key");
    expect(shown.content).toContain("in the audit, for 90 days: ids and times");
    expect(shown.content).toContain("`/privacy leave-me-out` prevents that; erasing does not.");
    expect(buttonsOf(shown).map(({ label }) => label)).toEqual(["Erase", "Cancel"]);
    const [button] = buttonsOf(shown);
    sandbox.as("sarah").click(shown, button?.custom_id ?? "");
    await expect.poll(() => shown.content).toContain("Erased:");
    expect(shown.content).toContain("- facts about you, with their history: 1. They cannot be read again");
    expect(shown.content).toContain("- your messages that were held, and what was cached of searches");
    expect(buttonsOf(shown)).toEqual([]);
    expect(await own.export(sarah)).toEqual([]);
    const again = await erase();
    sandbox.as("sarah").click(again, buttonsOf(again)[0]?.custom_id ?? "");
    await expect.poll(() => again.content).toContain("that was done less than ten minutes ago");
  });

  it("erases nothing when it is cancelled", async () => {
    const { own, sarah, remember, erase, sandbox } = await openRemembering();
    await remember("Petrel");
    const shown = await erase();
    sandbox.as("sarah").click(shown, buttonsOf(shown)[1]?.custom_id ?? "");
    await expect.poll(() => shown.content).toBe("Nothing was erased.");
    expect(await own.list(sarah)).toHaveLength(1);
  });

  it("lets go of held messages, which are read from Discord again when somebody asks", async () => {
    const { sandbox, erase, timelines, settle, find } = await openRemembering({ bounds: { readsAhead: false } });
    sandbox.as("sarah").say("general", "the anchor is under the third plank");
    await settle();
    expect((await find("mark", "anchor plank")).content).toContain("third plank");
    const { pages } = timelines.stats();
    expect((await find("mark", "anchor plank")).content).toContain("third plank");
    expect(timelines.stats().pages).toBe(pages);
    const shown = await erase();
    sandbox.as("sarah").click(shown, buttonsOf(shown)[0]?.custom_id ?? "");
    await expect.poll(() => shown.content).toContain("Erased:");
    expect((await find("mark", "anchor plank")).content).toContain("third plank");
    expect(timelines.stats().pages).toBeGreaterThan(pages);
  });

  it("works while the audit cannot be written", async () => {
    let isFull = false;
    const { own, sarah, remember, erase, sandbox } = await openRemembering({
      wrapAudit: (audit) => ({
        ...audit,
        note: (entry) => audit.note(entry),
        hash: (text) => audit.hash(text),
        settled: () => (isFull ? Promise.reject(FULL_DISK) : audit.settled()),
      }),
    });
    await remember("Petrel");
    isFull = true;
    await expect(remember("Tern")).rejects.toThrow(FULL_DISK);
    const shown = await erase();
    sandbox.as("sarah").click(shown, buttonsOf(shown)[0]?.custom_id ?? "");
    await expect.poll(() => shown.content).toContain("- facts about you, with their history: 1.");
    expect(await own.export(sarah)).toEqual([]);
  });

  it("through a program voids the previews that the person has not decided in Discord", async () => {
    const token = "sarahs-own-program";
    const { sandbox, answer, url } = await openProgram(({ as }) => ({
      clients: [{ name: "own", tokenSha256: hashToken(token), grant: { actors: [as("sarah").id] } }],
    }));
    const client = await connectEarshot({ url: `${url().replace("http", "ws")}/rpc`, token });
    onTestFinished(() => client.close());
    const options = { key: "boat", value: "Petrel" };
    const shown = await answer(sandbox.as("sarah").run("memory remember", options, { in: "general" }));
    const actor = sandbox.as("sarah").id;
    const { operation_id: operationId } = await client.call("operation.open", { actor, private: true });
    expect(await client.call("memory.erase", { confirm: true }, { operationId })).toMatchObject({ erased: {} });
    const click = sandbox.as("sarah").click(shown, buttonId(shown, "Remember"));
    expect(await whispered(click)).toBe("This has been decided or has expired; use the command again.");
    expect(await client.call("memory.list", {}, { operationId })).toEqual({ facts: [] });
  });

  it("takes back what a client that comes back has not been told yet", async () => {
    const token = "a-program-that-hears-all";
    const { sandbox, answer, url } = await openProgram(() => ({
      clients: [
        {
          name: "all",
          tokenSha256: hashToken(token),
          grant: HEARS_ALL,
        },
      ],
    }));
    const options = { url: `${url().replace("http", "ws")}/rpc`, token };
    const first = await connectEarshot(options);
    const { cursor } = first;
    await first.close();
    sandbox.as("sarah").say("general", "the anchor is under the third plank");
    const shown = await answer(sandbox.as("sarah").run("privacy erase", {}, { in: "general" }));
    sandbox.as("sarah").click(shown, buttonId(shown, "Erase"));
    await expect.poll(() => shown.content).toContain("Erased:");
    sandbox.as("mark").say("general", "no more planks");
    const second = await connectEarshot({ ...options, cursor });
    onTestFinished(() => second.close());
    for await (const { payload } of second.events()) {
      const told = JSON.stringify(payload);
      expect(told).not.toContain("third plank");
      if (told.includes("no more planks")) break;
    }
  });
});
