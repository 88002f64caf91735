import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_FILE } from "./config.ts";
import { ENVIRONMENT } from "./environment.ts";

/** Where a configuration came from. */
export interface ConfigOrigin {
  /** Null where there is none. */
  readonly file: string | null;
  readonly folder: string;
  /** Variables of the environment that are set. */
  readonly variables: readonly string[];
}

export function findConfigOrigin(env: NodeJS.ProcessEnv, folder: string): ConfigOrigin {
  const file = join(folder, CONFIG_FILE);
  const variables = Object.keys(ENVIRONMENT).filter((name) => env[name]);
  return { file: existsSync(file) ? file : null, folder, variables };
}
