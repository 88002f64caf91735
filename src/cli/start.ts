import { flushCompileCache } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../app/app.ts";
import { awaitMembers } from "../await-members.ts";
import { readConfigFile } from "../config/config-file.ts";
import { EarshotError } from "../domain/errors.ts";
import type { GuildInfo } from "../ports/directory.ts";
import type { Log } from "../ports/log.ts";
import { type Command, type Context, untilAborted } from "./command.ts";

/** Most servers have their list by then; a larger one says so, and goes on. */
const MAX_MEMBERS_WAIT_MS = 1_500;

/** How long a start goes on after it was told to stop. */
const MAX_STOP_WAIT_MS = 1_000;

/** The person who starts it usually asks a question at once, so modules that a start does not need are loaded after this pause. */
const QUIET_START_MS = 5_000;

export const start: Command = {
  name: "start",
  usage: "[--erase-lost-facts]",
  options: { "erase-lost-facts": { type: "boolean" } },
  details: ["--erase-lost-facts  start although keys of facts are lost, and erase those facts for good"],
  async run({ values }, context) {
    const { config, origin, log, signal, readConfig } = context;
    // Loaded only to run: --help need not wait for it.
    const { openApp } = await import("../app/app.ts");
    const readGiven = async () => ({ ...origin, file: (await readConfigFile(origin.folder, [])).input });
    const options = { readConfig, readGiven, erasesLostFacts: values["erase-lost-facts"] === true };
    const app = await Promise.race([openApp(config, log, options), untilStopped(signal)]);
    if (app === null) return 0;
    context.onReload(() => void reload(app, log));
    const ended = new Promise<"ended">((resolve) => {
      app.discord.listen({ connection: ({ state }) => state === "closed" && resolve("ended") });
    });
    await awaitMembers(app.discord.directory, MAX_MEMBERS_WAIT_MS, signal);
    for (const line of describeApp(app, context)) context.print(line);
    const loading = setTimeout(() => void loadRest(app, log), QUIET_START_MS);
    const outcome = await Promise.race([untilAborted(signal), ended]);
    clearTimeout(loading);
    await app.close();
    return outcome === "ended" ? 1 : 0;
  },
};

/** A start that is stopped may still end well; one that waits for Discord can be abandoned, because it has answered no request yet. */
async function untilStopped(signal: AbortSignal): Promise<null> {
  await untilAborted(signal);
  return sleep(MAX_STOP_WAIT_MS, null);
}

async function loadRest(app: App, log: Log): Promise<void> {
  try {
    await app.loadRest();
    // Otherwise the compiled code is kept only when the program ends, and never when it is killed.
    flushCompileCache();
  } catch (error) {
    log.error({ problem: String(error) }, "parts of the program could not be loaded");
  }
}

/** A rejected configuration changes nothing, and the program continues. */
async function reload(app: App, log: Log): Promise<void> {
  try {
    await app.reload();
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    log.error({ code: error.code, problem: error.message }, "the configuration was not read again");
  }
}

function describeApp(
  { discord, sandbox, url, signInUrl, console }: App,
  { self, config, isTerminal }: Context,
): string[] {
  const where = sandbox ? `the embedded sandbox at ${sandbox.api} (no account needed)` : config.discord.api;
  const { name, baseUrl } = config.model;
  const byWhom = name ? `the model ${name} at ${baseUrl}` : "the built-in answerer; for a model, set EARSHOT_MODEL";
  const answers = config.agent.enabled ? `by ${byWhom}` : "off: nobody who speaks to the bot is answered";
  // A link in a log would let in everybody who reads the log.
  const link = () =>
    isTerminal ? `${console.mintLink()} (opens once, within 5 minutes)` : `${self} console prints a link to it`;
  return [
    "",
    `  Discord     ${where}`,
    `  Bot         ${discord.botName}, id ${discord.botId}`,
    ...discord.directory.guilds().map((guild) => `  Server      ${describeGuild(guild, discord)}`),
    `  Clients     ${url.replace(/^http/, "ws")}/rpc, MCP at ${url}/mcp; health at ${url}/healthz, metrics at ${url}/metrics`,
    ...(signInUrl === null
      ? []
      : [
          `  Sign-in     add ${signInUrl} to ${signInUrl.startsWith("https:") ? "Claude" : "Claude Code"}, Cursor, VS Code …; it asks you to sign in with Discord`,
        ]),
    `  Console     ${console.off === null ? link() : `off: ${console.off}`}`,
    `  Answers     ${answers}`,
    ...discord.limits.map((limit) => `  Limit       ${limit}`),
    "",
    "  Ask it something, in a second terminal:",
    `    ${self} ask --as ${sandbox ? "sarah --in general" : "<user id> --in <channel id>"} "what did I miss?"`,
    "",
    "  Or:",
    `    ${self} tail                                 watch messages as they arrive`,
    ...(sandbox ? [`    ${self} say --as sarah --in general "hello"  say something in the sandbox`] : []),
    `    ${self} call discord.search.window --as ${sandbox ? "sarah --in general query=turtle" : "<user id> --in <channel id> query=…"}`,
    `    ${self} doctor                               check everything, and what to do about it`,
    "",
    sandbox
      ? `  To use your own server, stop this and run: ${self}`
      : describeStorage(config.timeline.diskChannels.length),
    "  Stop with Ctrl-C.",
    "",
  ];
}

function describeStorage(diskChannels: number): string {
  const messages =
    diskChannels === 0
      ? "No messages are stored on disk"
      : `Messages of ${diskChannels} ${diskChannels === 1 ? "channel" : "channels"} are stored on disk`;
  return `  ${messages}; the audit is, without their text (earshot audit).`;
}

function describeGuild(guild: GuildInfo, discord: App["discord"]): string {
  const channels = discord.directory.channels(guild.id).filter(({ kind }) => kind !== "category");
  const readable = channels.filter(({ id }) => discord.directory.canRead(discord.botId, id)).length;
  const isLoading = discord.directory.isMeetingPeople(guild.id);
  const members = guild.membersComplete ? `${guild.memberCount} members` : `about ${guild.memberCount} members`;
  const waiting = isLoading ? "; the member list is not complete yet, and until then answers quote less" : "";
  return `${guild.name}: ${members}, reading ${readable} of ${channels.length} channels and threads${waiting}`;
}
