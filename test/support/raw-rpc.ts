import { once } from "node:events";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { Answer } from "../../src/domain/rpc/rpc-frames.ts";
import { until } from "./edge.ts";
import type { RpcServer } from "./rpc-server.ts";

export interface Frame {
  readonly id: string;
  readonly op: string;
  readonly reply_to?: string | null;
  readonly operation_id?: string;
  readonly cursor?: string;
  readonly payload: unknown;
}

export interface RawRpc {
  readonly socket: WebSocket;
  readonly frames: readonly Frame[];
  /** Resolves to the close code. */
  readonly closed: Promise<number>;
  send(frame: unknown): void;
  /** Sends a call and waits for its answer. */
  call(method: string, args?: unknown, operationId?: string): Promise<Answer>;
  find(fits: (frame: Frame) => boolean): Promise<Frame>;
  of(op: string): Frame[];
  /** Opens an operation and returns its id. */
  operation(): Promise<string>;
}

/** A client that says exactly what it is told to, however wrong. */
export async function connectRaw(
  server: Pick<RpcServer, "url" | "token">,
  name = "brain",
  cursor?: string,
): Promise<RawRpc> {
  const query = cursor === undefined ? "" : `?cursor=${encodeURIComponent(cursor)}`;
  const socket = new WebSocket(server.url + query, { headers: { authorization: `Bearer ${server.token(name)}` } });
  const frames: Frame[] = [];
  socket.on("message", (data) => frames.push(JSON.parse(String(data))));
  socket.on("error", () => undefined);
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  let count = 0;
  const call = async (method: string, args: unknown = {}, operationId?: string) => {
    count += 1;
    const id = `call-${count}`;
    const payload = { method, args, ...(operationId === undefined ? {} : { operation_id: operationId }) };
    socket.send(JSON.stringify({ id, op: "rpc/call", payload }));
    return (await find((frame) => frame.op === "rpc/ret" && frame.reply_to === id)).payload as Answer;
  };
  const find = (fits: (frame: Frame) => boolean) =>
    until(() => frames.find(fits), `no frame fits; last: ${JSON.stringify(frames.slice(-3)).slice(0, 500)}`);
  await find(({ op }) => op === "event/hello");
  return {
    socket,
    frames,
    closed,
    send: (frame) => socket.send(typeof frame === "string" || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame)),
    call,
    find,
    of: (op) => frames.filter((frame) => frame.op === op),
    async operation() {
      const answer = await call("operation.open", { actor: "400", channel_id: "200" });
      return (answer as { value: { operation_id: string } }).value.operation_id;
    },
  };
}
