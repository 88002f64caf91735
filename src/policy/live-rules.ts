import { type Rules, rulesSchema } from "./rules.ts";

/** The operator's rules, which can be replaced while the program runs. */
export interface LiveRules {
  /** One object for as long as the program runs; each look at it finds the rules of today. Read it when deciding, and keep no part of it. */
  readonly rules: Rules;
  /** Changes with every replacement. */
  version(): number;
  /** All of them at once: nobody sees some old and some new rules. */
  replace(rules: Rules): void;
}

export function createLiveRules(initial: Rules): LiveRules {
  let current = initial;
  let version = 0;
  const names = Object.keys(rulesSchema.shape) as (keyof Rules)[];
  const getters = names.map((name) => [name, { get: () => current[name], enumerable: true }]);
  return {
    rules: Object.freeze(Object.defineProperties({}, Object.fromEntries(getters))) as Rules,
    version: () => version,
    replace(rules) {
      current = rules;
      version += 1;
    },
  };
}
