import type { Hono } from "hono";
import { checkSignedLink } from "../render/attachments.ts";
import { avatarOf, drawPicture } from "../render/draw-picture.ts";
import { findAttachment } from "../render/messages.ts";
import type { AttachmentRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import type { Served } from "./served.ts";

const GONE = "This content is no longer available.";
const AVATAR = { width: 128, height: 128 };

/** Discord's CDN: attachments with signed links that expire, emojis, and default avatars. */
export function mountCdn(app: Hono<Served>): void {
  app.get("/attachments/:channel/:attachment/:filename", (c) => {
    const { world } = c.env;
    const url = new URL(c.req.url);
    const state = checkSignedLink(world, url.pathname, url.searchParams);
    if (state !== "valid") return c.text(GONE, 404);
    const found = findInChannel(world, c.req.param("channel"), c.req.param("attachment"));
    if (!found) return c.text(GONE, 404);
    const bytes = typeof found.bytes === "function" ? found.bytes() : found.bytes;
    return new Response(new Uint8Array(bytes), {
      headers: {
        "Content-Type": found.contentType ?? "application/octet-stream",
        "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(found.filename)}`,
      },
    });
  });
  app.get("/emojis/:file{\\d+\\.\\w+}", (c) => {
    const id = c.req.param("file").split(".")[0] ?? "";
    for (const { emojis } of c.env.world.guilds.values()) {
      const emoji = emojis.get(id);
      if (emoji) return new Response(new Uint8Array(emoji.bytes), { headers: { "Content-Type": emoji.contentType } });
    }
    return c.text("", 404);
  });
  app.get("/embed/avatars/:file{[0-5]\\.png}", (c) =>
    toPng(drawPicture({ ...AVATAR, drawing: avatarOf(c.req.param("file")) })),
  );
}

function findInChannel(world: World, channelId: string, attachmentId: string): AttachmentRecord | undefined {
  for (const message of world.channels.get(channelId)?.messages ?? []) {
    const found = message.more ? findAttachment(message, attachmentId) : undefined;
    if (found) return found;
  }
  for (const interaction of world.interactions.values()) {
    if (interaction.channelId !== channelId) continue;
    const given = interaction.files.find(({ id }) => id === attachmentId);
    if (given) return given;
    for (const message of interaction.ephemeral.values()) {
      const found = findAttachment(message, attachmentId);
      if (found) return found;
    }
  }
  return undefined;
}

function toPng(bytes: Buffer): Response {
  return new Response(new Uint8Array(bytes), { headers: { "Content-Type": "image/png" } });
}
