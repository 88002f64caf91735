import { EventEmitter, once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";

export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content:
      | string
      | null
      | readonly { readonly type: string; readonly text?: string; readonly image_url?: { readonly url: string } }[];
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }[];
    readonly tool_call_id?: string;
  }[];
  readonly tools: readonly {
    readonly type: string;
    readonly function: { readonly name: string; readonly description?: string; readonly parameters: object };
  }[];
  readonly tool_choice?: string;
  readonly max_tokens?: number;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
}

interface ModelCall {
  readonly tool: string;
  /** A string is sent as it is. */
  readonly args: unknown;
  /** Sends the arguments as an object instead of as a string. */
  readonly asObject?: boolean;
  /** `null`: without one. */
  readonly id?: string | null;
  /** `null`: without one. */
  readonly index?: number | null;
}

/** An answer as OpenAI's protocol has it, in one piece or as a stream, whichever was asked for. */
export interface ModelAnswer {
  /** Several texts come as one delta each. */
  readonly text?: string | readonly string[];
  readonly reasoning?: string;
  /** The field in which thinking comes. */
  readonly reasoningField?: "reasoning" | "reasoning_content";
  readonly calls?: readonly ModelCall[];
  /** Arguments come in pieces of so many characters. Whole unless set. */
  readonly argumentPieces?: number;
  /** `null`: without one. */
  readonly finish?: string | null;
  readonly usage?: { readonly input: number; readonly output: number } | null;
  /** Answers with plain JSON although a stream was asked for. */
  readonly ignoresStream?: boolean;
  readonly lineEnd?: "\n" | "\r\n" | "\r";
  /** A comment line before each event. */
  readonly hasComments?: boolean;
  readonly isWithoutDone?: boolean;
  /** Between two events. */
  readonly pauseMs?: number;
  /** Sends this many bytes at a time. */
  readonly chunkBytes?: number;
  /** Events after those of the answer, before [DONE]. */
  readonly extraEvents?: readonly unknown[];
  /** What happens after this number of events instead of the rest. */
  readonly breaksOff?: { readonly afterEvents: number; readonly by: "cutting" | "ending" | "silence" };
}

export type ModelReply =
  | string
  | ModelCall
  | ModelAnswer
  /** An HTTP answer as it is. */
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      /** The body has no end. */
      readonly staysOpen?: boolean;
    }
  /** Bytes as they are, with status 200. */
  | { readonly chunks: readonly (string | Uint8Array)[]; readonly contentType?: string }
  | { readonly instead: "hang up" | "silence" };

type ModelScript = readonly ((request: ModelRequest) => ModelReply)[] | ((request: ModelRequest) => ModelReply);

export interface ModelServer {
  readonly url: string;
  /** What it was asked so far. */
  readonly requests: readonly ModelRequest[];
  /** The keys that came with the requests. */
  readonly keys: readonly (string | undefined)[];
  /** How many clients went away before the end of their answer. */
  readonly gone: number;
  /** Resolves when the next request has arrived. */
  nextRequest(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * An OpenAI-compatible server on loopback that answers each request as the script says: a text, a tool to call, or any way in which real servers
 * answer or fail. After the script it answers with an empty text.
 */
export async function openModelServer(script: ModelScript): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const keys: (string | undefined)[] = [];
  let gone = 0;
  const arrivals = new EventEmitter();
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = JSON.parse(Buffer.concat(chunks).toString()) as ModelRequest;
    requests.push(request);
    keys.push(incoming.headers.authorization);
    arrivals.emit("request");
    outgoing.once("close", () => {
      if (!outgoing.writableEnded) gone += 1;
    });
    if (incoming.url !== "/v1/chat/completions") return void outgoing.writeHead(404).end();
    const entry = typeof script === "function" ? script : script[requests.length - 1];
    await reply(outgoing, entry?.(request) ?? "", { request, count: requests.length });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    keys,
    get gone() {
      return gone;
    },
    nextRequest: async () => void (await once(arrivals, "request")),
    stop,
  };
}

interface Asked {
  readonly request: ModelRequest;
  /** Which request it is, from 1. */
  readonly count: number;
}

async function reply(outgoing: ServerResponse, given: ModelReply, asked: Asked): Promise<void> {
  if (typeof given === "string") return answer(outgoing, { text: given }, asked);
  if ("tool" in given) return answer(outgoing, { calls: [given], finish: "tool_calls" }, asked);
  if ("status" in given) {
    const { status, headers, body = "{}", staysOpen } = given;
    outgoing.writeHead(status, headers).write(body);
    return void (!staysOpen && outgoing.end());
  }
  if ("instead" in given) return void (given.instead === "hang up" && outgoing.destroy());
  if (!("chunks" in given)) return answer(outgoing, given, asked);
  outgoing.writeHead(200, { "content-type": given.contentType ?? "text/event-stream" });
  await writeAll(outgoing, given.chunks);
  outgoing.end();
}

