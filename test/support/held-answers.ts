import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { until } from "./edge.ts";

export interface HeldAnswers {
  readonly api: string;
  /** From now on, answers to requests for history wait, already made, until they are let go. */
  hold(): void;
  /** Resolves once so many answers are waiting. */
  waiting(count: number): Promise<void>;
  letGo(): void;
}

/** Stands before a REST API. What it passes on late is how things stood before. */
export async function openHeldAnswers(api: string): Promise<HeldAnswers> {
  let gate: PromiseWithResolvers<void> | null = null;
  let waiting = 0;
  async function passOn(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const path = (incoming.url ?? "").replace(/^\/api/, "");
    const chunks: Uint8Array[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = "GET", headers } = incoming;
    const answer = await fetch(`${api}${path}`, {
      method,
      headers: { authorization: headers.authorization ?? "", "content-type": headers["content-type"] ?? "text/plain" },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (gate && path.includes("/messages")) {
      waiting += 1;
      await gate.promise;
    }
    outgoing.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" });
    outgoing.end(body);
  }
  // What stands behind it may end first.
  const server = createServer((incoming, outgoing) => {
    passOn(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    gate?.resolve();
    server.closeAllConnections();
    server.close();
  });
  return {
    api: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    hold() {
      waiting = 0;
      gate = Promise.withResolvers();
    },
    async waiting(count) {
      await until(() => waiting >= count, `only ${waiting} answers are waiting`);
    },
    letGo() {
      gate?.resolve();
      gate = null;
    },
  };
}
