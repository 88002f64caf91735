import { resolve } from "node:path";
import { checkToolsets } from "../app/check-toolsets.ts";
import { openDocumentsOf } from "../app/configured-documents.ts";
import { configuredAddress, openOnlooker } from "../app/connect-discord.ts";
import { openSample } from "../app/embedded-sandbox.ts";
import { openChatModel } from "../app/open-models.ts";
import { openProfileService } from "../app/open-profiles.ts";
import { readOperatorAccess } from "../app/operator-access.ts";
import { CONFIG_FILE } from "../config/config-file.ts";
import type { ConfigOrigin } from "../config/config-origin.ts";
import { EarshotError, type ERRORS } from "../domain/errors.ts";
import type { UserId } from "../domain/ids.ts";
import { INVITE_PERMISSIONS, inviteLink } from "../domain/invite.ts";
import { PERMISSION } from "../domain/permission-set.ts";
import { quoteName } from "../domain/text/escape.ts";
import type { GuildInfo } from "../ports/directory.ts";
import type { SkipReason } from "../ports/documents.ts";
import { inspectFolder } from "../storage/inspect-folder.ts";
import { checkIds, type IdReport } from "./check-ids.ts";
import { CHECK_TIMEOUT_MS, checkModel } from "./check-model.ts";
import { checkSignIn } from "./check-sign-in.ts";
import type { Context } from "./command.ts";
import { describeWithheld } from "./describe-withheld.ts";
import { askStatus } from "./running-program.ts";
import { findSandbox, sandboxUrl } from "./running-sandbox.ts";
import { describeDocuments, describeHistory, describeMissing, describeStorage, STATES } from "./status.ts";

const MAX_LISTED = 20;

type Patient = Awaited<ReturnType<typeof openOnlooker>>;

/** Advice for each kind of connection failure. */
const ADVICE: Partial<Record<keyof typeof ERRORS, string>> = {
  unavailable: "Check the network and EARSHOT_DISCORD_API; https://discordstatus.com tells of outages.",
  rate_limited: "Wait, then try again; if it comes back, another program may be using the same token.",
};

