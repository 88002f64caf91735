import { RESTJSONErrorCodes as Code } from "discord-api-types/v10";
import { DiscordError } from "../actions/errors.ts";
import { type LaidCommunity, MAIN_BOT } from "../community/laid-community.ts";
import type { ApplicationRecord, ChannelRecord, GuildRecord, MessageRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";

/** A message, by its record or address, by its id, or by its key in the community. */
export type MessageName = string | Pick<MessageRecord, "id" | "channelId">;

/** Looks something up by its key in the community's plan, by name, or by id. Throws a 404 if there is none. */
export interface Names {
  person(name: string): string;
  bot(name?: string): ApplicationRecord;
  role(name: string, guild?: string): string;
  channel(name: string): ChannelRecord;
  guild(name?: string): GuildRecord;
  message(name: MessageName): Pick<MessageRecord, "id" | "channelId">;
}

export function createNames(world: World, laid: LaidCommunity): Names {
  const person = (name: string): string => {
    const id = laid.people.get(name) ?? name;
    if (world.users.has(id)) return id;
    for (const user of world.users.values()) if (user.username === name) return user.id;
    throw missing(Code.UnknownUser, "User", name);
  };
  const guild = (name = laid.guild.id): GuildRecord => {
    const found = world.guilds.get(name) ?? [...world.guilds.values()].find((one) => one.name === name);
    if (found) return found;
    throw missing(Code.UnknownGuild, "Guild", name);
  };
  return {
    person,
    guild,
    bot(name = MAIN_BOT) {
      const application = world.applicationOf(person(name));
      if (application) return application;
      throw missing(Code.UnknownApplication, "Application", name);
    },
    role(name, guildName) {
      const { id, roles } = guild(guildName);
      const key = name === "everyone" ? id : (laid.roles.get(name) ?? name);
      if (roles.has(key)) return key;
      for (const role of roles.values()) if (role.name === name) return role.id;
      throw missing(Code.UnknownRole, "Role", name);
    },
    channel(name) {
      const plain = name.replace(/^#/, "");
      const found = world.channels.get(laid.channels.get(plain) ?? plain);
      if (found) return found;
      for (const channel of world.channels.values()) if (channel.name === plain) return channel;
      throw missing(Code.UnknownChannel, "Channel", name);
    },
    message(name) {
      if (typeof name !== "string") return name;
      const id = laid.messages.get(name) ?? name;
      for (const channel of world.channels.values()) {
        const found = channel.messages.get(id);
        if (found) return found;
      }
      throw missing(Code.UnknownMessage, "Message", name);
    },
  };
}

function missing(code: number, what: string, name: string): DiscordError {
  return new DiscordError(404, code, `Unknown ${what}: "${name}"`);
}
