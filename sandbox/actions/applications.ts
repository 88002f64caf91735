import { StickerFormatType } from "discord-api-types/v10";
import type { ApplicationRecord, UserRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";

export interface UserRequest {
  readonly username: string;
  readonly globalName?: string;
  readonly bot?: boolean;
  readonly id?: string;
}

export function createUser(world: World, request: UserRequest): UserRecord {
  const user: UserRecord = {
    id: request.id ?? world.mintId(),
    username: request.username,
    globalName: request.globalName ?? null,
    bot: request.bot ?? false,
  };
  world.users.set(user.id, user);
  return user;
}

export interface BotRequest extends Omit<UserRequest, "bot"> {
  readonly name?: string;
  readonly privileged?: Partial<ApplicationRecord["privileged"]>;
}

/** A bot with its application; both have the same id, as with every application made since 2016. */
export function createBot(world: World, request: BotRequest): ApplicationRecord {
  const user = createUser(world, { ...request, bot: true });
  const application: ApplicationRecord = {
    id: user.id,
    name: request.name ?? request.username,
    botId: user.id,
    token: toToken(world, user.id),
    clientSecret: world.deriveSecret(`client:${user.id}`).slice(0, 32),
    redirectUris: [],
    privileged: { members: true, messageContent: true, presences: true, ...request.privileged },
    commands: new Map(),
    guildCommands: new Map(),
    identifiedAt: [],
  };
  world.applications.set(application.id, application);
  return application;
}

/** In the form of Discord's tokens: the bot's id in base64, a time, a signature. Some libraries read the id from it. */
function toToken(world: World, botId: string): string {
  const secret = world.deriveSecret(`token:${botId}`);
  return `${Buffer.from(botId).toString("base64url")}.${secret.slice(0, 6)}.${secret.slice(5)}`;
}

/** Adds a sticker to a guild; returns its id. */
export function addSticker(world: World, guildId: string, name: string): string {
  const id = world.mintId();
  world.stickers.set(id, { id, name, format_type: StickerFormatType.PNG, guildId });
  return id;
}
