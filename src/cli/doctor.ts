import { configuredAddress, openOnlooker } from "../app.ts";
import { EarshotError, type ERRORS } from "../domain/errors.ts";
import { INVITE_PERMISSIONS, inviteLink } from "../domain/invite.ts";
import { PERMISSION } from "../domain/permission-set.ts";
import { quoteName } from "../domain/text/escape.ts";
import { openSample } from "../embedded-sandbox.ts";
import { openChatModel } from "../open-models.ts";
import type { GuildInfo } from "../ports/directory.ts";
import { CHECK_TIMEOUT_MS, checkModel } from "./check-model.ts";
import type { Command, Context } from "./command.ts";
import { describeWithheld } from "./describe-withheld.ts";
import type { Onlooker } from "./find-withheld.ts";
import { askStatus } from "./running-program.ts";
import { findSandbox, sandboxUrl } from "./running-sandbox.ts";
import { describeHistory } from "./status.ts";

const MAX_LISTED = 20;

/** What the doctor looks at. */
interface Patient extends Onlooker {
  readonly applicationId: string;
  readonly botName: string;
  readonly limits: readonly string[];
}

/** What to do about each way of failing to connect. */
const ADVICE: Partial<Record<keyof typeof ERRORS, string>> = {
  unavailable: "Check the network and EARSHOT_DISCORD_API; https://discordstatus.com tells of outages.",
  rate_limited: "Wait, then try again; if it comes back, another program may be using the same token.",
};

export const doctor: Command = {
  name: "doctor",
  usage: "[--all]",
  options: { all: { type: "boolean" } },
  details: ["--all  list every channel that answers cannot draw on, expected ones too"],
  async run({ values }, context) {
    const { config, log, print } = context;
    const configured = configuredAddress(config);
    const running = configured ? null : await findSandbox(config);
    const embedded = configured || running ? null : await openSample(0, 0);
    const address = configured ?? running ?? { api: embedded?.api ?? "", token: embedded?.token ?? "" };
    print(
      `✓ configuration: ${configured ? `Discord at ${address.api}` : `no token set, so ${running ? `the sandbox at ${sandboxUrl(config)}` : "an embedded sandbox"}`}`,
    );
    try {
      const isModelSound = await checkModel(await openChatModel(config, CHECK_TIMEOUT_MS), context);
      const discord = await openOnlooker(address, config, log);
      try {
        const holders = config.clients.filter(({ grant }) => grant.events === "all").map(({ name }) => name);
        if (holders.length > 0)
          print(`! clients that hear everything the bot hears (events: all): ${holders.join(", ")}`);
        for (const name of confinedForMany(config)) {
          print(`! client ${name}: confined, and may serve many people`);
          print(
            "  → What it reads for one limits what it says to all others: it will often fall silent. Give each person a client.",
          );
        }
        print(await reportHistory(context));
        const isDiscordSound = report(discord, context, values["all"] === true);
        return isModelSound && isDiscordSound ? 0 : 1;
      } finally {
        await discord.close();
      }
    } catch (error) {
      if (!(error instanceof EarshotError)) throw error;
      print(`✗ connection: ${error.message}`);
      const advice = ADVICE[error.code];
      if (advice) print(`  → ${advice}`);
      return 1;
    } finally {
      await embedded?.close();
    }
  },
};

/** How much of the history the running program has read: until all of it, searches look less far back. */
async function reportHistory({ config, self }: Context): Promise<string> {
  const status = await askStatus(config, self).catch((error: unknown) => {
    if (!(error instanceof EarshotError)) throw error;
    return null;
  });
  if (!status) return "- history: no Earshot runs with this data folder, so none is being read";
  const { channels_unread, archives_unlisted } = status.messages;
  return `${channels_unread + archives_unlisted === 0 ? "✓" : "!"} history: ${describeHistory(status)}`;
}

