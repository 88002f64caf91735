import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { arrive, WAYS } from "./arrive.ts";
import { type Address, connectNew, connectOld, headersOf, openSocket, overHttp, overOldHttp } from "./clients.ts";

const BEGINNING = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };
const MODERN = {
  ...LIST,
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

/** A request as it is written, whatever a well-behaved client would write. */
function post(url: string, headers: Record<string, string>, body: unknown = BEGINNING) {
  const isModern = body === MODERN;
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; headers: object; text: string }>();
  const asking = request(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(isModern && { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" }),
      ...headers,
    },
  });
  asking.on("response", async (response) => {
    const text = (await response.toArray()).join("");
    resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
  });
  asking.on("error", reject);
  asking.end(typeof body === "string" ? body : JSON.stringify(body));
  return promise;
}

describe("the MCP server", () => {
  it("refuses requests without a client's token, and says how to get one", async () => {
    const { address, url } = await arrive();
    for (const headers of [{}, headersOf(address("sarah", { token: "token-nobody" }))]) {
      const { status, headers: answered, text } = await post(url, headers);
      expect([status, answered]).toEqual([401, expect.objectContaining({ "www-authenticate": "Bearer" })]);
      expect(text).toContain("earshot token");
    }
    await expect(openSocket({ url, token: "token-nobody" })).rejects.toThrow("401");
  });

  it("lets a client act for the only person in its grant without naming that person", async () => {
    const { sandbox, url, token, id } = await arrive();
    sandbox.as("mei").say("staff-room", "behind the chart");
    const actors = [sandbox.as("mei").id as never];
    const client = await connectNew(overHttp({ url, token: token("one", { actors }) }));
    const { structuredContent } = await client.call("discord_channel_messages", { channel_id: id("staff-room") });
    expect(structuredContent).toMatchObject({ messages: [{ content: "behind the chart" }] });
  });

  it("offers direct messages to a client that acts for one person alone, and tells others why they cannot be read", async () => {
    const { sandbox, url, token } = await arrive();
    sandbox.as("mei").dm("behind the chart");
    const mei = sandbox.as("mei").id as never;
    const own = await connectNew(overHttp({ url, token: token("one", { actors: [mei] }) }));
    const names = (await own.client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("discord_dm_messages");
    // The direct message may still be on its way.
    const read = async () => (await own.call("discord_dm_messages", {})).structuredContent;
    await expect.poll(read).toMatchObject({ messages: [{ content: "behind the chart" }] });
    const anyone = await connectNew(overHttp({ url, token: token("anyone", { actors: "anyone" }), actor: mei }));
    expect((await anyone.client.listTools()).tools.map(({ name }) => name)).not.toContain("discord_dm_messages");
    const refused = await anyone.call("discord_dm_messages", {});
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("nobody else in") }] });
  });

  it("refuses a client that acts for a person whom its grant does not name", async () => {
    const { sandbox, url, token } = await arrive();
    const person = (key: string) => sandbox.as(key).id;
    const [mei, mark, sarah] = [person("mei"), person("mark"), person("sarah")];
    const two = token("two", { actors: [mei, mark] as never });
    const none = token("none", { actors: [] });
    const anyone = token("anyone", { actors: "anyone" });
    const ask = async (address: Omit<Address, "url">) => {
      const { status, text } = await post(url, headersOf({ url, ...address }));
      return [status, status === 200 ? "" : (JSON.parse(text) as { error: { message: string } }).error.message];
    };
    expect(await ask({ token: two, actor: mark })).toEqual([200, ""]);
    expect(await ask({ token: two })).toEqual([403, expect.stringContaining("On whose behalf?")]);
    expect(await ask({ token: two, actor: sarah })).toEqual([403, expect.stringContaining("not granted")]);
    expect(await ask({ token: none })).toEqual([403, expect.stringContaining("On whose behalf?")]);
    expect(await ask({ token: none, actor: sarah })).toEqual([403, expect.stringContaining("not granted")]);
    expect(await ask({ token: anyone })).toEqual([403, expect.stringContaining("On whose behalf?")]);
    expect(await ask({ token: anyone, actor: sarah })).toEqual([200, ""]);
    expect(await ask({ token: anyone, actor: "sarah" })).toEqual([
      400,
      expect.stringContaining("must be a Discord id"),
    ]);
    await expect(openSocket({ url, token: two, actor: sarah })).rejects.toThrow("403");
  });

  it.each([
    ["a web page of another origin", { origin: "https://evil.example" }],
    ["a web page without an origin", { origin: "null" }],
    ["a host name that was rebound to this machine", { host: "evil.example" }],
    ["a host name that only begins like a local one", { host: "localhost.evil.example" }],
  ])("refuses %s, even with a token", async (_, headers) => {
    const { address, url } = await arrive();
    for (const body of [BEGINNING, MODERN])
      expect((await post(url, { ...headersOf(address("sarah")), ...headers }, body)).status).toBe(403);
  });

  it("accepts a web page on this machine", async () => {
    const { address, url } = await arrive();
    const headers = { ...headersOf(address("sarah")), origin: "http://localhost:5173" };
    for (const body of [BEGINNING, MODERN]) expect((await post(url, headers, body)).status).toBe(200);
  });

  it("refuses requests that are too large, in both protocol versions", async () => {
    const { address, url } = await arrive({ limits: { requestBytes: 2_000 } });
    const headers = headersOf(address("sarah"));
    const padding = "x".repeat(3_000);
    for (const body of [BEGINNING, MODERN]) {
      expect((await post(url, headers, body)).status).toBe(200);
      expect((await post(url, headers, { ...body, padding })).status).toBe(413);
    }
    expect((await post(url, headers, "{")).status).toBe(400);
  });

  it("rate-limits each client, and says when to try again", async () => {
    const { address, url, token } = await arrive({ limits: { requestsPerSecond: 0.01, burst: 3 } });
    const headers = headersOf(address("sarah"));
    for (let count = 0; count < 3; count += 1) expect((await post(url, headers, MODERN)).status).toBe(200);
    const { status, headers: answered } = await post(url, headers, MODERN);
    expect([status, Number((answered as { "retry-after": string })["retry-after"])]).toEqual([429, 100]);
    expect((await post(url, headersOf(address("sarah", { token: token("other") })), MODERN)).status).toBe(200);
  });

  it("asks Discord nothing for a request beyond the rate limit", async () => {
    const { address, url, token } = await arrive({ limits: { requestsPerSecond: 0.01, burst: 2 } });
    let asked = 0;
    const admit = async () => {
      asked += 1;
    };
    const headers = headersOf(address("sarah", { token: token("program", {}, { admit }) }));
    const statuses = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await post(url, headers, MODERN)).status);
    expect([statuses, asked]).toEqual([[200, 200, 429, 429], 2]);
  });

  it("counts every request of a batch against the rate limit", async () => {
    const { address, url } = await arrive({ limits: { requestsPerSecond: 0.01, burst: 10 } });
    const begun = await post(url, headersOf(address("sarah")));
    const session = (begun.headers as { "mcp-session-id": string })["mcp-session-id"];
    const headers = { ...headersOf(address("sarah")), "mcp-session-id": session };
    const batch = [1, 2, 3, 4, 5].map((id) => ({ ...LIST, id }));
    expect((await post(url, headers, batch)).status).toBe(200);
    expect((await post(url, headers, batch)).status).toBe(429);
  });

  it("answers lines that it cannot parse, and serves the next", async () => {
    const { address } = await arrive();
    const socket = await openSocket(address("sarah"));
    const lines: string[] = [];
    socket.on("data", (chunk) => lines.push(String(chunk)));
    socket.write(`not json\n[]\n{"jsonrpc":"2.0"}\n${JSON.stringify(BEGINNING)}\n`);
    await expect.poll(() => lines.join("")).toContain('"protocolVersion":"2025-11-25"');
  });

  it("disconnects a client that sends an endless line", async () => {
    const { address, transport } = await arrive({ limits: { requestBytes: 2_000 } });
    const socket = await openSocket(address("sarah"));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.resume();
    socket.write("x".repeat(3_000));
    await closed;
    await expect.poll(() => transport.stats().connections).toBe(0);
  });

  it("answers every request of a client that writes faster than its rate limit", async () => {
    const { address } = await arrive({ limits: { requestsPerSecond: 50, burst: 1 } });
    const socket = await openSocket(address("sarah"));
    const lines: string[] = [];
    socket.on("data", (chunk) => lines.push(...String(chunk).split("\n").slice(0, -1)));
    for (let id = 1; id <= 5; id += 1) socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`);
    await expect.poll(() => lines.length).toBe(5);
  });
});

describe("an MCP session over HTTP", () => {
  it("belongs to the client and the person who opened it", async () => {
    const { address, url, token } = await arrive();
    const begun = await post(url, headersOf(address("sarah")));
    const session = (begun.headers as { "mcp-session-id": string })["mcp-session-id"];
    const ask = async (who: Address) =>
      (await post(url, { ...headersOf(who), "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }, LIST))
        .status;
    expect(await ask(address("sarah"))).toBe(200);
    expect(await ask(address("mei"))).toBe(404);
    expect(await ask(address("sarah", { token: token("other") }))).toBe(404);
    expect((await post(url, headersOf(address("sarah")), LIST)).status).toBe(400);
  });

  it("is closed when the same client opens more than the maximum", async () => {
    const { address, transport, token } = await arrive({ limits: { sessionsPerClient: 2 } });
    const open = () => connectOld(overOldHttp(address("sarah")));
    const first = await open();
    await open();
    const others = await connectOld(overOldHttp(address("sarah", { token: token("other") })));
    await open();
    expect(transport.stats().sessions).toBe(3);
    await expect(first.client.listTools()).rejects.toThrow("There is no such session");
    expect((await others.client.listTools()).tools.length).toBeGreaterThan(0);
  });

  it("ends when the client closes it", async () => {
    const { address, transport } = await arrive();
    const client = await connectOld(overOldHttp(address("sarah")));
    expect(transport.stats().sessions).toBe(1);
    await client.close();
    expect(transport.stats().sessions).toBe(0);
  });

  it("is not opened by a request that is refused", async () => {
    const { address, url, transport } = await arrive();
    await post(url, headersOf(address("sarah")), LIST);
    await post(url, headersOf(address("sarah")), "{");
    expect(transport.stats().sessions).toBe(0);
  });
});

it.each(Object.entries(WAYS))("an open connection over MCP %s ends when the server closes", async (_, connect) => {
  const { address, transport, id } = await arrive();
  const client = await connect(address("sarah"));
  await client.call("discord_channel_info", { channel_id: id("general") });
  await transport.close();
  await transport.close();
  expect(transport.stats()).toMatchObject({ sessions: 0, connections: 0, running: 0 });
});
