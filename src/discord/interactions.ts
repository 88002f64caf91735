import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ButtonStyle,
  ComponentType,
  InteractionContextType,
  InteractionType,
  MessageFlags,
} from "discord-api-types/v10";
import { EarshotError } from "../domain/errors.ts";
import { type ChannelId, type GuildId, type MessageId, toId, type UserId } from "../domain/ids.ts";
import { toLocale } from "../domain/time/date-order.ts";
import type {
  Button,
  Choice,
  CommandRun,
  FilledForm,
  Invocation,
  Leaving,
  Note,
  OpenAnswer,
  Press,
  PrivateAnswer,
  Typing,
} from "../ports/discord.ts";
import type { Form } from "../ports/form.ts";
import { isRecord, list, type Raw, record, text } from "./read.ts";

/** The address for replies to an interaction. The token is a secret: its holder can post as the bot. */
export interface PressAddress {
  readonly id: string;
  readonly applicationId: string;
  readonly token: string;
}

/** https://discord.com/developers/docs/interactions/receiving-and-responding */
export interface PressAnswers {
  /** The first reply is one of these three. */
  hold(press: PressAddress): Promise<void>;
  whisper(press: PressAddress, note: Note): Promise<void>;
  replace(press: PressAddress, note: Note): Promise<void>;
  /** Fills a deferred reply, or edits the first whisper or replacement. */
  amend(press: PressAddress, note: Note): Promise<void>;
  whisperAgain(press: PressAddress, note: Note): Promise<void>;
  /** Like `hold`, but for everyone in the channel. */
  holdOpenly(press: PressAddress): Promise<MessageId>;
  fillOpenly(press: PressAddress, note: Note, leaving?: Leaving): Promise<void>;
  takeBack(press: PressAddress): Promise<void>;
  /** As the first reply. */
  ask(press: PressAddress, form: Form): Promise<void>;
}

export interface TypingAnswers {
  suggest(typing: PressAddress, choices: readonly Choice[]): Promise<void>;
}

const MAX_ID_LENGTH = 100;
const MAX_TOKEN_LENGTH = 1_000;
/** Discord's limit for an option. */
const MAX_OPTION_LENGTH = 6_000;
const MAX_OPTIONS = 25;
const MAX_FIELDS = 5;
/** Discord's limit of buttons in a row. */
const MAX_PER_ROW = 5;

/** Null for anything except a well-formed press of a button. */
export function toPress(type: string, raw: Raw, answers: PressAnswers): Press | null {
  if (type !== "INTERACTION_CREATE" || raw["type"] !== InteractionType.MessageComponent) return null;
  const data = record(raw["data"]);
  if (data["component_type"] !== ComponentType.Button) return null;
  const button = word(data["custom_id"], MAX_ID_LENGTH);
  const address = addressOf(raw);
  const userId = userOf(raw);
  const channelId = toId<ChannelId>(raw["channel_id"]);
  const messageId = toId<MessageId>(record(raw["message"])["id"]);
  if (!button || !address || !userId || !channelId || !messageId) return null;
  const { hold, whisper, rewrite, replace } = answering(address, answers);
  const guildId = toId<GuildId>(raw["guild_id"]);
  const invocation = { userId, channelId, guildId, locale: localeOf(raw) };
  return { button, ...invocation, messageId, hold, whisper, rewrite, replace };
}

/** Null for anything except a well-formed command, typed or from the menu of a message. */
export function toCommandRun(type: string, raw: Raw, answers: PressAnswers): CommandRun | null {
  if (type !== "INTERACTION_CREATE" || raw["type"] !== InteractionType.ApplicationCommand) return null;
  const data = record(raw["data"]);
  const messageId = data["type"] === ApplicationCommandType.Message ? toId<MessageId>(data["target_id"]) : null;
  if (!messageId && data["type"] !== ApplicationCommandType.ChatInput) return null;
  const name = word(data["name"], MAX_ID_LENGTH);
  const address = addressOf(raw);
  const invocation = invocationOf(raw);
  if (!name || !address || !invocation) return null;
  const command = withSubcommand(name, data);
  const { replace: _, ...answer } = answering(address, answers);
  const options = new Map(optionsOf(data).map(({ name, value }) => [name, value]));
  return { id: address.id, command, ...invocation, options, messageId, ...answer };
}

/** Null for anything except a well-formed partly typed command. */
export function toTyping(type: string, raw: Raw, answers: TypingAnswers): Typing | null {
  if (type !== "INTERACTION_CREATE" || raw["type"] !== InteractionType.ApplicationCommandAutocomplete) return null;
  const data = record(raw["data"]);
  const name = word(data["name"], MAX_ID_LENGTH);
  const address = addressOf(raw);
  const invocation = invocationOf(raw);
  const focused = optionsOf(data).find(({ isFocused }) => isFocused);
  if (!name || !address || !invocation || !focused) return null;
  const command = withSubcommand(name, data);
  const suggest = (choices: readonly Choice[]) => answers.suggest(address, choices);
  return { command, ...invocation, option: focused.name, typed: focused.value, suggest };
}

