import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";

export interface CountingProxy {
  readonly api: string;
  /** Every request so far, as "GET /api/v10/…". */
  readonly requests: readonly string[];
  /** The most that were under way at once, among those whose path contains this. */
  mostAtOnce(part: string): number;
}

/** Stands before a sandbox's REST API and counts. The gateway is reached directly. */
export async function openProxy(sandbox: Sandbox): Promise<CountingProxy> {
  const requests: string[] = [];
  const underWay = new Set<{ path: string }>();
  const peaks = new Map<string, number>();
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? "";
    const entry = { path };
    requests.push(`${incoming.method} ${path}`);
    underWay.add(entry);
    for (const { path: each } of underWay) {
      const same = [...underWay].filter((other) => other.path === each).length;
      peaks.set(each, Math.max(peaks.get(each) ?? 0, same));
    }
    outgoing.on("close", () => underWay.delete(entry));
    const onward = request(
      `${sandbox.url}${path}`,
      { method: incoming.method ?? "GET", headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    api: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    requests,
    mostAtOnce: (part) => Math.max(0, ...[...peaks].filter(([path]) => path.includes(part)).map(([, most]) => most)),
  };
}
