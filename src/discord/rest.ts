import { API } from "@discordjs/core/http-only";
import { makeURLSearchParams } from "@discordjs/rest";
import { ChannelType, MessageFlags, Routes } from "discord-api-types/v10";
import { EarshotError } from "../domain/errors.ts";
import { type ChannelId, type GuildId, type MessageId, toId, type UserId } from "../domain/ids.ts";
import type { MessageRef } from "../domain/message.ts";
import { orCancelled } from "../domain/or-cancelled.ts";
import { SerialByKey } from "../domain/serial.ts";
import type { Clock } from "../ports/clock.ts";
import type { Choice, Draft, HistoryPage, Leaving, Note, ThreadDraft } from "../ports/discord.ts";
import type { Form } from "../ports/form.ts";
import type { CommandBody } from "./command-offers.ts";
import type { DirectoryRequests } from "./directory.ts";
import type { SearchQuery } from "./guild-search.ts";
import { type PressAddress, type PressAnswers, type TypingAnswers, toComponents } from "./interactions.ts";
import { name, type Raw, record, text } from "./read.ts";
import { type RequestRules, ResilientRest, type RestDeps, type RestOptions } from "./resilient-rest.ts";
import { hasId, isId, mustBeList, mustBeRecord } from "./rest-answers.ts";
import { isAbsent } from "./rest-errors.ts";
import { toModal } from "./to-modal.ts";

export interface ApplicationFacts {
  readonly id: string;
  readonly botId: UserId;
  readonly botName: string;
  /** Null if the server does not send them. */
  readonly flags: number | null;
  /** Redirect addresses for sign-ins; null if the server does not send them. */
  readonly redirects: readonly string[] | null;
}

/** The part of Discord's REST API that the edge uses. Throws Earshot's own errors. */
export class DiscordRest implements DirectoryRequests, PressAnswers, TypingAnswers {
  readonly rest: ResilientRest;
  readonly #api: API;
  readonly #clock: Clock;
  #sends = 0;
  /** The rate-limit headers of the history route promise more than it allows, so requests for one channel are serialised here. */
  readonly #history = new SerialByKey<ChannelId>();

  constructor(options: RestOptions, deps: RestDeps) {
    this.rest = new ResilientRest(options, deps);
    this.#clock = deps.clock;
    this.#api = new API(this.rest);
  }

  get isHeldBack(): boolean {
    return this.rest.holdsBackReads;
  }