/** False where something must be changed. */
function report(discord: Patient, { print }: Context, everything: boolean): boolean {
  let problems = 0;
  print(`✓ token: accepted, as ${quoteName(discord.botName)} (id ${discord.botId})`);
  print("✓ gateway: connected");
  for (const limit of discord.limits) {
    print(`! intent ${limit}`);
    print("  → Discord developer portal → your application → Bot → Privileged Gateway Intents; or accept the limit.");
  }
  if (discord.limits.length === 0) print("✓ intents: Message Content and Server Members are on");
  const guilds = discord.directory.guilds();
  if (guilds.length === 0) {
    print("✗ servers: the bot is in none");
    problems += 1;
  }
  for (const guild of guilds) {
    problems += reportGuild(guild, discord, print);
    if (guild.available) for (const line of describeWithheld(guild.id, discord, everything)) print(line);
  }
  print("");
  print("Invite link with exactly the permissions needed:");
  print(`  ${inviteLink(discord.applicationId)}`);
  for (const { label, why } of INVITE_PERMISSIONS) print(`    ${label.padEnd(25)} ${why}`);
  return problems === 0;
}

/** Prints what is amiss in one server; gives back how many things are. */
function reportGuild(guild: GuildInfo, discord: Patient, print: Context["print"]): number {
  const name = quoteName(guild.name);
  if (!guild.available) {
    print(`✗ server ${name}: Discord cannot reach it at the moment`);
    print("  → Wait; if it lasts, see https://discordstatus.com.");
    return 1;
  }
  const { directory, botId } = discord;
  const channels = directory.channels(guild.id).filter(({ kind, thread }) => kind !== "category" && !thread);
  const unread = channels.filter(({ id }) => !directory.canRead(botId, id));
  const unknown = unread.filter((channel) => channel.hasUnknownRules);
  const hidden = unread.filter((channel) => channel.hidden && !channel.hasUnknownRules);
  print(
    `✓ server ${name}: reads ${channels.length - unread.length} of ${channels.length} channels; ${describeMembers(guild, discord)}`,
  );
  if (hidden.length > 0)
    print(
      `! server ${name}: ${hidden.length} ${hidden.length === 1 ? "channel is" : "channels are"} hidden from the bot, names included; nothing of them is used`,
    );
  if (unknown.length > 0) {
    const names = unknown.slice(0, MAX_LISTED).map((channel) => `#${quoteName(channel.name)}`);
    const [what, whom] = unknown.length === 1 ? ["channel", "it"] : ["channels", "them"];
    const problem = `of ${unknown.length} ${what} it is not known who may read ${whom}`;
    print(
      `! server ${name}: ${problem} (${names.join(", ")}${unknown.length > MAX_LISTED ? ", …" : ""}); nothing of ${whom} is used`,
    );
    print("  → The server did not send their permission_overwrites, or not as Discord does. If it leaves the list out");
    print("    where there are none, set EARSHOT_OMITS_OVERWRITES=true.");
  }
  const visible = unread.filter((channel) => !channel.hidden);
  for (const channel of visible.slice(0, MAX_LISTED)) {
    const held = directory.permissions(botId, channel.id);
    const missing = INVITE_PERMISSIONS.filter((permission) => !(held & PERMISSION[permission.name])).map(
      ({ label }) => label,
    );
    print(`! #${quoteName(channel.name)}: cannot be read; missing ${missing.join(", ")}`);
  }
  if (visible.length > MAX_LISTED) print(`! and ${visible.length - MAX_LISTED} more channels`);
  if (channels.length > 0 && unread.length === channels.length) {
    print(`✗ server ${name}: nothing can be read`);
    if (unknown.length < unread.length)
      print("  → Use the invite link below again, or give the bot's role View Channels and Read Message History.");
    return 1;
  }
  return 0;
}

function describeMembers(guild: GuildInfo, { limits }: Patient): string {
  if (guild.membersComplete) return `all ${guild.memberCount} members known`;
  return limits.length > 0
    ? `${guild.memberCount} members, asked for one by one`
    : `${guild.memberCount} members, the list is still loading`;
}

/** Confined clients that hear what is addressed to the agent, or act for more than one person. */
function confinedForMany({ clients }: Context["config"]): string[] {
  return clients
    .filter(
      ({ grant: { confined, actors, events } }) =>
        confined && (events !== "none" || actors === "anyone" || actors.length > 1),
    )
    .map(({ name }) => name);
}