/** Prints what is sound and what is not; resolves to the exit code. */
export async function diagnose(everything: boolean, context: Context): Promise<number> {
  const { config, log, print } = context;
  checkToolsets(config);
  const configured = configuredAddress(config);
  const running = configured ? null : await findSandbox(config);
  const embedded = configured || running ? null : await openSample(0, 0);
  const address = configured ?? running ?? { api: embedded?.api ?? "", token: embedded?.token ?? "" };
  print(describeOrigin(context.origin));
  const isStorageSound = await reportProgram(context);
  print(
    `✓ Discord: ${configured ? address.api : `no token is set, so ${running ? `the sandbox at ${sandboxUrl(config)}` : "a sandbox started for this check"}`}`,
  );
  try {
    const areDocumentsSound = await reportDocuments(context);
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
      const isDiscordSound = report(discord, context, everything);
      const areIdsSound = reportIds(await checkIds(config, discord), print);
      const areProfilesSound = await checkProfiles(discord.botId, context);
      const isSignInSound = await checkSignIn(discord, context);
      if (configured) for (const line of describeInvite(discord)) print(line);
      const areOthersSound = areDocumentsSound && isModelSound && areIdsSound && areProfilesSound && isSignInSound;
      return isStorageSound && isDiscordSound && areOthersSound ? 0 : 1;
    } finally {
      discord.close();
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
}

function describeOrigin({ file, folder, variables }: ConfigOrigin): string {
  const read = file ?? `there is no ${CONFIG_FILE} in ${folder}, so defaults`;
  const more = variables.length === 0 ? "" : `, and from the environment ${variables.join(", ")}`;
  return `✓ configuration: ${read}${more}`;
}

/**
 * Whether a program runs with the data folder, and how much of the history it has read: until all of it, searches look less far back. False where
 * something cannot be kept.
 */
async function reportProgram(context: Context): Promise<boolean> {
  const { config, self, print } = context;
  const folder = resolve(config.dataDir);
  const access = await readOperatorAccess(config.dataDir, "operator");
  const status = await askStatus(config, self).catch((error: unknown) => {
    if (!(error instanceof EarshotError)) throw error;
    return error;
  });
  if (!(status instanceof EarshotError)) {
    print(`✓ program: Earshot ${status.version} runs with the data folder ${folder}, at ${access?.url}`);
    print(`${status.discord.state === "ready" ? "✓" : "!"} its connection to Discord: ${STATES[status.discord.state]}`);
    for (const line of describeMissing(status.discord)) print(`! commands: ${line}`);
    const { channels_unread, archives_unlisted } = status.messages;
    const isRead = channels_unread + archives_unlisted === 0 && !status.discord.lacks_archives;
    print(`${isRead ? "✓" : "!"} history: ${describeHistory(status)}`);
    const isSound = status.storage.length === 0;
    for (const line of describeStorage(status)) print(`${isSound ? "✓" : "✗"} storage: ${line}`);
    return isSound;
  }
  if (!access) print(`- program: none runs with the data folder ${folder}`);
  else print(`! program: one ran with the data folder ${folder} and does not answer. ${status.message}`);
  return reportFolder(context);
}

/** Whether a start could use the data folder. */
async function reportFolder({ config, print, log }: Context): Promise<boolean> {
  try {
    const isFree = await inspectFolder(config, log);
    print(isFree ? "✓ storage: a start can use the data folder" : "! storage: a program uses the data folder");
    return true;
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    print(`✗ storage: a start is refused. ${error.message}`);
    return false;
  }
}

/** Reads the folders as the program does. The operator is told names of files: they are the operator's own. */
async function reportDocuments({ config, print }: Context): Promise<boolean> {
  if (config.documents.length === 0) return true;
  const documents = await openDocumentsOf(config, null);
  const folders = documents.report();
  const { skipped, ...counts } = documents.stats();
  await documents.close();
  const missing = folders.filter(({ isReadable }) => !isReadable).map(({ name }) => name);
  print(`${missing.length === 0 ? "✓" : "✗"} documents: ${describeDocuments({ ...counts, skipped: { ...skipped } })}`);
  if (missing.length > 0)
    print(`  → Check the path and the permissions of: ${missing.join(", ")}. No two may lead to the same folder.`);
  const left = folders.flatMap(({ name, skipped: files }) => files.map((file) => ({ name, ...file })));
  for (const { name, path, reason } of left.slice(0, MAX_LISTED))
    print(`! documents (${name}): ${quoteName(path)} is left out: ${SKIPPED[reason]}`);
  if (left.length > MAX_LISTED) print(`! and ${left.length - MAX_LISTED} more that are left out`);
  return missing.length === 0;
}

const SKIPPED: Readonly<Record<SkipReason, string>> = {
  link: "links are not followed",
  hard_link: "it has more than one name (a hard link), which may be outside of the folder",
  not_text: "it is not text in UTF-8",
  other_type: "only .md, .markdown and .txt are read",
  special_file: "it is no plain file",
  too_large: "it is larger than 1 MiB",
  too_deep: "it lies more than 12 folders deep",
  too_many: "the folder holds more than is read of one",
  unreadable: "it cannot be read, or was being written",
};

function reportIds({ count, problems }: IdReport, print: Context["print"]): boolean {
  if (count > 0 && problems.length === 0)
    print(`✓ ids in the configuration: ${count === 1 ? "the only one is" : `all ${count} are`} known`);
  for (const { line, isGrave } of problems) print(`${isGrave ? "✗" : "!"} ${line}`);
  const isSound = !problems.some(({ isGrave }) => isGrave);
  if (!isSound)
    print(
      "  → Correct the id or remove it: a rule that names nothing does nothing. In Discord, right-click → Copy ID.",
    );
  return isSound;
}

function describeInvite({ applicationId }: Patient): string[] {
  return [
    "",
    "Invite link with exactly the permissions needed:",
    `  ${inviteLink(applicationId)}`,
    ...INVITE_PERMISSIONS.map(({ label, why }) => `    ${label.padEnd(25)} ${why}`),
  ];
}

/** False where something must be changed. */
function report(discord: Patient, { print }: Context, everything: boolean): boolean {
  let problems = 0;
  print(`✓ token: accepted, as ${quoteName(discord.botName)} (id ${discord.botId})`);
  const { sessionsLeft } = discord;
  if (sessionsLeft > 0) print(`✓ gateway: ${sessionsLeft} sessions left today; this check uses none`);
  else {
    print("✗ gateway: no session is left today, so a start fails");
    print("  → Discord limits them per day. Find out what connects the bot again and again, and wait.");
    problems += 1;
  }
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
  const isCut = directory.isMeetingPeople(guild.id);
  print(
    `✓ server ${name}: reads ${channels.length - unread.length} of the ${channels.length} channels that the bot sees; ${describeMembers(guild, isCut)}`,
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
  if (unread.length === channels.length) {
    print(`✗ server ${name}: nothing can be read`);
    if (unread.length === 0 || unknown.length < unread.length)
      print("  → Use the invite link below again, or give the bot's role View Channels and Read Message History.");
    return 1;
  }
  return 0;
}

function describeMembers({ membersComplete, memberCount }: GuildInfo, isCut: boolean): string {
  if (membersComplete) return `all ${memberCount} members are known`;
  return isCut
    ? `its ${memberCount} members are too many to be listed here, so what follows is about anybody who could be one`
    : `its ${memberCount} members are asked for one by one`;
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

/**
 * Asks the profile service about the bot itself, which discloses no person. Prints nothing without a configured service. False if the configuration must be
 * changed.
 */
async function checkProfiles(botId: UserId, { config, log, print }: Context): Promise<boolean> {
  const service = openProfileService(config, { clock: { now: () => 0 }, log });
  if (!service) return true;
  try {
    await service.probe(botId);
    print("✓ profiles: the service answers");
    return true;
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    print(`✗ profiles: ${error.message}`);
    print(
      "  → Check EARSHOT_PROFILE_URL and EARSHOT_PROFILE_TOKEN. It must answer with a JSON object, or with status 404.",
    );
    return false;
  } finally {
    service.close();
  }
}
