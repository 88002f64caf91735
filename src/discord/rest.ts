import { AsyncLocalStorage } from "node:async_hooks";
import { API } from "@discordjs/core/http-only";
import {
  DefaultRestOptions,
  DiscordAPIError,
  HTTPError,
  makeURLSearchParams,
  RateLimitError,
  REST,
} from "@discordjs/rest";
import { MessageFlags, Routes } from "discord-api-types/v10";
import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Choice, Draft, HistoryPage, Note } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import type { CommandBody } from "./command-offers.ts";
import type { DirectoryQuestions } from "./directory.ts";
import type { SearchQuery } from "./guild-search.ts";
import { type PressAddress, type PressAnswers, type TypingAnswers, toComponents } from "./interactions.ts";
import { list, name, type Raw, record, text } from "./read.ts";

export interface RestOptions {
  readonly token: string;
  /** Base of the API without version, such as https://discord.com/api. */
  readonly api: string;
}

export interface ApplicationFacts {
  readonly id: string;
  readonly botId: UserId;
  readonly botName: string;
  /** Null when the server does not say. */
  readonly flags: number | null;
}

/** Longer waits are not sat out silently: the caller is told when to come back. */
const LONGEST_WAIT = 60_000;

/** Discord's REST API, as far as the edge uses it. Errors come out as Earshot's own. */
export class DiscordRest implements DirectoryQuestions, PressAnswers, TypingAnswers {
  readonly rest: REST;
  calls = 0;
  waits = 0;
  waitedMs = 0;
  readonly #api: API;
  readonly #closed = new AbortController();
  /** Asked right before a request leaves, after all waiting in queues. */
  readonly #recheck = new AsyncLocalStorage<() => void>();
  /** The headers of the history route promise more than it allows, so requests for one channel wait for each other here. */
  readonly #historyQueues = new Map<ChannelId, Promise<unknown>>();

