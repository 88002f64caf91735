import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { Description } from "../../src/domain/rpc/rpc-methods.ts";
import { tools } from "../../src/tools/index.ts";
import { renderReference } from "../../src/transports/rpc/reference-page.ts";
import { renderToolMethods } from "../../src/transports/rpc/tool-methods-file.ts";
import { connectRaw } from "../support/raw-rpc.ts";
import { openRpcServer } from "../support/rpc-server.ts";

describe("the RPC reference page", () => {
  it("is up to date with the code", () => {
    const page = readFileSync(new URL("../../docs/reference/rpc.md", import.meta.url), "utf8");
    expect(page === renderReference(tools), "run npm run docs").toBe(true);
  });

  it("is made together with the types of the client's methods, which are up to date, too", () => {
    const types = readFileSync(new URL("../../src/client/tool-methods.ts", import.meta.url), "utf8");
    expect(types === renderToolMethods(tools), "run npm run docs").toBe(true);
  });

  it("has every method, with a description of every argument", () => {
    const page = renderReference(tools);
    for (const { name } of tools) expect(page).toContain(`### \`${name}\``);
    const meaningless = page.split("\n").filter((line) => /^\| `\w+` \|.*\|\s*\|$/.test(line));
    expect(meaningless).toEqual([]);
  });
});

describe("the schemas on the RPC reference page", () => {
  it("include every schema that is referenced, once each", () => {
    const page = renderReference(tools);
    const named = new Set([...page.matchAll(/"\$ref": ?"#\/(\w+)"/g)].map(([, name]) => name));
    expect(named.size).toBeGreaterThan(5);
    for (const name of named) expect(page.split(`### \`${name}\`\n`)).toHaveLength(2);
    expect(page.match(/"reply_to":/g)?.length).toBeLessThan(20);
    expect(page.split("\n").length, "name what is repeated as a shape").toBeLessThan(2_500);
  });
});

describe("rpc.describe", () => {
  it("gives schemas that real frames and events match", async () => {
    const server = await openRpcServer();
    const rpc = await connectRaw(server, "brain", "unknown");
    const answer = await rpc.call("rpc.describe");
    if (!answer.ok) throw new Error("not described");
    const { frames, events, methods } = answer.value as Description;
    server.say("@bot hello");
    await rpc.call("test.scan", { pages: 1 }, await rpc.operation());
    server.beat();
    await rpc.find(({ op }) => op === "event/heartbeat");
    rpc.send("rubbish");
    await rpc.find(({ reply_to }) => reply_to === null);
    const ajv = new Ajv2020({ formats: { "date-time": true } });
    const seen = new Set<string>();
    for (const frame of rpc.frames) {
      const { op } = frame;
      const described = frames.find(
        (one) => op === one.op || (one.op.endsWith("…") && op.startsWith(one.op.slice(0, -1))),
      );
      seen.add(described?.op ?? op);
      expect(ajv.validate(described?.schema ?? false, frame), `${op}: ${ajv.errorsText()}`).toBe(true);
      const payload = events.find(({ name }) => op === `event/${name}`)?.payload;
      if (payload) expect(ajv.validate(payload, frame.payload), `${op}: ${ajv.errorsText()}`).toBe(true);
    }
    expect([...seen].sort()).toEqual(
      frames
        .filter(({ from }) => from === "server")
        .map(({ op }) => op)
        .sort(),
    );
    const own = methods.find(({ name }) => name === "rpc.describe");
    expect(ajv.validate(own?.result ?? false, answer.value), ajv.errorsText()).toBe(true);
    const echo = methods.find(({ name }) => name === "test.echo");
    expect(ajv.validate(echo?.args ?? false, { text: "times has a default" })).toBe(true);
    expect(ajv.validate(echo?.args ?? false, { text: 5 })).toBe(false);
  });
});
