import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FileHosts } from "./file-hosts.ts";

const LIMITS = { mostBytes: 1_000, types: ["image/", "text/"] };

describe("FileHosts", () => {
  let origin = "";
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const answers: Record<string, () => void> = {
      "/ok": () => response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end("hello"),
      "/gone": () => response.writeHead(404).end(),
      "/broken": () => response.writeHead(500).end(),
      "/redirect": () => response.writeHead(302, { location: "/ok" }).end(),
      "/bare": () => response.writeHead(200).end(Buffer.from("89504e470d0a1a0a00", "hex")),
      "/notes.md": () => response.writeHead(200, { "content-type": "application/octet-stream" }).end("# Tides"),
      "/false.txt": () => response.writeHead(200, { "content-type": "application/octet-stream" }).end("MZ\0\0"),
      "/false.png": () => response.writeHead(200, { "content-type": "application/octet-stream" }).end("MZ"),
      "/program": () => response.writeHead(200, { "content-type": "application/x-msdownload" }).end("MZ"),
      "/large": () =>
        response.writeHead(200, { "content-type": "image/png", "content-length": "2000" }).end(Buffer.alloc(2_000)),
      // Says nothing of its size, and never stops.
      "/endless": () => {
        response.writeHead(200, { "content-type": "image/png" });
        const timer = setInterval(() => response.write(Buffer.alloc(500)), 5);
        response.on("close", () => clearInterval(timer));
      },
      "/silent": () => {},
    };
    answers[request.url ?? ""]?.();
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const fetchFile = (path: string, signal?: AbortSignal) =>
    new FileHosts(`${origin}/api`).download(`${origin}${path}`, LIMITS, signal);

  it("returns the bytes of a file and their type", async () => {
    const { contentType, bytes } = await fetchFile("/ok");
    expect([contentType, Buffer.from(bytes).toString()]).toEqual(["text/plain", "hello"]);
  });

  it.each([
    ["/bare", "image/png"],
    ["/notes.md", "text/markdown"],
  ])("detects the type of %s from its bytes and its name when the host does not give it", async (path, type) => {
    expect((await fetchFile(path)).contentType).toBe(type);
  });

  it.each([
    ["/gone", "not_found"],
    ["/false.txt", "unsupported"],
    ["/false.png", "unsupported"],
    ["/broken", "unavailable"],
    ["/redirect", "unavailable"],
    ["/program", "unsupported"],
    ["/large", "unsupported"],
    ["/endless", "unsupported"],
  ])("fails to download %s with %s", async (path, code) => {
    await expect(fetchFile(path)).rejects.toMatchObject({ code });
    if (path === "/redirect") expect(asked.at(-1)).toBe("/redirect");
  });

  it("fetches from the hosts that are named, and from no others", async () => {
    const fetchFrom = (...hosts: string[]) =>
      new FileHosts("https://discord.com/api", hosts).download(`${origin}/ok`, LIMITS);
    expect((await fetchFrom("https://files.example", `${origin}/cdn`)).contentType).toBe("text/plain");
    for (const hosts of [[], ["https://files.example"], [origin.replace("http:", "https:")]])
      await expect(fetchFrom(...hosts)).rejects.toMatchObject({ code: "invalid" });
  });

  it("can be cancelled", async () => {
    await expect(fetchFile("/silent", AbortSignal.timeout(50))).rejects.toMatchObject({ code: "cancelled" });
  });

  it("sends requests only to the file hosts of the connected server", async () => {
    const before = asked.length;
    const discord = new FileHosts("https://discord.com/api");
    const port = new URL(origin).port;
    for (const url of [
      `${origin}/ok`,
      "http://cdn.discordapp.com/x",
      "https://cdn.discordapp.com.example.com/x",
      "https://user@cdn.discordapp.com/x",
      "https://cdn.discordapp.com:444/x",
      "ftp://cdn.discordapp.com/x",
      "nonsense",
      "",
    ]) {
      await expect(discord.download(url, LIMITS), url).rejects.toMatchObject({ code: "invalid" });
    }
    for (const url of [
      `http://localhost:${port}/ok`,
      `http://127.0.0.1:${Number(port) + 1}/ok`,
      `https://127.0.0.1:${port}/ok`,
    ]) {
      await expect(new FileHosts(`${origin}/api`).download(url, LIMITS), url).rejects.toMatchObject({
        code: "invalid",
      });
    }
    expect(asked).toHaveLength(before);
  });
});
