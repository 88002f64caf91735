import { onTestFinished } from "vitest";
import type { Sandbox, SandboxOptions } from "../../sandbox/index.ts";
import type { ChannelId, MessageId } from "../../src/domain/ids.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import { createTestConsent, type TestConsent } from "./consent.ts";
import { openTestEdge, type TestEdge, until } from "./edge.ts";
import { type HeldAnswers, openHeldAnswers } from "./held-answers.ts";
import { type CountingProxy, openProxy } from "./proxy.ts";
import { openTestSandbox } from "./sandbox.ts";
import { openTimelinesAndSearch, type TimelinesAndSearch } from "./timelines-and-search.ts";

type Options = Parameters<typeof openTimelinesAndSearch>[0];

export interface TestTimelines {
  readonly sandbox: Sandbox;
  readonly proxy: CountingProxy;
  readonly edge: TestEdge;
  readonly timelines: TimelinesAndSearch;
  /** Moves with the real clock; a test may add to it. */
  readonly clock: { now(): number; ahead: number };
  channel(key: string): ChannelId;
  /** How many pages of history Discord was asked for so far. */
  pages(): number;
  /** Resolves when everything that has happened in the sandbox so far has reached the timelines. */
  heard(): Promise<void>;
  /** Lets what Discord answers arrive late. */
  readonly answers: HeldAnswers;
  readonly consent: TestConsent;
  /** Ends it before the test does. */
  close(): Promise<void>;
  /** Others on the same edge: a second, cold memory. */
  openAnother(options?: Options): TimelinesAndSearch;
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Real timelines on the real edge and a sandbox. They close after the test. */
export async function openTestTimelines(
  options: Options = {},
  sandboxOptions: SandboxOptions = {},
): Promise<TestTimelines> {
  const sandbox = await openTestSandbox({ rateLimits: false, ...sandboxOptions });
  const proxy = await openProxy(sandbox);
  const answers = await openHeldAnswers(proxy.api);
  const edge = await openTestEdge({ ...sandbox, api: answers.api });
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  const consent = createTestConsent();
  const openAnother = (more: Options = {}) => {
    const timelines = openTimelinesAndSearch(more, {
      discord: edge.discord,
      openIndex: openMessageIndex,
      consent,
      clock,
      log: quiet,
    });
    onTestFinished(() => timelines.close());
    return timelines;
  };
  const channel = (key: string) => (sandbox.community.channels.get(key) ?? key) as ChannelId;
  const timelines = openAnother(options);
  let markers = 0;
  return {
    sandbox,
    proxy,
    edge,
    timelines,
    answers,
    consent,
    clock,
    channel,
    openAnother,
    pages: () => proxy.requests.filter((line) => /^GET .*\/messages(\?|$)/.test(line)).length,
    async close() {
      await timelines.close();
      await edge.discord.close();
      await sandbox.close();
    },
    async heard() {
      markers += 1;
      const marker = `marker ${markers}`;
      await until(() => edge.discord.directory.guilds().every(({ available }) => available), "no guild is available");
      sandbox.as("olga").say("news", marker);
      await edge.find("message", ({ message }) => message.content === marker);
    },
  };
}

/** Says so many numbers in a channel; their ids, oldest first. */
export function count(sandbox: Sandbox, channel: string, to: number): MessageId[] {
  return Array.from(
    { length: to },
    (_, index) => sandbox.as("sarah").say(channel, `number ${index + 1}`).id as MessageId,
  );
}
