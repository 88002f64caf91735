import { inflateSync } from "node:zlib";
import { MessageReferenceType } from "discord-api-types/v10";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openRestServer, type RestServer, refusalOf } from "../../test/support/rest-server.ts";
import { avatarOf, drawPicture } from "../render/draw-picture.ts";

let server: RestServer;

beforeEach(async () => {
  server = await openRestServer();
});

afterEach(() => server.close());

async function upload(name: string, data: Buffer, contentType?: string) {
  const file = { name, data, ...(contentType !== undefined && { contentType }) };
  return server.client().channels.createMessage(server.channels.general.id, {
    content: "here",
    files: [file],
    attachments: [{ id: 0, description: "a file" }],
  });
}

it("the sandbox accepts files and serves them under signed links", async () => {
  const message = await upload("note.txt", Buffer.from("low tide at six"), "text/plain");
  const [attachment] = message.attachments;
  expect(attachment).toMatchObject({ filename: "note.txt", size: 15, description: "a file" });
  expect(attachment?.url).toMatch(/\/attachments\/\d+\/\d+\/note\.txt\?ex=[0-9a-f]+&is=[0-9a-f]+&hm=[0-9a-f]{64}&$/);
  const response = await fetch(attachment?.url ?? "");
  expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
    200,
    "text/plain",
    "low tide at six",
  ]);
});

it("the sandbox expires attachment links, and gives a refetched message new ones", async () => {
  const message = await upload("note.txt", Buffer.from("x"));
  server.clock.advance(25 * 3_600_000);
  const stale = await fetch(message.attachments[0]?.url ?? "");
  expect([stale.status, await stale.text()]).toEqual([404, "This content is no longer available."]);
  const again = await server.client().channels.getMessage(message.channel_id, message.id);
  expect((await fetch(again.attachments[0]?.url ?? "")).status).toBe(200);
});

it("the sandbox rejects an attachment link that was changed or has no signature", async () => {
  const url = new URL((await upload("note.txt", Buffer.from("x"))).attachments[0]?.url ?? "");
  const longer = new URL(url);
  longer.searchParams.set("ex", "ffffffff");
  expect((await fetch(longer)).status).toBe(404);
  expect((await fetch(url.origin + url.pathname)).status).toBe(404);
});

it("the sandbox measures images and serves them unchanged", async () => {
  const picture = drawPicture({ width: 640, height: 480, drawing: avatarOf("sunset") });
  const message = await upload("sunset.png", picture, "image/png");
  expect(message.attachments[0]).toMatchObject({ width: 640, height: 480, content_type: "image/png" });
  const served = Buffer.from(await (await fetch(message.attachments[0]?.url ?? "")).arrayBuffer());
  expect(served.equals(picture)).toBe(true);
});

it("the sandbox draws complete images", () => {
  const picture = drawPicture({ width: 33, height: 9, drawing: avatarOf("x") });
  const start = picture.indexOf("IDAT");
  const pixels = inflateSync(picture.subarray(start + 4, start + 4 + picture.readUInt32BE(start - 4)));
  expect(pixels).toHaveLength((33 + 1) * 9);
});

it("the sandbox keeps a forwarded file after the original is deleted", async () => {
  const { channels } = server.client();
  const message = await upload("note.txt", Buffer.from("kept"));
  const forwarded = await channels.createMessage(server.channels.random.id, {
    message_reference: { type: MessageReferenceType.Forward, message_id: message.id, channel_id: message.channel_id },
  });
  await channels.deleteMessage(message.channel_id, message.id);
  const [attachment] = forwarded.message_snapshots?.[0]?.message.attachments ?? [];
  expect(await (await fetch(attachment?.url ?? "")).text()).toBe("kept");
  expect((await fetch(message.attachments[0]?.url ?? "")).status).toBe(404);
});

it("the sandbox rejects files of more than ten mebibytes", async () => {
  const call = upload("big.bin", Buffer.alloc(10 * 1024 * 1024 + 1));
  expect(await refusalOf(call)).toMatchObject({ status: 413, code: 40005 });
});

it("the sandbox serves default avatars", async () => {
  const response = await fetch(`${server.origin}/embed/avatars/3.png`);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([response.status, bytes.subarray(1, 4).toString()]).toEqual([200, "PNG"]);
});
