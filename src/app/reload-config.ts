import type { Config } from "../config/config.ts";
import { EarshotError } from "../domain/errors.ts";
import { Serial } from "../domain/serial.ts";
import { checkToolsets } from "./check-toolsets.ts";

/** What a reload found changed, and applied. */
export interface ReloadOutcome {
  readonly changed: readonly string[];
}

export interface ReloadDeps {
  readonly initial: Config;
  /** Reads the configuration again. Throws `misconfigured` for one with problems. */
  readConfig(): Promise<Config>;
  /** Applies all of it, in one step without a pause. Must not fail. */
  apply(config: Config, changed: readonly string[]): void;
}

/** Settings that are looked at whenever something is decided; all others are built into parts of the running program. */
const APPLIED = new Set([
  "clients",
  "console.operators",
  "agent.off",
  "agent.tokensPerAnswer",
  "agent.tokensPerPersonHour",
  "agent.tokensPerServerDay",
  "agent.tokensPerClientDay",
]);
const BUILT_IN_RULES = new Set(["policy.countBots", "policy.confinedMinutes"]);

/** Reads and applies the configuration as a whole, or throws `misconfigured` and changes nothing. One after the other, however often it is called. */
export function createReload({ initial, readConfig, apply }: ReloadDeps): () => Promise<ReloadOutcome> {
  let current = initial;
  const reloads = new Serial();
  const reload = async (): Promise<ReloadOutcome> => {
    const next = await readConfig();
    checkToolsets(next);
    const changed = listChanges(current, next);
    const fixed = [...changed.filter((name) => !isApplied(name)), ...listConfinedChanges(current, next)];
    if (fixed.length > 0)
      throw new EarshotError("misconfigured", `These settings need a restart: ${fixed.join(", ")}.`);
    if (changed.length > 0) apply(next, changed);
    current = next;
    return { changed };
  };
  return () =>
    reloads.run(reload).catch((error: unknown) => {
      if (!(error instanceof EarshotError)) throw error;
      throw new EarshotError(error.code, `${error.message}\nNothing was changed.`, { cause: error });
    });
}

/** For the audit. */
export function toReloadedRow(changed: readonly string[], now: number) {
  return {
    operation_id: "",
    name: "configuration_reloaded",
    detail_json: JSON.stringify({ changed }),
    happened_at: now,
  };
}

function isApplied(name: string): boolean {
  return APPLIED.has(name) || (name.startsWith("policy.") && !BUILT_IN_RULES.has(name));
}

/** Names such as `policy.channels` and `clients`. */
function listChanges(before: Config, after: Config): string[] {
  return Object.keys(before).flatMap((name) => {
    const [old, next] = [before[name as keyof Config], after[name as keyof Config]] as [unknown, unknown];
    if (!isSection(old) || !isSection(next)) return isSame(old, next) ? [] : [name];
    const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])];
    return keys.filter((key) => !isSame(old[key], next[key])).map((key) => `${name}.${key}`);
  });
}

/** What a client read while it was not confined is not known, so that it could not be confined by it. */
function listConfinedChanges(before: Config, after: Config): string[] {
  const namesOf = ({ clients }: Config) =>
    new Set(clients.filter(({ grant }) => grant.confined).map(({ name }) => name));
  const [old, next] = [namesOf(before), namesOf(after)];
  return [...old.symmetricDifference(next)].map((name) => `confined of the client ${name}`);
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