/** Null for anything except a well-formed form. */
export function toFilledForm(type: string, raw: Raw, answers: PressAnswers): FilledForm | null {
  if (type !== "INTERACTION_CREATE" || raw["type"] !== InteractionType.ModalSubmit) return null;
  const data = record(raw["data"]);
  const form = word(data["custom_id"], MAX_ID_LENGTH);
  const address = addressOf(raw);
  const invocation = invocationOf(raw);
  if (!form || !address || !invocation) return null;
  const { hold, whisper, rewrite } = answering(address, answers);
  return { id: address.id, form, ...invocation, fields: new Map(fieldsOf(data)), hold, whisper, rewrite };
}

/** Only one person sees it, although its channel has many readers, so it must not count as a message of the channel. */
export function isWhisper(message: Raw): boolean {
  const flags = message["flags"];
  return typeof flags === "number" && (flags & MessageFlags.Ephemeral) !== 0;
}

export function toComponents(buttons: readonly Button[]) {
  const components = buttons.map(({ id, label, isMain = false }) => ({
    type: ComponentType.Button as const,
    style: isMain ? (ButtonStyle.Primary as const) : (ButtonStyle.Secondary as const),
    label,
    custom_id: id,
  }));
  const rows = Array.from({ length: Math.ceil(buttons.length / MAX_PER_ROW) }, (_, row) =>
    components.slice(row * MAX_PER_ROW, (row + 1) * MAX_PER_ROW),
  );
  return rows.map((row) => ({ type: ComponentType.ActionRow as const, components: row }));
}

type AnyAnswer = PrivateAnswer & OpenAnswer & Pick<Press, "replace"> & Pick<CommandRun, "ask">;

function answering(address: PressAddress, answers: PressAnswers): AnyAnswer {
  let stage: "open" | "held" | "whispered" | "replaced" | "held_openly" | "taken_back" | "asked" = "open";
  async function takeBack(): Promise<void> {
    if (stage !== "held_openly") return;
    await answers.takeBack(address);
    stage = "taken_back";
  }
  return {
    takeBack,
    async holdOpenly() {
      if (stage !== "open") throw new EarshotError("invalid", "Another answer was promised already.");
      const messageId = await answers.holdOpenly(address);
      stage = "held_openly";
      return messageId;
    },
    async fill(note, leaving) {
      if (stage !== "held_openly")
        throw new EarshotError("invalid", "No open answer was promised that could be filled in.");
      await answers.fillOpenly(address, note, leaving);
    },
    async hold() {
      if (stage !== "open") return;
      await answers.hold(address);
      stage = "held";
    },
    async whisper(note) {
      // A private reply must not fill the placeholder that everyone sees.
      await takeBack();
      if (stage === "open") await answers.whisper(address, note);
      else if (stage === "held") await answers.amend(address, note);
      else await answers.whisperAgain(address, note);
      if (stage !== "replaced" && stage !== "taken_back") stage = "whispered";
    },
    async rewrite(note) {
      if (stage === "replaced" || stage === "held_openly" || stage === "taken_back" || stage === "asked")
        throw new EarshotError("invalid", "Nothing was whispered that could be rewritten.");
      if (stage === "open") await answers.whisper(address, note);
      else await answers.amend(address, note);
      stage = "whispered";
    },
    async ask(form) {
      if (stage !== "open") throw new EarshotError("invalid", "Another answer was given already.");
      await answers.ask(address, form);
      stage = "asked";
    },
    async replace(note) {
      if (stage === "open") await answers.replace(address, note);
      else if (stage === "replaced") await answers.amend(address, note);
      else throw new EarshotError("invalid", "What was answered with a whisper cannot replace its message.");
      stage = "replaced";
    },
  };
}

function addressOf(raw: Raw): PressAddress | null {
  const token = word(raw["token"], MAX_TOKEN_LENGTH);
  const id = toId(raw["id"]);
  const applicationId = toId(raw["application_id"]);
  return token && id && applicationId ? { id, applicationId, token } : null;
}

