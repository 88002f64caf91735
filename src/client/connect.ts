import { EarshotError } from "../domain/errors.ts";
import type { Hello } from "../domain/rpc/rpc-frames.ts";
import { type EarshotEvent, EventBuffer } from "./event-buffer.ts";
import { Line, type LineListener } from "./line.ts";
import type { Methods } from "./methods.ts";
import { type CallOptions, PendingCalls, type Returned } from "./pending-calls.ts";

export interface ConnectOptions {
  /** Such as `ws://127.0.0.1:7780/rpc`. */
  readonly url: string;
  readonly token: string;
  /** The cursor of an earlier connection: later events are delivered first. */
  readonly cursor?: string;
  /** Whether events that address the agent bring along what is going on there. */
  readonly context?: boolean;
  /** How long to wait for the server's greeting; ten seconds by default. */
  readonly connectTimeoutMs?: number;
  /** Events kept until they are taken; a thousand by default. */
  readonly eventBuffer?: number;
  /** Whether a lost connection is mended; it is by default. Otherwise the client ends: calls reject with `unavailable`, and so do later ones. */
  readonly reconnects?: boolean;
  /** The wait before a reconnect is chance times this, doubled with each failure up to `longestWaitMs`. */
  readonly firstWaitMs?: number;
  readonly longestWaitMs?: number;
  readonly random?: () => number;
}

/** A connection to Earshot that mends itself. */
export interface EarshotClient {
  /** The name under which the server knows the token. */
  readonly name: string;
  /** Callable methods: `read` changes nothing, `send` speaks or reacts in Discord. */
  readonly methods: Hello["methods"];
  /** Everything up to here has been received. Give it to the next `connectEarshot` to miss nothing in between. */
  readonly cursor: string;
  /**
   * Calls a method. Rejects with an `EarshotError`. When the connection is lost meanwhile, what only reads, or carries a `key`, is asked
   * again on the next one; anything else rejects with `unavailable`.
   */
  call<Name extends keyof Methods>(
    method: Name,
    args: Methods[Name]["args"],
    options?: CallOptions,
  ): Promise<Methods[Name]["value"]>;
  /** As `call`, for a tool; its answer also comes as text for a model, in which what others wrote stands in a block that it cannot leave. */
  ask<Name extends keyof Methods>(
    method: Name,
    args: Methods[Name]["args"],
    options?: CallOptions,
  ): Promise<{ readonly value: Methods[Name]["value"]; readonly text: string }>;
  /** As `ask`, for a method that is known only when the program runs, such as one that a model chose. Nothing is checked before it is sent. */
  request(method: string, args?: object, options?: CallOptions): Promise<Returned>;
  /** Events from the beginning of the connection on, each given out once. Ends when the client is closed. */
  events(): AsyncGenerator<EarshotEvent, void, undefined>;
  /** Ends the connection and every call. Safe to repeat. */
  close(): Promise<void>;
}

/**
 * Connects, or rejects with `unavailable` if the first attempt fails. Later, a lost connection is retried without limit, unless `reconnects` is false.
 *
 * @example
 * import { createHash } from "node:crypto";
 * import { createEarshot } from "earshot";
 * import { connectEarshot } from "earshot/client";
 *
 * const token = "a-long-random-text-of-your-own-choice";
 * const tokenSha256 = createHash("sha256").update(token).digest("hex");
 * const grant = { scopes: ["context:search" as const], guilds: "all" as const, actors: "anyone" as const };
 * const server = await createEarshot({ config: { clients: [{ name: "brain", tokenSha256, grant }] } });
 *
 * const earshot = await connectEarshot({ url: `${server.url.replace("http", "ws")}/rpc`, token });
 * const { operation_id: operationId } = await earshot.call("operation.open", { actor: "sarah", private: true });
 * const { hits } = await earshot.call("search_messages", { query: "turtle", limit: 3 }, { operationId });
 * console.log(hits.length); // 3
 * await earshot.close();
 * await server.close();
 */
export async function connectEarshot(options: ConnectOptions): Promise<EarshotClient> {
  const client = new Client(options);
  await client.greeted;
  return client;
}

type Ending = readonly [code: "cancelled" | "unavailable", message: string];

const LOST = "The connection to Earshot was lost. Repeat this when it runs again.";

class Client implements EarshotClient, LineListener {
  readonly #options: ConnectOptions;
  readonly #url: URL;
  readonly #random: () => number;
  readonly #events: EventBuffer;
  readonly #calls = new PendingCalls((frame) => this.#send(frame));
  readonly #greeting = Promise.withResolvers<void>();
  readonly #impatience: ReturnType<typeof setTimeout>;
  #line: Line;
  #hello: Hello | null = null;
  #isOpen = false;
  /** Why, once it has ended. */
  #ended: Ending | null = null;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  cursor: string;

