import { createHmac } from "node:crypto";
import type {
  ApplicationRecord,
  AuthorizationRecord,
  ChannelRecord,
  CodeRecord,
  GuildRecord,
  InteractionRecord,
  InviteRecord,
  StickerRecord,
  UserRecord,
  WebhookRecord,
} from "./records.ts";
import { createMint } from "./snowflake.ts";

/** An event for gateway sessions. Each session decides by its intents and permissions whether it receives the event, and in which form. */
export interface WorldEvent {
  /** Name of the gateway dispatch, such as "MESSAGE_CREATE". */
  readonly type: string;
  readonly guildId: string | null;
  /** Sent only to those who can view this channel. */
  readonly channel?: ChannelRecord;
  /** Sent only to these users, whatever they can view. */
  readonly onlyFor?: readonly string[];
  /** The payload. A function if it differs between listeners; null for a listener that must not receive it. */
  readonly data: unknown | ((listenerId: string) => unknown | null);
}

export interface Clock {
  now(): number;
}

/** Everything that exists in the sandbox. Actions change it and announce events with `emit`. */
export class World {
  readonly users = new Map<string, UserRecord>();
  readonly applications = new Map<string, ApplicationRecord>();
  readonly guilds = new Map<string, GuildRecord>();
  /** Every channel, thread and DM, by id. */
  readonly channels = new Map<string, ChannelRecord>();
  readonly webhooks = new Map<string, WebhookRecord>();
  /** Interactions, by id. */
  readonly interactions = new Map<string, InteractionRecord>();
  readonly stickers = new Map<string, StickerRecord>();
  /** By code. */
  readonly invites = new Map<string, InviteRecord>();
  /** Codes of sign-ins, by the code. */
  readonly codes = new Map<string, CodeRecord>();
  /** By access token. */
  readonly authorizations = new Map<string, AuthorizationRecord>();
  readonly clock: Clock;
  /** The HTTP URL of this world, such as `http://127.0.0.1:4000`; known once a server listens. */
  origin: () => string = () => "http://127.0.0.1";
  readonly #mint = createMint();
  readonly #secret: string;
  readonly #listeners = new Set<(event: WorldEvent) => void>();

  constructor(clock: Clock, seed = "earshot") {
    this.clock = clock;
    this.#secret = seed;
  }

  mintId(timestamp = this.clock.now()): string {
    return this.#mint(timestamp);
  }

  /** A secret for a purpose: the same in every sandbox with the same seed, so that tokens can be hard-coded. */
  deriveSecret(purpose: string): string {
    return createHmac("sha256", this.#secret).update(purpose).digest("base64url");
  }

  botByToken(token: string): ApplicationRecord | undefined {
    for (const application of this.applications.values()) if (application.token === token) return application;
    return undefined;
  }

  applicationOf(botId: string): ApplicationRecord | undefined {
    for (const application of this.applications.values()) if (application.botId === botId) return application;
    return undefined;
  }

  guildOf(channel: ChannelRecord): GuildRecord | undefined {
    return channel.guildId === null ? undefined : this.guilds.get(channel.guildId);
  }

  parentOf(thread: ChannelRecord): ChannelRecord | undefined {
    return thread.parentId === null ? undefined : this.channels.get(thread.parentId);
  }

  addChannel(channel: ChannelRecord): void {
    this.channels.set(channel.id, channel);
    if (channel.guildId !== null) this.guilds.get(channel.guildId)?.channels.set(channel.id, channel);
  }

  removeChannel(channel: ChannelRecord): void {
    this.channels.delete(channel.id);
    if (channel.guildId !== null) this.guilds.get(channel.guildId)?.channels.delete(channel.id);
  }

  emit(event: WorldEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Returns a function that stops listening. */
  listen(listener: (event: WorldEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
