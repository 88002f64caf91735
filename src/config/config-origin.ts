import { join } from "node:path";
import { findConfigFile } from "./config-file.ts";
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
  const name = findConfigFile(folder);
  const variables = Object.keys(ENVIRONMENT).filter((name) => env[name]);
  return { file: name && join(folder, name), folder, variables };
}
