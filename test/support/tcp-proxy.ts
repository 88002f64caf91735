import { connect, createServer, type Server, type Socket } from "node:net";

export interface TcpProxy {
  readonly port: number;
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Serves again, at the same port. */
  restore(): Promise<void>;
  /** Lets nothing of what the server says through, until it is called back. */
  holdAnswers(): () => void;
  close(): void;
}

/** Stands between a client and a port, as a network does. `passes`: false loses what was sent. */
export async function openTcpProxy(
  target: () => number,
  { passes = () => true }: { passes?(chunk: Buffer, isFromClient: boolean): boolean } = {},
): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let server = createServer();
  const serve = (port: number): Promise<Server> => {
    const next = createServer((client) => {
      const upstream = connect(target(), "127.0.0.1");
      const pair = [client, upstream] as const;
      pairs.add(pair);
      for (const [from, to] of [pair, [upstream, client] as const]) {
        from.on("data", (chunk) => void (passes(chunk, from === client) && to.write(chunk)));
        from.on("error", () => to.destroy());
        from.on("close", () => {
          pairs.delete(pair);
          to.destroy();
        });
      }
    });
    return new Promise((resolve) => next.listen(port, "127.0.0.1", () => resolve(next)));
  };
  const end = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    pairs.clear();
  };
  server = await serve(0);
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    port,
    async cut() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      end();
      await closed;
    },
    async restore() {
      server = await serve(port);
    },
    holdAnswers() {
      const upstreams = [...pairs].map(([, upstream]) => upstream.pause());
      return () => {
        for (const upstream of upstreams) upstream.resume();
      };
    },
    close() {
      end();
      server.close();
    },
  };
}
