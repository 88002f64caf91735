import { setTimeout } from "node:timers/promises";
import type { GuildDirectory } from "../../src/discord/directory.ts";
import type { Channel } from "../../src/domain/guild.ts";
import type { OpenPace } from "../../src/domain/steps/pace.ts";
import { type Core, type CoreDeps, createCore } from "../../src/gate/create-core.ts";
import type { DeletionEvent, HasMessage, Memory } from "../../src/memory/memory.ts";
import { ConfinedLabels } from "../../src/policy/confined-labels.ts";
import type { Confirmation } from "../../src/policy/confirmations.ts";
import type { LiveRules } from "../../src/policy/live-rules.ts";
import { type Rules, rulesSchema } from "../../src/policy/rules.ts";
import type { ShownEntry } from "../../src/ports/audit-store.ts";
import type { Discord, DiscordEvent } from "../../src/ports/discord.ts";
import type { Model } from "../../src/ports/model.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import type { TimelineOptions } from "../../src/timeline/options.ts";
import { tools } from "../../src/tools/index.ts";
import { Reviews } from "../../src/transports/discord/reviews.ts";
import { listAudit } from "./audit.ts";
import { createTestConsent, type TestConsent } from "./consent.ts";
import type { MemberListing } from "./describe-world.ts";
import { until } from "./edge.ts";
import { type Departure, NOW, PlainDiscord, type PlainDiscordOptions } from "./plain-discord.ts";
import type { PlainWorld } from "./plain-world.ts";
import { openTimelinesAndSearch } from "./timelines-and-search.ts";

export interface InProcess extends Core {
  readonly consent: TestConsent;
  readonly world: PlainWorld;
  readonly discord: Discord;
  readonly directory: GuildDirectory;
  readonly clock: { now(): number; ahead: number };
  readonly departures: readonly Departure[];
  /** Everything that was written down. */
  readonly audit: readonly ShownEntry[];
  /** Everything that has begun to wait for a person's word. */
  readonly asked: readonly Confirmation[];
  /** Which members are told of when a server is described. */
  readonly members: MemberListing;
  /** Tells the edge what happened, as the gateway does. */
  tell(type: string, data: unknown): void;
  announce(event: DiscordEvent): void;
  /** Resolves when a minute has passed and everything there is room for has been read ahead. */
  readAhead(): Promise<void>;
  /** An id for a message that is said now. */
  mintMessageId(): string;
  mintId(): string;
  close(): Promise<void>;
}

export interface InProcessOptions extends PlainDiscordOptions {
  readonly rules?: object;
  /** Instead of those: rules that can be replaced. */
  readonly live?: LiveRules;
  /** How little is held in memory. */
  readonly quota?: Pick<TimelineOptions, "messagesPerChannel" | "totalBytes"> | undefined;
  readonly consent?: TestConsent;
  /** Nothing is remembered without it. */
  readonly memory?: Memory;
  /** There are no documents without it. */
  readonly documents?: CoreDeps["documents"];
  /** Talks are not kept without it. */
  readonly episodes?: CoreDeps["episodes"];
  readonly bots?: CoreDeps["bots"];
  readonly profiles?: CoreDeps["profiles"];
  /** How long work is cut into steps. */
  readonly openPace?: OpenPace;
  /** For summaries. */
  readonly model?: Model;
  /** History is read in the background. */
  readonly readsAhead?: boolean;
  /** What confined clients have read. */
  readonly confined?: ConfinedLabels;
  /** People are asked to confirm what waits for them, as in Discord. */
  readonly asksPeople?: boolean;
  /** The program that ran before this one: its clock, audit and ids go on. */
  readonly before?: Pick<InProcess, "clock" | "audit" | "mintId">;
}