  constructor(options: ConnectOptions) {
    this.#options = options;
    this.#url = toUrl(options.url);
    this.#random = options.random ?? Math.random;
    this.#events = new EventBuffer(options.eventBuffer ?? 1_000);
    this.cursor = options.cursor ?? "";
    this.#line = this.#open();
    this.#impatience = setTimeout(() => this.#giveUp(), options.connectTimeoutMs ?? 10_000);
  }

  get greeted(): Promise<void> {
    return this.#greeting.promise;
  }

  get name(): string {
    return this.#hello?.client ?? "";
  }

  get methods(): Hello["methods"] {
    return this.#hello?.methods ?? {};
  }

  async call<Name extends keyof Methods>(method: Name, args: object, options: CallOptions = {}): Promise<never> {
    return (await this.#begin({ method, args, wantsText: false }, options)).value as never;
  }

  async ask<Name extends keyof Methods>(method: Name, args: object, options: CallOptions = {}): Promise<never> {
    return (await this.#begin({ method, args, wantsText: true }, options)) as never;
  }

  request(method: string, args: object = {}, options: CallOptions = {}): Promise<Returned> {
    return this.#begin({ method, args, wantsText: true }, options);
  }

  async *events(): AsyncGenerator<EarshotEvent, void, undefined> {
    for (let event = await this.#events.take(); event; event = await this.#events.take()) yield event;
  }

  async close(): Promise<void> {
    this.#end("cancelled", "The client was closed.");
  }

  onHello(hello: Hello): void {
    clearTimeout(this.#impatience);
    this.#hello = hello;
    this.#isOpen = true;
    this.#failures = 0;
    this.#greeting.resolve();
    this.#calls.resume();
  }

  onCursor(cursor: string): void {
    this.cursor = cursor;
  }

  onEvent(event: EarshotEvent): void {
    this.cursor = event.cursor;
    this.#events.push(event);
  }

  onAnswer(...answer: Parameters<LineListener["onAnswer"]>): void {
    this.#calls.answer(...answer);
  }

  onProgress(...progress: Parameters<LineListener["onProgress"]>): void {
    this.#calls.progress(...progress);
  }

  onLost(): void {
    if (!this.#hello) {
      this.#giveUp();
      return;
    }
    this.#isOpen = false;
    this.#calls.interrupt();
    if (this.#options.reconnects === false) {
      this.#end("unavailable", LOST);
      return;
    }
    const { firstWaitMs = 250, longestWaitMs = 30_000 } = this.#options;
    const wait = this.#random() * Math.min(longestWaitMs, firstWaitMs * 2 ** this.#failures);
    this.#failures += 1;
    this.#retry = setTimeout(() => {
      this.#line = this.#open();
    }, wait);
  }

  /** Why says what calls are rejected with from now on. */
  #end(...why: Ending): void {
    if (this.#ended) return;
    this.#ended = why;
    this.#isOpen = false;
    clearTimeout(this.#retry);
    clearTimeout(this.#impatience);
    this.#line.close();
    this.#calls.close(...why);
    this.#events.close();
  }

  #begin(request: { method: string; args: object; wantsText: boolean }, options: CallOptions): Promise<Returned> {
    if (this.#ended) return Promise.reject(new EarshotError(...this.#ended));
    const { method, args } = request;
    const name = method.replaceAll("/", ".");
    const isRepeatable = () => this.methods[name] === "read" || ("key" in args && typeof args.key === "string");
    return this.#calls.begin({ ...request, isRepeatable }, options);
  }

  #open(): Line {
    const url = new URL(this.#url);
    if (this.cursor !== "") url.searchParams.set("cursor", this.cursor);
    if (this.#options.context) url.searchParams.set("context", "window");
    return new Line({ url, token: this.#options.token }, this);
  }

  #send(frame: object): boolean {
    if (this.#isOpen) this.#line.send(frame);
    return this.#isOpen;
  }

  #giveUp(): void {
    const problem = `Earshot cannot be reached at ${this.#url.origin}${this.#url.pathname}: it does not run there, or it refuses the token.`;
    this.#greeting.reject(new EarshotError("unavailable", problem));
    void this.close();
  }
}

function toUrl(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === "ws:" || url?.protocol === "wss:") return url;
  throw new EarshotError("invalid", "url: must begin with ws:// or wss://.");
}
