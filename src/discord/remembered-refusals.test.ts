import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import { DiscordRest } from "./rest.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const CHANNEL = "1300000000000000001" as ChannelId;

/** A server that refuses the first request, once it may answer. */
async function openRefusing(status: number, code: number, mayAnswer?: Promise<void>) {
  const asked: string[] = [];
  const arrived = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const isFirst = asked.push(`${request.method} ${request.url}`) === 1;
    arrived.resolve();
    if (isFirst) await mayAnswer;
    response.statusCode = isFirst ? status : 200;
    response.setHeader("content-type", "application/json");
    if (isFirst) response.end(JSON.stringify({ code, message: "no" }));
    else
      response.end(request.method === "GET" ? "[]" : '{"id":"1300000000000000002","channel_id":"1300000000000000001"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  const rest = new DiscordRest({ api, token: "t" }, { clock: { now: Date.now }, log });
  onTestFinished(() => rest.close());
  return { asked, arrived: arrived.promise, rest };
}

it("a message that is refused because what it replies to is gone does not keep others from being sent", async () => {
  const { asked, rest } = await openRefusing(404, 10_008);
  const replyTo = "1300000000000000003" as MessageId;
  await expect(rest.send(CHANNEL, { text: "Hi", mentions: [], replyTo })).rejects.toMatchObject({ code: "not_found" });
  await rest.send(CHANNEL, { text: "Hi", mentions: [] }).catch(() => {});
  expect(asked).toHaveLength(2);
});

it("a refusal that was under way when roles changed is not remembered", async () => {
  const release = Promise.withResolvers<void>();
  const { asked, arrived, rest } = await openRefusing(403, 50_001, release.promise);
  const refused = rest.history(CHANNEL, { limit: 1 }).catch((error: unknown) => error);
  await arrived;
  const places = { directory: { channel: () => undefined, directMessages: () => undefined }, botId: "90" as UserId };
  rest.rest.refusals.hear("GUILD_ROLE_UPDATE", { guild_id: "1300000000000000004" }, places as never);
  release.resolve();
  expect(await refused).toMatchObject({ code: "not_found" });
  expect(await rest.history(CHANNEL, { limit: 1 })).toEqual([]);
  expect(asked).toHaveLength(2);
});

it("a reaction for which the bot lacks a permission does not keep it from another reaction", async () => {
  const { asked, rest } = await openRefusing(403, 50_013);
  const message = { channelId: CHANNEL, messageId: "1300000000000000003" as MessageId };
  await expect(rest.react({ ...message, emoji: "👍" })).rejects.toMatchObject({ code: "not_found" });
  await expect(rest.react({ ...message, emoji: "👍" })).rejects.toMatchObject({ code: "not_found" });
  await rest.react({ ...message, emoji: "🎉" });
  expect(asked).toHaveLength(2);
});

it("a person who takes no direct messages is not asked again because roles changed in a server", async () => {
  const { asked, rest } = await openRefusing(403, 50_007);
  const person = "1300000000000000005" as UserId;
  await expect(rest.openDm(person)).rejects.toMatchObject({ code: "not_found" });
  const places = { directory: { channel: () => undefined, directMessages: () => undefined }, botId: "90" as UserId };
  rest.rest.refusals.hear("GUILD_ROLE_UPDATE", { guild_id: "1300000000000000004" }, places as never);
  await expect(rest.openDm(person)).rejects.toMatchObject({ code: "not_found" });
  expect(asked).toHaveLength(1);
});
