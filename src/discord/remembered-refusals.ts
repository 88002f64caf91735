import { type InternalRequest, RequestMethod, type ResponseLike } from "@discordjs/rest";
import { RESTJSONErrorCodes, Routes } from "discord-api-types/v10";
import { BoundedMap } from "../domain/bounded-map.ts";
import { type ChannelId, type GuildId, toId, type UserId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { GuildDirectory } from "./directory.ts";
import { type Raw, record } from "./read.ts";
import { toRouteKey } from "./route-limits.ts";

/** The parts of a request that a refusal depends on. */
export interface RequestSubject {
  /** Exactly this request: its method and its route with all ids, and the person if a DM is opened. */
  readonly exact: string;
  /** Its route, and its channel or server. */
  readonly route: string;
  /** Its channel, server or person. */
  readonly id: string;
  /** Its subject is a channel, known or not. */
  readonly isOfChannel: boolean;
  readonly isDeletion: boolean;
  /** The route names a message. (A body may name a replied-to one.) */
  readonly namesMessage: boolean;
  /** The request asks for a channel id that a person may have typed. */
  readonly isLookup: boolean;
}

interface Refusal extends Pick<RequestSubject, "id" | "isOfChannel"> {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
  /** Number in a row. */
  readonly count: number;
  readonly until: number;
}

const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 600_000;
const MAX_REFUSALS = 10_000;
const MAX_BODY_CHARACTERS = 4 * 1024 * 1024;

const { MissingAccess, MissingPermissions, UnknownChannel, UnknownMessage } = RESTJSONErrorCodes;
const ABOUT_THE_CHANNEL: readonly unknown[] = [MissingAccess, MissingPermissions];

/**
 * Caches Discord's refusals for a pause that doubles with each refusal, because Discord bans addresses for refused requests. Until then the
 * cached refusal is returned. Unlike RouteLimits, which waits, and BackOff, which pauses a whole reader.
 */
export class RememberedRefusals {
  readonly #clock: Clock;
  readonly #refusals: BoundedMap<string, Refusal>;
  /** Requests without an answer yet, removed when an event may allow them. */
  readonly #underWay = new Set<RequestSubject>();

  constructor(clock: Clock) {
    this.#clock = clock;
    const weigh = ({ body }: Refusal) => body.length;
    this.#refusals = new BoundedMap({ maxEntries: MAX_REFUSALS, maxWeight: MAX_BODY_CHARACTERS, weigh });
  }

  /** The cached refusal that still applies; null if the request may be sent. */
  find({ exact, route }: RequestSubject): ResponseLike | null {
    for (const key of [exact, route]) {
      const refusal = this.#refusals.use(key);
      if (refusal && refusal.until > this.#clock.now())
        return toResponse(refusal, { "content-type": refusal.contentType });
    }
    return null;
  }

  /** Call when the request is sent; end it with `end`. */
  begin(subject: RequestSubject): void {
    this.#underWay.add(subject);
  }

  end(subject: RequestSubject): void {
    this.#underWay.delete(subject);
  }

  /** Caches an answer with status 403 or 404, and returns it unread. */
  async note(subject: RequestSubject, response: ResponseLike): Promise<ResponseLike> {
    const { status, headers } = response;
    const body = await response.text();
    const code = codeOf(body);
    // Ids are never reused.
    const isGone = status === 404 && (code === UnknownChannel || (code === UnknownMessage && subject.namesMessage));
    const isCurrent = this.#underWay.has(subject);
    if (isCurrent && subject.id !== "" && (status === 403 || isGone || subject.isLookup)) {
      // A member who may not add a new reaction to a message may still add an existing one.
      const isOfMessage = code === MissingPermissions && subject.namesMessage;
      const isWide = status === 403 && ABOUT_THE_CHANNEL.includes(code) && !isOfMessage && !subject.isDeletion;
      const key = isWide ? subject.route : subject.exact;
      const count = (this.#refusals.get(key)?.count ?? 0) + 1;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (count - 1), MAX_PAUSE_MS);
      // The time of the next request must not distinguish a hidden channel from an absent one.
      const until = isGone && !subject.isLookup ? Number.POSITIVE_INFINITY : this.#clock.now() + pauseMs;
      const contentType = headers.get("content-type") ?? "";
      const { id, isOfChannel } = subject;
      this.#refusals.set(key, { id, isOfChannel, status, body, contentType, count, until });
    }
    return toResponse({ status, body }, Object.fromEntries(headers));
  }

  noteSuccess({ exact, route }: RequestSubject): void {
    this.#refusals.delete(exact);
    this.#refusals.delete(route);
  }

  forget(ids: readonly unknown[]): void {
    this.#forgetWhere(({ id }) => ids.includes(id));
  }

  /** Forgets refusals that may no longer apply after this event: roles, overwrites or members have changed, or a person has written to
   * the bot. */
  hear(type: string, raw: Raw, { directory, botId }: { directory: Places; botId: UserId }): void {
    switch (type) {
      case "READY":
        this.#forgetWhere(() => true);
        return;
      case "GUILD_CREATE":
      case "GUILD_UPDATE":
      case "GUILD_DELETE":
      case "GUILD_ROLE_CREATE":
      case "GUILD_ROLE_UPDATE":
      case "GUILD_ROLE_DELETE":
      case "CHANNEL_CREATE":
      case "CHANNEL_UPDATE":
      case "CHANNEL_DELETE":
      case "THREAD_LIST_SYNC":
        this.#forgetGuild(raw["guild_id"] ?? raw["id"], directory);
        return;
      case "THREAD_CREATE":
      case "THREAD_UPDATE":
      case "THREAD_DELETE":
      case "THREAD_MEMBER_UPDATE":
      case "THREAD_MEMBERS_UPDATE":
        this.forget([raw["id"]]);
        return;
      case "GUILD_MEMBER_ADD":
      case "GUILD_MEMBER_UPDATE":
      case "GUILD_MEMBER_REMOVE": {
        const userId = toId<UserId>(record(raw["user"])["id"]);
        if (userId === botId) this.#forgetGuild(raw["guild_id"], directory);
        else if (userId && type !== "GUILD_MEMBER_UPDATE") this.forget([userId, directory.directMessages(userId)]);
        return;
      }
      case "MESSAGE_CREATE":
        if (!raw["guild_id"]) this.forget([raw["channel_id"], record(raw["author"])["id"]]);
    }
  }

  /** Includes unknown channels, which may have been hidden in this server. Excludes people and other servers. */
  #forgetGuild(guildId: unknown, directory: Places): void {
    this.#forgetWhere(({ id, isOfChannel }) => {
      if (!isOfChannel) return id === guildId;
      const channel = directory.channel(id as ChannelId);
      return !channel || channel.guildId === (guildId as GuildId);
    });
  }

  #forgetWhere(matches: (about: Pick<RequestSubject, "id" | "isOfChannel">) => boolean): void {
    this.#refusals.deleteWhere(matches);
    for (const subject of this.#underWay) if (matches(subject)) this.#underWay.delete(subject);
  }
}

type Places = Pick<GuildDirectory, "channel" | "directMessages">;

export function toSubject(request: Pick<InternalRequest, "fullRoute" | "method" | "body">): RequestSubject {
  const { fullRoute, method, body } = request;
  const [first = ""] = /\d{16,20}/.exec(fullRoute) ?? [];
  const person = String(record(body)["recipient_id"] ?? "");
  return {
    exact: `${method} ${fullRoute} ${person}`,
    route: `${toRouteKey(request)}${person}`,
    id: first || person,
    isOfChannel: fullRoute.startsWith("/channels/"),
    isDeletion: method === RequestMethod.Delete,
    namesMessage: /\/messages\/\d/.test(fullRoute),
    isLookup: method === RequestMethod.Get && fullRoute === Routes.channel(first),
  };
}

function toResponse({ status, body }: Pick<Refusal, "status" | "body">, headers: Record<string, string>): ResponseLike {
  return new Response(body, { status, headers });
}

function codeOf(body: string): unknown {
  try {
    return record(JSON.parse(body))["code"];
  } catch {
    return undefined;
  }
}
