import { type Duplex, Transform } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { TokenBucket } from "../../policy/limits.ts";
import type { UnreadBytes, WatchedOutlet } from "../kit/unread-bytes.ts";
import type { McpLimits } from "./mcp-limits.ts";

/** Whose socket it is, and what bounds it. */
interface Bounds {
  readonly client: string;
  readonly bucket: TokenBucket;
  readonly unread: UnreadBytes;
  readonly limits: Pick<McpLimits, "requestBytes">;
}

const LINE_BREAK = 0x0a;

/** The stdio wire, a message a line, on a socket. A client that sends too fast is read more slowly. */
export class SocketTransport extends StdioServerTransport {
  readonly #socket: Duplex;
  readonly #watched: WatchedOutlet;

  constructor(socket: Duplex, { client, bucket, unread, limits }: Bounds) {
    super(socket.pipe(pace(bucket)), socket, { maxBufferSize: limits.requestBytes });
    this.#socket = socket;
    this.#watched = unread.watch(client, {
      unreadBytes: () => socket.writableLength,
      drop: () => socket.destroy(),
    });
    socket.once("close", this.#watched.remove);
  }

  override send(message: JSONRPCMessage): Promise<void> {
    const sent = super.send(message);
    this.#watched.check();
    return sent;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#socket.end();
  }
}

function pace(bucket: TokenBucket): Transform {
  let waiting: NodeJS.Timeout | undefined;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const lines = chunk.filter((byte) => byte === LINE_BREAK).length;
      const pass = () => {
        const wait = bucket.take(lines);
        if (wait === 0) done(null, chunk);
        else waiting = setTimeout(pass, Math.ceil(wait * 1000));
      };
      pass();
    },
    destroy(error, done) {
      clearTimeout(waiting);
      done(error);
    },
  });
}
