import {
  type APIApplicationCommandOption,
  type APIApplicationCommandSubcommandGroupOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType as OptionType,
} from "discord-api-types/v10";
import { type FormProblem, invalidForm, required } from "../errors.ts";

export type OptionValue = string | number | boolean;

export interface SentOption {
  readonly name: string;
  readonly type: OptionType;
  readonly value?: OptionValue;
  readonly focused?: true;
  readonly options?: readonly SentOption[];
}

export interface OptionRequest {
  /** The words after the command's name: a subcommand, or a group and a subcommand. */
  readonly path: readonly string[];
  readonly values: Readonly<Record<string, OptionValue>>;
  /** The ids of the files that came with the command; an option for a file takes one of these, and no other option does. */
  readonly files?: readonly string[];
  /** The option being typed, for an autocomplete request. */
  readonly focused?: string;
}

type Branch = APIApplicationCommandSubcommandOption | APIApplicationCommandSubcommandGroupOption;

/** The options that a person filled in, in the shape of the command. Rejects invalid ones, as the client does. */
export function toSentOptions(
  defined: readonly APIApplicationCommandOption[],
  { path, values, files = [], focused }: OptionRequest,
): SentOption[] {
  const [step, ...rest] = path;
  if (step !== undefined) {
    const branch = defined.find((option): option is Branch => option.name === step && isBranch(option));
    if (!branch)
      throw invalidForm([{ path: ["options"], code: "UNKNOWN_SUBCOMMAND", message: `No subcommand "${step}"` }]);
    const options = toSentOptions(branch.options ?? [], {
      path: rest,
      values,
      files,
      ...(focused !== undefined && { focused }),
    });
    return [{ name: branch.name, type: branch.type, options }];
  }
  if (defined.some(isBranch)) throw invalidForm([required(["options"])]);
  const problems: FormProblem[] = [];
  for (const name of Object.keys(values)) {
    if (defined.some((option) => option.name === name)) continue;
    problems.push({ path: ["options", name], code: "UNKNOWN_OPTION", message: `No option "${name}"` });
  }
  const sent = defined.flatMap((option): SentOption[] => {
    const value = values[option.name];
    if (value === undefined) {
      if (option.required && focused === undefined) problems.push(required(["options", option.name]));
      return [];
    }
    if ((option.type === OptionType.Attachment) !== files.includes(String(value))) {
      problems.push({ path: ["options", option.name], code: "BASE_TYPE_BAD_TYPE", message: "Value is not a file" });
    }
    problems.push(...checkValue(option, value));
    return [
      { name: option.name, type: option.type, value, ...(focused === option.name && { focused: true as const }) },
    ];
  });
  if (problems.length > 0 && focused === undefined) throw invalidForm(problems);
  return sent;
}

/** The leaves: options with a value, wherever in the tree. */
export function filledOptions(options: readonly SentOption[]): SentOption[] {
  return options.flatMap((option) => (option.options ? filledOptions(option.options) : [option]));
}

function isBranch(option: APIApplicationCommandOption): option is Branch {
  return option.type === OptionType.Subcommand || option.type === OptionType.SubcommandGroup;
}

const VALUE_TYPES: Partial<Record<OptionType, "number" | "boolean">> = {
  [OptionType.Integer]: "number",
  [OptionType.Number]: "number",
  [OptionType.Boolean]: "boolean",
};

function checkValue(option: APIApplicationCommandOption, value: OptionValue): FormProblem[] {
  const path = ["options", option.name];
  const expected = VALUE_TYPES[option.type] ?? "string";
  if (typeof value !== expected || (option.type === OptionType.Integer && !Number.isInteger(value))) {
    return [{ path, code: "BASE_TYPE_BAD_TYPE", message: `Value is not a ${expected}` }];
  }
  const choices = "choices" in option ? option.choices : undefined;
  if (choices?.length && !choices.some((choice) => choice.value === value)) {
    return [{ path, code: "BASE_TYPE_CHOICES", message: "Value must be one of the choices" }];
  }
  return [];
}
