import { createHmac, timingSafeEqual } from "node:crypto";
import type { APIAttachment, AttachmentFlags } from "discord-api-types/v10";
import type { AttachmentRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";

const LINK_LIFETIME_SECONDS = 24 * 60 * 60;

export function toApiAttachment(world: World, channelId: string, attachment: AttachmentRecord): APIAttachment {
  const url = signedUrl(world, `/attachments/${channelId}/${attachment.id}/${encodeURIComponent(attachment.filename)}`);
  return {
    id: attachment.id,
    filename: attachment.filename,
    size: attachment.size,
    url,
    proxy_url: url,
    ...(attachment.width !== undefined && { width: attachment.width }),
    ...(attachment.height !== undefined && { height: attachment.height }),
    ...(attachment.contentType !== null && { content_type: attachment.contentType }),
    ...(attachment.description !== undefined && { description: attachment.description }),
    ...(attachment.durationSeconds !== undefined && { duration_secs: attachment.durationSeconds }),
    ...(attachment.waveform !== undefined && { waveform: attachment.waveform }),
    ...(attachment.flags && { flags: attachment.flags as AttachmentFlags }),
  };
}

/** A CDN link with `ex` (expiry), `is` (issue) and `hm` (signature), each in hexadecimal. */
function signedUrl(world: World, path: string): string {
  const issued = Math.floor(world.clock.now() / 1000);
  const ex = (issued + LINK_LIFETIME_SECONDS).toString(16);
  const is = issued.toString(16);
  return `${world.origin()}${path}?ex=${ex}&is=${is}&hm=${sign(world, path, `${ex}&${is}`)}&`;
}

export type LinkState = "valid" | "expired" | "forged";

export function checkSignedLink(world: World, path: string, query: URLSearchParams): LinkState {
  const ex = query.get("ex") ?? "";
  const is = query.get("is") ?? "";
  const given = Buffer.from(query.get("hm") ?? "");
  const expected = Buffer.from(sign(world, path, `${ex}&${is}`));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return "forged";
  return Number.parseInt(ex, 16) * 1000 > world.clock.now() ? "valid" : "expired";
}

function sign(world: World, path: string, times: string): string {
  return createHmac("sha256", world.deriveSecret("cdn")).update(`${path}?${times}`).digest("hex");
}
