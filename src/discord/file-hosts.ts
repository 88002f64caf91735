import { EarshotError } from "../domain/errors.ts";
import type { DownloadLimits } from "../ports/discord.ts";
import { toFileType } from "./file-type.ts";

const DISCORDS_OWN = ["https://cdn.discordapp.com", "https://media.discordapp.net"];
const TIMEOUT_MS = 15_000;

/** Where the connected server keeps its files. Nothing is fetched from anywhere else, and no redirect is followed. */
export class FileHosts {
  readonly #origins: readonly string[];

  constructor(api: string, hosts: readonly string[] = []) {
    const { origin, hostname } = new URL(api);
    const usual = hostname === "discord.com" ? DISCORDS_OWN : [origin];
    this.#origins = hosts.length === 0 ? usual : hosts.map((host) => new URL(host).origin);
  }

  async download(
    address: string,
    limits: DownloadLimits,
    signal?: AbortSignal,
  ): Promise<{ contentType: string; bytes: Uint8Array }> {
    const url = URL.parse(address);
    if (!url || !this.#origins.includes(url.origin) || url.username || url.password) {
      throw new EarshotError(
        "invalid",
        "Only files on Discord's own hosts can be fetched, or on those that the operator names.",
      );
    }
    const patience = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await fetch(url, {
        redirect: "error",
        signal: signal ? AbortSignal.any([signal, patience]) : patience,
      });
      return await receive(response, limits);
    } catch (cause) {
      if (cause instanceof EarshotError) throw cause;
      if (signal?.aborted) throw new EarshotError("cancelled", "The download was cancelled.", { cause });
      throw new EarshotError("unavailable", "The file cannot be fetched now; try again later.", { cause });
    }
  }
}

async function receive(
  response: Response,
  { mostBytes, types }: DownloadLimits,
): Promise<{ contentType: string; bytes: Uint8Array }> {
  if (response.status === 404 || response.status === 403)
    throw new EarshotError("not_found", "The file is gone, or its link has expired.");
  if (!response.ok || !response.body)
    throw new EarshotError("unavailable", `The file host answered with status ${response.status}; try again later.`);
  const told = response.headers.get("content-type");
  const { pathname } = new URL(response.url);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // What a header promises is not believed: the bytes that arrive are counted.
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > mostBytes) throw new EarshotError("unsupported", `The file is larger than ${mostBytes} bytes.`);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const contentType = toFileType(told, bytes, pathname);
  if (types.some((type) => contentType.startsWith(type))) return { contentType, bytes };
  const problem = `Files of type ${contentType || "unknown"} are not handed out; only ${types.join(", ")}.`;
  throw new EarshotError("unsupported", problem);
}
