import { resolve } from "node:path";
import { z } from "zod";
import { cleanBotToken, isBotToken } from "../domain/bot-token.ts";
import { EarshotError } from "../domain/errors.ts";
import { idSchema } from "../domain/id-schema.ts";
import type { ChannelId, GuildId, RoleId, UserId } from "../domain/ids.ts";
import { isSafeAddress } from "../domain/loopback.ts";
import { describeProblem } from "../domain/text/describe-problems.ts";
import { DISCORD_WEB } from "../domain/text/message-link.ts";
import { nearestNames } from "../domain/text/unknown-name.ts";
import { grantSchema, OPERATOR } from "../policy/grant.ts";
import { profileSettingsSchema } from "../policy/profile-settings.ts";
import { rulesSchema } from "../policy/rules.ts";
import { fillSecrets, readConfigFile } from "./config-file.ts";
import { databaseSettingsSchema } from "./database-settings.ts";
import { ENVIRONMENT } from "./environment.ts";
import { listServerProblems, port, serverSettingsSchema } from "./server-settings.ts";

/** From the environment, numbers come as text. */
const numeric = () =>
  z.coerce.number({
    error: ({ code, expected }) => (code === "invalid_type" && expected === "number" ? "must be a number" : undefined),
  });

const tokens = numeric().int().min(0).max(1_000_000_000);
const flag = z.union([z.boolean(), z.stringbool()], { error: "must be true or false" });
/** Discord itself. */
export const DEFAULT_API = "https://discord.com/api";
/** Clients that Earshot has by itself. */
const OWN_CLIENTS = [OPERATOR, "confirmer", "discord", "agent", "console"];
const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
const address = z.string().refine(isSafeAddress, {
  error:
    "must be an address that begins with https:// (plain http:// only on this machine, or the token would travel unprotected)",
});

