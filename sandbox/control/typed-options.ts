import {
  type APIApplicationCommandOption,
  ApplicationCommandType,
  ApplicationCommandOptionType as OptionType,
  RESTJSONErrorCodes,
} from "discord-api-types/v10";
import { findCommandNamed } from "../actions/commands.ts";
import type { OptionValue } from "../actions/interactions/command-options.ts";
import { type Names, UnknownName } from "../driver/names.ts";
import type { ApplicationRecord } from "../world/records.ts";
import { ControlError } from "./control-error.ts";

type Values = Readonly<Record<string, OptionValue>>;

/**
 * Options as a person types them, in the types that the command declares: a name becomes the id of the person, channel or role, and text a number.
 * Throws `UnknownName` or `unknown` for a command that the bot has not registered.
 */
export function toTypedOptions(
  application: ApplicationRecord,
  { command, options, guildId }: { command: string; options: Values; guildId: string | null },
  names: Names,
): Values {
  const [name = "", ...path] = command.replace(/^\//, "").split(" ");
  const found = findCommandNamed(application, { name, guildId, type: ApplicationCommandType.ChatInput });
  if (!found) {
    const own = guildId === null ? undefined : application.guildCommands.get(guildId);
    const known = [...(own?.values() ?? []), ...application.commands.values()]
      .filter(({ type }) => type === ApplicationCommandType.ChatInput)
      .map((one) => one.name);
    if (known.length === 0) throw new ControlError(404, "unknown", "The bot has registered no commands.");
    throw new UnknownName(RESTJSONErrorCodes.UnknownApplicationCommand, "Command", name, known);
  }
  const declared = path.reduce<readonly APIApplicationCommandOption[]>((level, step) => {
    const branch = level.find((option) => option.name === step);
    return branch && "options" in branch ? (branch.options ?? []) : [];
  }, found.options ?? []);
  const typeOf = (key: string) => declared.find((option) => option.name === key)?.type;
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [key, toTyped(typeOf(key), value, names)]));
}

function toTyped(type: OptionType | undefined, value: OptionValue, names: Names): OptionValue {
  if (typeof value !== "string") return value;
  switch (type) {
    case OptionType.Integer:
    case OptionType.Number:
      return value.trim() === "" || Number.isNaN(Number(value)) ? value : Number(value);
    case OptionType.Boolean:
      return value === "true" || (value === "false" ? false : value);
    case OptionType.User:
      return names.person(value);
    case OptionType.Channel:
      return names.channel(value).id;
    case OptionType.Role:
      return names.role(value);
    default:
      return value;
  }
}
