import { openApp } from "./app.ts";
import { type ConfigInput, toConfig } from "./config.ts";
import { type Grant, OPERATOR_GRANT } from "./policy/grant.ts";
import type { Log } from "./ports/log.ts";
import type { Acting, AnswerPlace } from "./transports/library/act-as.ts";

export interface EarshotOptions {
  /** The keys of `earshot.config.json`. Ports are any free ones unless said; the environment is not looked at. */
  readonly config?: ConfigInput;
  /** What the program may do, of all that an operator may. */
  readonly grant?: Partial<Grant>;
  /** Nothing is logged unless said. */
  readonly log?: Log;
}

/** Earshot within a program. */
export interface Earshot {
  /** Where other clients connect, such as http://127.0.0.1:7790. */
  readonly url: string;
  /** Tools on behalf of a person, whose answers are read in a channel or by that person alone. Take a new one for each request. */
  as(actor: string, where: AnswerPlace): Acting;
  close(): Promise<void>;
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Opens everything: on Discord if the configuration has a token, otherwise on the embedded sandbox. Throws `misconfigured`. */
export async function createEarshot({ config = {}, grant, log = silent }: EarshotOptions = {}): Promise<Earshot> {
  const { server, sandbox } = config;
  const anyPorts = { server: { port: 0, ...server }, sandbox: { port: 0, ...sandbox } };
  const app = await openApp(toConfig({ ...config, ...anyPorts }), log);
  const granted = { ...OPERATOR_GRANT, ...grant };
  return { url: app.url, as: (actor, where) => app.as(actor, where, granted), close: app.close };
}
