import { openOnlooker } from "../app.ts";
import { EarshotError } from "../domain/errors.ts";
import type { Channel } from "../domain/guild.ts";
import { type ChannelId, idTime, type MessageId, type UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import { toLine, withNames } from "../domain/render.ts";
import type { Discord, DiscordEvent } from "../ports/discord.ts";
import { type Command, textOption, untilAsked } from "./command.ts";
import { findDiscord } from "./running-sandbox.ts";

export const tail: Command = {
  name: "tail",
  usage: "[--in <channel>] [--last 10] [--json]",
  about: "Watch what the bot hears, live",
  options: { in: { type: "string" }, last: { type: "string" }, json: { type: "boolean" } },
  details: [
    "--in    only this channel or thread, by name or id",
    "--last  first show so many earlier messages of it (needs --in)",
    "--json  one JSON object per event",
  ],
  async run(args, { config, log, signal, print, self }) {
    const wanted = textOption(args, "in");
    const last = Number(textOption(args, "last") ?? 0);
    if (!Number.isInteger(last) || last < 0 || last > 100)
      throw new EarshotError("invalid", "--last must be a whole number from 0 to 100.");
    if (last > 0 && !wanted) throw new EarshotError("invalid", "--last needs --in: which channel's earlier messages?");
    const discord = await openOnlooker(await findDiscord(config, self), config, log);
    try {
      const channel = wanted === undefined ? undefined : findChannel(discord, wanted);
      if (channel && last > 0) {
        const earlier = await discord.history(channel.id, { limit: last }, signal);
        for (const message of earlier.reverse())
          print(args.values["json"] ? JSON.stringify(message) : describeMessage(message, discord));
      }
      if (!args.values["json"])
        print(`Listening${channel ? ` in #${channel.name}` : ""} as ${discord.botName}. Stop with Ctrl-C.`);
      const ended = new Promise<void>((resolve) => {
        discord.listen((event) => {
          if (event.type === "connection" && event.state === "closed") resolve();
          if (channel && channelOf(event) !== channel.id && event.type !== "gap" && event.type !== "connection") return;
          const line = args.values["json"] ? JSON.stringify(event) : describeEvent(event, discord);
          if (line) print(line);
        });
      });
      await Promise.race([untilAsked(signal), ended]);
      return signal.aborted ? 0 : 1;
    } finally {
      await discord.close();
    }
  },
};

/** By id or by name; several of the same name are refused, with their ids. */
function findChannel(discord: Discord, wanted: string): Channel {
  const all = discord.directory.guilds().flatMap((guild) => discord.directory.channels(guild.id));
  const name = wanted.replace(/^#/, "").toLowerCase();
  const found = all.filter(
    (channel) => channel.id === wanted || (!channel.hidden && channel.name.toLowerCase() === name),
  );
  const [only, ...others] = found;
  if (!only) throw new EarshotError("not_found", `There is no channel called "${wanted}" that the bot can see.`);
  if (others.length > 0)
    throw new EarshotError(
      "invalid",
      `Several channels are called "${wanted}"; use an id: ${found.map(({ id }) => id).join(", ")}`,
    );
  return only;
}

function channelOf(event: DiscordEvent): ChannelId | undefined {
  if (event.type === "message" || event.type === "message_update") return event.message.channel_id;
  return "channelId" in event ? event.channelId : undefined;
}

/** Null for what a person watching would not care about. */
function describeEvent(event: DiscordEvent, discord: Discord): string | null {
  switch (event.type) {
    case "message":
      return describeMessage(event.message, discord);
    case "message_update":
      return event.message.edited_ts ? `${describeMessage(event.message, discord)} (edited)` : null;
    case "message_delete":
      return `${clock(Date.now())} ${placeName(event.channelId, discord)} ${deletions(event.messageIds)}`;
    case "access_lost":
      return `${clock(Date.now())} ${placeName(event.channelId, discord)} the bot may no longer read here`;
    case "gap":
      return `${clock(Date.now())} events may have been missed from ${event.from} to ${event.to} (${event.reason})`;
    case "connection":
      return event.state === "reconnecting" ? `${clock(Date.now())} connection lost; mending` : null;
    default:
      return null;
  }
}

function describeMessage(message: Message, discord: Discord): string {
  const { directory } = discord;
  const guildId = message.guild_id;
  const content = withNames(message.content, {
    user: (id) => (guildId ? directory.member(guildId, id as UserId)?.name : undefined),
    channel: (id) => directory.channel(id as ChannelId)?.name,
    role: (id) => (guildId ? directory.roles(guildId).find((role) => role.id === id)?.name : undefined),
  });
  const files = message.attachments.map(({ filename }) => ` [${filename}]`).join("");
  const author = `${message.author.name}${message.author.bot ? " (Bot)" : ""}`;
  const reply = message.reply_to ? "↪ " : "";
  return `${clock(Date.parse(message.ts))} ${placeName(message.channel_id, discord)} ${reply}${toLine(author)}: ${toLine(content + files)}`;
}

function placeName(id: ChannelId, { directory }: Discord): string {
  const channel = directory.channel(id);
  if (!channel) return "(unknown)";
  const parent = channel.thread && channel.parentId ? directory.channel(channel.parentId) : undefined;
  return channel.guildId === null
    ? "(direct)"
    : `#${toLine(parent ? `${parent.name} › ${channel.name}` : channel.name)}`;
}

function deletions(ids: readonly MessageId[]): string {
  const [first] = ids;
  if (ids.length === 1 && first) return `a message of ${clock(idTime(first))} was deleted`;
  return `${ids.length} messages were deleted`;
}

function clock(time: number): string {
  return new Date(time).toTimeString().slice(0, 8);
}
