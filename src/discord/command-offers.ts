import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  type RESTPostAPIApplicationCommandsJSONBody,
} from "discord-api-types/v10";
import type { CommandOffer, OptionOffer, SubcommandGroupOffer, SubcommandOffer } from "../ports/discord.ts";
import { isRecord, list, type Raw, record } from "./read.ts";

export type CommandBody = RESTPostAPIApplicationCommandsJSONBody;

/** The command in Discord's format. Default values are omitted, as Discord omits them. */
export function toCommandBody(offer: CommandOffer): CommandBody {
  const { Guild, BotDM } = InteractionContextType;
  const everywhere = { name: offer.name, integration_types: [ApplicationIntegrationType.GuildInstall] };
  if (offer.kind === "menu") return { ...everywhere, type: ApplicationCommandType.Message, contexts: [Guild] };
  return {
    ...everywhere,
    type: ApplicationCommandType.ChatInput,
    description: offer.about,
    contexts: [Guild, BotDM],
    options: offer.kind === "group" ? offer.subcommands.map(toBranch) : offer.options.map(toOption),
  };
}

/** Commands that Discord lacks or shows differently. */
export function missingFrom(shown: readonly unknown[], wanted: readonly CommandBody[]): readonly CommandBody[] {
  return wanted.filter((body) => !shown.some((one) => holds(record(one), body)));
}

/** https://discord.com/developers/docs/interactions/application-commands#subcommands-and-subcommand-groups */
function toBranch(offer: SubcommandOffer | SubcommandGroupOffer) {
  if (!("subcommands" in offer)) return toSubcommand(offer);
  const { name, about, subcommands } = offer;
  const type = ApplicationCommandOptionType.SubcommandGroup as const;
  return { name, description: about, type, options: subcommands.map(toSubcommand) };
}

function toSubcommand({ name, about, options }: SubcommandOffer) {
  return {
    name,
    description: about,
    type: ApplicationCommandOptionType.Subcommand as const,
    ...(options && { options: options.map(toOption) }),
  };
}

function toOption({ name, about, type, isRequired, isSuggested, most, choices }: OptionOffer) {
  const words = { name, description: about, ...(isRequired && { required: true }) };
  if (type === "person") return { ...words, type: ApplicationCommandOptionType.User as const };
  if (type === "flag") return { ...words, type: ApplicationCommandOptionType.Boolean as const };
  if (type === "number") {
    const bounds = { min_value: 1, ...(most !== undefined && { max_value: most }) };
    return { ...words, type: ApplicationCommandOptionType.Integer as const, ...bounds };
  }
  const text = { ...words, type: ApplicationCommandOptionType.String as const };
  if (choices) return { ...text, choices: choices.map(({ label, value }) => ({ name: label, value })) };
  return {
    ...text,
    ...(isSuggested && { autocomplete: true as const }),
    ...(most !== undefined && { max_length: most }),
  };
}

/** Compares only fields that were sent, because Discord adds others; lists must have the same length. */
function holds(shown: unknown, told: unknown): boolean {
  if (Array.isArray(told)) {
    const items = list(shown);
    return items.length === told.length && told.every((item, index) => holds(items[index], item));
  }
  if (!isRecord(told)) return shown === told;
  const fields: Raw = record(shown);
  return Object.entries(told).every(([name, value]) => holds(fields[name], value)) && isAsOpen(fields, told);
}

/** An option that is no longer required or suggested must not stay so. */
function isAsOpen(shown: Raw, told: Raw): boolean {
  return ["required", "autocomplete"].every((name) => Boolean(shown[name]) === Boolean(told[name]));
}
