import type { Agent } from "node:http";
import type { AudienceRef } from "../domain/audience.ts";
import { BoundedMap } from "../domain/bounded-map.ts";
import { EarshotError, throwIfCancelled } from "../domain/errors.ts";
import { type ChannelId, type GuildId, toId, type UserId } from "../domain/ids.ts";
import { parseFactInput } from "../domain/memory/fact-input.ts";
import { findSecret } from "../domain/memory/find-secret.ts";
import { SingleFlight } from "../domain/single-flight.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { ProfileKey, ProfileQuery, ProfileSource, ProfileStats, ProfileValue } from "../ports/profile-source.ts";
import { createDirectAgent, type JsonLimits, requestJson } from "./request-json.ts";

/** The path of a key's value in the service's response, and its audience. */
export interface ServiceField {
  /** Names of JSON objects within each other, the outermost first. */
  readonly path: readonly string[];
  readonly key: string;
  /** The person alone, or the members of a server or the readers of a channel that the person is in. */
  readonly visibility: "private" | { readonly server: GuildId } | { readonly channel: ChannelId };
}

export interface HttpProfileOptions {
  /** With `{user_id}` where the id of the person goes. */
  readonly url: string;
  readonly token?: string;
  readonly fields: readonly ServiceField[];
  readonly limits?: JsonLimits;
}

export interface HttpProfileDeps {
  readonly clock: Clock;
  readonly log: Log;
}

const DEFAULT_LIMITS: JsonLimits = { timeoutMs: 3_000, maxBytes: 64 * 1_024 };
const CACHE_MS = 5 * 60_000;
const MAX_CACHED = 1_000;
const MAX_CONNECTIONS = 8;

type Values = ReadonlyMap<string, ProfileValue>;

/** Profiles from a service of the operator's, over HTTP. One request brings all fields of a person; nothing of it is written to disk. */
export class HttpProfile implements ProfileSource {
  readonly origin = "service";
  readonly #options: HttpProfileOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #agent: Agent;
  readonly #cache: BoundedMap<UserId, Values>;
  readonly #reads = new SingleFlight<UserId, Values>();
  /** The requests under way. */
  readonly #underWay = new Map<UserId, AbortController>();
  #requests = 0;
  #failures = 0;
  #isOut = false;
  #failedAt = 0;
  /** For how long it is not asked after that: after it did not answer in time, everybody who asks would wait as long. */
  #pauseMs = 0;

  constructor(options: HttpProfileOptions, { clock, log }: HttpProfileDeps) {
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.#agent = createDirectAgent(options.url, MAX_CONNECTIONS);
    this.#cache = new BoundedMap({ maxEntries: MAX_CACHED, ttlMs: CACHE_MS, clock });
  }

  keys({ person }: ProfileQuery): readonly ProfileKey[] {
    return this.#options.fields.map(({ key, visibility }) => ({ key, audience: toAudienceRef(visibility, person) }));
  }

  async read({ person }: ProfileQuery, signal?: AbortSignal): Promise<Values> {
    const id = toId<UserId>(person);
    if (id === null) throw new EarshotError("invalid", "The id of a person must be a number.");
    const known = this.#cache.use(id);
    if (known) return known;
    const silentMs = this.#clock.now() - this.#failedAt;
    // Not where the clock was set back.
    if (silentMs >= 0 && silentMs < this.#pauseMs) throw unavailable(Math.ceil((this.#pauseMs - silentMs) / 1_000));
    try {
      return await this.#reads.run(id, (last) => this.#fetch(id, last), signal);
    } catch (cause) {
      throwIfCancelled(signal);
      throw unavailable(retryAfterOf(cause), cause);
    }
  }

  peek({ person }: ProfileQuery): Values | null {
    return this.#cache.get(person) ?? null;
  }

  forget(person: UserId): void {
    this.#cache.delete(person);
    this.#underWay.get(person)?.abort();
  }

  stats(): ProfileStats {
    return { requests: this.#requests, failures: this.#failures, cached: [...this.#cache.values()].length };
  }

  /** Requests a person's profile past the cache, to check the service. Throws `unavailable` with the problem, in words for the operator. */
  async probe(person: UserId): Promise<void> {
    await this.#request(person, new AbortController().signal);
  }

  /** Ends every request under way. Safe to repeat. */
  close(): void {
    this.#reads.close();
    for (const controller of this.#underWay.values()) controller.abort();
    this.#agent.destroy();
  }

  /** `isUnwanted` aborts once no caller waits any more. */
  async #fetch(id: UserId, isUnwanted: AbortSignal): Promise<Values> {
    const controller = new AbortController();
    this.#underWay.set(id, controller);
    try {
      const values = await this.#request(id, AbortSignal.any([controller.signal, isUnwanted]));
      // The person may have been forgotten after the last byte came.
      controller.signal.throwIfAborted();
      this.#cache.set(id, values);
      this.#note(true);
      return values;
    } catch (error) {
      if (controller.signal.aborted || isUnwanted.aborted) throw error;
      this.#note(false);
      this.#failedAt = this.#clock.now();
      this.#pauseMs = (retryAfterOf(error) ?? 0) * 1_000;
      throw error;
    } finally {
      if (this.#underWay.get(id) === controller) this.#underWay.delete(id);
    }
  }

  async #request(id: UserId, signal: AbortSignal): Promise<Values> {
    const { url, token, fields, limits = DEFAULT_LIMITS } = this.#options;
    this.#requests += 1;
    const address = new URL(url.replace("{user_id}", id));
    const answer = await requestJson({ address, token, limits, agent: this.#agent, signal });
    return answer.kind === "none" ? new Map() : toValues(answer.value, fields);
  }

  #note(isSound: boolean): void {
    if (!isSound) this.#failures += 1;
    if (isSound !== this.#isOut) return;
    this.#isOut = !isSound;
    if (isSound) this.#log.info({}, "the profile service answers again");
    else this.#log.warn({}, "the profile service does not answer as it should; earshot doctor says why");
  }
}

function unavailable(retryAfter: number | undefined, cause?: unknown): EarshotError {
  const message = "The profile service cannot be asked now; try again later.";
  return new EarshotError("unavailable", message, { retryAfter, ...(cause !== undefined && { cause }) });
}

function retryAfterOf(error: unknown): number | undefined {
  return error instanceof EarshotError ? error.retryAfter : undefined;
}

function toAudienceRef(visibility: ServiceField["visibility"], person: UserId): AudienceRef {
  if (visibility === "private") return { kind: "person", id: person };
  if ("server" in visibility) return { kind: "guild", id: visibility.server };
  return { kind: "channel", id: visibility.channel };
}

function toValues(answer: unknown, fields: readonly ServiceField[]): Values {
  const values = new Map<string, ProfileValue>();
  for (const { path, key } of fields) {
    const value = toValue(key, valueAt(answer, path));
    if (value !== null) values.set(key, value);
  }
  return values;
}

/** Undefined where there is none. Lists are not looked into. */
function valueAt(answer: unknown, path: readonly string[]): unknown {
  let value = answer;
  for (const name of path) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** Null for what is no plain value, is too long, holds control characters, or looks like a secret. */
function toValue(key: string, raw: unknown): ProfileValue | null {
  if (typeof raw !== "string" && typeof raw !== "number" && typeof raw !== "boolean") return null;
  if (typeof raw === "string" && raw.trim() === "") return null;
  try {
    const parsed = parseFactInput({ key, value: raw });
    return findSecret(parsed) === null ? (parsed.value as ProfileValue) : null;
  } catch (error) {
    if (error instanceof EarshotError && error.code === "invalid") return null;
    throw error;
  }
}