/** In servers, and in direct messages to the bot: elsewhere the bot is a guest without access. */
function invocationOf(raw: Raw): Invocation | null {
  const { context = null, guild_id = null } = raw;
  const isGuild = guild_id !== null;
  const home = isGuild ? InteractionContextType.Guild : InteractionContextType.BotDM;
  const userId = userOf(raw);
  const channelId = toId<ChannelId>(raw["channel_id"]);
  const guildId = toId<GuildId>(guild_id);
  if (!userId || !channelId || (isGuild && !guildId) || (context !== null && context !== home)) return null;
  return { userId, channelId, guildId, locale: localeOf(raw) };
}

function localeOf(raw: Raw): Invocation["locale"] {
  return toLocale(raw["locale"]) ?? undefined;
}

/** In a server it is a member, in a DM a user. */
function userOf(raw: Raw): UserId | null {
  const user = isRecord(raw["member"]) ? raw["member"]["user"] : raw["user"];
  return toId<UserId>(record(user)["id"]);
}

/** The subcommand, after its group if it has one; empty without any. Each is the only option of its parent, with options instead of a
 * value. */
function subcommandsOf(data: Raw): Raw[] {
  const path: Raw[] = [];
  for (const type of [ApplicationCommandOptionType.SubcommandGroup, ApplicationCommandOptionType.Subcommand]) {
    const first = record(list((path.at(-1) ?? data)["options"])[0]);
    if (first["type"] === type) path.push(first);
  }
  return path;
}

function withSubcommand(name: string, data: Raw): string {
  const names = subcommandsOf(data).map((one) => word(one["name"], MAX_ID_LENGTH));
  return names.includes(null) ? name : [name, ...names].join(" ");
}

function optionsOf(data: Raw): { name: string; value: string; isFocused: boolean }[] {
  return list((subcommandsOf(data).at(-1) ?? data)["options"])
    .slice(0, MAX_OPTIONS)
    .map(record)
    .flatMap(({ name, type, value, focused }) => {
      const known = word(name, MAX_ID_LENGTH);
      const isNumber = type === ApplicationCommandOptionType.Integer && Number.isSafeInteger(value);
      const isFlag = type === ApplicationCommandOptionType.Boolean && typeof value === "boolean";
      const filled = isNumber || isFlag ? String(value) : value;
      if (!known || typeof filled !== "string") return [];
      return [{ name: known, value: text(filled, MAX_OPTION_LENGTH), isFocused: focused === true }];
    });
}

/** Each field is in a row or under its own label. Selected values are lists. */
function fieldsOf(data: Raw): [string, string][] {
  return list(data["components"])
    .slice(0, MAX_FIELDS)
    .map(record)
    .flatMap(({ component, components }) => {
      const field = record(component ?? list(components)[0]);
      const name = word(field["custom_id"], MAX_ID_LENGTH);
      const filled = field["value"] ?? list(field["values"])[0];
      if (!name || typeof filled !== "string" || filled === "") return [];
      return [[name, text(filled, MAX_OPTION_LENGTH)]];
    });
}

/** A text that is either short enough or rejected. */
function word(value: unknown, most: number): string | null {
  return typeof value === "string" && value.length <= most ? text(value) || null : null;
}

/** Listeners for button presses, commands, typed options and filled-in forms. */
export class InteractionListeners {
  readonly #answers: PressAnswers & TypingAnswers;
  /** By the kind in the button's id. */
  readonly #presses = new Map<string, (press: Press) => void>();
  readonly #commands = new Set<(run: CommandRun) => void>();
  readonly #typings = new Set<(typing: Typing) => void>();
  readonly #forms = new Set<(filled: FilledForm) => void>();

  constructor(answers: PressAnswers & TypingAnswers) {
    this.#answers = answers;
  }

  forPresses(kind: string, listener: (press: Press) => void): () => void {
    this.#presses.set(kind, listener);
    return () => void this.#presses.delete(kind);
  }

  forCommands(listener: (run: CommandRun) => void): () => void {
    return join(this.#commands, listener);
  }

  forTyping(listener: (typing: Typing) => void): () => void {
    return join(this.#typings, listener);
  }

  forForms(listener: (filled: FilledForm) => void): () => void {
    return join(this.#forms, listener);
  }

  hear(type: string, raw: Raw): void {
    if (type !== "INTERACTION_CREATE") return;
    const press = toPress(type, raw, this.#answers);
    if (press) this.#presses.get(press.button.slice(0, press.button.indexOf(":")))?.(press);
    tell(this.#commands, toCommandRun(type, raw, this.#answers));
    tell(this.#typings, toTyping(type, raw, this.#answers));
    tell(this.#forms, toFilledForm(type, raw, this.#answers));
  }
}

function join<Heard>(listeners: Set<(heard: Heard) => void>, listener: (heard: Heard) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function tell<Heard>(listeners: ReadonlySet<(heard: Heard) => void>, heard: Heard | null): void {
  if (heard) for (const listener of listeners) listener(heard);
}
