import { describe, expect, it } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { describeGuild } from "../support/describe-world.ts";
import { type InProcess, openInProcess, restartInProcess } from "../support/in-process.ts";
import { removePlace } from "../support/plain-world.ts";
import { ADA, GUILD, PLACE, smallWorld } from "../support/small-world.ts";
import * as twists from "../support/twists.ts";
import { openSystem } from "./open-system.ts";

const CHECKED = { ok: false, code: "unavailable", message: expect.stringContaining("cannot be checked") };
const DELETED = { ok: false, code: "forbidden", message: expect.stringContaining("has been deleted") };

/** Stands in no message. */
const ABSENT_WORD = "anchorage";

/** Somebody of the staff asks in the lounge, where the same people read as in the staff's channel. */
async function ask(options: Parameters<typeof openSystem>[0] = {}) {
  const system = openSystem(options);
  const operation = await system.open(ADA, PLACE.lounge);
  const search = (query: string) => system.call(operation, "search_messages", { query });
  const send = () => system.call(operation, "discord.send", { channel_id: PLACE.lounge, text: "answer" });
  return { ...system, operation, search, send };
}

describe("a deleted channel that was searched without a hit", () => {
  it("blocks the answer once its tombstone was evicted by later deletions", async () => {
    const { operation, search, send, ...system } = await ask();
    await search(ABSENT_WORD);
    expect([...operation.label.channels.keys()]).toContain(PLACE.staff);
    twists.deletePlace(system, PLACE.staff);
    for (let id = 100_000; id < 102_000; id += 1) system.tell("THREAD_DELETE", { id: String(id), guild_id: GUILD });
    expect(await send()).toMatchObject(CHECKED);
    expect(system.departures).toEqual([]);
  });

  it("blocks the answer if the deletion was missed, and so does a deleted channel of which something was disclosed", async () => {
    for (const [query, outcome] of [
      [ABSENT_WORD, CHECKED],
      ["tide", DELETED],
    ] as const) {
      const { search, send, ...system } = await ask();
      await search(query);
      const [guild] = system.world.guilds;
      if (!guild) throw new Error("there is one server");
      twists.loseSight(system, guild, () => removePlace(system.world, PLACE.staff));
      expect(await send()).toMatchObject(outcome);
    }
  });

  it("stays deleted when late events about it arrive", async () => {
    const { search, send, ...system } = await ask();
    await search("tide");
    const [guild] = system.world.guilds;
    const described = describeGuild(guild as never, "listed") as { channels: { id: string }[] };
    twists.deletePlace(system, PLACE.staff);
    const late = described.channels.find(({ id }) => id === PLACE.staff);
    system.tell("CHANNEL_UPDATE", { ...late, guild_id: GUILD });
    expect(await send()).toMatchObject(DELETED);
  });

  it("is left out of a search during which it is deleted, and the answer may be sent", async () => {
    let atAudit = () => {};
    const { operation, search, send, ...system } = await ask({
      pause: async (what) => {
        if (what === "audit") atAudit();
      },
    });
    const thread = { id: "5001", type: 11, name: "side", parentId: PLACE.staff, members: [], tellsMembers: true };
    system.world.guilds[0]?.threads.push(thread);
    system.tell("THREAD_CREATE", { ...thread, guild_id: GUILD, parent_id: PLACE.staff });
    let searches = 0;
    atAudit = () => {
      if (++searches === 1) twists.deletePlace(system, thread.id);
    };
    expect(await search("tide")).toMatchObject({ ok: true });
    expect(searches).toBeGreaterThan(1);
    const searched = system.audit.filter(({ kind, row }) => kind === "event" && row.name === "searched");
    expect(searched.map((entry) => JSON.stringify(entry.row).includes(thread.id))).toEqual([true, false]);
    expect([...operation.label.channels.keys()]).toContain(thread.id);
    expect(await send()).toMatchObject({ ok: true });
  });
});

describe("a server whose name was disclosed", () => {
  it("makes the answer uncertain once the bot has left it, for every destination", async () => {
    const system = openSystem();
    const operation = await system.open(ADA, PLACE.letters);
    expect(await system.call(operation, "discord.guilds", {})).toMatchObject({ ok: true });
    const send = () => system.call(operation, "discord.send", { channel_id: PLACE.letters, text: "answer" });
    system.tell("GUILD_DELETE", { id: GUILD });
    expect(await send()).toMatchObject(CHECKED);
  });
});

describe("a channel that a confined client searched or read before a restart", () => {
  const rules = { confinedMinutes: 60 };
  const request = { actor: ADA as UserId, channelId: PLACE.lounge as ChannelId };
  const client = { name: "brain", grant: { ...OPERATOR_GRANT, events: "addressed" as const, confined: true } };

  /** What the client is answered that searches, is started anew, and then sends. */
  async function play(query: string, deletion: "before" | "after") {
    const begin = (system: InProcess) => ({
      ...system,
      call: async (name: string, args: object) =>
        system.gate.callTool({ name, args, operation: await system.operations.open(client, request) }),
    });
    const before = begin(openInProcess(smallWorld(), { rules }));
    await before.call("search_messages", { query });
    if (deletion === "before") twists.deletePlace(before, PLACE.staff);
    const after = begin(await restartInProcess(before, { rules }, ["brain"]));
    if (deletion === "after") twists.deletePlace(after, PLACE.staff);
    return after.call("discord.send", { channel_id: PLACE.lounge, text: "answer" }).then(
      () => "sent",
      (error: { message: string }) => error.message,
    );
  }

  it("keeps counting as read or as searched after the restart", async () => {
    expect(await play(ABSENT_WORD, "after")).toBe("sent");
    expect(await play("tide", "after")).toContain("has been deleted");
    // Who could read it last is not known any more.
    expect(await play(ABSENT_WORD, "before")).toContain("cannot be checked");
    expect(await play("tide", "before")).toContain("cannot be checked");
  });
});