/** Everything that can be set. Keys of the configuration file; `ENVIRONMENT` gives each its variable. */
const schema = z
  .strictObject({
    discord: z
      .strictObject({
        token: z
          .string()
          .overwrite(cleanBotToken)
          .refine(isBotToken, { error: "must be a bot token: letters, digits, dots, - and _, without spaces" })
          .optional()
          .describe("Bot token. Without one, Earshot runs on the embedded sandbox"),
        tokenFile: z
          .string()
          .min(1)
          .optional()
          .describe("File that holds the bot token, unless the token itself is set"),
        clientSecret: z
          .string()
          .trim()
          .min(1)
          .optional()
          .describe("Client secret of the bot's application, by which people sign in with Discord"),
        requireToken: flag
          .default(false)
          .describe("Refuse to start without a token, instead of running on the sandbox"),
        api: address
          .default(DEFAULT_API)
          .describe("Base address of Discord or a compatible server, without the version"),
        files: z
          .array(address)
          .max(10)
          .default([])
          .describe(
            "Addresses of the hosts from which attachments are fetched. Discord's own, or that of `api`, unless given",
          ),
        web: address
          .default(DISCORD_WEB)
          .describe("Web address of Discord or a compatible server, to which links to messages lead"),
        omitsOverwrites: flag
          .default(false)
          .describe("The server leaves out permission_overwrites where a channel has none. Discord never does"),
      })
      .prefault({}),
    features: z
      .strictObject({
        members: flag.default(true).describe("Keep the complete member list (needs the Server Members intent)"),
        messageContent: flag
          .default(true)
          .describe("Read messages that do not mention the bot (needs the Message Content intent)"),
        reactions: flag.default(true).describe("Receive reactions"),
        directMessages: flag.default(true).describe("Receive direct messages to the bot"),
      })
      .prefault({}),
    sandbox: z
      .strictObject({
        port: port.default(7788).describe("Port of the embedded sandbox on 127.0.0.1; 0 for any free one"),
        talkEverySeconds: z.coerce
          .number()
          .min(0)
          .max(3600)
          .default(45)
          .describe("Seconds between two messages of people in the sandbox; 0 for none"),
      })
      .prefault({}),
    server: serverSettingsSchema.prefault({}),
    console: z
      .strictObject({
        enabled: flag
          .default(true)
          .describe("Serve the console, pages for the browser; beyond loopback only with a public address"),
        /** The people who are operators in the console once they have signed in with Discord. */
        operators: z.array(idSchema<UserId>()).default([]),
      })
      .prefault({}),
    clients: z
      .array(
        z.strictObject({
          name: z
            .string()
            .regex(/^[\w-]{1,40}$/, "must be 1 to 40 letters, digits, - or _")
            .refine((name) => !OWN_CLIENTS.includes(name), { error: "is a name that Earshot itself uses" }),
          tokenSha256: z
            .string()
            .regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of a token, as "earshot token" prints it'),
          grant: grantSchema,
        }),
      )
      .default([]),
    timeline: z
      .strictObject({
        messagesPerChannel: numeric()
          .int()
          .min(100)
          .max(1_000_000)
          .default(20_000)
          .describe("Maximum number of messages held per channel or thread"),
        megabytes: numeric()
          .int()
          .min(1)
          .max(65_536)
          .default(384)
          .describe("Maximum memory for held messages, in MiB, divided equally among channels"),
        maxAgeDays: numeric().min(0.01).max(3_650).default(30).describe("Maximum age of held messages, in days"),
        pagesPerSecond: numeric()
          .min(0)
          .max(20)
          .default(4)
          .describe("Pages of 100 messages read ahead in the background, per second; 0 for none"),
        diskChannels: z.array(idSchema<ChannelId>()).default([]),
        retentionDays: numeric().min(0.01).max(3_650).default(30),
      })
      .prefault({}),
    model: z
      .strictObject({
        baseUrl: address.default("http://127.0.0.1:11434/v1").describe("Address of an OpenAI-compatible server"),
        apiKey: z.string().trim().min(1).optional().describe("API key of that server, if it needs one"),
        name: z
          .string()
          .trim()
          .min(1)
          .optional()
          .describe("Model for answers, and for summaries unless EARSHOT_CHEAP_MODEL is set"),
        cheapName: z.string().trim().min(1).optional().describe("Model for summaries"),
        contextTokens: numeric()
          .int()
          .min(2_048)
          .max(2_000_000)
          .default(4_096)
          .describe("Tokens that the model's server holds, prompt and answer together; earshot doctor checks it"),
        inputPricePerMillion: numeric()
          .min(0)
          .optional()
          .describe("Price of a million tokens of prompt, in any currency"),
        outputPricePerMillion: numeric()
          .min(0)
          .optional()
          .describe("Price of a million tokens of answer, in the same currency"),
      })
      .prefault({}),
    agent: z
      .strictObject({
        enabled: flag.default(true).describe("Answer people who mention the bot, reply to it or write to it directly"),
        /** Servers, categories, channels and threads in which it stays silent. */
        off: z.array(idSchema<ChannelId | GuildId>()).default([]),
        catchUpMinutes: numeric()
          .min(0)
          .max(1_440)
          .default(5)
          .describe("Questions asked while Earshot was away for less than this many minutes are answered late"),
        tokensPerAnswer: tokens.default(20_000).describe("Max model tokens per answer; 0 for no model"),
        tokensPerPersonHour: tokens.default(100_000).describe("Max model tokens per person and hour; 0 for no model"),
        tokensPerServerDay: tokens
          .default(1_000_000)
          .describe("Max model tokens per server and day, of which one person has a tenth at most; 0 for no model"),
        tokensPerClientDay: tokens.default(500_000).describe("Max model tokens per program and day; 0 for no model"),
        /** Bots that are known besides those in the servers, by which names. */
        bots: z
          .array(
            z.strictObject({
              id: idSchema<UserId>(),
              names: z.array(z.string().trim().min(1).max(100)).min(1).max(20),
            }),
          )
          .default([]),
        parallel: numeric()
          .int()
          .min(1)
          .max(64)
          .default(2)
          .describe("Answers of the model that are made at the same time; one for each person"),
        /** Bots whose typed mentions are answered. */
        answersBots: z.array(idSchema<UserId>()).default([]),
      })
      .prefault({}),
    embedder: z
      .strictObject({
        baseUrl: address
          .optional()
          .describe("Address of an OpenAI-compatible server for embeddings; the model's unless set"),
        apiKey: z
          .string()
          .trim()
          .min(1)
          .optional()
          .describe("API key for embeddings, if needed; the model's if the server is the same"),
        name: z
          .string()
          .trim()
          .min(1)
          .optional()
          .describe("Embedding model for semantic search; without one, search matches words only"),
      })
      .prefault({}),
    timeZone: z
      .string()
      .refine(isTimeZone, { error: "must be the name of a time zone, such as Europe/Berlin" })
      .default("UTC")
      .describe('Time zone for "yesterday", "this morning" and the like'),
    policy: rulesSchema.prefault({}),
    audit: z
      .strictObject({
        retentionDays: numeric()
          .min(1)
          .max(36_500)
          .default(90)
          .describe("Days for which the audit is kept: who asked, what was read, what was done"),
        megabytes: numeric()
          .int()
          .min(1)
          .max(1_048_576)
          .default(512)
          .describe("Disk space for the audit, in MiB; beyond it, records of reads are erased first"),
      })
      .prefault({}),
    episodes: z
      .strictObject({
        enabled: flag
          .default(true)
          .describe(
            "Keep with whom the agent talked, by ids and times, for recall_bot_conversation and search_context",
          ),
        retentionDays: numeric().min(1).max(3_650).default(90).describe("Days for which talks of the agent are kept"),
      })
      .prefault({}),
    profiles: profileSettingsSchema.prefault({}),
    /** Folders of Markdown and text, and who may hear what is in them. */
    documents: z
      .array(
        z.strictObject({
          folder: z.string().min(1),
          name: z
            .string()
            .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,59}$/u, "must be 1 to 60 letters, digits, spaces, dots, - or _"),
          audience: z
            .strictObject({
              server: idSchema<GuildId>().optional(),
              channel: idSchema<ChannelId>().optional(),
              role: idSchema<RoleId>().optional(),
            })
            .refine(isAudience, { error: 'must be {"server"}, {"channel"}, or {"server", "role"}, with their ids' }),
        }),
      )
      .max(50)
      .default([]),
    database: databaseSettingsSchema.prefault({}),
    dataDir: z.string().min(1).default(".earshot").describe("Folder for what Earshot stores"),
    logLevel: z
      .enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(", ")}` })
      .default("info")
      .describe("Level of the log on standard error"),
  })
  .superRefine(({ discord, server, clients, documents }, context) => {
    const complain = (path: readonly string[], message: string) =>
      context.addIssue({ code: "custom", path: [...path], message });
    for (const [path, problem] of listServerProblems({ discord, server, clients })) complain(path, problem);
    const names = clients.map(({ name }) => name);
    if (new Set(names).size < names.length) complain(["clients"], "two clients have the same name");
    for (const key of ["name", "folder"] as const) {
      const given = documents.map((each) => (key === "folder" ? resolve(each.folder) : each.name));
      if (new Set(given).size < given.length) complain(["documents"], `two of them have the same ${key}`);
    }
  });

export type Config = z.infer<typeof schema>;
/** As one writes it: whatever has a default may be left out. */
export type ConfigInput = z.input<typeof schema>;

const SETTINGS = [...new Set(Object.values(ENVIRONMENT).flatMap((path) => [path[0], path.join(".")]))];

/** Reads the configuration. Throws `misconfigured` with every problem in words; values are never repeated, they may be secret. */
export async function readConfig(env: NodeJS.ProcessEnv, folder: string): Promise<Config> {
  const problems: string[] = [];
  const { name: file, input } = await readConfigFile(folder, problems);
  for (const name of Object.keys(env)) {
    if (name.startsWith("EARSHOT_") && !Object.hasOwn(ENVIRONMENT, name))
      problems.push(noSuchSetting(name, Object.keys(ENVIRONMENT), "earshot --help lists them"));
  }
  for (const [name, path] of Object.entries(ENVIRONMENT)) if (env[name]) setAt(input, path, env[name]);
  const filled = fillSecrets(input, folder, problems);
  const result = schema.safeParse(filled);
  for (const issue of result.error?.issues ?? []) problems.push(describeIssue(issue, { value: filled, env, file }));
  if (problems.length > 0 || !result.success) throw misconfigured(problems);
  return result.data;
}

/** The same for what a program gives. */
export function toConfig(input: ConfigInput): Config {
  const problems: string[] = [];
  const value = fillSecrets(input, "", problems);
  const result = schema.safeParse(value);
  for (const issue of result.error?.issues ?? [])
    problems.push(describeProblem(issue, { schema, value, whole: "The configuration" }));
  if (problems.length > 0 || !result.success) throw misconfigured(problems);
  return result.data;
}

function misconfigured(problems: readonly string[]): EarshotError {
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  const list = problems.map((one) => `  - ${one}`).join("\n");
  return new EarshotError("misconfigured", `The configuration has ${count}:\n${list}`);
}

/** One line per setting, for --help. */
export function describeSettings(): string[] {
  const whole: z.core.JSONSchema.JSONSchema = z.toJSONSchema(schema, { io: "output" });
  return Object.entries(ENVIRONMENT).map(([name, path]) => {
    let node = whole;
    for (const key of path) node = (node.properties?.[key] ?? {}) as z.core.JSONSchema.JSONSchema;
    const fallback = node.default === undefined ? "" : ` (default: ${String(node.default)})`;
    return `  ${name.padEnd(29)} ${node.description ?? ""}${fallback}`;
  });
}

function setAt(input: Record<string, unknown>, path: readonly string[], value: string): void {
  const [first, second] = path;
  if (first === undefined) return;
  if (second === undefined) {
    input[first] = value;
    return;
  }
  const inner = input[first];
  input[first] = { ...(typeof inner === "object" && inner !== null ? inner : {}), [second]: value };
}

interface Given {
  readonly value: unknown;
  readonly env: NodeJS.ProcessEnv;
  /** The name of the file that was read. */
  readonly file: string;
}

function describeIssue(issue: z.core.$ZodIssue, { value, env, file }: Given): string {
  const path = issue.path.join(".");
  const variable = Object.entries(ENVIRONMENT).find(([name, keys]) => keys.join(".") === path && env[name])?.[0];
  const place = variable ?? `${path || "the whole"} in ${file}`;
  if (issue.code !== "unrecognized_keys") return describeProblem(issue, { schema, value, whole: place }, place);
  const names = issue.keys.map((key) => [...issue.path, key].join("."));
  return names.map((name) => noSuchSetting(name, SETTINGS, `remove it from ${file}`)).join(" ");
}

function noSuchSetting(name: string, known: readonly string[], otherwise: string): string {
  const [meant] = nearestNames(name, known);
  return `There is no setting ${name}; ${meant === undefined ? `${otherwise}.` : `did you mean ${meant}?`}`;
}

function isAudience({ server, channel, role }: { server?: unknown; channel?: unknown; role?: unknown }): boolean {
  return channel === undefined ? server !== undefined : server === undefined && role === undefined;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
