import { EarshotError, throwIfCancelled } from "../../domain/errors.ts";

const OVER = "The call is over: a tool may use its view only until it returns.";

/** Lends a part to a tool. */
export type Lend = <Part extends object>(part: Part) => Part;

/** The time of one call. Once it is answered, has failed or is cancelled, all that was lent for it refuses, even if a tool kept it. */
export class CallTime {
  readonly #end = new AbortController();
  readonly #lending: ProxyHandler<object>;
  readonly #letGo: () => void;
  #isOver = false;

  constructor(signal: AbortSignal | undefined) {
    const cancel = () => this.#end.abort(signal?.reason);
    if (signal?.aborted) cancel();
    signal?.addEventListener("abort", cancel);
    // The option `signal` of a listener would do the same, at a multiple of the cost.
    this.#letGo = () => signal?.removeEventListener("abort", cancel);
    this.#lending = {
      get: (part, name) => {
        this.#mustLast();
        const member: unknown = Reflect.get(part, name);
        if (typeof member !== "function") return member;
        return (...given: unknown[]) => {
          this.#mustLast();
          const result: unknown = Reflect.apply(member, part, given);
          if (!(result instanceof Promise)) return result;
          const inTime = this.#inTime(result);
          // A tool may have dropped it, and no end of a call may end the program.
          inTime.catch(() => {});
          return inTime;
        };
      },
    };
  }

  /** Aborted when the call is cancelled, and at its end: stops reads and effects that a tool did not wait for. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** The same part, for a tool: its members throw `cancelled` when the call is over, and so do those that were called before. */
  readonly lend: Lend = (part) => new Proxy(part, this.#lending) as typeof part;

  /** Parts that are opened on first use. */
  lendEach<Parts extends object>(parts: { readonly [Name in keyof Parts]: () => Parts[Name] & object }): Parts {
    const toPart = (_: object, name: string | symbol) =>
      Object.hasOwn(parts, name) ? this.lend(parts[name as keyof Parts]()) : undefined;
    return new Proxy(parts, { get: toPart }) as unknown as Parts;
  }

  end(): void {
    this.#isOver = true;
    this.#letGo();
    this.#end.abort(OVER);
  }

  #mustLast(): void {
    if (this.#isOver) throw new EarshotError("cancelled", OVER);
    throwIfCancelled(this.#end.signal);
  }

  /** A cancelled call still learns what an effect did that had left before. */
  async #inTime<Result>(result: Promise<Result>): Promise<Result> {
    const [settled] = await Promise.allSettled([result]);
    if (this.#isOver) throw new EarshotError("cancelled", OVER);
    if (settled.status === "rejected") throw settled.reason;
    return settled.value;
  }
}
