import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import type { Delay } from "../../src/discord/delay.ts";
import type { Features } from "../../src/discord/intents.ts";
import { openDiscord } from "../../src/discord/open-discord.ts";
import type { RefusalLimits } from "../../src/discord/refusal-budget.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Discord, DiscordEvent } from "../../src/ports/discord.ts";
import type { LastHeard } from "../../src/ports/last-heard.ts";
import type { Log } from "../../src/ports/log.ts";

type Kind = DiscordEvent["type"];
type EventOf<K extends Kind> = Extract<DiscordEvent, { type: K }>;

export interface TestEdge {
  readonly discord: Discord;
  readonly events: readonly DiscordEvent[];
  listen(): void;
  of<K extends Kind>(kind: K): EventOf<K>[];
  /** The first event of the kind that fits, whether seen already or still to come. */
  find<K extends Kind>(kind: K, fits?: (event: EventOf<K>) => boolean): Promise<EventOf<K>>;
  /** The texts of announced messages, in order. */
  said(): string[];
}

export interface EdgeOptions {
  readonly features?: Partial<Features>;
  readonly lastHeard?: LastHeard;
  readonly log?: Log;
  readonly token?: string;
  readonly web?: string;
  /** How the edge waits; for real when absent. */
  readonly delay?: Delay;
  readonly clock?: Clock;
  readonly maxConnectMs?: number;
  /** How many refusals there may be before requests are held back. */
  readonly refusals?: RefusalLimits;
  /** Leaves `listen` to the test. */
  readonly listenLater?: boolean;
}

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };
const ALL: Features = { members: true, messageContent: true, reactions: true, directMessages: true };

/** The real edge, connected to a sandbox over real sockets. It closes after the test. */
export async function openTestEdge(sandbox: Sandbox, options: EdgeOptions = {}): Promise<TestEdge> {
  const {
    features,
    log = quiet,
    token = sandbox.token,
    lastHeard = { load: async () => null, save: async () => {} },
    clock = { now: () => Date.now() },
    delay,
    maxConnectMs,
    web,
    refusals,
  } = options;
  const discord = await openDiscord(
    {
      api: sandbox.api,
      token,
      features: { ...ALL, ...features },
      ...(delay && { delay }),
      ...(maxConnectMs && { maxConnectMs }),
      ...(web && { web }),
      ...(refusals && { refusals }),
    },
    { clock, log, lastHeard },
  );
  onTestFinished(() => discord.close());
  const events: DiscordEvent[] = [];
  const listen = () => void discord.listen((event) => events.push(event));
  if (!options.listenLater) listen();
  const of = <K extends Kind>(kind: K) => events.filter((event): event is EventOf<K> => event.type === kind);
  return {
    discord,
    events,
    listen,
    of,
    async find(kind, fits = () => true) {
      return until(
        () => of(kind).find(fits),
        `no "${kind}" that fits was seen; seen: ${events.map((event) => event.type).join(", ")}`,
      );
    },
    said: () => of("message").map(({ message }) => message.content),
  };
}

/** Long enough for a machine that does much else: whoever waits for an event does not fail because it is late. */
export const PATIENCE_MS = 150_000;
/** The longest for which the sandbox's control API waits. */
export const LONGEST_WAIT_MS = 60_000;

/** Waits for something to come about; says what did not. */
export async function until<Value>(look: () => Value | undefined | null | false, complaint: string): Promise<Value> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const value = look();
    if (value) return value;
    await sleep(5);
  }
  throw new Error(complaint);
}
