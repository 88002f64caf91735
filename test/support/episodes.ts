import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ChannelId, MessageId } from "../../src/domain/ids.ts";
import type { Message } from "../../src/domain/message.ts";
import { Episodes } from "../../src/memory/episodes.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Consent } from "../../src/ports/consent.ts";
import type { Discord } from "../../src/ports/discord.ts";
import type { EpisodeStore } from "../../src/ports/episode-store.ts";
import { createEpisodeStore } from "../../src/stores/episode-store.ts";
import { openTestDatabase } from "./test-database.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

interface TestEpisodesDeps {
  readonly discord: Pick<Discord, "listen" | "botId">;
  readonly consent: Consent;
  readonly clock: Clock;
  find(channelId: ChannelId, messageId: MessageId): Promise<Message | undefined>;
}

/** A real store in a folder of its own, until the test ends. */
export async function openTestEpisodeStore(): Promise<EpisodeStore> {
  const folder = mkdtempSync(join(tmpdir(), "earshot-talks-"));
  const database = await openTestDatabase(join(folder, "earshot.db"));
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
  return createEpisodeStore(database);
}

/** Keeps talks from now on. */
export async function openTestEpisodes({ discord, find, ...deps }: TestEpisodesDeps): Promise<Episodes> {
  const episodes = new Episodes({
    ...{ ...deps, store: await openTestEpisodeStore(), botId: discord.botId, log: quiet, mintId: randomUUID },
    retentionMs: 90 * 86_400_000,
    find: ({ channelId, messageId }) => find(channelId, messageId),
  });
  const stop = episodes.start((listener) => discord.listen(listener));
  onTestFinished(() => stop());
  return episodes;
}
