import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { arrive, WAYS } from "./arrive.ts";
import { headersOf, openSocket } from "./clients.ts";

describe("MCP, which is loaded for the first request", () => {
  it("serves everybody who arrives while it is loaded, by every way, and lives on when somebody leaves", async () => {
    const { address, url, transport, id } = await arrive();
    expect(transport.stats()).toMatchObject({ connections: 0, calls: 0 });
    const { hostname, port } = new URL(url);
    const leaving = createConnection(Number(port), hostname);
    const lines = Object.entries(headersOf(address("sarah"))).map(([name, value]) => `${name}: ${value}\r\n`);
    leaving.write(
      `GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: earshot-mcp\r\n${lines.join("")}\r\n`,
    );
    await once(leaving, "connect");
    leaving.resetAndDestroy();
    const clients = await Promise.all(Object.values(WAYS).map((connect) => connect(address("sarah"))));
    for (const client of clients) {
      const { structuredContent } = await client.call("discord_channel_info", { channel_id: id("general") });
      expect(structuredContent).toMatchObject({ name: "general" });
    }
    await expect.poll(() => transport.stats()).toMatchObject({ connections: 2, calls: clients.length });
  });

  it("is loaded for a later request when it could not be for the first, because too many files are open", () => {
    const script = fileURLToPath(new URL("./ask-without-files.ts", import.meta.url));
    const statuses = execFileSync("sh", ["-c", 'ulimit -n 256; exec "$0" "$1"', process.execPath, script]);
    expect(JSON.parse(String(statuses))).toEqual([500, 401]);
  });

  it("is not loaded any more once it is closed, and says so", async () => {
    const { address, url, transport } = await arrive();
    await transport.close();
    const response = await fetch(url, { method: "POST", headers: headersOf(address("sarah")), body: "{}" });
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("shutting down")]);
    await expect(openSocket(address("sarah"))).rejects.toThrow("503");
  });
});
