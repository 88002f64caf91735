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

/** A connection that ends within this time, without a word, is no use trying again. */
const MIN_CONNECTION_MS = 1_000;

/**
 * Hands messages, a line each, from a host to a program and back until the host has no more. When the program goes away, what it owes is
 * answered with an error, and the next one is told how the conversation began. Throws as `connect` does; resolves to false when a program
 * hangs up at once.
 */
export async function relayLines({ input, output, connect }: RelayEnds, signal: AbortSignal): Promise<boolean> {
  const talk = new Talk(output);
  let socket: Duplex | null = null;
  const leave = () => socket?.destroy();
  const isOver = () => input.readableEnded || signal.aborted || output.destroyed;
  const listen = splitLines((line) => socket?.write(talk.ask(line)));
  signal.addEventListener("abort", leave);
  output.on("error", leave);
  input.on("end", () => socket?.end());
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
    if (isOver()) socket.end();
    await once(socket, "close");
    input.off("data", listen).pause();
    talk.lose();
    if (isSilent && Date.now() - since < MIN_CONNECTION_MS && !isOver()) return false;
  }
  return true;
}

/** What a host and a program said to each other, as far as the next program has to know. */
class Talk {
  readonly #output: Writable;
  /** Ids of what has not been answered. */
  readonly #owed = new Set<Id>();
  readonly beginning: string[] = [];
  #first: Id | undefined;

  constructor(output: Writable) {
    this.#output = output;
  }

  ask(line: string): string {
    const { id, method } = read(line);
    if (id !== undefined && method !== undefined) this.#owed.add(id);
    if (method === "initialize") this.#first = id;
    if (method === "initialize" || method === "notifications/initialized") this.beginning.push(line);
    return line;
  }

  answer(line: string): void {
    const { id, method } = read(line);
    const isAnswer = id !== undefined && method === undefined;
    // The beginning is answered once for every program; the host hears of the first.
    if (!isAnswer || this.#owed.delete(id) || id !== this.#first) this.#output.write(line);
  }

  lose(): void {
    for (const id of this.#owed) {
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
