import { EarshotError } from "../domain/errors.ts";
import type { DownloadLimits } from "../ports/discord.ts";

const DISCORDS_OWN = ["https://cdn.discordapp.com", "https://media.discordapp.net"];
const TIMEOUT_MS = 15_000;

/** Hosts of the connected server's files. No other host is contacted, and redirects are not followed. */
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
  // Counts received bytes instead of trusting the header.
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

/** Content types of a host that does not know the file's type. */
const SAYS_NOTHING = ["", "application/octet-stream", "binary/octet-stream"];

/** Magic numbers; a null stands for any byte. */
const BEGINNINGS: readonly (readonly [string, readonly (number | null)[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", [0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50]],
  ["application/pdf", [0x25, 0x50, 0x44, 0x46, 0x2d]],
];

/** Only for text files: a file name does not prove a picture. */
const TEXTS: Readonly<Record<string, string>> = {
  txt: "text/plain",
  log: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
  xml: "text/xml",
  yml: "text/yaml",
  yaml: "text/yaml",
  json: "application/json",
};

/** The type sent by the host; otherwise by magic number, and for text by file extension. Empty if unknown. */
function toFileType(told: string | null, bytes: Uint8Array, path: string): string {
  const type = told?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!SAYS_NOTHING.includes(type)) return type;
  const [seen] = BEGINNINGS.find(([, beginning]) => beginsWith(bytes, beginning)) ?? [];
  if (seen) return seen;
  const ending = /\.([a-z]{2,4})$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  return isText(bytes) ? (TEXTS[ending] ?? "") : "";
}

function beginsWith(bytes: Uint8Array, beginning: readonly (number | null)[]): boolean {
  return beginning.every((byte, index) => byte === null || bytes[index] === byte);
}

function isText(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(bytes).includes("\0");
  } catch {
    return false;
  }
}
