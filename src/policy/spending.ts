import { BoundedMap } from "../domain/bounded-map.ts";
import { EarshotError } from "../domain/errors.ts";
import type { UserId } from "../domain/ids.ts";
import { formatSeconds } from "../domain/text/format-seconds.ts";
import { type WallClock, wallClockOf } from "../domain/time/wall-clock.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { OperationSpending, Reservation, SpentTokens } from "../ports/operation-spending.ts";
import type { SpendStore, SpendWindow, SpentDay } from "../ports/spend-store.ts";
import type { Operation } from "./operation.ts";
import { type CountedWindow, guildOfMember, isOfPerson, SpendWriter, toMemberId, toWindowKey } from "./spend-writer.ts";

/** Maximum tokens, prompt and answer together. With 0, no model is called. */
export interface SpendingLimits {
  readonly tokensPerAnswer: number;
  readonly tokensPerPersonHour: number;
  readonly tokensPerServerDay: number;
  readonly tokensPerClientDay: number;
  /** Maximum windows of people, servers and clients in memory. Beyond it, the least recently used are evicted. */
  readonly maxWindows?: number;
}

export interface SpendingDeps {
  readonly store: SpendStore;
  /** IANA name; decides when a day begins in `totals`. */
  readonly timeZone: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface SpentTotals {
  /** Kept across restarts. */
  readonly today: SpentTokens;
  readonly sinceStart: SpentTokens;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Minimum number of people needed to use up a server's day. */
const MIN_PEOPLE = 10;

interface WindowKind {
  readonly ms: number;
  limit(limits: SpendingLimits): number;
  readonly subject: string;
  readonly allowed: string;
}

const WINDOWS: Readonly<Record<SpendWindow["kind"], WindowKind>> = {
  person: {
    ms: HOUR_MS,
    limit: ({ tokensPerPersonHour }) => tokensPerPersonHour,
    subject: "You have",
    allowed: "one person may use in an hour",
  },
  member: {
    ms: DAY_MS,
    limit: ({ tokensPerServerDay }) => Math.ceil(tokensPerServerDay / MIN_PEOPLE),
    subject: "You have",
    allowed: "one person may use in a server in a day",
  },
  server: {
    ms: DAY_MS,
    limit: ({ tokensPerServerDay }) => tokensPerServerDay,
    subject: "This server has",
    allowed: "one server may use in a day",
  },
  client: {
    ms: DAY_MS,
    limit: ({ tokensPerClientDay }) => tokensPerClientDay,
    subject: "This program has",
    allowed: "one program may use in a day",
  },
};
/** Clients without a budget of their own, because everyone uses them. */
const SHARED_CLIENTS: ReadonlySet<string> = new Set(["agent", "discord", "console"]);
const MAX_WINDOWS = 50_000;
/** Higher usage reports by a server are ignored. */
const MAX_TOKENS_PER_CALL = 1_000_000_000;
const OFF = "No model is asked: the person who runs this bot has set its limit to 0.";

/** Starts with the usage from before a restart. Throws `unavailable` if that cannot be read: starting from zero would free every budget. */
export async function openSpending(limits: SpendingLimits, deps: SpendingDeps): Promise<Spending> {
  return new Spending(limits, await deps.store.load(deps.clock.now()), deps);
}

/**
 * Counts and limits the usage of model calls: per answer, per person and hour, per server and day (at most a tenth by one person), and per
 * program and day. An hour or day begins with the first use. The budgets of a server and of a program are shared, so people can tell only
 * when others have used them up.
 */
export class Spending {
  readonly #limits: SpendingLimits;
  readonly #clock: Clock;
  readonly #wallClock: WallClock;
  readonly #writer: SpendWriter;
  readonly #maxWindows: number;
  readonly #windows: BoundedMap<string, CountedWindow>;
  readonly #operations = new WeakMap<Operation, OperationSpending>();
  #today: SpentDay;
  #sinceStart: SpentTokens = { inputTokens: 0, outputTokens: 0 };

  constructor(limits: SpendingLimits, kept: Awaited<ReturnType<SpendStore["load"]>>, deps: SpendingDeps) {
    this.#limits = limits;
    this.#clock = deps.clock;
    this.#wallClock = wallClockOf(deps.timeZone);
    this.#writer = new SpendWriter(deps);
    this.#maxWindows = limits.maxWindows ?? MAX_WINDOWS;
    this.#windows = new BoundedMap({ maxEntries: this.#maxWindows });
    const counted = kept.windows.map((window): CountedWindow => ({ ...window, isStored: true }));
    for (const window of counted) this.#windows.set(toWindowKey(window), window);
    for (const window of counted) {
      if (window.kind !== "member") continue;
      const server = this.#windows.get(toWindowKey({ kind: "server", id: guildOfMember(window.id) }));
      // One that ends earlier belongs to an earlier day.
      if (server && window.endsAt >= server.endsAt) window.within = server;
    }
    this.#today = kept.day ?? { startedAt: 0, inputTokens: 0, outputTokens: 0 };
  }

  /** Returns the same object for the same operation. In direct messages, only the budgets of person and answer count. */
  of(operation: Operation): OperationSpending {
    const known = this.#operations.get(operation);
    if (known) return known;
    const answer = { tokens: 0 };
    const spending = { reserve: (tokens: number) => this.#reserve(tokens, answer, operation) };
    this.#operations.set(operation, spending);
    return spending;
  }

  totals(): SpentTotals {
    const { inputTokens, outputTokens } = this.#dayOfNow();
    return { today: { inputTokens, outputTokens }, sinceStart: this.#sinceStart };
  }

  /**
   * Removes a person's usage from disk. The current window stays counted in memory until it ends or the program does, and is not written
   * again: otherwise erasing would bypass the limit. `isScrubbed`: no file contains a byte of it. Throws `unavailable` if that failed.
   */
  async erase(person: UserId): Promise<{ isScrubbed: boolean }> {
    for (const window of this.#windows.values()) if (isOfPerson(window, person)) window.isStored = false;
    return this.#writer.erase(person);
  }

  /** Writes everything counted so far, if possible. Safe to repeat. */
  async close(): Promise<void> {
    await this.#writer.close();
  }

  #reserve(tokens: number, answer: { tokens: number }, operation: Operation): Reservation {
    if (!(tokens >= 0)) throw new RangeError("tokens must be 0 or more.");
    // Even a call with an estimate of zero tokens counts.
    const amount = Math.max(1, Math.ceil(tokens));
    const windows = this.#windowsOf(operation);
    this.#refuse(amount, answer, windows);
    answer.tokens += amount;
    for (const window of windows) {
      window.tokens += amount;
      this.#hold(window);
    }
    let isSettled = false;
    return {
      settle: (usage) => {
        if (isSettled) return;
        isSettled = true;
        if (!isBelievable(usage)) return;
        const change = usage.inputTokens + usage.outputTokens - amount;
        answer.tokens += change;
        for (const window of windows) {
          window.tokens += change;
          // A window that has ended must not replace its successor.
          if (this.#windows.get(toWindowKey(window)) === window) this.#writer.note(window);
        }
        this.#addToTotals(usage);
      },
    };
  }

  #windowsOf({ actor, origin, client }: Operation): CountedWindow[] {
    const windows = [this.#current("person", actor)];
    if (origin.guildId !== null) {
      const server = this.#current("server", origin.guildId);
      windows.push(server, this.#shareOf(server, actor));
    }
    if (!SHARED_CLIENTS.has(client.name)) windows.push(this.#current("client", client.name));
    return windows;
  }

  /** A person's share of a server's budget, with the limits of the server's day. */
  #shareOf(server: CountedWindow, actor: UserId): CountedWindow {
    const [kind, id] = ["member" as const, toMemberId(server.id, actor)];
    const { endsAt } = server;
    const known = this.#windows.get(toWindowKey({ kind, id }));
    if (known?.within !== server) return { kind, id, endsAt, tokens: 0, isStored: true, within: server };
    known.endsAt = endsAt;
    return known;
  }

  /** The current window, or a new one. */
  #current(kind: SpendWindow["kind"], id: string): CountedWindow {
    const now = this.#clock.now();
    const latestEnd = now + WINDOWS[kind].ms;
    const known = this.#windows.get(toWindowKey({ kind, id }));
    if (!known || known.endsAt <= now) return { kind, id, endsAt: latestEnd, tokens: 0, isStored: true };
    if (known.endsAt > latestEnd) {
      // The clock was set back: the usage still counts, but at most for a full window from now.
      known.endsAt = latestEnd;
      this.#writer.note(known);
    }
    return known;
  }

  #hold(window: CountedWindow): void {
    const key = toWindowKey(window);
    if (this.#windows.size >= this.#maxWindows && !this.#windows.has(key)) {
      const now = this.#clock.now();
      this.#windows.deleteWhere(({ endsAt }) => endsAt <= now);
    }
    this.#windows.set(key, window);
    this.#writer.note(window);
  }

  #refuse(amount: number, answer: { readonly tokens: number }, windows: readonly CountedWindow[]): void {
    const limits = this.#limits;
    const limitOf = ({ kind }: CountedWindow) => WINDOWS[kind].limit(limits);
    if (limits.tokensPerAnswer === 0 || windows.some((window) => limitOf(window) === 0))
      throw new EarshotError("rate_limited", OFF);
    if (answer.tokens + amount > limits.tokensPerAnswer) {
      const most = `one answer may use at most ${toCount(limits.tokensPerAnswer)} tokens of the model`;
      throw new EarshotError("rate_limited", `This answer has become too long: ${most}. Ask for less at once.`);
    }
    const over = windows.filter((window) => window.tokens + amount > limitOf(window));
    const describe = (window: CountedWindow) =>
      `${toCount(limitOf(window))} tokens of the model that ${WINDOWS[window.kind].allowed}`;
    const tooSmall = over.find((window) => amount > limitOf(window));
    if (tooSmall)
      throw new EarshotError("rate_limited", `This needs more than the ${describe(tooSmall)}. Ask for less at once.`);
    const [longest] = over.sort((a, b) => b.endsAt - a.endsAt);
    if (!longest) return;
    const retryAfter = Math.ceil((longest.endsAt - this.#clock.now()) / 1_000);
    const problem = `${WINDOWS[longest.kind].subject} used up the ${describe(longest)}; try again in ${toWait(retryAfter)}.`;
    throw new EarshotError("rate_limited", problem, { retryAfter });
  }

  #addToTotals(usage: SpentTokens): void {
    this.#sinceStart = add(this.#sinceStart, usage);
    const today = this.#dayOfNow();
    this.#today = { ...today, ...add(today, usage) };
    this.#writer.noteDay(this.#today);
  }

  #dayOfNow(): SpentDay {
    const startedAt = this.#wallClock.start(this.#clock.now(), "day");
    return this.#today.startedAt === startedAt ? this.#today : { startedAt, inputTokens: 0, outputTokens: 0 };
  }
}

function add(a: SpentTokens, b: SpentTokens): SpentTokens {
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens };
}

/** The model server reports these counts. */
function isBelievable({ inputTokens, outputTokens }: SpentTokens): boolean {
  return [inputTokens, outputTokens].every(
    (count) => Number.isSafeInteger(count) && count >= 0 && count <= MAX_TOKENS_PER_CALL,
  );
}

function toCount(tokens: number): string {
  return tokens.toLocaleString("en");
}

/** Rounded up, so that the wait is over by then: "30 seconds", "12 minutes", "5 hours". */
function toWait(seconds: number): string {
  if (seconds < 60) return formatSeconds(seconds);
  const minutes = Math.ceil(seconds / 60);
  if (minutes <= 90) return `${minutes} ${minutes === 1 ? "minute" : "minutes"}`;
  return `${Math.ceil(minutes / 60)} hours`;
}
