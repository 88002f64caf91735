import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown> | null;
}

/** Answers one request: a status with headers and a body, or whatever it does to the socket itself. */
export type Answer =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> }
  | ((request: IncomingMessage, response: ServerResponse) => void);

/** A server that gives the answers of a script, one after the other; the last one again and again. */
export async function openScriptedRest(...answers: readonly Answer[]) {
  const requests: ScriptedRequest[] = [];
  const arrivals: (() => void)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const answer = answers[Math.min(requests.length, answers.length - 1)];
      const path = (request.url ?? "").replace(/^\/api\/v10/, "");
      requests.push({ method: request.method ?? "", path, body: text === "" ? null : JSON.parse(text) });
      for (const arrive of arrivals.splice(0)) arrive();
      if (typeof answer === "function") answer(request, response);
      else
        response
          .writeHead(answer?.status ?? 200, { "content-type": "application/json", ...answer?.headers })
          .end(answer?.body === undefined ? "" : JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    api: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    requests,
    /** Resolves when so many requests have arrived. */
    async arrived(count: number): Promise<void> {
      while (requests.length < count) await new Promise<void>((resolve) => arrivals.push(resolve));
    },
  };
}
