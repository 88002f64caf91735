import type { ElicitResult } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { arrive, codeOf, textOf, WAYS } from "./arrive.ts";
import { headersOf, type TestClient } from "./clients.ts";

const YES: ElicitResult = { action: "accept", content: { confirm: true } };

/** Sarah's agent has read what Mark wrote, and wants to speak at the pier. */
async function prepare(way: string, answer: ElicitResult | null, trustsHost = true) {
  const all = await arrive({ trustsHost: () => trustsHost });
  const shown: string[] = [];
  const person = (message: string) => {
    shown.push(message);
    return answer ?? YES;
  };
  const client = await WAYS[way]?.(all.address("sarah"), answer ? person : undefined);
  if (!client) throw new Error(`there is no way ${way}`);
  all.sandbox.as("mark").say("general", "the crane is blue");
  await client.call("discord_channel_messages", { channel_id: all.id("general") });
  const draft = { channel_id: all.id("pier"), text: "the crane is\nblue" };
  return { ...all, shown, draft, call: (args: object = draft) => speak(client, { ...args }) };
}

const speak = (client: TestClient, args: Record<string, unknown>) => client.call("discord_send", args);

describe.each(Object.keys(WAYS))("an effect that needs confirmation, over MCP %s,", (way) => {
  it("is done once, after the person has seen exactly what would be sent", async () => {
    const { call, shown, said, draft } = await prepare(way, YES);
    const result = await call();
    expect(result.structuredContent).toMatchObject({ message_ids: [expect.any(String)] });
    expect(said("pier")).toEqual([draft.text]);
    expect(shown).toHaveLength(1);
    expect(shown[0]).toContain("#pier");
    expect(shown[0]).toContain("│ the crane is\n│ blue");
    expect(shown[0]).toContain("Nobody would be pinged.");
    await call();
    expect([said("pier").length, shown.length]).toEqual([1, 1]);
  });

  it.each<[string, ElicitResult]>([
    ["decline", { action: "decline" }],
    ["leave the box empty", { action: "accept", content: { confirm: false } }],
    ["answer something else", { action: "accept", content: { confirm: "yes" } as never }],
  ])("is not done, and not asked about again, when the person chooses to %s", async (_, answer) => {
    const { call, shown, said } = await prepare(way, answer);
    for (const result of [await call(), await call()]) {
      expect(codeOf(result)).toBe("forbidden");
      expect(textOf(result)).toContain("declined");
    }
    expect([said("pier"), shown.length]).toEqual([[], 1]);
  });

  it("stays pending when the person cancels the dialog", async () => {
    const { call, shown, said } = await prepare(way, { action: "cancel" });
    expect([codeOf(await call()), codeOf(await call())]).toEqual(["confirmation_needed", "confirmation_needed"]);
    expect([said("pier"), shown.length]).toEqual([[], 2]);
  });

  it("is answered with `confirmation_needed` where the host cannot ask the person", async () => {
    const { call, said } = await prepare(way, null);
    const result = await call();
    expect(codeOf(result)).toBe("confirmation_needed");
    expect(textOf(result)).toContain("has to confirm this first");
    expect(said("pier")).toEqual([]);
  });

  it("is answered with `confirmation_needed` where the operator does not trust the host to ask the person", async () => {
    const { call, shown, said } = await prepare(way, YES, false);
    expect(codeOf(await call())).toBe("confirmation_needed");
    expect([said("pier"), shown]).toEqual([[], []]);
  });
});

describe.each(Object.keys(WAYS))("a client that connects for a channel, over MCP %s,", (way) => {
  it("reads only what everyone there may read, and may then speak there once the person confirms it", async () => {
    const { sandbox, address, said } = await arrive();
    sandbox.as("mei").say("staff-room", "the berth is haunted");
    sandbox.as("mark").say("general", "the berth opens on monday");
    const client = await WAYS[way]?.(address("mei", { for: "%23general" }), () => YES);
    const found = textOf((await client?.call("search_messages", { query: "berth" })) ?? { content: [] });
    expect(found).toContain("opens on monday");
    expect(found).not.toContain("haunted");
    const draft = { channel_id: sandbox.community.channels.get("general") ?? "", text: "monday it is" };
    expect((await client?.call("discord_send", draft))?.isError).toBeFalsy();
    expect(said("general")).toEqual([draft.text]);
  });
});

describe("an effect outside the person's own direct messages", () => {
  it("waits for the person even when nothing was read", async () => {
    const { address, id, said, edge, sandbox } = await arrive();
    const client = await WAYS["2026-07-28 on the stdio wire"]?.(address("sarah"));
    const send = (channel_id: string) => client?.call("discord_send", { channel_id, text: "good morning" });
    expect(codeOf((await send(id("general"))) ?? { content: [] })).toBe("confirmation_needed");
    const dm = await edge.discord.openDm(sandbox.as("sarah").id as never);
    expect((await send(dm))?.isError).toBeFalsy();
    expect([said("general"), said(dm)]).toEqual([[], ["good morning"]]);
  });
});

describe("a person's confirmation", () => {
  it("is valid only for the text that the person saw", async () => {
    const { sandbox, address, id, said } = await arrive();
    sandbox.as("mark").say("general", "the crane is blue");
    const sarah = address("sarah");
    const call = async (name: string, args: object, inputResponses?: object) => {
      const capabilities = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
      const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", ...capabilities };
      const params = { name, arguments: args, _meta, ...(inputResponses && { inputResponses }) };
      const headers = {
        ...headersOf(sarah),
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": name,
      };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const response = await fetch(sarah.url, { method: "POST", headers, body });
      const { result } = (await response.json()) as { result: { inputRequests?: object; isError?: boolean } };
      return result;
    };
    await call("discord_channel_messages", { channel_id: id("general") });
    const asked = await call("discord_send", { channel_id: id("pier"), text: "harmless" });
    const [key = ""] = Object.keys(asked.inputRequests ?? {});
    const other = await call("discord_send", { channel_id: id("pier"), text: "harmful" }, { [key]: YES });
    expect(Object.keys(other.inputRequests ?? {})).not.toEqual([key]);
    const within = { channel_id: id("pier"), text: "harmful", inputResponses: { [key]: YES } };
    expect(await call("discord_send", within)).toMatchObject({ isError: true });
    expect(said("pier")).toEqual([]);
    await call("discord_send", { channel_id: id("pier"), text: "harmless" }, { [key]: YES });
    expect(said("pier")).toEqual(["harmless"]);
  });

  it("is asked for with all invisible characters written out", async () => {
    const { call, shown, draft } = await prepare("2026-07-28 over HTTP", { action: "cancel" });
    await call({ ...draft, text: "to the pier\u202e\u200b\nNothing has been done yet." });
    expect(shown[0]).toContain("│ to the pier⟨U+202E⟩⟨U+200B⟩\n│ Nothing has been done yet.");
    expect(shown[0]).toContain("2 characters in it cannot be seen");
  });
});
