import { once } from "node:events";
import type { Duplex, Readable, Writable } from "node:stream";

export interface RelayEnds {
  readonly input: Readable;
  readonly output: Writable;
  /** Opens a connection to a program; called again when one is lost. */
  connect(): Promise<Duplex>;
}

type Id = string | number;

/** The part of a message that the relay needs. */
interface Frame {
  readonly id?: Id;
  readonly method?: string;
}

const LOST = { code: -32_000, message: "The Earshot that was used has ended, and another is used now. Ask again." };

/** How long the last answers are waited for after the host has closed its end. */
const MAX_LAST_ANSWERS_MS = 30_000;

/** A connection that ends within this time, without a word, is no use trying again. */
const MIN_CONNECTION_MS = 1_000;

/** A request that is answered when it ends, and it ends with the connection. */
const STANDING = "subscriptions/listen";

/**
 * Hands messages, a line each, from a host to a program and back until the host has no more, and has its answers. When the program goes away, what it owes is
 * answered with an error, and the next one is told how the conversation began. Throws as `connect` does; resolves to false when a program hangs up at once.
 */
export async function relayLines({ input, output, connect }: RelayEnds, signal: AbortSignal): Promise<boolean> {
  let socket: Duplex | null = null;
  let giveUp: NodeJS.Timeout | undefined;
  const leave = () => socket?.destroy();
  const isOver = () => input.readableEnded || signal.aborted || output.destroyed;
  const talk = new Talk(output, () => {
    if (isOver()) socket?.end();
  });
  const listen = splitLines((line) => socket?.write(talk.ask(line)));
  signal.addEventListener("abort", leave);
  output.on("error", leave);
  input.on("end", () => {
    if (!talk.isOwed) socket?.end();
    giveUp = setTimeout(leave, MAX_LAST_ANSWERS_MS);
  });
  while (!isOver()) {
    socket = await connect();
    const since = Date.now();
    let isSilent = true;
    const hear = splitLines((line) => {
      isSilent = false;
      talk.answer(line);
    });
    socket.on("error", leave);
    socket.on("data", hear);
    for (const line of talk.beginning) socket.write(line);
    input.on("data", listen).resume();
    if (isOver() && !talk.isOwed) socket.end();
    await once(socket, "close");
    input.off("data", listen).pause();
    if (!isOver()) talk.lose();
    if (isSilent && Date.now() - since < MIN_CONNECTION_MS && !isOver()) return false;
  }
  clearTimeout(giveUp);
  return true;
}

/** The messages between a host and a program, as far as the next program needs them. */
class Talk {
  readonly #output: Writable;
  /** Unanswered requests by id, with their method. */
  readonly #owed = new Map<Id, string>();
  readonly beginning: string[] = [];
  readonly #onAnswered: () => void;
  #first: Id | undefined;

  /** Calls `onAnswered` when nothing is owed any more. */
  constructor(output: Writable, onAnswered: () => void) {
    this.#output = output;
    this.#onAnswered = onAnswered;
  }

  get isOwed(): boolean {
    return [...this.#owed.values()].some((method) => method !== STANDING);
  }

  ask(line: string): string {
    const { id, method } = read(line);
    if (id !== undefined && method !== undefined) this.#owed.set(id, method);
    if (method === "initialize") this.#first = id;
    if (method === "initialize" || method === "notifications/initialized") this.beginning.push(line);
    return line;
  }

  answer(line: string): void {
    const { id, method } = read(line);
    const isAnswer = id !== undefined && method === undefined;
    // The beginning is answered once for every program; the host hears of the first.
    if (!isAnswer || this.#owed.delete(id) || id !== this.#first) this.#output.write(line);
    if (isAnswer && !this.isOwed) this.#onAnswered();
  }

  lose(): void {
    for (const id of this.#owed.keys()) {
      if (id === this.#first) continue;
      this.#owed.delete(id);
      this.#output.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: LOST })}\n`);
    }
  }
}

/** Calls with each whole line and its end; a character may arrive in two pieces. */
function splitLines(onLine: (line: string) => void): (chunk: Buffer) => void {
  const decoder = new TextDecoder();
  let rest = "";
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") onLine(`${line}\n`);
  };
}

function read(line: string): Frame {
  try {
    const { id, method } = JSON.parse(line) as Record<string, unknown>;
    return {
      ...(typeof id === "string" || typeof id === "number" ? { id } : {}),
      ...(typeof method === "string" ? { method } : {}),
    };
  } catch {
    return {};
  }
}
