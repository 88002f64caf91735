import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { UnreadBytes } from "../kit/unread-bytes.ts";

interface Line {
  /** What the WebSocket is spoken over. */
  readonly socket: Duplex;
  readonly webSocket: WebSocket;
  readonly client: string;
}

/** Less than this is not worth looking at all connections. */
const MIN_CHECKED_BYTES = 4 * 1024;
const TRY_AGAIN_LATER = 1013;
const GOODBYE_MS = 250;

/** Bounds what the library holds of messages that are not complete yet, on all connections together. */
export function boundUnfinished({ socket, webSocket, client }: Line, unfinished: UnreadBytes): void {
  let held = 0;
  let latest = 0;
  const drop = (isForAll: boolean) => {
    webSocket.close(TRY_AGAIN_LATER, isForAll ? OF_ALL : OF_CLIENT);
    // What still comes is read and dropped, so that the client gets to know why.
    socket.removeAllListeners("data").resume();
    setTimeout(() => webSocket.terminate(), GOODBYE_MS).unref();
  };
  const watched = unfinished.watch(client, { unreadBytes: () => held, drop });
  // Before the library, which tells of complete messages while it takes a chunk.
  socket.prependListener("data", (chunk: Buffer) => {
    latest = chunk.length;
    held += latest;
  });
  socket.on("data", () => {
    if (held >= MIN_CHECKED_BYTES) watched.check();
  });
  const subtract = (data: Buffer) => {
    held = Math.max(0, held - data.length - headerBytes(data.length));
  };
  webSocket.on("message", (data: Buffer) => {
    subtract(data);
    // A message in many frames has more headers. Only the rest of this chunk can belong to the next one.
    held = Math.min(held, latest);
  });
  webSocket.on("ping", subtract);
  webSocket.on("pong", subtract);
  webSocket.on("close", () => watched.remove());
}

const OF_CLIENT = "Too many bytes of unfinished messages of this client; finish them, then connect again.";
const OF_ALL = "Too many bytes of unfinished messages; connect again later.";

/** Of one frame from a client. https://www.rfc-editor.org/rfc/rfc6455#section-5.2 */
function headerBytes(length: number): number {
  return 6 + (length > 0xffff ? 8 : length > 125 ? 2 : 0);
}
