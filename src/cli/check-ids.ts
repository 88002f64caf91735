import type { Config } from "../config/config.ts";
import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, GuildId, RoleId, UserId } from "../domain/ids.ts";
import { quoteName } from "../domain/text/escape.ts";
import type { Directory } from "../ports/directory.ts";

/** An id that stands somewhere in the configuration. */
interface ConfiguredId {
  readonly setting: string;
  readonly kind: "server" | "channel" | "role" | "person" | "server or channel";
  readonly id: string;
  /** The server of a role, or the server that a channel must be in. */
  readonly guild?: GuildId;
}

interface IdProblem {
  readonly line: string;
  /** Something is not as the operator meant it to be: a rule that names nothing does nothing. */
  readonly isGrave: boolean;
}

export interface IdReport {
  readonly count: number;
  readonly problems: readonly IdProblem[];
}

interface Known {
  readonly directory: Directory;
  isHidden(channelId: ChannelId): Promise<boolean>;
}

/** Looks up every id in the configuration. A person or channel that is not known is asked for. */
export async function checkIds(config: Config, known: Known): Promise<IdReport> {
  const all = listIds(config);
  const problems = await Promise.all(all.map((each) => findProblem(each, known)));
  return { count: all.length, problems: problems.filter((problem) => problem !== null) };
}

function listIds({ policy, clients, timeline, agent, documents, profiles }: Config): ConfiguredId[] {
  const { guilds, channels, roles, optOut, memory } = policy;
  return [
    ...toIds("policy.guilds.allow", "server", guilds.allow),
    ...toIds("policy.guilds.deny", "server", guilds.deny),
    ...toIds("policy.channels.allow", "channel", channels.allow),
    ...toIds("policy.channels.deny", "channel", channels.deny),
    ...roles.flatMap(({ guild, role }): ConfiguredId[] => [
      { setting: "policy.roles", kind: "server", id: guild },
      ...(role === "everyone" ? [] : [{ setting: "policy.roles", kind: "role", id: role, guild } as const]),
    ]),
    ...toIds("policy.optOut.channels", "channel", optOut.channels),
    ...toIds("policy.optOut.people", "person", optOut.people),
    ...toIds(
      "policy.memory.servers",
      "server",
      memory.servers.map(({ guild }) => guild),
    ),
    ...toIds(
      "policy.memory.projects",
      "server",
      memory.projects.map(({ guild }) => guild),
    ),
    ...memory.projects.flatMap((project) =>
      toIds("policy.memory.projects", "channel", project.channels).map((each) => ({ ...each, guild: project.guild })),
    ),
    ...clients.flatMap(({ name, grant }) => [
      ...toIds(`guilds of the client ${name}`, "server", grant.guilds),
      ...toIds(`channels of the client ${name}`, "channel", grant.channels),
      ...toIds(`actors of the client ${name}`, "person", grant.actors === "anyone" ? "all" : grant.actors),
    ]),
    ...toIds("timeline.diskChannels", "channel", timeline.diskChannels),
    ...toIds("agent.off", "server or channel", agent.off),
    ...toIds(
      "agent.bots",
      "person",
      agent.bots.map(({ id }) => id),
    ),
    ...toIds("agent.answersBots", "person", agent.answersBots),
    ...Object.entries(profiles.fields).flatMap(([path, { visibility }]): ConfiguredId[] => {
      const setting = `visibility of profiles.fields.${path}`;
      if (visibility === "private") return [];
      if ("server" in visibility) return [{ setting, kind: "server", id: visibility.server }];
      return [{ setting, kind: "channel", id: visibility.channel }];
    }),
    ...documents.flatMap(({ name, audience: { server, channel, role } }) => {
      const setting = `documents (${name})`;
      return [
        ...toIds(setting, "server", server ? [server] : []),
        ...toIds(setting, "channel", channel ? [channel] : []),
        ...(role && server ? [{ setting, kind: "role", id: role, guild: server } as const] : []),
      ];
    }),
  ];
}

function toIds(setting: string, kind: ConfiguredId["kind"], ids: "all" | readonly string[]): ConfiguredId[] {
  return ids === "all" ? [] : ids.map((id) => ({ setting, kind, id }));
}

async function findProblem(configured: ConfiguredId, { directory, isHidden }: Known): Promise<IdProblem | null> {
  const { kind, id, guild } = configured;
  const server = directory.guild(id as GuildId);
  const channel = directory.channel(id as ChannelId);
  const say = (problem: string, isGrave = true) => ({ line: `${configured.setting}: ${problem}`, isGrave });
  switch (kind) {
    case "server":
      if (server) return null;
      return say(`${id} is no server that the bot is in${channel ? "; it is a channel" : ""}`);
    case "role": {
      const known = guild ? directory.guild(guild) : undefined;
      if (!known || !guild || directory.roles(guild).some((role) => role.id === (id as RoleId))) return null;
      return say(`${id} is no role of ${quoteName(known.name)}`);
    }
    case "person":
      if (await isKnown(id as UserId, directory)) return null;
      return say(`${id} is in no server of the bot; a webhook, or somebody who has left, is not known either`, false);
    default: {
      if (kind === "server or channel" && server) return null;
      if (!channel && !server && (await isHidden(id as ChannelId)))
        return say(
          `the channel ${id} is hidden from the bot, or in a server that it is not in: nothing of it is used anyway`,
          false,
        );
      if (channel && guild !== undefined && channel.guildId !== guild)
        return say(`the channel ${id} is in another server than ${guild}, so it has no part in the project`);
      if (channel) return null;
      const what = server ? "it is a server" : "it was deleted, is an archived thread, or was mistyped";
      return say(`${id} is no ${kind} that the bot knows; ${what}`);
    }
  }
}

async function isKnown(id: UserId, directory: Directory): Promise<boolean> {
  for (const guild of directory.guilds()) {
    if (!guild.membersComplete)
      await directory.learnMember(id, guild.id).catch((error: unknown) => {
        if (!(error instanceof EarshotError)) throw error;
      });
    if (directory.member(guild.id, id)) return true;
  }
  return false;
}
