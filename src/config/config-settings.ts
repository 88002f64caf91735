import type { Setting } from "../domain/setting.ts";
import { type Config, toConfig } from "./config.ts";
import { ENVIRONMENT } from "./environment.ts";

/** Where values may have come from. */
export interface GivenSettings {
  /** Variables of the environment that are set. */
  readonly variables: readonly string[];
  /** The content of the configuration file. */
  readonly file: Readonly<Record<string, unknown>>;
}

const VARIABLES = new Map(Object.entries(ENVIRONMENT).map(([variable, path]) => [path.join("."), variable]));
/** By its name, so that a secret that is added later is hidden too. */
const SECRET = /(token|tokenSha256|key|secret|password)$/i;

/** Every setting with its value in use and where that comes from. Secrets are never told, only whether they are set. */
export function listSettings(config: Config, { variables, file }: GivenSettings): Setting[] {
  const [current, defaults, inFile] = [config, toConfig({}), file].map(flatten) as [Values, Values, Values];
  const names = new Set([...defaults.keys(), ...VARIABLES.keys(), ...current.keys()]);
  return [...names].sort().map((name) => {
    const value = current.get(name);
    const variable = VARIABLES.get(name) ?? null;
    const isChanged = JSON.stringify(value) !== JSON.stringify(defaults.get(name));
    const isSet = value !== undefined;
    const isSecret = SECRET.test(name) && (!isSet || typeof value === "string");
    const given =
      variable !== null && variables.includes(variable) ? "environment" : inFile.has(name) ? "file" : "start";
    return {
      ...{ name, isSet, isSecret, variable, isChanged },
      value: isSet && !isSecret ? JSON.stringify(value, redact) : null,
      from: given === "start" && !isChanged ? "default" : given,
    };
  });
}

type Values = ReadonlyMap<string, unknown>;

/** Sections by the names of their keys: `timeline.megabytes`. */
function flatten(values: object): Values {
  return new Map(
    Object.entries(values).flatMap(([name, value]): [string, unknown][] =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([key, inner]) => [`${name}.${key}`, inner])
        : [[name, value]],
    ),
  );
}

/** Hides secrets within lists, and those that addresses may carry. */
function redact(key: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (SECRET.test(key)) return "hidden";
  const url = /^(?:https?|postgres(?:ql)?):/.test(value) ? URL.parse(value) : null;
  if (!url || (url.username === "" && url.password === "" && url.search === "")) return value;
  return `${url.protocol}//${url.host}${url.pathname} (the rest is hidden)`;
}
