import type { Status } from "../domain/status.ts";
import { formatSeconds } from "../domain/text/format-seconds.ts";
import { toDuration } from "../domain/text/relative-time.ts";
import type { Command } from "./command.ts";
import { askStatus, MAX_STATUS_MS } from "./running-program.ts";

export const STATES: Readonly<Record<Status["discord"]["state"], string>> = {
  connecting: "not connected yet",
  ready: "connected",
  reconnecting: "not connected: the connection was lost, trying again",
  token_refused: "connected, but Discord refuses the bot token",
  closed: "not connected: the connection ended for good",
};

type Spent = NonNullable<Status["model"]>["today"];

/** The timeout if starting the command itself already took long: enough for a program that is not busy. */
const MIN_STATUS_MS = 300;

/** A call often costs less than a cent. */
const COST = { minimumFractionDigits: 2, maximumFractionDigits: 4 };

export const status: Command = {
  name: "status",
  usage: "[--json]",
  options: { json: { type: "boolean" } },
  details: ["--json  print one JSON object"],
  async run({ values }, { config, elapsedMs, print, self }) {
    const current = await askStatus(config, self, Math.max(MAX_STATUS_MS - elapsedMs(), MIN_STATUS_MS));
    if (values["json"] === true) print(JSON.stringify(current));
    else for (const line of describeStatus(current)) print(line);
    return current.discord.state === "ready" && current.storage.length === 0 ? 0 : 1;
  },
};

export function describeStatus(status: Status): string[] {
  const { version, uptime_seconds: uptime, discord, clients, messages, model, profiles, disk } = status;
  const waited = Math.round(discord.rate_limit_waited_seconds);
  return [
    `Earshot ${version}, running for ${uptime < 60 ? formatSeconds(uptime) : toDuration(uptime * 1_000)}`,
    `  Discord       ${STATES[discord.state]}; ${counted(discord.servers, "server")}`,
    ...describeMissing(discord).map((line) => `  Commands      ${line}`),
    ...describeStorage(status).map((line) => `  Storage       ${line}`),
    `  Clients       ${clients.rpc} over the WebSocket, ${clients.mcp} over MCP`,
    `  Messages      ${counted(messages.held, "message")} of ${counted(messages.channels, "channel")} held, ${inMegabytes(messages.bytes)}`,
    `  History       ${describeHistory(status)}`,
    `  Unconfirmed   ${describeUnconfirmed(messages)}`,
    ...(status.documents.folders > 0 ? [`  Documents     ${describeDocuments(status.documents)}`] : []),
    ...(disk.slow_writes > 0
      ? [
          `  Writes        slow: ${counted(disk.slow_writes, "write")} took long since the start, the slowest ${disk.slowest_write_ms.toLocaleString("en")} ms; answers wait for them`,
        ]
      : []),
    `  Gaps          ${counted(discord.gaps, "gap")} since the start`,
    `  Rate limits   ${counted(discord.rate_limit_waits, "wait")} since the start, ${formatSeconds(waited)} in all`,
    ...(model
      ? [`  Model         ${describeSpent(model.today)} today, ${describeSpent(model.since_start)} since the start`]
      : []),
    ...(model?.last_failure ? [`                ${describeFailure(model.last_failure)}`] : []),
    ...(profiles
      ? [
          `  Profiles      ${counted(profiles.requests, "request")} to the service since the start, ${profiles.failures.toLocaleString("en")} failed; ${profiles.cached.toLocaleString("en")} cached`,
        ]
      : []),
  ];
}

/** A line per store that fails. */
export function describeStorage({ storage }: Pick<Status, "storage">): string[] {
  if (storage.length === 0) return ["everything can be kept"];
  return storage.map(({ store, since, reason }) => `${store} fails since ${toMinute(since)}: ${reason}`);
}

/** A line per reason; none where Discord shows all commands. */
export function describeMissing({ missing_commands: missing }: Status["discord"]): string[] {
  const byReason = Map.groupBy(missing, ({ reason, refused }) => JSON.stringify([reason, refused]));
  return [...byReason.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const names = group.map(({ name }) => name).join(", ");
    const then = first.refused ? "not tried again before the next start" : "trying again";
    const why = first.reason.replace(/(?:; try again later)?\.$/, "");
    return [`Discord does not show ${names} since ${toMinute(first.since)}, ${then}: ${why}`];
  });
}

type Failure = NonNullable<NonNullable<Status["model"]>["last_failure"]>;

function describeFailure({ at, reason, status: httpStatus }: Failure): string {
  const why = reason.replaceAll("_", " ");
  return `gave no answer at ${toMinute(at)} (${httpStatus === null ? why : `${why}, status ${httpStatus}`}), and none since; see earshot doctor`;
}

export function describeHistory({ discord, messages }: Pick<Status, "discord" | "messages">): string {
  const { servers_read: read, channels_unread: unread, archives_unlisted: unlisted } = messages;
  const paused = messages.reading_paused_until;
  return [
    `read back as far as memory allows in ${read} of ${counted(discord.servers, "server")}`,
    ...(unread === 0 ? [] : [`still reading ${counted(unread, "channel")}`]),
    ...(unlisted === 0 ? [] : [`archived threads of ${counted(unlisted, "channel")} not listed yet`]),
    ...(discord.lacks_archives ? ["archived threads are missing: this server has no list of them"] : []),
    ...(paused === null ? [] : [`paused until ${toMinute(paused)} because Discord does not answer, or asked to wait`]),
  ].join("; ");
}

function describeUnconfirmed({ unconfirmed, unconfirmed_since: since, erase_at: eraseAt }: Status["messages"]): string {
  if (since === null || eraseAt === null) return "none: everything on disk was confirmed since the last gap or restart";
  return `${counted(unconfirmed, "message")} on disk, the first since ${toMinute(since)}; erased from ${toMinute(eraseAt)} on unless Discord confirms them`;
}

/** "12 files of 2 folders, 80 passages; 3 left out (link: 2, not text: 1)". */
export function describeDocuments({ folders, unreadable, files, passages, skipped }: Status["documents"]): string {
  const reasons = Object.entries(skipped).map(([reason, times]) => `${reason.replaceAll("_", " ")}: ${times}`);
  const left = Object.values(skipped).reduce((sum, times) => sum + times, 0);
  return [
    `${counted(files, "file")} of ${counted(folders, "folder")}, ${counted(passages, "passage")}`,
    ...(unreadable === 0 ? [] : [`${counted(unreadable, "folder")} cannot be read`]),
    ...(left === 0 ? [] : [`${left} left out (${reasons.join(", ")})`]),
  ].join("; ");
}

/** "12,345 tokens in and 678 out (cost 0.0213)". */
function describeSpent({ input_tokens: input, output_tokens: output, cost }: Spent): string {
  const tokens = `${counted(input, "token")} in and ${output.toLocaleString("en")} out`;
  return cost === null ? tokens : `${tokens} (cost ${cost.toLocaleString("en", COST)})`;
}

/** "1 message", "12,345 messages". */
function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}

/** Such as 2026-11-15T10:03Z. */
function toMinute(time: string): string {
  return `${time.slice(0, 16)}Z`;
}