async function answer(outgoing: ServerResponse, given: ModelAnswer, asked: Asked): Promise<void> {
  if (asked.request.stream !== true || given.ignoresStream) {
    outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(toWhole(given, asked.count)));
    return;
  }
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  const { lineEnd = "\n", pauseMs = 0, breaksOff, chunkBytes } = given;
  const events = [...toEvents(given, asked), ...(given.extraEvents ?? [])].map((event) => JSON.stringify(event));
  const all = given.isWithoutDone ? events : [...events, "[DONE]"];
  for (const event of all.slice(0, breaksOff?.afterEvents)) {
    const text = `${given.hasComments ? `: keep-alive${lineEnd}` : ""}data: ${event}${lineEnd}${lineEnd}`;
    await writeAll(outgoing, chunkBytes === undefined ? [text] : toChunks(Buffer.from(text), chunkBytes));
    if (pauseMs > 0) await delay(pauseMs);
  }
  if (breaksOff?.by === "cutting") outgoing.destroy();
  else if (breaksOff?.by !== "silence") outgoing.end();
}

/** Each chunk in a write of its own. */
async function writeAll(outgoing: ServerResponse, chunks: readonly (string | Uint8Array)[]): Promise<void> {
  for (const chunk of chunks) {
    if (outgoing.destroyed) return;
    await new Promise<void>((resolve) => outgoing.write(chunk, () => resolve()));
  }
}

export function toChunks(bytes: Uint8Array, size: number): Uint8Array[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}

function toWhole(
  { text, reasoning, reasoningField = "reasoning_content", calls, finish, usage }: ModelAnswer,
  count: number,
) {
  const content = text === undefined ? null : [text].flat().join("");
  const message = {
    role: "assistant",
    content,
    ...(reasoning !== undefined && { [reasoningField]: reasoning }),
    ...(calls && { tool_calls: calls.map((call, place) => toWireCall(call, { count, place })) }),
  };
  const finish_reason = finish === undefined ? (calls ? "tool_calls" : "stop") : finish;
  return { choices: [{ index: 0, message, finish_reason }], ...(usage && { usage: toWireUsage(usage) }) };
}

function toEvents(given: ModelAnswer, { request, count }: Asked): object[] {
  const { text = "", reasoning, reasoningField = "reasoning_content", calls = [], argumentPieces, usage } = given;
  const toEvent = (delta: object) => ({ choices: [{ index: 0, delta, finish_reason: null }] });
  const events: object[] = [toEvent({ role: "assistant", content: "" })];
  if (reasoning !== undefined) events.push(toEvent({ [reasoningField]: reasoning }));
  events.push(...[text].flat().map((content) => toEvent({ content })));
  for (const [place, call] of calls.entries()) {
    const whole = toWireCall(call, { count, place });
    const { arguments: args, name } = whole.function;
    if (argumentPieces === undefined || typeof args !== "string") events.push(toEvent({ tool_calls: [whole] }));
    else {
      events.push(toEvent({ tool_calls: [{ ...whole, function: { name, arguments: "" } }] }));
      for (let from = 0; from < args.length; from += argumentPieces) {
        const piece = { function: { arguments: args.slice(from, from + argumentPieces) } };
        events.push(toEvent({ tool_calls: [{ ...("index" in whole && { index: whole.index }), ...piece }] }));
      }
    }
  }
  const finish = given.finish === undefined ? (calls.length > 0 ? "tool_calls" : "stop") : given.finish;
  if (finish !== null) events.push({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  if (usage && request.stream_options?.include_usage) events.push({ choices: [], usage: toWireUsage(usage) });
  return events;
}

function toWireCall(
  { tool, args, asObject, id, index }: ModelCall,
  { count, place }: { count: number; place: number },
) {
  const isAsGiven = asObject || typeof args === "string" || args === null || args === undefined;
  return {
    ...(index !== null && { index: index ?? place }),
    ...(id !== null && { id: id ?? `call-${count}-${place}` }),
    type: "function",
    function: { name: tool, arguments: isAsGiven ? args : JSON.stringify(args) },
  };
}

function toWireUsage({ input, output }: { readonly input: number; readonly output: number }) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}
