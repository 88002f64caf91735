import { RESTJSONErrorCodes as Code } from "discord-api-types/v10";
import { DiscordError } from "../actions/errors.ts";
import { type LaidCommunity, MAIN_BOT } from "../community/laid-community.ts";
import type { ApplicationRecord, ChannelRecord, GuildRecord, MessageRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { nearestNames } from "./nearest-names.ts";

/** A message, by its record or address, by its id, or by its key in the community. */
export type MessageName = string | Pick<MessageRecord, "id" | "channelId">;

/** A name that nothing has, with those that may have been meant, the closest first. */
export class UnknownName extends DiscordError {
  readonly candidates: readonly string[];

  constructor(code: number, what: string, name: string, known: Iterable<string>) {
    const candidates = nearestNames(name, known);
    const hint = candidates.length > 0 ? `; the closest names are ${candidates.join(", ")}` : "";
    super(404, code, `Unknown ${what}: "${name.slice(0, MAX_SHOWN_LENGTH)}"${hint}`);
    this.candidates = candidates;
  }
}

const MAX_SHOWN_LENGTH = 100;

/** Looks something up by its key in the community's plan, by name as it is shown, or by id. Throws `UnknownName` if there is none. */
export interface Names {
  person(name: string): string;
  bot(name?: string): ApplicationRecord;
  role(name: string, guild?: string): string;
  channel(name: string): ChannelRecord;
  guild(name?: string): GuildRecord;
  message(name: MessageName): Pick<MessageRecord, "id" | "channelId">;
}

export function createNames(world: World, laid: LaidCommunity): Names {
  const usernames = () => [...laid.people.keys(), ...[...world.users.values()].map(({ username }) => username)];
  const person = (name: string): string => {
    const id = laid.people.get(name) ?? name;
    if (world.users.has(id)) return id;
    for (const user of world.users.values()) if (user.username === name) return user.id;
    const members = [...world.guilds.values()].flatMap((one) => [...one.members.values()]);
    const shown = [
      ...[...world.users.values()].map(({ id: userId, globalName }) => ({ userId, nick: globalName })),
      ...members,
    ].filter(({ nick }) => isAlike(nick ?? "", name));
    const [only, ...others] = new Set(shown.map(({ userId }) => userId));
    if (only !== undefined && others.length === 0) return only;
    throw new UnknownName(Code.UnknownUser, "User", name, usernames());
  };
  const guild = (name = laid.guild.id): GuildRecord => {
    const found = world.guilds.get(name) ?? [...world.guilds.values()].find((one) => one.name === name);
    if (found) return found;
    throw new UnknownName(Code.UnknownGuild, "Guild", name, namesOf(world.guilds.values()));
  };
  return {
    person,
    guild,
    bot(name = MAIN_BOT) {
      const application = world.applicationOf(person(name));
      if (application) return application;
      throw new UnknownName(Code.UnknownApplication, "Application", name, namesOf(world.applications.values()));
    },
    role(name, guildName) {
      const { id, roles } = guild(guildName);
      const key = name === "everyone" ? id : (laid.roles.get(name) ?? name);
      if (roles.has(key)) return key;
      for (const role of roles.values()) if (role.name === name) return role.id;
      throw new UnknownName(Code.UnknownRole, "Role", name, [...laid.roles.keys(), ...namesOf(roles.values())]);
    },
    channel(name) {
      const plain = name.replace(/^#/, "");
      const found = world.channels.get(laid.channels.get(plain) ?? plain);
      if (found) return found;
      const alike = [...world.channels.values()].filter((channel) => isAlike(channel.name, plain));
      const exact = alike.find((channel) => channel.name === plain) ?? (alike.length === 1 ? alike[0] : undefined);
      if (exact) return exact;
      throw new UnknownName(Code.UnknownChannel, "Channel", name, [
        ...laid.channels.keys(),
        ...namesOf(world.channels.values()),
      ]);
    },
    message(name) {
      if (typeof name !== "string") return name;
      const id = laid.messages.get(name) ?? name;
      for (const channel of world.channels.values()) {
        const found = channel.messages.get(id);
        if (found) return found;
      }
      throw new UnknownName(Code.UnknownMessage, "Message", name, []);
    },
  };
}

/** The same letters and digits, whatever their case and accents. */
function isAlike(name: string, typed: string): boolean {
  const [one, other] = [name, typed].map((text) =>
    text
      .normalize("NFKD")
      .replaceAll(/[^\p{L}\p{N}]/gu, "")
      .toLowerCase(),
  );
  return one !== "" && one === other;
}

function namesOf(named: Iterable<{ readonly name: string }>): string[] {
  return [...named].map(({ name }) => name).filter((name) => name !== "");
}