  constructor({ token, api }: RestOptions, log: Log) {
    this.rest = new REST({
      api,
      version: "10",
      invalidRequestWarningInterval: 100,
      makeRequest: async (url, init) => {
        this.#throwIfClosed();
        this.#recheck.getStore()?.();
        const request = { ...init, signal: this.#orClosed(init.signal) };
        try {
          return await DefaultRestOptions.makeRequest(url, request);
        } catch (error) {
          this.#throwIfClosed();
          // A connection that was kept open may be closed by the other side in the very moment in which it is used again.
          if (init.method !== "GET" || !isHangUp(error)) throw error;
          return DefaultRestOptions.makeRequest(url, request);
        }
      },
      rejectOnRateLimit: ({ timeToReset, retryAfter }) => Math.max(timeToReset, retryAfter) > LONGEST_WAIT,
    }).setToken(token);
    this.rest.on("response", () => {
      this.calls += 1;
    });
    this.rest.on("rateLimited", ({ route, timeToReset, scope }) => {
      this.waits += 1;
      this.waitedMs += timeToReset;
      log.info({ route, waitMs: timeToReset, scope }, "Discord asks to wait");
    });
    this.rest.on("invalidRequestWarning", ({ count: invalid }) => {
      log.warn({ invalid }, "many refused requests: Discord bans an address after 10,000 in ten minutes");
    });
    this.#api = new API(this.rest);
  }

  /** Who the token belongs to, and what its owner switched on. */
  async application(): Promise<ApplicationFacts> {
    return translated(async () => {
      const [application, me] = await Promise.all([this.#api.applications.getCurrent(), this.#api.users.getCurrent()]);
      const flags = record(application)["flags"];
      return {
        id: text(application.id) || me.id,
        botId: me.id as UserId,
        botName: name(me.global_name) ?? name(me.username) ?? me.id,
        flags: typeof flags === "number" ? flags : null,
      };
    });
  }

  /** One page of raw messages; one request at a time per channel. */
  async history(channelId: ChannelId, page: HistoryPage, signal?: AbortSignal): Promise<readonly unknown[]> {
    const previous = this.#historyQueues.get(channelId) ?? Promise.resolve();
    const mine = previous.then(() => {
      signal?.throwIfAborted();
      return this.#api.channels.getMessages(channelId, page, signal ? { signal } : {});
    });
    const settled = mine.then(ignore, ignore);
    this.#historyQueues.set(channelId, settled);
    try {
      return list(await translated(() => mine));
    } catch (error) {
      throw orCancelled(error, signal);
    } finally {
      if (this.#historyQueues.get(channelId) === settled) this.#historyQueues.delete(channelId);
    }
  }

  async message(channelId: ChannelId, messageId: MessageId, signal?: AbortSignal): Promise<Raw | null> {
    return nullIfAbsent(async () =>
      record(await this.#api.channels.getMessage(channelId, messageId, signal ? { signal } : {})),
    );
  }

  async search(guildId: GuildId, query: SearchQuery, signal?: AbortSignal): Promise<Raw> {
    const options = { query: makeURLSearchParams(query), ...(signal && { signal }) };
    try {
      return record(await translated(() => this.rest.get(Routes.guildMessagesSearch(guildId), options)));
    } catch (error) {
      throw orCancelled(error, signal);
    }
  }

  /** Nobody is pinged but those who are named, and no link is previewed: a preview is a request to somebody's server. */
  async send(
    channelId: ChannelId,
    { text: content, replyTo, mentions, buttons, nonce }: Draft,
    recheck = ignore,
  ): Promise<Raw> {
    const body = {
      content,
      flags: MessageFlags.SuppressEmbeds,
      allowed_mentions: { parse: [], users: [...mentions], replied_user: false },
      ...(buttons ? { components: toComponents(buttons) } : {}),
      ...(replyTo ? { message_reference: { message_id: replyTo, fail_if_not_exists: false } } : {}),
      ...(nonce ? { nonce, enforce_nonce: true } : {}),
    };
    const post = async () => record(await this.#api.channels.createMessage(channelId, body));
    return translated(() => this.#recheck.run(recheck, post));
  }

  async edit(channelId: ChannelId, messageId: MessageId, note: Note): Promise<void> {
    await translated(() => this.#api.channels.editMessage(channelId, messageId, toBody(note)));
  }

  async hold({ id, token }: PressAddress): Promise<void> {
    await translated(() => this.#api.interactions.defer(id, token, { flags: MessageFlags.Ephemeral }));
  }

  async whisper({ id, token }: PressAddress, note: Note): Promise<void> {
    await translated(() => this.#api.interactions.reply(id, token, { ...toBody(note), flags: WHISPER }));
  }

  async whisperAgain({ applicationId, token }: PressAddress, note: Note): Promise<void> {
    const body = { ...toBody(note), flags: WHISPER };
    await translated(() => this.#api.interactions.followUp(applicationId, token, body));
  }

  async replace({ id, token }: PressAddress, note: Note): Promise<void> {
    await translated(() => this.#api.interactions.updateMessage(id, token, toBody(note)));
  }

  async amend({ applicationId, token }: PressAddress, note: Note): Promise<void> {
    await translated(() => this.#api.interactions.editReply(applicationId, token, toBody(note)));
  }

  async suggest({ id, token }: PressAddress, choices: readonly Choice[]): Promise<void> {
    const body = { choices: choices.map(({ label, value }) => ({ name: label, value })) };
    await translated(() => this.#api.interactions.createAutocompleteResponse(id, token, body));
  }

  /** Those for everybody everywhere. */
  async commands(applicationId: string): Promise<readonly unknown[]> {
    return list(await translated(() => this.#api.applicationCommands.getGlobalCommands(applicationId)));
  }

  /** In the place of one of the same name, or as a new one. */
  async putCommand(applicationId: string, body: CommandBody): Promise<void> {
    await translated(() => this.#api.applicationCommands.createGlobalCommand(applicationId, body));
  }

  async react(
    { channelId, messageId, emoji }: { channelId: ChannelId; messageId: MessageId; emoji: string },
    recheck = ignore,
  ): Promise<void> {
    const put = () => this.#api.channels.addMessageReaction(channelId, messageId, emoji);
    await translated(() => this.#recheck.run(recheck, put));
  }

  async openDm(userId: UserId): Promise<Raw> {
    return translated(async () => record(await this.#api.users.createDM(userId)));
  }

  async channel(id: ChannelId): Promise<Raw | null> {
    return nullIfAbsent(async () => record(await this.#api.channels.get(id)));
  }

  async member(guildId: GuildId, userId: UserId): Promise<Raw | null> {
    return nullIfAbsent(async () => record(await this.#api.guilds.getMember(guildId, userId)));
  }

  async threadMembers(threadId: ChannelId): Promise<readonly unknown[] | null> {
    return nullIfAbsent(async () => list(await this.#api.threads.getAllMembers(threadId)));
  }

  async searchMembers(guildId: GuildId, words: string): Promise<readonly unknown[] | null> {
    if (words === "") return [];
    return nullIfAbsent(async () =>
      list(await this.#api.guilds.searchForMembers(guildId, { query: words, limit: 25 })),
    );
  }

  /** Ends requests under way: one that waits for an answer would keep the process alive. Safe to repeat. */
  close(): void {
    this.#closed.abort();
    this.rest.clearHandlerSweeper();
    this.rest.clearHashSweeper();
  }

  #throwIfClosed(): void {
    if (this.#closed.signal.aborted) throw new EarshotError("unavailable", "Earshot is shutting down.");
  }

  #orClosed(signal: AbortSignal | null | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal;
  }
}

function ignore(): void {}

const WHISPER = MessageFlags.Ephemeral | MessageFlags.SuppressEmbeds;

function toBody({ text: content, buttons = [] }: Note) {
  const flags: MessageFlags.SuppressEmbeds = MessageFlags.SuppressEmbeds;
  return { content, components: toComponents(buttons), allowed_mentions: { parse: [] }, flags };
}

function orCancelled(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? new EarshotError("cancelled", "The request was cancelled.", { cause: error }) : error;
}

async function nullIfAbsent<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await translated(ask);
  } catch (error) {
    if (error instanceof EarshotError && error.code === "not_found") return null;
    throw error;
  }
}

async function translated<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    throw toEarshotError(error);
  }
}

/** Not allowed reads like absent; only an outage is an outage. */
function toEarshotError(cause: unknown): Error {
  if (cause instanceof RateLimitError) {
    const retryAfter = Math.ceil(Math.max(cause.retryAfter, cause.timeToReset) / 1000);
    return new EarshotError("rate_limited", `Discord asks to wait ${retryAfter} seconds.`, { cause, retryAfter });
  }
  if (cause instanceof DiscordAPIError || cause instanceof HTTPError) {
    const { status } = cause;
    if (status === 401) return new EarshotError("unauthenticated", "Discord does not accept the bot token.", { cause });
    if (status === 403 || status === 404)
      return new EarshotError("not_found", "Discord knows no such thing, or does not show it to the bot.", { cause });
    if (status === 400) return new EarshotError("invalid", "Discord does not accept the request.", { cause });
    return new EarshotError("unavailable", `Discord does not answer (status ${status}); try again later.`, { cause });
  }
  if (cause instanceof EarshotError) return cause;
  return new EarshotError("unavailable", "Discord cannot be reached; check the address and the network.", { cause });
}

const HANG_UPS: readonly unknown[] = ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"];

function isHangUp(error: unknown): boolean {
  const { code, cause } = record(error);
  return HANG_UPS.includes(code) || HANG_UPS.includes(record(cause)["code"]);
}