  /** The application of the token, and the intents that its owner enabled. */
  async application(): Promise<ApplicationFacts> {
    const [application, me] = await Promise.all([
      this.rest.ask({}, async () => mustBeRecord(await this.#api.applications.getCurrent())),
      this.rest.ask({}, async () => mustBeRecord(await this.#api.users.getCurrent())),
    ]).catch((error: unknown) => {
      const isAbsent = error instanceof EarshotError && error.code === "not_found";
      throw isAbsent ? new EarshotError("misconfigured", NO_API, { cause: error }) : error;
    });
    const { flags, redirect_uris: redirects } = application;
    const botId = text(me["id"]);
    return {
      id: text(application["id"]),
      botId: botId as UserId,
      botName: name(me["global_name"]) ?? name(me["username"]) ?? botId,
      flags: typeof flags === "number" ? flags : null,
      redirects: Array.isArray(redirects) ? redirects.map((address) => text(address)) : null,
    };
  }

  /** One page of raw messages; one request at a time per channel. */
  async history(channelId: ChannelId, page: HistoryPage, signal?: AbortSignal): Promise<readonly Raw[]> {
    const mine = this.#history.run(channelId, () =>
      this.rest.ask({ signal, isOptional: true }, async () => {
        signal?.throwIfAborted();
        return mustBeList(await this.#api.channels.getMessages(channelId, page));
      }),
    );
    // An abort does not wait for earlier requests in the queue.
    return signal ? orCancelled(mine, signal) : mine;
  }

  async message(channelId: ChannelId, messageId: MessageId, signal?: AbortSignal): Promise<Raw | null> {
    return this.#nullIfAbsent({ signal, isOptional: true }, async () =>
      mustBeRecord(await this.#api.channels.getMessage(channelId, messageId), ({ id }) => id === messageId),
    );
  }

  async search(guildId: GuildId, query: SearchQuery, signal?: AbortSignal): Promise<Raw> {
    const options = { query: makeURLSearchParams(query) };
    return this.rest.ask({ signal, isOptional: true }, async () =>
      mustBeRecord(await this.rest.get(Routes.guildMessagesSearch(guildId), options), isSearchAnswer),
    );
  }

  /** A page of the threads in a channel's archive: the latest archived first; the joined ones the newest first. */
  async archivedThreads(
    channelId: ChannelId,
    kind: ArchiveKind,
    before: string | null,
    signal?: AbortSignal,
  ): Promise<Raw> {
    const query = makeURLSearchParams({ limit: ARCHIVE_PAGE, ...(before !== null && { before }) });
    const route =
      kind === "joined" ? Routes.channelJoinedArchivedThreads(channelId) : Routes.channelThreads(channelId, kind);
    return this.rest.ask({ signal, isOptional: true }, async () => {
      const answer = mustBeRecord(await this.rest.get(route, { query }), isArchivePage);
      mustBeList(answer["threads"], isChannel);
      return answer;
    });
  }

  /**
   * Pings only the named people, and disables link previews, which are requests to other servers. Every message has a nonce, by which
   * Discord drops a repetition.
   */
  async send(channelId: ChannelId, draft: Draft, { recheck, signal }: Leaving = {}): Promise<Raw> {
    const { text: content, replyTo, mentions, buttons } = draft;
    this.#sends += 1;
    const body = {
      content,
      flags: MessageFlags.SuppressEmbeds,
      allowed_mentions: { parse: [], users: [...mentions], replied_user: false },
      nonce: draft.nonce ?? `${this.#clock.now().toString(36)}-${this.#sends}`,
      enforce_nonce: true,
      ...(buttons ? { components: toComponents(buttons) } : {}),
      ...(replyTo ? { message_reference: { message_id: replyTo, fail_if_not_exists: false } } : {}),
    };
    return this.rest.ask({ recheck, signal, isEffect: true }, async () =>
      mustBeRecord(await this.#api.channels.createMessage(channelId, body)),
    );
  }

  async edit({ channelId, messageId }: MessageRef, note: Note, { recheck, signal }: Leaving = {}): Promise<void> {
    await this.rest.ask({ recheck, signal }, async () =>
      mustBeRecord(await this.#api.channels.editMessage(channelId, messageId, toBody(note))),
    );
  }

  /** Does nothing if it is deleted already. */
  async withdraw({ channelId, messageId }: MessageRef, { recheck, signal }: Leaving = {}): Promise<void> {
    try {
      await this.rest.ask({ recheck, signal }, () => this.#api.channels.deleteMessage(channelId, messageId));
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }

  async showTyping(channelId: ChannelId, { recheck, signal }: Leaving = {}): Promise<void> {
    await this.rest.ask({ recheck, signal, isOptional: true }, () => this.#api.channels.showTyping(channelId));
  }

  async hold({ id, token }: PressAddress): Promise<void> {
    await this.rest.ask({}, () => this.#api.interactions.defer(id, token, { flags: MessageFlags.Ephemeral }));
  }

  async holdOpenly({ id, applicationId, token }: PressAddress): Promise<MessageId> {
    const held: unknown = await this.rest.ask({}, () =>
      this.#api.interactions.defer(id, token, { with_response: true }),
    );
    const messageId = toId<MessageId>(record(record(held)["interaction"])["response_message_id"]);
    if (messageId) return messageId;
    // Some servers do not return it at once.
    const promised = await this.rest.ask({}, async () =>
      mustBeRecord(await this.#api.interactions.getOriginalReply(applicationId, token), ({ id }) => isId(id)),
    );
    return promised["id"] as MessageId;
  }

  async fillOpenly(
    { applicationId, token }: PressAddress,
    note: Note,
    { recheck, signal }: Leaving = {},
  ): Promise<void> {
    await this.rest.ask({ recheck, signal, isEffect: true }, () =>
      this.#api.interactions.editReply(applicationId, token, toBody(note)),
    );
  }

  async takeBack({ applicationId, token }: PressAddress): Promise<void> {
    await this.#nullIfAbsent({}, () => this.#api.interactions.deleteReply(applicationId, token));
  }

  async whisper({ id, token }: PressAddress, note: Note): Promise<void> {
    await this.rest.ask({}, () => this.#api.interactions.reply(id, token, { ...toBody(note), flags: WHISPER }));
  }

  async whisperAgain({ applicationId, token }: PressAddress, note: Note): Promise<void> {
    const body = { ...toBody(note), flags: WHISPER };
    await this.rest.ask({}, () => this.#api.interactions.followUp(applicationId, token, body));
  }

  async replace({ id, token }: PressAddress, note: Note): Promise<void> {
    await this.rest.ask({}, () => this.#api.interactions.updateMessage(id, token, toBody(note)));
  }

  async amend({ applicationId, token }: PressAddress, note: Note): Promise<void> {
    await this.rest.ask({}, () => this.#api.interactions.editReply(applicationId, token, toBody(note)));
  }

  async suggest({ id, token }: PressAddress, choices: readonly Choice[]): Promise<void> {
    const body = { choices: choices.map(({ label, value }) => ({ name: label, value })) };
    await this.rest.ask({}, () => this.#api.interactions.createAutocompleteResponse(id, token, body));
  }

  async ask({ id, token }: PressAddress, form: Form): Promise<void> {
    await this.rest.ask({}, () => this.#api.interactions.createModal(id, token, toModal(form)));
  }

  async commands(applicationId: string): Promise<readonly unknown[]> {
    return this.rest.ask({}, async () =>
      mustBeList(await this.#api.applicationCommands.getGlobalCommands(applicationId)),
    );
  }

  /** Replaces the command of the same name, or adds a new one. */
  async putCommand(applicationId: string, body: CommandBody): Promise<void> {
    await this.rest.ask({}, async () =>
      mustBeRecord(await this.#api.applicationCommands.createGlobalCommand(applicationId, body)),
    );
  }

  async react(
    { channelId, messageId, emoji }: { channelId: ChannelId; messageId: MessageId; emoji: string },
    { recheck, signal }: Leaving = {},
  ): Promise<void> {
    const put = () => this.#api.channels.addMessageReaction(channelId, messageId, emoji);
    await this.rest.ask({ recheck, signal, isEffect: true }, put);
  }

  async startThread(
    channelId: ChannelId,
    { name, messageId, post, isNews }: ThreadDraft & { readonly isNews: boolean },
    { recheck, signal }: Leaving = {},
  ): Promise<Raw> {
    const type = isNews ? ChannelType.AnnouncementThread : ChannelType.PublicThread;
    const ask = () => {
      if (post) {
        const flags: MessageFlags.SuppressEmbeds = MessageFlags.SuppressEmbeds;
        const message = { content: post.text, allowed_mentions: { parse: [] }, flags };
        return this.#api.channels.createForumThread(channelId, { name, message, applied_tags: [...post.tagIds] });
      }
      return this.#api.channels.createThread(channelId, messageId ? { name } : { name, type }, messageId);
    };
    return this.rest.ask({ recheck, signal, isEffect: true }, async () => mustBeRecord(await ask(), isChannel));
  }

  async openDm(userId: UserId): Promise<Raw> {
    const dm = await this.rest.ask({ isOptional: true }, async () =>
      mustBeRecord(await this.#api.users.createDM(userId), isChannel),
    );
    // It may have been unknown to Discord before.
    this.rest.refusals.forget([dm["id"]]);
    return dm;
  }

  async channel(id: ChannelId): Promise<Raw | null> {
    return this.#nullIfAbsent({ isOptional: true }, async () =>
      mustBeRecord(await this.#api.channels.get(id), (raw) => isChannel(raw) && raw["id"] === id),
    );
  }

  async member(guildId: GuildId, userId: UserId): Promise<Raw | null> {
    return this.#nullIfAbsent({ isOptional: true }, async () =>
      mustBeRecord(await this.#api.guilds.getMember(guildId, userId), (raw) => isMember(raw, userId)),
    );
  }

  async threadMembers(threadId: ChannelId): Promise<readonly unknown[] | null> {
    return this.#nullIfAbsent({ isOptional: true }, async () =>
      mustBeList(await this.#api.threads.getAllMembers(threadId), ({ user_id }) => isId(user_id)),
    );
  }

  async searchMembers(guildId: GuildId, words: string): Promise<readonly unknown[] | null> {
    if (words === "") return [];
    return this.#nullIfAbsent({ isOptional: true }, async () =>
      mustBeList(await this.#api.guilds.searchForMembers(guildId, { query: words, limit: 25 }), ({ user }) =>
        hasId(record(user)),
      ),
    );
  }

  /** Aborts requests in progress, which would keep the process alive. Safe to repeat. */
  close(): void {
    this.rest.close();
  }

  async #nullIfAbsent<Answer>(rules: RequestRules, request: () => Promise<Answer>): Promise<Answer | null> {
    try {
      return await this.rest.ask(rules, request);
    } catch (error) {
      if (error instanceof EarshotError && error.code === "not_found") return null;
      throw error;
    }
  }
}

/** Every bot may see its own account. */
const NO_API = "What answers as Discord does not know the bot's own account; check the address in EARSHOT_DISCORD_API.";

/** Discord's maximum per request. */
const ARCHIVE_PAGE = 100;

/** `joined`: the private threads that the bot is in. Listing all private threads requires the permission to manage threads. */
export type ArchiveKind = "public" | "private" | "joined";

/** Without `has_more`, it would be unknown whether the list is complete. */
function isArchivePage({ has_more }: Raw): boolean {
  return typeof has_more === "boolean";
}

/** Each hit is validated when it is read: a search never claims to be complete. */
function isSearchAnswer({ code, messages }: Raw): boolean {
  return Array.isArray(messages) || typeof code === "number";
}

function isChannel(raw: Raw): boolean {
  return hasId(raw) && typeof raw["type"] === "number";
}

function isMember(raw: Raw, userId: UserId): boolean {
  return record(raw["user"])["id"] === userId && Array.isArray(raw["roles"]);
}

const WHISPER = MessageFlags.Ephemeral | MessageFlags.SuppressEmbeds;

/** With a file the body becomes multipart: `payload_json` and `files[0]`, to which `attachments` refers. */
function toBody({ text: content, buttons = [], file }: Note) {
  const flags: MessageFlags.SuppressEmbeds = MessageFlags.SuppressEmbeds;
  const body = { content, components: toComponents(buttons), allowed_mentions: { parse: [] }, flags };
  if (!file) return body;
  const { name, contentType, text: data } = file;
  return { ...body, attachments: [{ id: 0, filename: name }], files: [{ name, contentType, data }] };
}
