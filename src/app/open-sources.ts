import type { Config } from "../config/config.ts";
import type { GuildId } from "../domain/ids.ts";
import { Memory } from "../memory/memory.ts";
import { startForgetting } from "../memory/start-forgetting.ts";
import { createLiveRules } from "../policy/live-rules.ts";
import type { Rules } from "../policy/rules.ts";
import { openSearch } from "../search/open-search.ts";
import { openMessageIndex } from "../stores/sqlite/message-index.ts";
import { openTimelines } from "../timeline/open-timelines.ts";
import { openDocumentsOf } from "./configured-documents.ts";
import { configuredAddress, connectDiscord } from "./connect-discord.ts";
import { openSample } from "./embedded-sandbox.ts";
import type { Ground, Program } from "./open-ground.ts";
import { openEmbedder } from "./open-models.ts";
import { openProfiles } from "./open-profiles.ts";
import { openTalks } from "./open-talks.ts";
import { allowSharing } from "./sample-facts.ts";
import { timelineOptions } from "./timeline-options.ts";

export type Sources = Awaited<ReturnType<typeof openSources>>;

/** Discord, and everything that can be read. */
export async function openSources({ config, clock, log, mintId, closers }: Program, { database, kept, audit }: Ground) {
  const { consent, facts } = kept;
  const sandbox = configuredAddress(config)
    ? null
    : await openSample(config.sandbox.port, config.sandbox.talkEverySeconds);
  if (sandbox) closers.push(sandbox.close);
  const discord = await connectDiscord(config, { log, consent, database }, sandbox);
  closers.push(() => discord.close());
  const { directory } = discord;
  const toRules = ({ policy }: Config): Rules =>
    sandbox ? allowSharing(policy, sandbox.community.guild.id as GuildId) : policy;
  const live = createLiveRules(toRules(config));

  const reading = { discord, consent, clock, log };
  const timelines = await openTimelines(timelineOptions(config, live.rules, directory), {
    ...reading,
    openIndex: openMessageIndex,
  });
  closers.push(() => timelines.close());
  const search = openSearch({}, { ...reading, timelines, embedder: await openEmbedder(config) });
  closers.push(() => search.close());

  const memory = new Memory({ ...kept, clock });
  const stopForgetting = startForgetting({
    ...{ memory, facts, directory, audit, clock, log },
    hasMessage: async ({ channelId, messageId }) => (await timelines.message(channelId, messageId)) !== undefined,
    isConnected: () => discord.state === "ready",
    listen: (listener) => discord.listen(listener),
  });
  closers.push(async () => stopForgetting());

  const documents = await openDocumentsOf(config, sandbox?.community ?? null);
  closers.push(() => documents.close());
  const talks = await openTalks(config, { ...reading, database, timelines, mintId });
  closers.push(() => talks.close());
  const profiles = openProfiles(config, { directory, clock, log });
  closers.push(async () => profiles.close());
  return { sandbox, discord, toRules, live, timelines, search, memory, documents, talks, profiles };
}
