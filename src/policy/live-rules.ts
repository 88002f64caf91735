import { type Rules, rulesSchema } from "./rules.ts";

/** The operator's rules, which can be replaced while the program runs. */
export interface LiveRules {
  /** One object for the lifetime of the program, always with the current rules. Read it when deciding, and keep no part of it. */
  readonly rules: Rules;
  /** Changes with every replacement. */
  readonly version: number;
  /** Replaces all rules at once: readers never see a mixture of old and new ones. */
  replace(rules: Rules): void;
}

export function createLiveRules(initial: Rules): LiveRules {
  const names = Object.keys(rulesSchema.shape) as (keyof Rules)[];
  // Plain fields, not getters: every decision reads several.
  const rules: Rules = { ...initial };
  const live = {
    rules,
    version: 0,
    replace(next: Rules) {
      Object.assign(rules, Object.fromEntries(names.map((name) => [name, next[name]])));
      live.version += 1;
    },
  };
  return live;
}
