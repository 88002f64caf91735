import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { CERTIFICATE, CERTIFICATE_KEY } from "../../../test/support/certificate.ts";
import { fetchDocument } from "./fetch-document.ts";

const HERE = { address: "127.0.0.1", family: 4 };

/** A web server of editor.example; `found` is what the name leads to, at the first look, the second and so on. */
async function open(answer: RequestListener, found: readonly (readonly string[])[] = [[HERE.address]]) {
  let requests = 0;
  let looks = 0;
  const server = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (request, response) => {
    requests += 1;
    answer(request, response);
  });
  await once(server.listen(0, HERE.address), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const lookup = async () => {
    const addresses = found[Math.min(looks, found.length - 1)] ?? [];
    looks += 1;
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
  return {
    // This machine stands for the public internet.
    fetch: ({ ca = CERTIFICATE } = {}) =>
      fetchDocument(
        `https://editor.example:${port}/client.json`,
        {},
        { lookup, blocked: ["10.0.0.0/8", "fc00::/7"], ca },
      ),
    counts: () => ({ requests, looks }),
  };
}

const saying =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

describe("a metadata document", () => {
  it("is fetched whole, with how long it may be kept", async () => {
    const { fetch } = await open(saying(200, '{"a":1}', { "cache-control": "max-age=60" }));
    const answer = await fetch();
    expect([answer.status, await answer.text(), answer.headers.get("cache-control")]).toEqual([
      200,
      '{"a":1}',
      "max-age=60",
    ]);
  });

  it.each([
    ...["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "0x7f.1"],
    ...["2130706433", "224.0.0.1", "[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]"],
    ...["[2002:a00:1::]", "255.255.255.255", "198.18.0.1"],
  ])("is not fetched from %s", async (host) => {
    await expect(fetchDocument(`https://${host}/client.json`)).rejects.toMatchObject({ code: "forbidden" });
  });

  it.each([[["10.0.0.1"]], [[HERE.address, "10.0.0.1"]], [["fc00::1", HERE.address]], [["no address"]]])(
    "is not fetched where its name leads to %j",
    async (addresses) => {
      const { fetch, counts } = await open(saying(200, "{}"), [addresses]);
      await expect(fetch()).rejects.toMatchObject({ code: "forbidden" });
      expect(counts().requests).toBe(0);
    },
  );

  it("is fetched from the address that was checked, wherever the name leads at the second look", async () => {
    const { fetch, counts } = await open(saying(200, "{}"), [[HERE.address], ["10.0.0.1"]]);
    expect((await fetch()).status).toBe(200);
    expect(counts()).toEqual({ requests: 1, looks: 1 });
    await expect(fetch()).rejects.toMatchObject({ code: "forbidden" });
    expect(counts()).toEqual({ requests: 1, looks: 2 });
  });

  it("is not looked for behind a redirect", async () => {
    const { fetch, counts } = await open(saying(302, "", { location: "/elsewhere.json" }));
    expect((await fetch()).status).toBe(302);
    expect(counts().requests).toBe(1);
  });

  it.each<[string, RequestListener, string]>([
    ["too large", saying(200, "x".repeat(5 * 1_024 + 1)), "unsupported"],
    ["endless", (_, response) => void setInterval(() => response.write("x".repeat(600)), 10).unref(), "unsupported"],
    ["late", () => undefined, "unavailable"],
    ["slow", (_, response) => void setInterval(() => response.write("x"), 50).unref(), "unavailable"],
    ["cut off", ({ socket }) => void socket.destroy(), "unavailable"],
  ])("that is %s is given up", async (_, answer, code) => {
    const { fetch } = await open(answer);
    await expect(fetch()).rejects.toMatchObject({ code });
  });

  it("is not taken from a server whose certificate nobody vouches for", async () => {
    const { fetch } = await open(saying(200, "{}"));
    await expect(fetch({ ca: "" })).rejects.toMatchObject({ code: "unavailable" });
  });
});
