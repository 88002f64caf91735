import { describe, expect, it } from "vitest";
import { TYPE } from "../support/plain-world.ts";
import { ADA, CEM, PLACE, smallWorld } from "../support/small-world.ts";
import { openSystem } from "./open-system.ts";

const ABSENT = "4999";

describe("a hidden channel and an absent one look alike", () => {
  it("when an operation is opened while Discord does not answer", async () => {
    const { open } = openSystem({ isMute: true });
    const outcome = (id: string) =>
      open(CEM, id).then(
        () => "opened",
        ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
      );
    expect(await outcome(PLACE.staff)).toBe(await outcome(ABSENT));
  });
});

describe("one person cannot make the calls of others fail", () => {
  it("by opening operations in channels that do not exist", async () => {
    const world = smallWorld();
    const { open, call } = openSystem({}, world);
    const [guild] = world.guilds;
    // A thread from the archive: Discord knows it, and has not told of it.
    guild?.threads.push({
      id: "5004",
      type: TYPE.publicThread,
      name: "old talk",
      parentId: PLACE.general,
      members: [],
      tellsMembers: true,
    });
    const outcome = async () => call(await open(ADA, PLACE.general), "discord.channel.info", { channel_id: "5004" });
    for (let index = 0; index < 5_200; index += 1) await open(CEM, String(80_000 + index)).catch(() => undefined);
    expect(await outcome()).toMatchObject({ ok: true });
  });
});
