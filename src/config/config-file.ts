import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { cleanBotToken } from "../domain/bot-token.ts";

/** The name that Earshot gives it; the other one is read as well. */
export const CONFIG_FILE = "earshot.config.jsonc";
export const CONFIG_FILES = [CONFIG_FILE, "earshot.config.json"] as const;

type Input = Record<string, unknown>;

export interface ConfigFile {
  /** As messages call it. */
  readonly name: string;
  readonly input: Input;
}

/** The first that exists; null where there is none. */
export function findConfigFile(folder: string): string | null {
  return CONFIG_FILES.find((name) => existsSync(join(folder, name))) ?? null;
}

/** JSON with comments, in which a comma may stand before a closing bracket. Adds to `problems` what is wrong with it. */
export async function readConfigFile(folder: string, problems: string[]): Promise<ConfigFile> {
  const found = CONFIG_FILES.filter((name) => existsSync(join(folder, name)));
  const [name = CONFIG_FILE] = found;
  if (found.length > 1) problems.push(`${found.join(" and ")} both exist in ${folder}; remove one of them.`);
  return { name, input: found.length === 1 ? await readObject(join(folder, name), problems) : {} };
}

async function readObject(file: string, problems: string[]): Promise<Input> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch {
    problems.push(`${file} cannot be read; check its permissions.`);
    return {};
  }
  // Loaded only for a file: most commands of a trial have none.
  const { parse } = await import("jsonc-parser");
  const errors: { readonly offset: number }[] = [];
  const value: unknown = parse(text, errors as never, { allowTrailingComma: true });
  const [first] = errors;
  // The text itself may hold secrets.
  if (first) problems.push(`${file} is not valid JSON; look at ${describePlace(text, first.offset)}.`);
  else if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Input;
  else problems.push(`${file} must hold a JSON object, such as {"logLevel": "info"}.`);
  return {};
}

function describePlace(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** Puts secrets from their files, which count from the folder, where they are expected, unless they are set. */
export function fillSecrets(input: Input, folder: string, problems: string[]): Input {
  const withToken = fillSecret(input, ["discord", "token", "bot token"], { folder, problems, clean: cleanBotToken });
  const clean = (text: string) => text.trim();
  return fillSecret(withToken, ["database", "keysSecret", "secret"], { folder, problems, clean });
}

function fillSecret(
  input: Input,
  [section, key, what]: readonly [string, string, string],
  { folder, problems, clean }: { folder: string; problems: string[]; clean: (text: string) => string },
): Input {
  const settings = (input[section] ?? {}) as Input;
  const file = settings[`${key}File`];
  if (settings[key] !== undefined || typeof file !== "string") return input;
  const path = resolve(folder, file);
  try {
    const text = clean(readFileSync(path, "utf8"));
    if (text !== "") return { ...input, [section]: { ...settings, [key]: text } };
    problems.push(`${path} holds no ${what}; write it there, and nothing else.`);
  } catch {
    problems.push(`${path} cannot be read; the ${what} should be there (${section}.${key}File).`);
  }
  return input;
}