const A_MINUTE = 60_000;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Everything but sockets and files: the real tools, gate, policy, timelines, index and directory on a plain world. */
export function openInProcess(world: PlainWorld, options: InProcessOptions = {}): InProcess {
  const { before } = options;
  const clock = before?.clock ?? { ahead: 0, now: (): number => NOW + clock.ahead };
  const { pause } = options;
  const list = listAudit(before?.audit);
  const audit = pause ? { ...list, settled: () => pause("audit") } : list;
  const rules: Rules = options.live?.rules ?? rulesSchema.parse(options.rules ?? {});
  const { readsAhead = false } = options;
  const consent = options.consent ?? createTestConsent(rules.optOut.people);
  const discord = new PlainDiscord(world, clock, { ...options, consent });
  const bounds = { readsAhead, backgroundIntervalMs: 0, ...options.quota };
  const timelines = openTimelinesAndSearch(bounds, {
    discord,
    openIndex: openMessageIndex,
    consent,
    clock,
    log: quiet,
  });
  let minted = 0;
  const mintId = before?.mintId ?? (() => `minted-${String(++minted).padStart(6, "0")}`);
  const asked: Confirmation[] = [];
  const reviews = options.asksPeople ? new Reviews({ discord, core: () => core, log: quiet }) : null;
  const onConfirmation = (confirmation: Confirmation) => {
    asked.push(confirmation);
    return reviews?.ask(confirmation);
  };
  const core: Core = createCore({
    tools,
    discord,
    timelines,
    search: timelines,
    rules,
    ...(options.live && { policy: options.live }),
    ...(options.openPace && { openPace: options.openPace }),
    consent,
    audit,
    clock,
    mintId,
    onConfirmation,
    memory: options.memory ?? null,
    documents: options.documents ?? null,
    episodes: options.episodes ?? null,
    bots: options.bots ?? [],
    profiles: options.profiles ?? [],
    model: options.model ?? null,
    ...(options.confined && { confined: options.confined }),
  });
  const { memory } = options;
  const hasMessage: HasMessage = async ({ channelId, messageId }) =>
    (await timelines.message(channelId, messageId)) !== undefined;
  // As in the program, what fails is left for the next sweep: a test may close the stores meanwhile.
  const endWithout = (event: DeletionEvent) => void memory?.onEvent(event, hasMessage).catch(() => {});
  if (memory) discord.listen({ message_delete: endWithout, channel_deleted: endWithout });
  return {
    ...core,
    consent,
    world,
    discord,
    directory: discord.directory,
    clock,
    departures: discord.departures,
    audit: list.entries,
    members: options.members ?? "listed",
    asked,
    tell: (type, data) => discord.tell(type, data),
    announce: (event) => discord.announce(event),
    async readAhead() {
      clock.ahead += A_MINUTE;
      discord.announce({ type: "message_delete", channelId: "1" as never, messageIds: ["1" as never] });
      const { directory } = discord;
      // The background looks through one server at a time, each in a turn of its own.
      for (let turn = 0; turn < directory.guilds().length + 2; turn += 1) await setTimeout(1);
      const isRead = () => {
        const { unread, guildsRead } = timelines.stats();
        const isRead = ({ id, kind }: Channel) =>
          !["category", "forum", "media", "private_thread"].includes(kind) && directory.canRead(discord.botId, id);
        const guilds = directory
          .guilds()
          .filter(({ id, available }) => available && directory.channels(id).some(isRead));
        return unread === 0 && guildsRead >= guilds.length;
      };
      await until(isRead, "history was not read ahead");
    },
    mintId,
    mintMessageId: () => discord.mintMessageId(),
    close: () => timelines.close(),
  };
}

/** The program is started again in the same world. What its confined clients have read is found in the audit. */
export async function restartInProcess(before: InProcess, options: InProcessOptions, clients: readonly string[]) {
  const { confinedMinutes } = rulesSchema.parse(options.rules ?? {});
  const confined = new ConfinedLabels({ keptMs: confinedMinutes * A_MINUTE }, before.clock);
  const rowsOf = (id: string) =>
    before.audit.filter(
      ({ kind, row }) => (kind === "operation" ? row.id : "operation_id" in row && row.operation_id) === id,
    );
  const store = {
    operationsSince: async ({ since }: { since: number }) =>
      before.audit.flatMap(({ kind, row }) => (kind === "operation" && row.expires_at > since ? [row] : [])),
    operation: async (id: string) => rowsOf(id),
  };
  await confined.restore(store as never, clients);
  return openInProcess(before.world, { ...options, confined, before });
}
