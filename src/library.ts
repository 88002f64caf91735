import { openApp } from "./app/app.ts";
import { awaitMembers } from "./await-members.ts";
import { type ConfigInput, toConfig } from "./config/config.ts";
import { lookUpNamed } from "./policy/find-named.ts";
import { type Grant, OPERATOR_GRANT } from "./policy/grant.ts";
import type { Log } from "./ports/log.ts";
import type { Acting, AnswerPlace } from "./transports/library/act-as.ts";

export interface EarshotOptions {
  /** The keys of `earshot.config.jsonc`. Ports are any free ones unless said; the environment is not looked at. */
  readonly config?: ConfigInput;
  /** What the program may do, of all that an operator may. */
  readonly grant?: Partial<Grant>;
  /** Nothing is logged unless said. */
  readonly log?: Log;
}

/** An id with all names that belong to it. */
export interface NamedId {
  readonly id: string;
  readonly names: readonly string[];
}

/** Earshot within a program. */
export interface Earshot {
  /** Where other clients connect, such as http://127.0.0.1:7790. */
  readonly url: string;
  /**
   * Tools on behalf of a person, whose answers are read in a channel or by that person alone. Take a new one for each request. Both are given by id or by
   * name as Discord shows it; throws where nobody, or more than one, is called that.
   */
  as(actor: string, where: AnswerPlace): Acting;
  /**
   * People with a name as Discord shows it: a nickname, display name or username, in any case, with or without accents. Empty when nobody is called that.
   * Throws `unavailable` or `rate_limited` when Discord has to be asked and cannot be.
   */
  people(name: string): Promise<readonly NamedId[]>;
  /** The same for channels and threads. */
  channels(name: string): Promise<readonly NamedId[]>;
  close(): Promise<void>;
}

/** Most servers have their member list by then, and names are known. */
const MAX_MEMBERS_WAIT_MS = 1_500;

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Opens everything: on Discord if the configuration has a token, otherwise on the embedded sandbox. Throws `misconfigured`.
 *
 * @example
 * import { createEarshot } from "earshot";
 *
 * const earshot = await createEarshot();
 * const sarah = earshot.as("sarah", { in: "general" });
 * const { text } = await sarah.call("search_messages", { query: "turtle", limit: 3 });
 * console.log(text?.includes("turtle")); // true
 * await earshot.close();
 */
export async function createEarshot({ config = {}, grant, log = silent }: EarshotOptions = {}): Promise<Earshot> {
  const { server, sandbox } = config;
  const anyPorts = { server: { port: 0, ...server }, sandbox: { port: 0, ...sandbox } };
  const app = await openApp(toConfig({ ...config, ...anyPorts }), log);
  const granted = { ...OPERATOR_GRANT, ...grant };
  const { directory } = app.discord;
  await awaitMembers(directory, MAX_MEMBERS_WAIT_MS, new AbortController().signal);
  return {
    url: app.url,
    as: (actor, where) => app.as(actor, where, granted),
    people: (name) => lookUpNamed("people", name, directory),
    channels: (name) => lookUpNamed("channels", name, directory),
    close: app.close,
  };
}
