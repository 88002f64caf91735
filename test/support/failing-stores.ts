import { EarshotError } from "../../src/domain/errors.ts";
import type { FaultMoment } from "./failing-database.ts";

/** Real stores of which chosen calls fail, as when the disk fails, or the program is killed at that moment. */
export class FailingStores {
  /** That reached the stores, or failed. */
  calls = 0;
  readonly #from: number;
  readonly #to: number;
  readonly #moment: FaultMoment;

  /** `isKilled`: no later call does anything either. */
  constructor(call: number, { isKilled, moment }: { isKilled: boolean; moment: FaultMoment }) {
    this.#from = call;
    this.#to = isKilled ? Number.POSITIVE_INFINITY : call;
    this.#moment = moment;
  }

  get hasFailed(): boolean {
    return this.calls >= this.#from;
  }

  wrap<Store extends object>(store: Store): Store {
    return new Proxy(store, {
      get: (_, name) => {
        const value = Reflect.get(store, name, store) as unknown;
        if (typeof value !== "function") return value;
        return async (...given: unknown[]) => {
          this.calls += 1;
          const isFirst = this.calls === this.#from;
          const isFaulty = this.calls >= this.#from && this.calls <= this.#to;
          if (isFaulty && !(isFirst && this.#moment === "after")) throw failure();
          const result: unknown = await Reflect.apply(value, store, given);
          if (isFaulty) throw failure();
          return result;
        };
      },
    });
  }
}

/** The same store with some methods of its own. */
export function override<Store extends object>(store: Store, methods: Partial<Store>): Store {
  return new Proxy(store, {
    get: (_, name) => {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const value = Reflect.get(store, name, store) as unknown;
      return typeof value === "function" ? value.bind(store) : value;
    },
  });
}

export function failure(): EarshotError {
  return new EarshotError("unavailable", "failed on purpose");
}
