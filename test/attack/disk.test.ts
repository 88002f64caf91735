import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ChannelId } from "../../src/domain/ids.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import { NOW, PlainDiscord } from "../support/plain-discord.ts";
import { PLACE, smallWorld } from "../support/small-world.ts";
import { openTimelinesAndSearch } from "../support/timelines-and-search.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => NOW };

describe("the index on disk after a restart", () => {
  it.each(["the channel was deleted", "the bot was removed from the server", "the bot lost sight of the channel"])(
    "contains nothing of a channel if %s meanwhile",
    async (what) => {
      const folder = mkdtempSync(join(tmpdir(), "earshot-attack-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const onDisk = () =>
        readdirSync(folder)
          .map((name) => readFileSync(join(folder, name), "latin1"))
          .join("");
      const open = (world: ReturnType<typeof smallWorld>) =>
        openTimelinesAndSearch(
          { disk: { folder, channels: [PLACE.staff as ChannelId], retentionDays: 10_000 } },
          { discord: new PlainDiscord(world, clock, {}), openIndex: openMessageIndex, clock, log: quiet },
        );
      const before = smallWorld();
      for (const one of before.messages.get(PLACE.staff) ?? []) one.content = "needle-of-the-staff";
      const first = open(before);
      await first.recent(PLACE.staff as ChannelId, { limit: 10 });
      await first.close();
      expect(onDisk()).toContain("needle-of-the-staff");
      const after = smallWorld();
      const [guild] = after.guilds;
      if (!guild) throw new Error("there is one");
      if (what === "the channel was deleted") guild.channels = guild.channels.filter(({ id }) => id !== PLACE.staff);
      else if (what === "the bot was removed from the server") after.guilds = [];
      else
        for (const one of guild.channels)
          if (one.id === PLACE.staff) one.overwrites = [{ id: "1000", type: 0, allow: 0n, deny: 1024n }];
      const second = open(after);
      await second.recent(PLACE.staff as ChannelId, { limit: 10 }).catch(() => undefined);
      await second.close();
      expect(onDisk()).not.toContain("needle-of-the-staff");
    },
  );
});
