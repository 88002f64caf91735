import { setTimeout as sleep } from "node:timers/promises";
import { type Config, DEFAULT_API } from "../config/config.ts";
import { cleanBotToken, isBotToken } from "../domain/bot-token.ts";
import { EarshotError } from "../domain/errors.ts";
import { INVITE_PERMISSIONS, inviteLink } from "../domain/invite.ts";
import { quoteName } from "../domain/text/escape.ts";
import { type Prompts, stopped } from "./prompts.ts";
import { requireNewFiles, writeConfig } from "./write-config.ts";

const PORTAL = "https://discord.com/developers/applications";
const POLL_MS = 2_000;
const MAX_TOKENS_TRIED = 3;

interface Bot {
  readonly applicationId: string;
  readonly botName: string;
  readonly intentsOff: readonly { readonly label: string; readonly without: string }[];
  readonly guilds: readonly string[];
}

export interface SetUpDeps {
  readonly config: Config;
  readonly folder: string;
  readonly prompts: Prompts;
  /** Asks Discord about the bot that a token belongs to, without a gateway session. */
  openFirstLook(token: string): { look(): Promise<Bot>; close(): void };
}

/**
 * Asks whether to try the sandbox or to connect a server, and writes the configuration for a server. The caller starts the program afterwards.
 * Throws `cancelled`, having written nothing, when the person stops.
 */
export async function setUp(deps: SetUpDeps): Promise<void> {
  const { config, folder, prompts } = deps;
  prompts.tell(`Earshot gives AI agents the context of a Discord community. Start with:

  1  the sandbox: a sample community on this machine, without an account
  2  your Discord server: create a bot, invite it, and Earshot starts there
`);
  if (!(await wantsServer(prompts))) return;
  await requireNewFiles(folder);
  prompts.tell(`
Create a bot, if you have none: ${PORTAL} → New Application.
Then, in your application: Bot → Reset Token → Copy.`);
  const token = await askToken(deps);
  const { api } = config.discord;
  const paths = await writeConfig(folder, { token, api: api === DEFAULT_API ? undefined : api });
  prompts.tell(`✓ Wrote ${paths.join(" and ")}, readable for you alone.\n`);
}

async function wantsServer(prompts: Prompts): Promise<boolean> {
  for (;;) {
    const answer = (await prompts.ask("1 or 2? ")) ?? "";
    if (/^\s*[12]\s*$/.test(answer)) return answer.trim() === "2";
    prompts.tell("Type 1 for the sandbox or 2 for your server; Ctrl-C stops.");
  }
}

/** A token that Discord accepts, of a bot that is in a server. */
async function askToken(deps: SetUpDeps): Promise<string> {
  const { prompts } = deps;
  for (let refused = 0; ; ) {
    const token = cleanBotToken((await prompts.ask("Bot token (not shown): ", { isHidden: true })) ?? "");
    if (!isBotToken(token)) {
      prompts.tell("That is no bot token: it has letters, digits, dots, - and _, and no spaces.");
      continue;
    }
    const onlooker = deps.openFirstLook(token);
    try {
      await followBot(await onlooker.look(), onlooker, prompts);
      return token;
    } catch (error) {
      const isRefused = error instanceof EarshotError && error.obstacle === "token_refused";
      if (isRefused) refused += 1;
      if (!isRefused || refused >= MAX_TOKENS_TRIED) throw error;
      prompts.tell(
        "✗ Discord does not accept this token. Copy it once more, or reset it: the portal shows it only once.",
      );
    } finally {
      onlooker.close();
    }
  }
}

/** Says what is left to do in Discord, and waits until it is done. */
async function followBot(first: Bot, onlooker: { look(): Promise<Bot> }, prompts: Prompts): Promise<void> {
  const { applicationId, botName, intentsOff } = first;
  prompts.tell(`✓ Discord accepts the token, as ${quoteName(botName)}.`);
  if (intentsOff.length > 0) {
    const names = intentsOff.map(({ label }) => label).join(" and ");
    prompts.tell(`
Switch on ${names} under "Privileged Gateway Intents", and save:
  ${PORTAL}/${applicationId}/bot
${intentsOff.map(({ label, without }) => `    ${label.padEnd(25)} without it, ${without}`).join("\n")}
`);
    const enter = new AbortController();
    const waiting = waitFor(onlooker, ({ intentsOff: off }) => off.length === 0, [prompts.signal, enter.signal]);
    waiting.finally(() => enter.abort()).catch(() => undefined);
    const asking = prompts.ask("Waiting for that; Enter goes on without. ", { isHidden: true, until: enter.signal });
    const isSkipped = (await asking.finally(() => enter.abort())) !== null;
    if (!isSkipped) await waiting;
    prompts.tell(isSkipped ? `! Going on without ${names}; you can switch them on later.` : "✓ The intents are on.");
  }
  let { guilds } = first;
  if (guilds.length === 0) {
    prompts.tell(`
Add the bot to a server in which you have Manage Server:
  ${inviteLink(applicationId)}
It asks for these permissions and no others:
${INVITE_PERMISSIONS.map(({ label, why }) => `    ${label.padEnd(25)} ${why}`).join("\n")}

Waiting until it is in a server; Ctrl-C stops.`);
    guilds = (await waitFor(onlooker, (bot) => bot.guilds.length > 0, [prompts.signal])).guilds;
  }
  const more = guilds.length > 3 ? ` and ${guilds.length - 3} more` : "";
  prompts.tell(
    `✓ The bot is in ${guilds
      .slice(0, 3)
      .map((name) => quoteName(name))
      .join(", ")}${more}.`,
  );
}

/** Repeats the check until it succeeds. Temporary failures, such as an outage, are retried. Throws `cancelled` when a signal is aborted. */
async function waitFor(
  onlooker: { look(): Promise<Bot> },
  isDone: (bot: Bot) => boolean,
  signals: AbortSignal[],
): Promise<Bot> {
  const signal = AbortSignal.any(signals);
  for (;;) {
    await sleep(POLL_MS, undefined, { signal }).catch(() => {
      throw stopped();
    });
    const bot = await onlooker.look().catch((error: unknown) => {
      if (error instanceof EarshotError && error.canRetry) return null;
      throw error;
    });
    if (bot && isDone(bot)) return bot;
  }
}
