import { isIP } from "node:net";
import { z } from "zod";
import { isLoopback } from "../domain/loopback.ts";

export const port = z.coerce.number({ error: "must be a port number, 0 to 65535" }).int().min(0).max(65_535);

/** Earshot's own port, and the address by which others reach it. */
export const serverSettingsSchema = z.strictObject({
  host: z
    .string()
    .min(1)
    .default("127.0.0.1")
    .describe("Address to listen on; any other than loopback needs clients with tokens, or a public address"),
  port: port.default(7790).describe("Port of the RPC server; 0 for any free one"),
  publicUrl: z
    .string()
    .refine(isPublicOrigin, { error: "must be an https address without a path, such as https://earshot.example.org" })
    .overwrite((address) => URL.parse(address)?.origin ?? address)
    .optional()
    .describe("Address by which people's programs reach Earshot; with it, people can sign in with Discord"),
  trustedProxies: z
    .array(z.string().refine(isNetwork, { error: "must be an IP address or a network such as 10.0.0.0/8" }))
    .max(50)
    .default([])
    .describe("Proxies whose X-Forwarded-For is believed"),
});

interface Given {
  readonly discord: { readonly token?: string | undefined; readonly clientSecret?: string | undefined };
  readonly server: { readonly host: string; readonly publicUrl?: string | undefined };
  readonly clients: readonly unknown[];
}

/** Settings that do not go together, each with its path. */
export function listServerProblems({ discord, server, clients }: Given): (readonly [readonly string[], string])[] {
  const isPublic = server.publicUrl !== undefined;
  const needsClient = !isLoopback(server.host) && clients.length === 0 && !isPublic;
  const tokenHint = "listening beyond this machine needs at least one client with a token; see earshot token";
  return [
    ...(needsClient ? [[["server", "host"], tokenHint] as const] : []),
    ...(isPublic && discord.token === undefined
      ? [[["server", "publicUrl"], "needs a bot token: in the sandbox, anyone can sign in as anyone"] as const]
      : []),
    ...(isPublic && discord.clientSecret === undefined
      ? [[["discord", "clientSecret"], "is missing: with a public address, people sign in with Discord by it"] as const]
      : []),
  ];
}

function isPublicOrigin(address: string): boolean {
  const url = URL.parse(address);
  if (url?.protocol !== "https:" || isLoopback(url.hostname)) return false;
  return url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "" && url.password === "";
}

function isNetwork(text: string): boolean {
  const [address = "", bits, ...more] = text.split("/");
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
